"""Which columns of a judge table hold what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from handler.formats._fields import normal

__all__ = ["Columns", "columns_of"]

_GRADES = ("", "label", "score", "grade", "rating", "verdict")
_JUDGE = (
    *(f"{who}{what}" for who in ("judge", "llm", "llmjudge", "autograder") for what in _GRADES),
    *(f"model{what}" for what in _GRADES if what),
    "judgement", "judgment", "prediction", "predicted", "pred",
)  # fmt: skip
_PEOPLE = (
    *(f"{who}{what}" for who in ("human", "people", "expert") for what in (*_GRADES, *(f"{one}s" for one in _GRADES))),
    "ratings", "annotations", "label", "labels", "gold", "goldlabel", "goldscore", "groundtruth", "reference", "references",
)  # fmt: skip
_RATER = re.compile(
    r"(?:human|expert|people|person)[\s_-]?(?:(?:label|score|grade|rating)[\s_-]?)?(?:\d{1,3}|[a-z])"
    r"|(?:rater|annotator|grader)[\s_-]?(?:(?:label|score|grade|rating)[\s_-]?)?(?P<who>\w{1,40})",
    re.IGNORECASE,
)
_NOT_A_RATER = frozenset(
    "id ids name names email time date count notes note comment comments reason feedback type agreement".split()
)
_SWAPPED = frozenset(
    {
        "judgeexchangedorder", "judgeexchanged", "judgeswapped", "judgeswappedorder", "judgereversed", "judgereversedorder",
        "swapped", "exchanged", "llmswapped",
    }
)  # fmt: skip
_IDS = ("id", "itemid", "sampleid", "questionid", "qid", "qaid", "index")
_CRITERIA = ("criterion", "metric", "dimension", "aspect", "sessionid", "session")
_JUDGE_NAMES = ("judgemodel", "judgename", "judgeversion")
_ASSISTANTS = ("judgemodel", "judgename", "assistantid", "modelid", "model", "modelname")
_LENGTHS = (
    "length",
    "len",
    "chars",
    "nchars",
    "characters",
    "answerlength",
    "responselength",
    "answerlen",
    "responselen",
)
_STEMS = ("lenresponse", "lengthresponse", "lenanswer", "lengthanswer", "length", "len", "chars")
_TEXTS = ("response", "answer", "output")
_BOTH = (("1", "2"), ("a", "b"))


class Columns(NamedTuple):
    """Keys of a row by what they hold; lengths and texts have one, or two of a pair."""

    answer: str | None
    references: tuple[str, ...]
    swapped: str | None
    sample_id: str | None
    session_id: str | None
    assistant_id: str | None
    judge: str | None
    lengths: tuple[str, ...]
    texts: tuple[str, ...]

    def used(self) -> frozenset[str]:
        """Keys that need not be passed on as they are."""
        single = (self.answer, self.swapped, self.sample_id, self.session_id, self.assistant_id)
        return frozenset({*(one for one in single if one), *self.references, *self.texts, "tags"})


def columns_of(keys: Sequence[str], mapping: Mapping[str, str]) -> Columns:
    """The columns by their names; those of `mapping` ({field: column}, columns of references with commas) come first.

    People: several columns such as human_1, rater_b or annotator_eve, else the likeliest single one.
    """
    names: dict[str, str] = {}
    for key in keys:
        names.setdefault(normal(key), key)

    def named(field: str, known: Sequence[str]) -> str | None:
        if field in mapping:
            return names.get(normal(mapping[field]))
        return next((names[name] for name in known if name in names), None)

    answer = named("answer", _JUDGE)
    references = _people(keys, names, mapping, answer)
    free = {name: key for name, key in names.items() if key != answer and key not in references}
    return Columns(
        answer=answer,
        references=references,
        swapped=next((key for name, key in names.items() if name in _SWAPPED), None),
        sample_id=named("sample_id", _IDS),
        session_id=named("session_id", _CRITERIA),
        assistant_id=named("assistant_id", _ASSISTANTS),
        judge=next((names[name] for name in _JUDGE_NAMES if name in names), None),
        lengths=_pair(free, _STEMS) or _single(free, _LENGTHS),
        texts=_pair(free, _TEXTS) or _single(free, _TEXTS),
    )


def _people(
    keys: Sequence[str], names: Mapping[str, str], mapping: Mapping[str, str], answer: str | None
) -> tuple[str, ...]:
    if "references" in mapping:
        wanted = mapping["references"]
        parts = [wanted] if normal(wanted) in names else wanted.split(",")
        return tuple(names[normal(part.strip())] for part in parts if normal(part.strip()) in names)
    raters = tuple(key for key in keys if key != answer and _is_rater(key))
    single = next((names[name] for name in _PEOPLE if name in names and names[name] != answer), None)
    return raters if len(raters) > 1 or single is None else (single,)


def _is_rater(key: str) -> bool:
    found = _RATER.fullmatch(key.strip())
    return found is not None and (found["who"] or "").strip("_").casefold() not in _NOT_A_RATER


def _pair(names: Mapping[str, str], stems: Sequence[str]) -> tuple[str, ...]:
    for stem in stems:
        for one, other in _BOTH:
            if stem + one in names and stem + other in names:
                return (names[stem + one], names[stem + other])
    return ()


def _single(names: Mapping[str, str], known: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[name] for name in known if name in names)[:1]
