"""`retrieval.ranking`: how far up a ranking stands what is relevant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from handler.errors import RequestError
from handler.metrics._base import STRICT, BaseMetric, Mode
from handler.metrics._registry import register
from handler.metrics.retrieval import _figures
from handler.metrics.retrieval._order import UNSTABLE, Order, put_in_order
from handler.metrics.retrieval._tally import RankingTally, figure_names
from handler.results import MetricResult
from handler.samples import RankingSample, Sample

__all__ = ["DEFAULT_CUTOFFS", "RankingMetric"]

DEFAULT_CUTOFFS = (1, 5, 10)  # what image-text retrieval papers print
MOST_CUTOFFS = 20
LONGEST = 1_000_000  # documents: a cut-off beyond is a slip


@register("retrieval.ranking")
class RankingMetric(BaseMetric):
    """Recall@k, hit rate@k, precision@k, nDCG@k, MRR and MAP over queries, all 0..1; a row's score is the reciprocal rank.

    Documents with a grade from 1 on are relevant, those not judged are not; nDCG's gains are the grades themselves, as in
    trec_eval and ranx, and not 2^grade - 1. MRR and MAP look at the whole ranking, however long. A cut-off beyond its end
    is no error: recall stays what it is, and precision counts the missing places as not relevant.

    Rules: a ranking with scores is ordered by them, the highest first, whatever ranks the file states; without, its order
    counts. Documents with equal scores stay in the file's order, and where that decides a figure there is a warning,
    `ties`. A document that comes twice counts where it stands first (`duplicate_document`). A query without relevant
    documents is skipped, `no_relevant`. A query that was not run scores 0 (`query_not_run`), as does one that found
    nothing (`empty_answer`). A query without judgements is skipped, `missing_reference` (`query_without_qrels`).

    `compat:trec_eval` gives the figures of trec_eval 9 with its option -c, of pytrec_eval and of ir_measures: scores in
    single precision, ties by descending document id, queries without relevant documents count 0. (trec_eval 10 compares
    in double precision.) `compat:ranx` gives those of ranx with make_comparable: file order, queries without relevant
    documents count 0; from 16 documents on its sort may shuffle tied ones, which is not reproduced and warned of
    (`unstable_ties`). Both refuse a run that repeats a document, here its first place counts. torchmetrics' recall needs
    no mode of its own: it never sees relevant documents that were not retrieved, so its denominator is smaller and its
    recall can be higher than this one.

    Options: k, the cut-offs, e.g. "1,5,10". Raises RequestError for others than whole numbers from 1 on.
    """

    title = "Ranked lists: recall@k, hit rate, precision, MRR, nDCG, MAP"
    ancestors = ("trec_eval", "ranx")
    sample = RankingSample
    options: ClassVar[Mapping[str, str]] = {"k": "cut-offs, whole numbers with commas between, 1,5,10 unless given"}

    def __init__(self, *, mode: Mode | str = STRICT, k: Any = DEFAULT_CUTOFFS) -> None:
        super().__init__(mode=mode)
        self._cutoffs = _cutoffs(k)

    def signature_parts(self) -> dict[str, Any]:
        """The cut-offs."""
        return {"k": ",".join(map(str, self._cutoffs))}

    def tally(self) -> RankingTally:
        """Sums of all figures."""
        return RankingTally(self._cutoffs)

    def compute(self, sample: Sample) -> MetricResult:
        """Score one query."""
        assert isinstance(sample, RankingSample)
        if not sample.relevant:
            return MetricResult(self.name, None, {"skipped": "missing_reference", "warnings": ["query_without_qrels"]})
        ideal = sorted((grade for grade in sample.relevant.values() if grade > 0), reverse=True)
        if not ideal and not self.mode.compat:
            return self._skip(sample, "no_relevant")
        order = put_in_order(
            sample.ranked,
            sample.scores,
            sample.relevant,
            ties="descending_id" if self.mode.tool == "trec_eval" else "file",
        )
        grades = [max(sample.relevant.get(document, 0), 0) for document in order.documents]
        details: dict[str, Any] = {
            **self._figures(grades, ideal),
            "first_relevant": next((rank for rank, grade in enumerate(grades, 1) if grade > 0), None),
            "n_ranked": len(grades),
            "n_relevant": len(ideal),
            "n_tied": order.n_tied,
        }
        if warnings := self._warnings(sample, order):
            details["warnings"] = warnings
        return MetricResult(self.name, _figures.reciprocal(grades), details)

    def badness(self, result: MetricResult) -> float | None:
        """Queries that found nothing relevant, then those that found it late."""
        return None if result.score is None or result.score >= 1 else -result.score

    def _figures(self, grades: list[int], ideal: list[int]) -> dict[str, float]:
        """All but the reciprocal rank."""
        if not ideal:
            return dict.fromkeys(figure_names(self._cutoffs), 0.0)
        found = {"average_precision": _figures.precision_average(grades, len(ideal))}
        for k in self._cutoffs:
            found[f"recall@{k}"] = _figures.recall(grades, len(ideal), k)
            found[f"hit_rate@{k}"] = _figures.hit(grades, k)
            found[f"precision@{k}"] = _figures.precision(grades, k)
            found[f"ndcg@{k}"] = _figures.ndcg(grades, ideal, k)
        return {name: found[name] for name in figure_names(self._cutoffs)}

    def _warnings(self, sample: RankingSample, order: Order) -> list[str]:
        if sample.answer is None and not sample.ranked:
            return ["query_not_run"]
        found = [] if sample.ranked else ["empty_answer"]
        if order.n_dropped:
            found.append("duplicate_document")
        if order.open_tie:
            found.append("ties")
            if self.mode.tool == "ranx" and len(order.documents) >= UNSTABLE:
                found.append("unstable_ties")
        return found


def _cutoffs(k: Any) -> tuple[int, ...]:
    """The cut-offs in ascending order, each once; from a number, several, or text with commas."""
    parts = k.split(",") if isinstance(k, str) else k if isinstance(k, (list, tuple)) else [k]
    found = {_cutoff(part) for part in parts}
    if not 1 <= len(found) <= MOST_CUTOFFS:
        raise _refused(k)
    return tuple(sorted(found))


def _cutoff(part: Any) -> int:
    if isinstance(part, str) and part.strip().isascii() and part.strip().isdigit() and len(part.strip()) < 10:
        part = int(part)
    if not isinstance(part, int) or isinstance(part, bool) or not 1 <= part <= LONGEST:
        raise _refused(part)
    return part


def _refused(given: Any) -> RequestError:
    return RequestError(
        f"k is {given!r:.60}",
        field="options.retrieval.ranking.k",
        hint=f"Give 1 to {MOST_CUTOFFS} whole numbers from 1 to {LONGEST:,}, for example 1,5,10",
    )
