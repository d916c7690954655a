"""Metrics over ranked lists: is what is relevant found, and how far up."""

from handler.metrics.retrieval._functions import (
    average_precision,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from handler.metrics.retrieval._ids import plain_id
from handler.metrics.retrieval._ranking import RankingMetric
from handler.metrics.retrieval._tally import RankingTally

__all__ = [
    "RankingMetric",
    "RankingTally",
    "average_precision",
    "hit_rate_at_k",
    "ndcg_at_k",
    "plain_id",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
]
