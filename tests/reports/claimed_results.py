"""Result folders with rows of `vision.claims`, written by hand beside what the engine says of the same frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from handler.reports import dump_row
from handler.reports.page import write_page
from handler.samples import Sample
from tests.reports.made_results import make_result

CLAIMS = "vision.claims"
SCENES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "🚨👮‍♀️ Three men in red jackets leave the closed gate.",
        "Two men in red jackets leave the open gate 🚪, near a dog.",
        {
            "claims": [("number", "Three", "Two", 0.97), ("opposite", "closed", "open", 0.9)],
            "omissions": ["near a dog"],
        },
    ),
    (
        "Nobody is at the counter.",
        "A woman waits at the counter.",
        {"claims": [("negation", "Nobody", "A woman", 0.99)], "omissions": ["waits"]},
    ),
    (
        "A dog chases a man in the rain.",
        "A man chases a dog to the left.",
        {"claims": [("role", "dog chases", "man chases", 0.9)], "notes": ["in the rain"], "omissions": ["to the left"]},
    ),
    ("A red van stops at the kerb.", "A red van halts at the kerb.", {}),
    ("A cat sleeps on a blue chair.", "A cat sleeps on a sofa.", {"claims": [("object", "blue chair", "sofa", 0.6)]}),
)


def claimed_frames(n: int = len(SCENES), *, n_sessions: int = 2) -> list[Sample]:
    """The scenes over and over, as frames."""
    return [
        Sample(i, f"cam-{i % n_sessions + 1:02d}", "argos", f"frame_{i:06d}", answer, (reference,))
        for i in range(n)
        for answer, reference, _ in [SCENES[i % len(SCENES)]]
    ]


def judgement(answer: str, reference: str, found: dict[str, Any]) -> dict[str, Any]:
    """A row's part: words become spans where they first stand, counted in code points."""
    claims = [
        {
            "kind": kind,
            "answer": said,
            "reference": seen,
            "answer_spans": _spans(answer, said),
            "reference_spans": _spans(reference, seen),
            "confidence": sure,
        }
        for kind, said, seen, sure in found.get("claims", ())
    ]
    score = max((one["confidence"] for one in claims), default=0.04)
    verdict = "contradicted" if score > 0.8 else "undecided" if score > 0.5 else "supported"
    return {
        "state": "scored",
        "score": score,
        "contradiction": score,
        "verdict": verdict,
        "claims": claims,
        "omissions": [{"words": one, "spans": _spans(reference, one)} for one in found.get("omissions", ())],
        "notes": [{"words": one, "spans": _spans(answer, one)} for one in found.get("notes", ())],
    }


def saying(answer: str, reference: str, *claims: Any, **more: Any) -> dict[str, Any]:
    """A judgement whose claims are (kind, spans of the answer, spans of the reference)."""
    made = [
        {"kind": kind, "answer": "said", "reference": "seen", "answer_spans": one, "reference_spans": other}
        for kind, one, other in claims
    ]
    return {**judgement(answer, reference, {}), "score": 0.99, "verdict": "contradicted", "claims": made, **more}


def make_claimed(
    folder: Path, samples: list[Sample], judgements: list[dict[str, Any]], similarities: Sequence[float] = ()
) -> str:
    """A complete folder whose rows hold the judgements; returns the page's address."""
    given = similarities or [0.9 - 0.1 * (i % 5) for i in range(len(samples))]
    result, document = make_result(folder, samples, given)
    path = folder / "samples.jsonl"
    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    for row, found in zip(rows, judgements, strict=True):
        row["metrics"][CLAIMS] = found
    path.write_bytes(b"".join(map(dump_row, rows)))
    counts = document["metrics"]["vision.similarity"]["overall"]
    kinds = [claim["kind"] for found in judgements for claim in found.get("claims", ())]
    verdicts = [found.get("verdict") for found in judgements]
    n_scored = sum(one is not None for one in verdicts)
    overall = {
        "rate": verdicts.count("contradicted") / n_scored if n_scored else None,
        "n_contradicted": verdicts.count("contradicted"),
        "n_undecided": verdicts.count("undecided"),
        "kinds": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        "threshold": 0.8,
        **{key: counts[key] for key in ("n_samples", "n_skipped", "n_error", "skipped")},
        "n_scored": n_scored,
        "intervals": {"rate": {"low": 0.1, "high": 0.9, "level": 0.95, "method": "wilson"}},
    }
    worst = sorted(
        (i for i, one in enumerate(verdicts) if one == "contradicted"), key=lambda i: -judgements[i]["score"]
    )
    entries = [
        {
            **{key: getattr(samples[i], key) for key in ("index", "session_id", "assistant_id", "sample_id", "answer")},
            "references": [samples[i].references[k] for k in _best_first(samples[i], judgements[i])][:3],
            "claims": judgements[i]["claims"],
            "score": judgements[i]["score"],
            "similarity_score": judgements[i]["score"],
        }
        for i in worst[:10]
    ]
    document["metrics"][CLAIMS] = {"sessions": [], "groups": [], "overall": overall, "worst": entries}
    write_page(result, document)
    result.write_report(document)
    return f"file://{folder}/report.html"


def _best_first(sample: Sample, judgement: dict[str, Any]) -> list[int]:
    best = judgement.get("best_reference", 0)
    return [best, *(k for k in range(len(sample.references)) if k != best)]


def _spans(text: str, words: str) -> list[list[int]]:
    at = text.find(words) if words else -1
    return [[at, at + len(words)]] if at >= 0 else []


FOUND = [judgement(*scene) for scene in SCENES]
