"""What the terminal shows of each metric, and its words for warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["COLUMNS", "FIGURES", "GENERAL", "NOUNS", "SIDES", "WORDS", "Column"]

Column = tuple[str, Callable[[Mapping[str, Any]], str]]

FIGURES = {
    "vision.claims": "contradictions",
    "vision.similarity": "similarities",
    "captions.ngram": "ROUGE-L",
    "captions.clipscore": "CLIPScore",
    "speech.wer": "word error rates",
    "retrieval.ranking": "reciprocal ranks",
    "judge.agreement": "agreement",
}
"""What a row's score is called, where `scores` would not say it."""
SIDES = {"retrieval": ("found", "right"), "judge": ("judge", "people")}
NOUNS = {
    "vision": "frame",
    "captions": "caption",
    "speech": "utterance",
    "retrieval": "query",
    "judge": "item",
    "vbench": "video",
}


def _number(key: str, form: str = ".3f") -> Callable[[Mapping[str, Any]], str]:
    return lambda row: "-" if row.get(key) is None else format(row[key], form)


def _interval(key: str, form: str) -> Callable[[Mapping[str, Any]], str]:
    def get(row: Mapping[str, Any]) -> str:
        interval = row["intervals"].get(key)
        return "-" if interval is None else f"{interval['low']:{form}} to {interval['high']:{form}}"

    return get


def _at_cutoffs(family: str, *, last: bool = False) -> Callable[[Mapping[str, Any]], str]:
    """A figure at each cut-off, or at the last."""

    def get(row: Mapping[str, Any]) -> str:
        cutoffs = row["cutoffs"][-1:] if last else row["cutoffs"]
        return "  ".join(f"{k}: {_number(f'{family}@{k}')(row)}" for k in cutoffs)

    return get


def _most_often(row: Mapping[str, Any]) -> str:
    """The kind of claim that most frames have."""
    kind, n = max(row["kinds"].items(), key=lambda one: one[1])
    return f"{kind} ({n:,})" if n else "-"


