"""What every metric shows on a page, in one table: its question, its main figure, what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handler.metrics import list_metrics, metric_class
from handler.reports.page._description import Description, Figure, Table

__all__ = ["DESCRIPTIONS", "describe"]

_COUNTS = frozenset({"n_samples", "n_scored", "n_skipped", "n_error"})  # shown for every metric


def describe(name: str, overall: Mapping[str, Any]) -> Description:
    """The metric's description; for a metric that this table does not know, or whose summary has changed, its figures are
    read off the summary."""
    found = DESCRIPTIONS.get(name) or _unknown(name)
    if found.main.key not in overall:
        return _guessed(found, overall)
    figures = [one for figure in found.figures for one in _spread(figure, overall)]
    return replace(found, figures=tuple(one for one in figures if one.key in overall))


def _unknown(name: str) -> Description:
    title = metric_class(name).title if name in list_metrics() else name
    return Description(question=title, noun="video" if name.startswith("vbench.") else "sample", main=Figure("", ""))


def _spread(figure: Figure, overall: Mapping[str, Any]) -> list[Figure]:
    if not figure.key.endswith("@*"):
        return [figure]
    cutoffs = overall.get("cutoffs", [])
    return [Figure(figure.key[:-1] + str(k), f"{figure.label}@{k}", figure.form) for k in cutoffs]


def _guessed(found: Description, overall: Mapping[str, Any]) -> Description:
    """Every number of the summary; the headline is the first that has an interval."""
    numbers = [key for key, value in overall.items() if _is_number(value) and key not in _COUNTS]
    certain = [key for key in overall.get("intervals") or {} if key in overall]
    main = next(iter([*certain, *(key for key in numbers if not key.startswith("n_"))]), "score")
    figures = [Figure(key, _words(key), "count" if key.startswith("n_") else "score") for key in numbers if key != main]
    return replace(found, main=Figure(main, _words(main), "score"), figures=tuple(figures))


def _words(key: str) -> str:
    return key.removeprefix("n_").replace("_", " ").capitalize()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_UNSEEN = (Figure("score_unseen_as_zero", "Score, unseen as 0"), Figure("n_unseen", "Nothing to score", "count"))
_VIDEO_QUESTIONS = {
    "color": "Do things have the colours that the prompts ask for?",
    "multiple_objects": "Do all things that the prompts ask for appear together?",
    "object_class": "Does the thing that the prompts ask for appear?",
    "spatial_relationship": "Do things stand where the prompts put them?",
    "temporal_flickering": "How still are still scenes from frame to frame?",
}

DESCRIPTIONS: dict[str, Description] = {
    **{
        f"vbench.{name}": Description(
            question=question,
            noun="video",
            main=Figure("score", "Score"),
            figures=(
                *_UNSEEN,
                Figure("n_frame_pairs" if name == "temporal_flickering" else "n_frames", "Frames", "count"),
            ),
            score=Figure("score", "Score"),
        )
        for name, question in _VIDEO_QUESTIONS.items()
    },
    "vbench.total": Description(
        question="What do the dimensions come to?",
        noun="video",
        main=Figure("total", "Total"),
        figures=(Figure("quality", "Quality"), Figure("semantic", "Semantic")),
        tables=(Table("dimensions", "By dimension"),),
    ),
    "vision.similarity": Description(
        question="How close are the descriptions to what people saw?",
        noun="frame",
        main=Figure("mean_similarity", "Mean similarity", "score"),
        figures=(
            Figure("min_similarity", "Lowest", "score"),
            Figure("max_similarity", "Highest", "score"),
            Figure("std_similarity", "Standard deviation", "score"),
            Figure("band", "Reading", "text"),
        ),
        evidence={"n_tokens": "Tokens", "truncated": "Truncated", "mean_over_references": "Mean over references"},
        is_text=True,
        score=Figure("score", "Similarity", "score"),
    ),
    "vision.hallucination": Description(
        question="How often does a description fall below the threshold?",
        noun="frame",
        main=Figure("hallucination_rate", "Share of frames below the threshold"),
        figures=(
            Figure("n_hallucinations", "Frames below", "count"),
            Figure("threshold", "Threshold", "score"),
            Figure("band", "Reading", "text"),
        ),
        is_text=True,
        score=Figure("similarity_score", "Below threshold", "below"),
    ),
    "vision.claims": Description(
        question="How often does a description contradict what people saw?",
        noun="frame",
        main=Figure("rate", "Contradicted share of decided frames"),
        figures=(
            Figure("n_contradicted", "Contradicted", "count"),
            Figure("n_decided", "Decided", "count"),
            Figure("n_undecided", "Undecided", "count"),
            Figure("n_unnamed", "Contradicted without a claim", "count"),
            Figure("threshold", "Threshold", "score"),
        ),
        tables=(Table("kinds", "Contradicted frames by kind of claim", "count", ("Kind", "Frames")),),
        evidence={"verdict": "Verdict", "undecided": "Why undecided", "probability": "Probability"},
        is_text=True,
        score=Figure("contradiction", "Contradiction", "score"),
        uncalibrated=(
            "It was set for few false alarms on other people's texts, and no such threshold travels: expect more misses or "
            "more false alarms on yours;"
        ),
        calibrate="scenescore calibrate --metrics vision.claims",
    ),
    "pope": Description(
        question="Does the model say that things are there which are not?",
        noun="answer",
        main=Figure("accuracy", "Accuracy"),
        figures=(
            Figure("precision", "Precision of yes"),
            Figure("recall", "Recall of yes"),
            Figure("f1", "F1", "score"),
            Figure("yes_ratio", "Says yes"),
            Figure("label_yes_ratio", "Is yes"),
            Figure("accuracy_with_unparsed", "Accuracy, unparsed as wrong"),
            Figure("tp", "Yes, rightly", "count"),
            Figure("fp", "Yes, wrongly", "count"),
            Figure("tn", "No, rightly", "count"),
            Figure("fn", "No, wrongly", "count"),
            Figure("n_unparsed", "Neither yes nor no", "count"),
        ),
        evidence={"raw": "Said", "parsed": "Read as", "rule": "By the rule", "label": "Right answer"},
        sides=("Model", "Right answer"),
        score=Figure("score", "Right", "truth"),
    ),
    "vqa.accuracy": Description(
        question="Does the model answer as people do?",
        noun="answer",
        main=Figure("accuracy", "Accuracy"),
        figures=(Figure("exact_match", "Exact match"), Figure("normalised_match", "Match after normalising")),
        tables=(Table("by_question_type", "By type of question"), Table("by_answer_type", "By type of answer")),
        evidence={"exact": "Exact match", "normalised": "Match after normalising", "n_references": "People"},
        sides=("Model", "People"),
        score=Figure("score", "Accuracy"),
    ),
    "captions.ngram": Description(
        question="How much do the captions share with people's, word by word?",
        noun="caption",
        main=Figure("cider", "CIDEr", "score"),
        figures=(
            *(Figure(f"bleu_{n}", f"BLEU-{n}", "score") for n in (1, 2, 3, 4)),
            Figure("rouge_l", "ROUGE-L", "score"),
        ),
        evidence={"bleu_4": "BLEU-4", "rouge_l": "ROUGE-L", "cider": "CIDEr"},
        is_text=True,
    ),
    "captions.clipscore": Description(
        question="How well do the captions fit the pictures?",
        noun="caption",
        main=Figure("clipscore", "CLIPScore", "score"),
        figures=(
            Figure("min_clipscore", "Lowest", "score"),
            Figure("max_clipscore", "Highest", "score"),
            Figure("ref_clipscore", "RefCLIPScore", "score"),
            Figure("n_with_references", "With references", "count"),
        ),
        evidence={"ref_clipscore": "RefCLIPScore"},
        is_text=True,
        score=Figure("score", "CLIPScore", "score"),
    ),
    "speech.wer": Description(
        question="How many words are heard wrongly?",
        noun="utterance",
        main=Figure("wer", "Word error rate"),
        figures=(
            Figure("cer", "Character error rate"),
            Figure("mer", "Match error rate"),
            Figure("wil", "Word information lost"),
            Figure("hits", "Words right", "count"),
            Figure("substitutions", "Substituted", "count"),
            Figure("deletions", "Deleted", "count"),
            Figure("insertions", "Inserted", "count"),
            Figure("n_reference_words", "Reference words", "count"),
            Figure("sentence_error_rate", "Utterances with an error"),
            Figure("case_or_punctuation", "Case or punctuation alone", "count"),
        ),
        evidence={"substitutions": "Substituted", "deletions": "Deleted", "insertions": "Inserted", "cer": "CER"},
        sides=("Heard", "Said"),
        is_text=True,
        score=Figure("score", "WER"),
    ),
    "retrieval.ranking": Description(
        question="Is what is relevant found, and how early?",
        noun="query",
        main=Figure("mrr", "Mean reciprocal rank", "score"),
        figures=(
            Figure("map", "Mean average precision", "score"),
            Figure("recall@*", "Recall"),
            Figure("hit_rate@*", "Hit rate"),
            Figure("precision@*", "Precision"),
            Figure("ndcg@*", "nDCG", "score"),
            Figure("n_unanswered", "Not run", "count"),
            Figure("n_tied_queries", "Decided by ties", "count"),
        ),
        evidence={"first_relevant": "First relevant at rank", "n_relevant": "Relevant", "n_ranked": "Ranked"},
        sides=("Ranked first", "Relevant"),
        score=Figure("score", "Reciprocal rank", "score"),
    ),
    "judge.agreement": Description(
        question="Does the judge decide as people do?",
        noun="item",
        main=Figure("agreement", "Agreement with people"),
        figures=(
            Figure("base_rate", "Best constant judge"),
            Figure("kappa", "Cohen's kappa", "score"),
            Figure("weighted_kappa", "Weighted kappa", "score"),
            Figure("spearman", "Spearman", "score"),
            Figure("pearson", "Pearson", "score"),
            Figure("kendall", "Kendall's tau-b", "score"),
            Figure("mae", "Mean absolute difference", "score"),
            Figure("bias", "Judge less people", "signed"),
        ),
        tables=(Table("confusion", "Verdicts of people and of the judge", "count"), Table("rates", "By label")),
        evidence={"grade": "Judge", "people": "People", "swapped": "Judge, other order", "difference": "Difference"},
        sides=("Judge", "People"),
        score=Figure("score", "Agrees", "truth"),
    ),
    "vlm2bench.hallucination": Description(
        question="Do the details of image sequences hold, once the gist is right?",
        noun="sequence",
        main=Figure("score_mean", "Mean score", "score"),
        figures=(
            Figure("score_sum", "Sum of scores", "score"),
            Figure("maximum", "Out of", "count"),
            Figure("n_gated_out", "Failed at the coarse question", "count"),
            Figure("coarse_accuracy", "Coarse accuracy"),
            Figure("fine_accuracy", "Fine accuracy"),
        ),
        evidence={"coarse_parsed": "Coarse answer read as", "gated_out": "Gated out", "n_fine_right": "Fine right"},
        sides=("Model", "Right answer"),
    ),
    "vlm2bench.native": Description(
        question="Does the model link what it sees across pictures?",
        noun="answer",
        main=Figure("accuracy", "Accuracy"),
        figures=(
            Figure("pair_accuracy", "Pairs right"),
            Figure("n_pairs", "Pairs", "count"),
            Figure("n_incomplete_pairs", "Half pairs", "count"),
            Figure("normalized_score", "Closeness of counts", "score"),
            Figure("n_unparsed", "Unparsed", "count"),
        ),
        evidence={"kind": "Kind", "parsed": "Read as", "label": "Right answer", "problem": "Problem"},
        sides=("Model", "Right answer"),
        score=Figure("score", "Right", "truth"),
    ),
}
