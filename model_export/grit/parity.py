"""The gate: every exported graph, and the run time as a whole, against the torch definition on the gate's image.

Each graph is given what the torch definition gave to the same part, so that a difference shows where it arises; the run
time then goes from pixels to words on its own. In fp32 the limits are those within which the torch definition itself
equals the original implementation, and what is decided must be the same: detections, their order, every token. In fp16
decisions near a threshold may fall otherwise, so there the run time as a whole is only looked at, not judged.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from numpy.typing import NDArray

from model_export.grit.comparison import compare_graphs, compare_run_time, expectation
from model_export.grit.image import gate_image
from model_export.grit.network import Grit

__all__ = ["LIMITS", "check_parity"]

# Absolute, but for the prefix: a share of its largest value. Boxes in px.
_FP32 = {
    "pyramid": 2e-4,
    "heatmaps": 2e-4,
    "regressions": 2e-4,
    "box_features": 2e-4,
    "box_logits": 1e-3,
    "box_deltas": 1e-3,
    "region_features": 2e-4,
    "prefix": 1e-4,
    "token_logits": 2e-3,
    "boxes_px": 1e-2,
    "scores": 5e-5,
}
_FP16 = {
    "pyramid": 0.05,
    "heatmaps": 0.1,
    "regressions": 0.1,
    "box_features": 0.05,
    "box_logits": 0.1,
    "box_deltas": 0.1,
    "region_features": 0.05,
    "prefix": 0.02,
    "token_logits": 0.5,
}
LIMITS = {"fp32": _FP32, "fp16": _FP16}


def check_parity(
    folder: Path, network: Grit, vocabulary: list[str], *, precision: str = "fp32", image: NDArray[Any] | None = None
) -> dict[str, Any]:
    """Compare the exported folder with the float32 network that it was written from. Returns the card's `parity`.

    folder: with its card, as the run time opens it. `failures` says in words what did not hold; `verified` is true when
    it is empty. `providers` are those of ONNX Runtime that were tried: no other is vouched for.
    """
    image = gate_image() if image is None else image
    with torch.inference_mode():
        expected = expectation(network, image)
        differences, n_other_tokens = compare_graphs(folder, network, expected)
    found = compare_run_time(folder, expected, image, vocabulary)
    differences |= found.differences
    failures = _failures(differences, LIMITS[precision])
    if precision == "fp32":
        if n_other_tokens:
            failures.append(f"{n_other_tokens} of {expected.n_tokens} tokens are other ones")
        if found.n_detections != len(expected.kept):
            failures.append(f"the run time finds {found.n_detections} boxes, not {len(expected.kept)}")
        if found.n_moved:
            failures.append(f"the run time has {found.n_moved} boxes in another order")
        if found.n_other_sentences:
            failures.append(f"the run time says {found.n_other_sentences} sentences otherwise")
    return {
        "verified": not failures,
        "providers": ["CPUExecutionProvider"],
        "image_px": [int(side) for side in image.shape[:2]],
        "score_threshold": expected.threshold,
        "n_proposals": len(expected.cascade.boxes),
        "n_detections": len(expected.kept),
        "n_tokens": expected.n_tokens,
        "n_other_tokens": n_other_tokens,
        "n_detections_of_run_time": found.n_detections,
        "n_moved_of_run_time": found.n_moved,
        "n_other_sentences_of_run_time": found.n_other_sentences,
        "largest_differences": {name: _figure(value) for name, value in differences.items()},
        "limits": LIMITS[precision],
        "failures": failures,
    }


def _failures(differences: dict[str, float], limits: dict[str, float]) -> list[str]:
    return [
        f"{name} differ by {differences[name]:.3g}, allowed {limit}"
        for name, limit in limits.items()
        if name in differences and not differences[name] <= limit  # also when it is not a number
    ]


def _figure(value: float) -> float | None:
    """A number for JSON: three digits, and None for one that is not finite."""
    return float(f"{value:.3g}") if abs(value) < float("inf") else None
