"""The samples that lost most, with both texts where the reports quote them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handler.decisions.comparison._paired import TIE
from handler.decisions.comparison._pairs import N_SHOWN, Pairing
from handler.decisions.comparison._rows import rows_at

__all__ = ["regressed_samples"]

N_CLAIMS = 3  # of one sample
_CLAIM = ("kind", "answer", "reference")


def regressed_samples(
    pairing: Pairing, places: NDArray[np.int64], scores: NDArray[np.float64], *, higher_is_better: bool
) -> list[dict[str, Any]]:
    """Up to ten pairs, the largest loss first, then in the baseline's order. places: numbers of the pairs; scores: (n, 2).

    Rows hold no texts: answer and references are those of the reports' lists of worst samples, null where neither list
    has the sample. references: what people said, of whichever list has it. question: as the rows hold it. baseline_claims,
    candidate_claims: up to three of a row's claims, which quote the words of both sides; without claims not there.
    """
    rises = scores[:, 1] - scores[:, 0]
    losses = -rises if higher_is_better else rises
    worst = [at for at in np.argsort(-losses, kind="stable")[:N_SHOWN].tolist() if losses[at] > TIE]
    pairs = places[worst]
    rows = rows_at(pairing.baseline, pairing.matched.baseline[pairs].tolist())
    others = rows_at(pairing.candidate, pairing.matched.candidate[pairs].tolist())
    texts = pairing.baseline.run.texts(), pairing.candidate.run.texts()
    return [
        {
            "session_id": row["session_id"],
            "sample_id": row["sample_id"],
            "tags": row.get("tags") or {},
            "baseline_score": float(scores[at, 0]),
            "candidate_score": float(scores[at, 1]),
            **_texts(texts[0].get(row["index"]), texts[1].get(other["index"])),
            **_quoted(row, other),
        }
        for at, row, other in zip(worst, rows, others, strict=True)
    ]


def _quoted(row: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """What the rows themselves quote."""
    columns = row.get("columns") or {}
    question = columns.get("question", columns.get("prompt"))
    found: dict[str, Any] = {"question": question} if isinstance(question, str) else {}
    for side, one in (("baseline", row), ("candidate", other)):
        claims = one["metrics"].get("vision.claims", {}).get("claims") or ()
        if claims:
            found[f"{side}_claims"] = [{key: each[key] for key in _CLAIM} for each in claims[:N_CLAIMS]]
    return found


def _texts(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> dict[str, Any]:
    known = other or one
    return {
        "baseline_answer": one["answer"] if one else None,
        "candidate_answer": other["answer"] if other else None,
        "references": known["references"] if known else None,
    }