_COUNTS: list[Column] = [
    ("frames", _number("n_scored", ",d")),
    ("skipped", lambda row: str(row["n_skipped"] + row["n_error"] or "")),
]
_ANSWERS: list[Column] = [
    ("answers", _number("n_scored", ",d")),
    ("skipped", lambda row: str(row["n_skipped"] + row["n_error"] or "")),
]
_VIDEOS: list[Column] = [
    ("score", _number("score", ".1%")),
    ("95 % interval", _interval("score", ".1%")),
    ("videos", _number("n_scored", ",d")),
    ("skipped", lambda row: str(row["n_skipped"] or "")),
    ("in error", lambda row: str(row["n_error"] or "")),
    ("nothing seen", lambda row: str(row["n_unseen"] or "")),
]
_ITEMS: list[Column] = [("items", _number("n_scored", ",d")), _ANSWERS[1]]
GENERAL: list[Column] = _ANSWERS
COLUMNS: dict[str, list[Column]] = {
    "vision.similarity": [
        ("mean", _number("mean_similarity")),
        ("95 % interval", _interval("mean_similarity", ".3f")),
        ("min", _number("min_similarity")),
        ("max", _number("max_similarity")),
        *_COUNTS,
        ("reading", lambda row: row["band"] or "-"),
    ],
    "vision.hallucination": [
        ("rate", _number("hallucination_rate", ".1%")),
        ("95 % interval", _interval("hallucination_rate", ".1%")),
        ("flagged", _number("n_hallucinations", ",d")),
        ("below", _number("threshold", "g")),
        *_COUNTS,
        ("reading", lambda row: row["band"] or "-"),
    ],
    "vision.claims": [
        ("contradicted", _number("rate", ".1%")),
        ("95 % interval", _interval("rate", ".1%")),
        ("flagged", _number("n_contradicted", ",d")),
        ("decided", _number("n_decided", ",d")),
        ("undecided", lambda row: str(row["n_undecided"] or "")),
        ("above", _number("threshold", "g")),
        _COUNTS[1],
        ("most often", _most_often),
    ],
    "pope": [
        ("accuracy", _number("accuracy", ".1%")),
        ("95 % interval", _interval("accuracy", ".1%")),
        ("precision", _number("precision", ".1%")),
        ("recall", _number("recall", ".1%")),
        ("F1", _number("f1")),
        ("says yes", _number("yes_ratio", ".1%")),
        ("is yes", _number("label_yes_ratio", ".1%")),
        *_ANSWERS,
        ("unparsed", lambda row: str(row["n_unparsed"] or "")),
    ],
    "vqa.accuracy": [
        ("accuracy", _number("accuracy", ".1%")),
        ("95 % interval", _interval("accuracy", ".1%")),
        ("exact", _number("exact_match", ".1%")),
        ("normalised", _number("normalised_match", ".1%")),
        *_ANSWERS,
    ],
    "speech.wer": [
        ("WER", _number("wer", ".1%")),
        ("95 % interval", _interval("wer", ".1%")),
        ("CER", _number("cer", ".1%")),
        ("sub", _number("substitutions", ",d")),
        ("del", _number("deletions", ",d")),
        ("ins", _number("insertions", ",d")),
        ("of words", _number("n_reference_words", ",d")),
        *_ANSWERS,
    ],
    "retrieval.ranking": [
        ("MRR", _number("mrr")),
        ("95 % interval", _interval("mrr", ".3f")),
        ("MAP", _number("map")),
        ("recall@k", _at_cutoffs("recall")),
        ("nDCG@k", _at_cutoffs("ndcg", last=True)),
        ("queries", _number("n_scored", ",d")),
        ("not run", lambda row: str(row["n_unanswered"] or "")),
        ("skipped", lambda row: str(row["n_skipped"] + row["n_error"] or "")),
    ],
    "captions.clipscore": [
        ("CLIPScore", _number("clipscore")),
        ("95 % interval", _interval("clipscore", ".3f")),
        ("RefCLIPScore", _number("ref_clipscore")),
        *_ANSWERS,
    ],
    "captions.ngram": [
        ("CIDEr-D x10", _number("cider")),
        ("95 % interval", _interval("cider", ".3f")),
        ("BLEU-1", _number("bleu_1")),
        ("BLEU-4", _number("bleu_4")),
        ("ROUGE-L", _number("rouge_l")),
        ("images", _number("n_images", ",d")),
        *_ANSWERS,
    ],
    "vlm2bench.hallucination": [
        ("sum", _number("score_sum")),
        ("of", _number("maximum", ",d")),
        ("mean", _number("score_mean")),
        ("sequences", _number("n_sequences", ",d")),
        ("gated out", _number("n_gated_out", ",d")),
    ],
    "vlm2bench.native": [
        ("accuracy", _number("accuracy", ".1%")),
        ("pairs right", _number("pair_accuracy", ".1%")),
        ("of pairs", _number("n_pairs", ",d")),
        ("half pairs", _number("n_incomplete_pairs", ",d")),
        ("counting", _number("normalized_score")),
        *_ANSWERS,
    ],
    **dict.fromkeys(
        [f"vbench.{name}" for name in ("color", "multiple_objects", "object_class", "spatial_relationship")], _VIDEOS
    ),
    "vbench.temporal_flickering": _VIDEOS[:-1],
    "vbench.total": [
        ("total", _number("total", ".1%")),
        ("quality", _number("quality", ".1%")),
        ("semantic", _number("semantic", ".1%")),
        ("dimensions missing", lambda row: str(len(row["missing"]))),
        *_VIDEOS[2:-1],
    ],
    "judge.agreement": [
        ("agreement", _number("agreement", ".1%")),
        ("95 % interval", _interval("agreement", ".1%")),
        ("constant", _number("base_rate", ".1%")),
        ("kappa", _number("kappa")),
        ("spearman", _number("spearman")),
        ("bias", _number("bias", "+.2f")),
        *_ITEMS,
        ("verdict", lambda row: row["verdict"].replace("_", " ")),
    ],
}
WORDS = {
    "image_not_found": "a picture is not there",
    "image_forbidden": "a picture lies where requests may not read",
    "image_unreadable": "a picture's file cannot be read",
    "image_too_large": "a picture's file is too large",
    "image_undecodable": "a file is no picture, or a damaged one",
    "transparent_image": "a picture has transparent parts, of which the model sees hidden colours",
    "object_from_prompt": "what to look for was read from the prompt's words (give object, or object_a and object_b)",
    "resize_rule": "frames were not resized as the original resizes them for this dimension",
    "sampling": "frames were not chosen as the original chooses them",
    "prompt_without_video": "a prompt has no video",
    "empty_answer": "the model said nothing",
    "truncated": "text longer than the model reads",
    "language": "text in a language the model does not know",
    "duplicate_sample_id": "a sample id occurs twice",
    "repeated_session": "a session id occurs twice",
    "same_file_name": "files of one name are read as one session",
    "unanswered_question": "nothing was said about it",
    "duplicate_question": "a question stands twice in the file, word for word",
    "question_without_id": "a question has no id where others have one",
    "answer_without_question": "an answer about nothing that the other file holds",
    "question_differs": "answers joined by line, whose question is another one",
    "missing_fine_answers": "fine-grained answers are missing and count as wrong",
    "surplus_fine_answers": "more fine-grained answers than questions; the surplus is ignored",
    "missing_sequence": "nothing was said about a sequence; it scores 0",
    "n_images_unknown": "the length of the image sequence is not known, and 2 is taken (give --questions)",
    "answer_id_missing": "answers of people without distinct answer_id",
    "case_or_punctuation": "words that differ in case or punctuation alone count as wrong (normaliser=basic forgives them)",
    "no_spaces": "whole sentences count as one word, for their script has no spaces (use normaliser=characters)",
    "ties": "documents of equal score, whose order decides figures",
    "unstable_ties": "documents of equal score in long lists, which ranx orders by chance",
    "duplicate_document": "a document comes twice in a ranking; its first place counts",
    "query_not_run": "a query was not run; it scores 0",
    "query_without_qrels": "nothing says what is relevant to a query",
    "rank_and_score_differ": "the stated ranks and the scores give different orders; the scores count",
    "unclear_ranks": "ranks are missing or repeat, and there are no scores; the order of the rows counts",
    "nothing_judged": "nothing that a run retrieved is judged: are the ids of one form?",
    "looks_swapped": "the run holds what look like grades, and the qrels what look like scores: are they swapped?",
    "judge_card_incomplete": "judge, rubric or date is not said (options judge, rubric, date)",
    "decimal_comma": "numbers with a decimal comma are read as numbers",
    "unknown_side": "no grade is what an option says lets one of two answers win (see first and second)",
    "tolerance_of_labels": "the grades are labels, which a tolerance does nothing for",
    "numbers_and_labels": "a label stands among numbers, and then all grades are labels (level=interval skips such items)",
    "zeros_and_ones_averaged": "zeros and ones of several people are averaged (level=nominal counts votes)",
    "cancelled_annotation": "an annotation was cancelled and is left out",
    "several_results": "one person graded a thing several times; the first counts",
    "repeated_prediction": "a model version predicted twice; the later counts",
    "result_without_grade": "a result holds no grade but a region, a ranking or the like",
    "small_set": "too few images for a stable CIDEr-D, which wants 100",
    "not_in_calibration": "the calibration has no threshold for a metric's score, and the metric keeps its own",
    "not_calibrated": "the calibration does not call itself calibrated",
    "unknown_group": "no sample has a tag or column of this name",
}
