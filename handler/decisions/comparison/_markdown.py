"""A comparison as GitHub-flavoured Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.decisions.comparison._text import (
    VERDICTS,
    correction_text,
    difference_text,
    figure_text,
    p_text,
    shown_verdict,
)
from handler.reports.page._markdown import plain

__all__ = ["comparison_markdown"]

MAX_SLICES = 20
MAX_SAMPLES = 5
MAX_TEXT = 200  # characters of a text
_HEADS = ["Figure", "Before", "After", "Difference", "95 % interval", "p (corrected)", "Samples", "Reading"]


def comparison_markdown(found: Mapping[str, Any]) -> str:
    """Verdict, figures, slices that changed, samples that lost most, warnings."""
    parts = [f"## scenescore compare: {VERDICTS[found['verdict']].lower()}", plain(found["summary"]), _figures(found)]
    parts += [_slices(found), _samples(found), _notes(found)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figures(found: Mapping[str, Any]) -> str:
    rows = [
        [plain(one["candidate"]), plain(f"{one['metric']} {one['figure']}"), *_row(one, one)]
        for one in found["comparisons"]
    ]
    return f"{_table(['Candidate', *_HEADS], rows)}\n\n{correction_text(found['rules'])}"


def _slices(found: Mapping[str, Any]) -> str:
    changed = [
        (one["verdict"] != "worse", one["p"], entry, one)
        for entry in found["comparisons"]
        for one in entry["slices"]
        if one["verdict"] in ("worse", "better")
    ]
    if not changed:
        return ""
    rows = [
        [
            plain(f"{one['by']} {one['value'] or '(none)'}"),
            plain(f"{entry['candidate']}: {entry['metric']}"),
            *_row(one, entry),
        ]
        for _, _, entry, one in sorted(changed, key=lambda each: each[:2])[:MAX_SLICES]
    ]
    more = f"\n\n{len(changed) - MAX_SLICES:,} more in comparison.json." if len(changed) > MAX_SLICES else ""
    return f"### Where it changed\n\n{_table(['Slice', *_HEADS], rows)}{more}"


def _row(one: Mapping[str, Any], entry: Mapping[str, Any]) -> list[str]:
    interval = one["interval"]
    ends = " to ".join(difference_text(interval[end], entry) for end in ("low", "high")) if interval else ""
    return [
        figure_text(one["baseline_value"], entry),
        figure_text(one["candidate_value"], entry),
        f"**{difference_text(one['difference'], entry)}**",
        ends,
        plain(p_text(one["p_corrected"])),
        f"{one['n_samples']:,}",
        shown_verdict(one["verdict"]),
    ]


def _samples(found: Mapping[str, Any]) -> str:
    entry = next((one for one in found["comparisons"] if one["regressed"]), None)
    if entry is None:
        return ""
    rows = [
        [
            plain(f"{one['session_id']} / {one['sample_id']}"),
            f"{one['baseline_score']:.3f} → {one['candidate_score']:.3f}",
            plain(_cut(one["baseline_answer"])),
            plain(_cut(one["candidate_answer"])),
            plain(_cut(one["references"][0] if one["references"] else None)),
        ]
        for one in entry["regressed"][:MAX_SAMPLES]
    ]
    title = plain(f"Samples that lost most: {entry['candidate']}, {entry['metric']}")
    return f"### {title}\n\n" + _table(["Sample", "Score", "Before", "After", "Person"], rows)


def _notes(found: Mapping[str, Any]) -> str:
    return "\n".join(_lines(found))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    if found["refused"] or found["warnings"]:
        yield "### Mind\n"
    for one in found["refused"]:
        yield f"- {plain(one['metric'])} of {plain(one['candidate'])} is not compared: {plain(one['reason'])}"
    for one in found["warnings"]:
        yield f"- {plain(one['message'])}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows])


def _cut(text: str | None) -> str:
    if text is None:
        return "(in the input)"
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
