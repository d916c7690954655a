"""Which figure of a metric two results are compared by, and what a row of samples.jsonl gives for it."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from handler.errors import RequestError
from handler.metrics import list_metrics, metric_class, select_metrics
from handler.reports.page._metrics import DESCRIPTIONS

__all__ = ["Figure", "figures_of", "is_headline", "selected_figures"]

NAMES = {
    "vision.similarity": "mean_similarity",
    "vision.hallucination": "hallucination_rate",
    "vision.claims": "rate",
    "pope": "accuracy",
    "vqa.accuracy": "accuracy",
    "vlm2bench.hallucination": "score_mean",
    "vlm2bench.native": "accuracy",
    "speech.wer": "wer",
    "retrieval.ranking": "mrr",
    "judge.agreement": "agreement",
    "captions.ngram": "rouge_l",
    "captions.clipscore": "clipscore",
}
RATES = frozenset(
    {
        "vision.hallucination",
        "vision.claims",
        "pope",
        "vqa.accuracy",
        "vlm2bench.native",
        "speech.wer",
        "judge.agreement",
    }
)
DETAILS = {"vision.claims": "is_contradicted"}
"""What is read of a row, where the metric's figure is no mean of scores."""
RANKING = re.compile(r"(recall|hit_rate|precision|ndcg)@\d+|map")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure made of rows.

    name: its key in report.json, `mean_score` where the metric's own figure is not a mean of rows. detail: what is read
    of a row, None for its score. is_ratio: edits over reference words, not a mean over samples. is_rate: shown in percent.
    """

    metric: str
    name: str
    higher_is_better: bool
    detail: str | None = None
    is_ratio: bool = False
    is_rate: bool = False

    @property
    def most(self) -> float:
        """The largest difference that two values can have: 1 of shares, without a bound of others."""
        return 1.0 if self.is_rate and not self.is_ratio else math.inf

    def read(self, row: Mapping[str, Any]) -> tuple[float, float] | None:
        """Numerator and denominator of the metric's part of a row (denominator 1 for a mean); None where it gives none."""
        if self.is_ratio:
            return _edits(row)
        value = row.get("score") if self.detail is None else row.get(self.detail)
        if row.get("score") is None or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        return float(value), 1.0


def figures_of(metric: str) -> Figure:
    """The figure that stands for a metric."""
    name = NAMES.get(metric, "mean_score")
    better = metric_class(metric).higher_is_better
    return Figure(metric, name, better, DETAILS.get(metric), is_ratio=metric == "speech.wer", is_rate=metric in RATES)


def is_headline(metric: str, figure: str) -> bool:
    """Whether the figure is the one that reports show first of the metric."""
    found = DESCRIPTIONS.get(metric)
    return found is not None and found.main.key == figure


def selected_figures(wanted: Iterable[str] | None, there: Iterable[str]) -> list[Figure]:
    """The figures a person named (metrics, groups, or a figure of rankings such as retrieval.ranking.recall@10), else one
    for each metric that the results have. Raises RequestError for what the results do not have."""
    known = list(there)
    if wanted is None:
        return [figures_of(name) for name in known]
    found: dict[Figure, None] = {}
    for word in wanted:
        metric, _, figure = word.rpartition(".")
        if metric == "retrieval.ranking" and word not in list_metrics():
            one = _of_ranking(figure)
            names, figures = [metric], [one]
        else:
            names = select_metrics([word])
            figures = [figures_of(name) for name in names if name in known]
        if not set(names) & set(known):
            raise RequestError(f"the results have no {word!r}", field="metrics", hint=f"They have: {', '.join(known)}")
        found |= dict.fromkeys(figures)
    return list(found)


def _of_ranking(figure: str) -> Figure:
    if not RANKING.fullmatch(figure):
        names = ["mrr", "map", "recall@1", "hit_rate@1", "precision@1", "ndcg@10"]
        near = (difflib.get_close_matches(figure, names, n=1) or names)[0]
        raise RequestError(
            f"retrieval.ranking has no figure {figure!r} per query", field="metrics", hint=f"Did you mean {near}?"
        )
    return Figure("retrieval.ranking", figure, True, "average_precision" if figure == "map" else figure)


def _edits(row: Mapping[str, Any]) -> tuple[float, float] | None:
    """Word edits and reference words; utterances without reference words have edits alone, and count as in the report."""
    try:
        edits = row["substitutions"] + row["deletions"] + row["insertions"]
        return float(edits), float(row["hits"] + row["substitutions"] + row["deletions"])
    except (KeyError, TypeError):
        return None
