"""Result folders made without a model: similarities are given, everything else is the engine's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from handler.evaluation._ledger import Ledger
from handler.evaluation._rows import write_rows
from handler.metrics import get_metric
from handler.metrics.vision._pairs import PairScore
from handler.reports import ResultFolder, RowWriter, dump_row
from handler.reports.page import write_page
from handler.samples import Sample

HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<!--<script>",
    "\"'><img src=x onerror=\"document.title='owned'\">",
    "\u202egnp.exe\u202c and \u2067isolated\u2069",
    "line\u2028separator\u2029paragraph",
    "half \ud800 character and a zero \x00 and &lt;amp;&",
    "]]>*/ alert(1) /* ${document.title='owned'} {{7*7}}",
)


class Given:
    """Similarities in the order of the pairs."""

    def __init__(self, similarities: Sequence[float]) -> None:
        self._rest = iter(similarities)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        return [PairScore(next(self._rest), (9, 9), (False, False)) for _ in pairs]

    def signature_parts(self) -> dict[str, Any]:
        return {"model": "given"}


def frames(n: int, *, n_sessions: int = 4) -> list[Sample]:
    """Frames whose texts are all different, so that each has a similarity of its own."""
    return [
        Sample(
            index=i,
            session_id=f"cam-{i % n_sessions + 1:02d}",
            assistant_id="argos",
            sample_id=f"frame_{i:06d}",
            answer=f"Person {i} walks past the gate.",
            references=(f"Somebody, number {i}, runs past a gate at night.",),
            tags={"light": "night" if i % 3 else "day"},
        )
        for i in range(n)
    ]


def make_result(
    folder: Path,
    samples: Iterable[Sample],
    similarities: Sequence[float],
    *,
    threshold: float = 0.75,
    errors: Sequence[dict[str, Any]] = (),
    **more: Any,
) -> tuple[ResultFolder, dict[str, Any]]:
    """A complete folder, the page included. more: further members of report.json."""
    folder.mkdir(parents=True, exist_ok=True)
    metrics = [
        get_metric("vision.similarity", pairs=Given(similarities)),
        get_metric("vision.hallucination", pairs=Given(similarities), threshold=threshold),
    ]
    ledgers = {metric.name: Ledger(metric, ["light"]) for metric in metrics}
    n = 0
    with (folder / "samples.jsonl").open("wb") as file:
        for sample in samples:
            n += 1
            results = {metric.name: [metric.compute(sample)] for metric in metrics}
            for name, found in results.items():
                ledgers[name].add_all([sample], found, {(sample.session_id, sample.assistant_id): [0]})
            write_rows([sample], results, RowWriter(file, file))
    (folder / "errors.jsonl").write_bytes(b"".join(map(dump_row, errors)))
    document = {
        "schema": "scenescore.report/1",
        "input": {"name": "frames.jsonl"},
        "request": {"threshold": threshold},
        "environment": {"scenescore": "0"},
        "signature": {metric.name: metric.signature() for metric in metrics},
        "counts": {
            "n_samples": n,
            "n_sessions": ledgers["vision.similarity"].n_sessions,
            "n_unreadable": len(errors),
        },
        "metrics": {name: ledger.report() for name, ledger in ledgers.items()},
        "warnings": [],
        "timing": {},
        **more,
    }
    result = ResultFolder(str(folder))
    write_page(result, document)
    result.write_report(document)
    return result, document
