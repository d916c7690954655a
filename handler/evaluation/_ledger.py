"""What an evaluation remembers while rows stream by: small, mergeable, plain JSON."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from handler.errors import RequestError
from handler.metrics import BaseMetric, Tally
from handler.results import MetricResult
from handler.samples import EmptySession, Sample

__all__ = ["Ledger"]

N_WORST = 10
N_EXAMPLES = 3
N_NAMES = 8  # of tags and columns that are named where the one asked for is nowhere
MAX_CODES = 30  # kinds of warnings told apart
MAX_GROUPS = 1000  # distinct values of one tag
FIELDS = ("session_id", "assistant_id", "language")  # what else can be grouped by
TEXT_LIMIT = 500  # characters of a text quoted in the report
QUOTED = ("alignment", "claims")  # what of a row says why it is bad

Key = tuple[str, str]


class Ledger:
    """Tallies of one metric by session, by tag value and overall, its warnings and its worst samples."""

    def __init__(self, metric: BaseMetric, group_by: Sequence[str]) -> None:
        self._metric = metric
        self._group_by = list(dict.fromkeys(group_by))
        self._sessions: dict[Key, Tally] = {}
        self._assistants: dict[Key, str] = {}
        self._groups: dict[tuple[str, str], Tally] = {}
        self._overall = metric.tally()
        self._worst: list[tuple[float, int, dict[str, Any]]] = []
        self.warnings: Counter[str] = Counter()
        self.examples: dict[str, list[str]] = {}
        self._there: dict[str, list[str]] = {}  # what the first sample has that does not have this tag

    @property
    def n_sessions(self) -> int:
        """Sessions seen, empty ones included."""
        return len(self._sessions)

    def open_session(self, session: EmptySession | Sample) -> Tally:
        """The tally of a session, made on first sight."""
        key = self._metric.session_key(session.session_id, session.assistant_id)
        tally = self._sessions.get(key)
        if tally is None:
            tally = self._sessions[key] = self._metric.tally()
            self._assistants[key] = session.assistant_id
        return tally

    def add_all(
        self, samples: Sequence[Sample], results: Sequence[MetricResult], sessions: Mapping[Key, Sequence[int]]
    ) -> None:
        """Count results everywhere they belong. sessions: by (session_id, assistant_id), the places of its samples."""
        self._overall.add_all(results)
        by_key: dict[Key, list[int]] = {}
        for names, places in sessions.items():
            self.open_session(samples[places[0]])
            by_key.setdefault(self._metric.session_key(*names), []).extend(places)
        for key, joined in by_key.items():
            self._sessions[key].add_all([results[place] for place in sorted(joined)])
        for by in self._group_by:
            for sample, result in zip(samples, results, strict=True):
                self._group(by, sample).add(result)
        self._note(samples, results)

    def _note(self, samples: Sequence[Sample], results: Sequence[MetricResult]) -> None:
        """Warnings, and the worst samples. Equal texts share one result, which is looked at once."""
        known: dict[int, tuple[float | None, Sequence[str]]] = {}
        for sample, result in zip(samples, results, strict=True):
            found = known.get(id(result))
            if found is None:
                found = known[id(result)] = (self._metric.badness(result), result.details.get("warnings", ()))
            badness, codes = found
            for code in codes:
                self.warn(code, f"{sample.session_id}/{sample.sample_id}")
            if badness is not None and (len(self._worst) < N_WORST or badness >= self._worst[0][0]):
                self._keep_if_bad(badness, sample, result)

    def warn(self, code: str, example: str) -> None:
        """Count a warning; the first few places are kept."""
        code = self._code(code)
        self.warnings[code] += 1
        places = self.examples.setdefault(code, [])
        if len(places) < N_EXAMPLES:
            places.append(example)

    def merge_from(self, other: Ledger) -> None:
        """Fold in the ledger of another shard of the same request."""
        for key, tally in other._sessions.items():
            if key in self._sessions:
                self._sessions[key].merge_from(tally)
            else:
                self._sessions[key], self._assistants[key] = tally, other._assistants[key]
        for group, tally in other._groups.items():
            if group in self._groups:
                self._groups[group].merge_from(tally)
            else:
                self._refuse_another(group[0])
                self._groups[group] = tally
        self._overall.merge_from(other._overall)
        self._worst = heapq.nlargest(N_WORST, [*self._worst, *other._worst], key=lambda entry: entry[:2])
        for code, n in other.warnings.items():
            known = self._code(code)
            self.warnings[known] += n
            self.examples[known] = [*self.examples.get(known, []), *other.examples[code]][:N_EXAMPLES]
        for by, names in other._there.items():
            self._there.setdefault(by, names)

    def names_nothing(self, by: str) -> bool:
        """Whether samples were grouped by a name that none of them has."""
        return {value for known, value in self._groups if known == by} == {""}

    @property
    def there(self) -> list[str]:
        """What could be grouped by instead, as far as a sample without the name asked for has shown it."""
        return [*dict.fromkeys(name for names in self._there.values() for name in names), *FIELDS]

    def state(self) -> dict[str, Any]:
        """Plain JSON from which `restore` makes an equal ledger."""
        return {
            "sessions": [[*key, self._assistants[key], tally.state()] for key, tally in self._sessions.items()],
            "groups": [[*group, tally.state()] for group, tally in self._groups.items()],
            "overall": self._overall.state(),
            "worst": [list(entry) for entry in self._worst],
            "warnings": dict(self.warnings),
            "examples": self.examples,
            "there": self._there,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a saved state."""
        for session_id, assistant_key, assistant_id, tally in state["sessions"]:
            self._sessions[session_id, assistant_key] = self._tally_of(tally)
            self._assistants[session_id, assistant_key] = assistant_id
        for by, value, tally in state["groups"]:
            self._groups[by, value] = self._tally_of(tally)
        self._overall = self._tally_of(state["overall"])
        self._worst = [(badness, index, entry) for badness, index, entry in state["worst"]]
        self.warnings = Counter(state["warnings"])
        self.examples = dict(state["examples"])
        self._there = dict(state.get("there", {}))

    def report(self) -> dict[str, Any]:
        """The metric's part of report.json: sessions, groups, overall, worst."""
        sessions = [
            {"session_id": key[0], "assistant_id": self._assistants[key], **tally.summary()}
            for key, tally in self._sessions.items()
        ]
        ordered = sorted(self._groups.items(), key=lambda one: (one[0][0], one[0][1] == "", one[0][1]))
        groups = [{"by": by, "value": value, **tally.summary()} for (by, value), tally in ordered]
        worst = [entry for _, _, entry in sorted(self._worst, key=lambda one: (-one[0], -one[1]))]
        return {"sessions": sessions, "groups": groups, "overall": self._overall.summary(), "worst": worst}

    def _code(self, code: str) -> str:
        """The code, or what stands for all further ones."""
        is_new = code not in self.warnings and len(self.warnings) >= MAX_CODES
        return f"{code.partition(':')[0]}:other" if is_new else code

    def _refuse_another(self, by: str) -> None:
        if sum(1 for known, _ in self._groups if known == by) >= MAX_GROUPS:
            raise RequestError(
                f"{by!r} has more than {MAX_GROUPS} values", field="group_by", hint="Group by a coarser tag"
            )

    def _tally_of(self, state: Mapping[str, Any]) -> Tally:
        tally = self._metric.tally()
        tally.restore(state)
        return tally

    def _group(self, by: str, sample: Sample) -> Tally:
        value = _text_of(
            sample.tags.get(by, sample.columns.get(by, getattr(sample, by, None) if by in FIELDS else None))
        )
        tally = self._groups.get((by, value))
        if tally is None:
            if not value:
                self._there[by] = [*sample.tags, *sample.columns][:N_NAMES]
            self._refuse_another(by)
            tally = self._groups[by, value] = self._metric.tally()
        return tally

    def _keep_if_bad(self, badness: float, sample: Sample, result: MetricResult) -> None:
        rank = (badness, -sample.index)
        if len(self._worst) < N_WORST:
            heapq.heappush(self._worst, (*rank, _entry(sample, result)))
        elif rank > self._worst[0][:2]:
            heapq.heapreplace(self._worst, (*rank, _entry(sample, result)))


def _entry(sample: Sample, result: MetricResult) -> dict[str, Any]:
    """references: the one that counted first."""
    best = result.details.get("best_reference", 0)
    question = sample.columns.get("question", sample.columns.get("prompt"))
    references = [*sample.references[best : best + 1], *sample.references[:best], *sample.references[best + 1 :]]
    return {
        "index": sample.index,
        "session_id": sample.session_id,
        "assistant_id": sample.assistant_id,
        "sample_id": sample.sample_id,
        "score": result.score,
        "similarity_score": result.details.get("similarity_score", result.score),
        **({"question": _cut(question)} if isinstance(question, str) else {}),
        **{name: result.details[name] for name in QUOTED if name in result.details},
        "answer": _cut(sample.answer or ""),
        "references": [_cut(one) for one in references[:3]],
    }


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def _text_of(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)
