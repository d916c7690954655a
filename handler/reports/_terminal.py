"""A report as a person reads it in a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from handler.metrics import metric_class

__all__ = ["WARNING_WORDS", "many", "noun_of", "render"]

MAX_SESSIONS = 20
MAX_WORST = 5
_NOUNS = {"vision": "frame", "captions": "caption", "speech": "utterance", "retrieval": "query", "judge": "item"}
WIDTH = 100  # columns
LABEL = 48  # columns of a row's name

Column = tuple[str, Callable[[Mapping[str, Any]], str]]


def render(report: Mapping[str, Any]) -> str:
    """The table of sessions, the groups, the worst samples and the warnings, as plain text."""
    parts = [_head(report)]
    for name, metric in report["metrics"].items():
        parts.append(_metric(name, metric))
    parts += [part for part in (_worst(report["metrics"]), _warnings(report["warnings"])) if part]
    return "\n\n".join(parts)


def _head(report: Mapping[str, Any]) -> str:
    counts = report["counts"]
    noun = noun_of(report["metrics"])
    size = f"{many(counts['n_samples'], noun)} in {many(counts['n_sessions'], 'session')}"
    text = f"{_printable(report['input']['name'])}: {size}"
    if counts["n_unreadable"]:
        text += f", {many(counts['n_unreadable'], 'item')} unreadable (errors.jsonl)"
    if limit := report["request"].get("limit"):
        text += f" (the first {limit:,} at most)"
    if calibration := report.get("calibration"):
        text += f", threshold by calibration {calibration['fingerprint']} ({calibration['aim']})"
    if not counts["n_samples"]:
        return f"{text}. There is nothing to score."
    overall = [metric["overall"] for metric in report["metrics"].values()]
    if not any(one["n_scored"] for one in overall):
        reasons = ", ".join(f"{n:,} {reason.replace('_', ' ')}" for reason, n in overall[0]["skipped"].items())
        text += f"\nNOTHING WAS SCORED: {reasons or f'every {noun} ended in an error'}."
    return text


def noun_of(metrics: Mapping[str, Any]) -> str:
    """What the input's samples are called: descriptions are of frames."""
    nouns = {_NOUNS.get(name.split(".")[0], "answer") for name in metrics}
    return nouns.pop() if len(nouns) == 1 else "answer"


def _metric(name: str, metric: Mapping[str, Any]) -> str:
    columns = _COLUMNS.get(name, _GENERAL)
    sessions = metric["sessions"]
    rows = [{"label": _label(f"{one['session_id']} / {one['assistant_id']}"), **one} for one in sessions[:MAX_SESSIONS]]
    if len(sessions) > MAX_SESSIONS:
        rows.append({"label": f"… {len(sessions) - MAX_SESSIONS} more in report.json"})
    groups = metric["groups"]
    rows += [{"label": _label(f"{one['by']} = {one['value'] or '(none)'}"), **one} for one in groups[:MAX_SESSIONS]]
    if len(sessions) != 1 or groups:
        rows.append({"label": "all", **metric["overall"]})
    return _table(name, [[row["label"], *_cells(row, columns)] for row in rows], [title for title, _ in columns])


def _label(text: str) -> str:
    text = _printable(text)
    return text if len(text) <= LABEL else f"{text[: LABEL - 1]}…"


def _cells(row: Mapping[str, Any], columns: Sequence[Column]) -> list[str]:
    return [get(row) if "n_samples" in row else "" for _, get in columns]


def _table(title: str, rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    lines = [[title, *headers], *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers) + 1)]
    out = []
    for line in lines:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)),
        ]
        out.append("  ".join(cells).rstrip())
    out.insert(1, "-" * max(map(len, out)))
    return "\n".join(out)


def _worst(metrics: Mapping[str, Any]) -> str:
    name = next((name for name, metric in metrics.items() if metric["worst"]), None)
    if name is None:
        return ""
    entries = metrics[name]["worst"][:MAX_WORST]
    several = len({one["assistant_id"] for one in entries}) > 1
    lines = ["Lowest scores" if metric_class(name).higher_is_better else "Highest scores"]
    for one in entries:
        by = f" by {one['assistant_id']}" if several else ""
        place = _printable(f"{one['session_id']} / {one['sample_id']}{by}")
        lines.append(f"  {one['similarity_score']:.3f}  {place}")
        if "question" in one:
            lines += _quoted("asked ", one["question"])
        lines += _quoted("model ", one["answer"])
        lines += _quoted("person", one["references"][0] if one["references"] else "")
    return "\n".join(lines)


def _quoted(who: str, text: str) -> Iterable[str]:
    text = " ".join(_printable(text).split()) or "(empty)"
    return [f"         {who}: {textwrap.shorten(text, WIDTH - 17, placeholder=' …')}"]


def _printable(text: str) -> str:
    """Text from a file, safe to print: no escape sequences, no line breaks."""
    return "".join(c if c.isprintable() else " " for c in text)


def _warnings(warnings: Sequence[Mapping[str, Any]]) -> str:
    lines = ["Warnings"] if warnings else []
    for one in warnings:
        examples = _printable(", ".join(one["examples"]))
        lines.append(
            f"  {WARNING_WORDS.get(one['code'].split(':')[0], one['code'])} ({one['code']}): {one['count']}, e.g. {examples}"
        )
    return "\n".join(lines)


def many(n: int, noun: str) -> str:
    """A count with its noun."""
    several = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else several}"


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


_COUNTS: list[Column] = [
    ("frames", _number("n_scored", ",d")),
    ("skipped", lambda row: str(row["n_skipped"] + row["n_error"] or "")),
]
_ANSWERS: list[Column] = [
    ("answers", _number("n_scored", ",d")),
    ("skipped", lambda row: str(row["n_skipped"] + row["n_error"] or "")),
]
_ITEMS: list[Column] = [("items", _number("n_scored", ",d")), _ANSWERS[1]]
_GENERAL: list[Column] = _ANSWERS
_COLUMNS: dict[str, list[Column]] = {
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
WARNING_WORDS = {
    "empty_answer": "the model said nothing",
    "truncated": "text longer than the model reads",
    "language": "text in a language the model does not know",
    "duplicate_sample_id": "a sample id occurs twice",
    "repeated_session": "a session id occurs twice",
    "same_file_name": "files of one name are read as one session",
    "unanswered_question": "a question has no answer",
    "duplicate_question": "a question stands twice in the file, word for word",
    "question_without_id": "a question has no id where others have one",
    "answer_without_question": "an answer has no question",
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
    "judge_card_incomplete": "the report does not say who judged (give judge, rubric and date with --option)",
    "zeros_and_ones_averaged": "zeros and ones of several people are averaged (level=nominal counts votes)",
    "cancelled_annotation": "an annotation was cancelled and is left out",
    "several_results": "one person graded a thing several times; the first counts",
    "repeated_prediction": "a model version predicted twice; the later counts",
    "result_without_grade": "a result holds no grade but a region, a ranking or the like",
    "unknown_group": "no frame has a tag or column of this name",
    "not_calibrated": "the calibration does not call itself calibrated",
}
