"""Metrics: samples in, results out. No files, no network, no AWS.

`list_metrics()` names them, `get_metric(name)` makes one, `@register(name)` adds one. For a number on the spot there are
functions: `wer(reference, hypothesis)`, `recall_at_k(ranked, relevant, k)`, `bleu(candidates, references)`, ...
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from handler.metrics._base import BaseMetric, Calibrated, Mode, Tally, parse_mode, score_signature
from handler.metrics._registry import (
    describe,
    get_metric,
    has_mode,
    list_metrics,
    metric_class,
    register,
    select_metrics,
)

if TYPE_CHECKING:
    from handler.metrics.captions import bleu, cider, rouge_l
    from handler.metrics.judge import agreement, cohen_kappa, krippendorff_alpha
    from handler.metrics.retrieval import (
        average_precision,
        hit_rate_at_k,
        ndcg_at_k,
        precision_at_k,
        recall_at_k,
        reciprocal_rank,
    )
    from handler.metrics.speech import cer, wer, word_errors

__all__ = [
    "BaseMetric",
    "Calibrated",
    "Mode",
    "Tally",
    "agreement",
    "average_precision",
    "bleu",
    "cer",
    "cider",
    "cohen_kappa",
    "describe",
    "get_metric",
    "has_mode",
    "hit_rate_at_k",
    "krippendorff_alpha",
    "list_metrics",
    "metric_class",
    "ndcg_at_k",
    "parse_mode",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
    "register",
    "rouge_l",
    "score_signature",
    "select_metrics",
    "wer",
    "word_errors",
]

_FUNCTIONS = {
    "handler.metrics.captions": ("bleu", "cider", "rouge_l"),
    "handler.metrics.judge": ("agreement", "cohen_kappa", "krippendorff_alpha"),
    "handler.metrics.retrieval": (
        "average_precision",
        "hit_rate_at_k",
        "ndcg_at_k",
        "precision_at_k",
        "recall_at_k",
        "reciprocal_rank",
    ),
    "handler.metrics.speech": ("cer", "wer", "word_errors"),
}
_HOMES = {name: home for home, names in _FUNCTIONS.items() for name in names}


def __getattr__(name: str) -> Any:
    """A function's group is imported when the function is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
