"""Metrics: samples in, results out. No files, no network, no AWS.

`list_metrics()` names them, `get_metric(name)` makes one, `@register(name)` adds one. For a number on the spot there are
functions: `wer(reference, hypothesis)`, `recall_at_k(ranked, relevant, k)`, `bleu(candidates, references)`, ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from handler.lazily import exported
from handler.metrics._base import BaseMetric, Calibrated, Mode, Tally, compute_all, parse_mode, score_signature
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
    "compute_all",
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

__getattr__ = exported(
    __name__,
    {
        "captions": "bleu cider rouge_l",
        "judge": "agreement cohen_kappa krippendorff_alpha",
        "retrieval": "average_precision hit_rate_at_k ndcg_at_k precision_at_k recall_at_k reciprocal_rank",
        "speech": "cer wer word_errors",
    },
)
