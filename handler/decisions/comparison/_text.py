"""A comparison as a person reads it in a terminal: the verdict, the table, where it lies, what to do next."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.counting import many
from handler.decisions.comparison._figures import is_headline

__all__ = [
    "METHODS",
    "VERDICTS",
    "correction_text",
    "difference_text",
    "figure_text",
    "p_text",
    "render_comparison",
    "shown_verdict",
]

WIDTH = 100  # columns of a quoted text's line
MAX_SLICES = 10
MAX_SAMPLES = 5
VERDICTS = {
    "regressed": "REGRESSED",
    "improved": "IMPROVED",
    "same": "SAME",
    "no_difference_shown": "NO DIFFERENCE SHOWN",
}
WORDS = {"open": "not shown", "within_tolerance": "within tolerance"}
METHODS = {
    "sign-flip": "signs of {unit}s flipped",
    "cluster-t": "Student's t over {unit}s",
    "no-difference": "no sample differs",
    "none": "not tested",
}


def render_comparison(found: Mapping[str, Any]) -> str:
    """Plain text."""
    parts = [f"{VERDICTS[found['verdict']]}: {_printable(found['summary'])}", _joined(found), *_tables(found)]
    for verdict, title in (("worse", "Worse"), ("better", "Better")):
        parts.append("\n".join(_slices(found, verdict, title)))
    parts += ["\n".join(_samples(found)), "\n".join(_notes(found)), _next(found)]
    return "\n\n".join(part for part in parts if part)


def shown_verdict(verdict: str) -> str:
    """A verdict in words."""
    return WORDS.get(verdict, verdict)


def figure_text(value: float | None, one: Mapping[str, Any]) -> str:
    """A value of a figure: rates in percent, others with three decimals."""
    if value is None:
        return "-"
    return f"{value:.1%}" if one["is_rate"] else f"{value:.3f}"


def difference_text(value: float | None, one: Mapping[str, Any], sign: str = "+") -> str:
    """A difference of a figure: rates in percentage points."""
    if value is None:
        return "-"
    return f"{100 * value:{sign}.1f} pp" if one["is_rate"] else f"{value:{sign}.3f}"


def figure_name(one: Mapping[str, Any]) -> str:
    """The metric, and the figure where it is another one than reports show first: the mean of the rows' ROUGE-L."""
    if is_headline(one["metric"], one["figure"]):
        return str(one["metric"])
    return f"{one['metric']} {one['figure']}{' mean' if one['figure'] == 'rouge_l' else ''}"


def correction_text(rules: Mapping[str, Any]) -> str:
    """What p and the interval of a figure are corrected for."""
    n = many(rules["n_figures_tested"], "figure")
    return f"p is corrected (Holm) for {n} tested; the intervals are not corrected, each holds for its figure alone."


def p_text(p: float) -> str:
    """A p with as many digits as it deserves."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _joined(found: Mapping[str, Any]) -> str:
    lines = []
    for one in found["matching"]:
        text = f"{_printable(one['candidate'])}: {many(one['n_matched'], 'sample')} joined by "
        text += ", ".join(found["rules"]["joined_by"])
        alone = [f"{one[f'n_only_{side}']:,} only in the {side}" for side in ("baseline", "candidate")]
        if one["n_only_baseline"] or one["n_only_candidate"]:
            text += f"; {' and '.join(alone)}, first {_first(one)}"
        lines.append(text)
    return "\n".join(lines)


def _first(one: Mapping[str, Any]) -> str:
    shown = [*one["only_baseline"][:3], *one["only_candidate"][:3]][:3]
    return ", ".join(_printable(f"{row['session_id']}/{row['sample_id']}") for row in shown)


def _tables(found: Mapping[str, Any]) -> Iterator[str]:
    candidates = dict.fromkeys(one["candidate"] for one in found["comparisons"])
    for candidate in candidates:
        entries = [one for one in found["comparisons"] if one["candidate"] == candidate]
        heads = [f"{_label(candidate)} against {_label(entries[0]['baseline'])}", "baseline", "candidate", "difference"]
        heads += ["95 % interval", "p, corrected", "win / tie / loss", "samples", "verdict"]
        yield _table(heads, [_row(one) for one in entries])
    yield textwrap.fill(correction_text(found["rules"]), WIDTH)


def _row(one: Mapping[str, Any]) -> list[str]:
    interval = one["interval"]
    ends = [difference_text(interval[end], one) for end in ("low", "high")] if interval else []
    return [
        figure_name(one),
        figure_text(one["baseline_value"], one),
        figure_text(one["candidate_value"], one),
        difference_text(one["difference"], one),
        " to ".join(ends) or "-",
        p_text(one["p_corrected"]),
        f"{one['wins']:,} / {one['ties']:,} / {one['losses']:,}",
        f"{one['n_samples']:,}",
        shown_verdict(one["verdict"]),
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    out = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    out.insert(1, "-" * max(map(len, out)))
    return "\n".join(line.rstrip() for line in out)


def _slices(found: Mapping[str, Any], verdict: str, title: str) -> Iterator[str]:
    lines = [
        (one["p"], _slice(entry, one))
        for entry in found["comparisons"]
        for one in entry["slices"]
        if one["verdict"] == verdict
    ]
    if not lines:
        return
    yield f"{title} in {many(len(lines), 'slice')} of {found['rules']['n_slices_tested']:,} tested (p corrected for them)"
    yield from (f"  {line}" for _, line in sorted(lines)[:MAX_SLICES])
    if len(lines) > MAX_SLICES:
        yield f"  … {len(lines) - MAX_SLICES} more in comparison.json"


def _slice(entry: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    moved = "dropped" if one["difference"] < 0 else "rose"
    value = _label(one["value"]) or "(none)"
    figures = [figure_text(one[side], entry) for side in ("baseline_value", "candidate_value")]
    return (
        f"{_label(one['by'])} {value}: {entry['metric']} of {_label(entry['candidate'])} {moved} by "
        f"{difference_text(abs(one['difference']), entry, '')} ({' -> '.join(figures)}), n {one['n_samples']:,} in "
        f"{many(one['n_units'], one['unit'])}, p {p_text(one['p_corrected'])} "
        f"({METHODS[one['p_method']].format(unit=one['unit'])})"
    )


def _samples(found: Mapping[str, Any]) -> Iterator[str]:
    entries = [one for one in found["comparisons"] if one["regressed"]]
    if not entries:
        return
    order = ("worse", "open", "within_tolerance", "better", "same")
    entry = min(entries, key=lambda one: order.index(one["verdict"]))
    yield f"Samples that lost most, {entry['metric']} of {_label(entry['candidate'])}"
    for one in entry["regressed"][:MAX_SAMPLES]:
        scores = f"{one['baseline_score']:.3f} -> {one['candidate_score']:.3f}"
        yield f"  {scores}  {_printable(one['session_id'])} / {_printable(one['sample_id'])}"
        yield from _quotes(one)
    shown = entry["regressed"][:MAX_SAMPLES]
    lacking = [side for side in ("baseline", "candidate") if any(one[f"{side}_answer"] is None for one in shown)]
    if lacking:
        inputs = {run["name"]: _printable(str(run["input"]["name"])) for run in found["runs"]}
        places = " and ".join(dict.fromkeys(inputs[entry[side]] for side in lacking))
        yield f"  (results quote their worst samples only: look up the other texts in {places})"


def _quotes(one: Mapping[str, Any]) -> Iterator[str]:
    """What both sides said of a sample, and the words of their claims, as far as the results hold them."""
    texts = [("asked ", one.get("question")), ("person", one["references"][0] if one["references"] else None)]
    texts[1:1] = [("before", one["baseline_answer"]), ("after ", one["candidate_answer"])]
    if any(text for _, text in texts):  # videos have none
        yield from (f"         {who}: {_quoted(text)}" for who, text in texts if text is not None)
    for who, side in (("before", "baseline"), ("after ", "candidate")):
        for claim in one.get(f"{side}_claims", ()):
            said = (("model", claim["answer"]), ("person", claim["reference"]))
            words = ", ".join(f'{what} "{text}"' for what, text in said if text)
            yield f"         {who}: {_quoted(str(claim['kind']) + ': ' + words)}"


def _notes(found: Mapping[str, Any]) -> Iterator[str]:
    if found["refused"] or found["warnings"]:
        yield "Mind"
    for one in found["refused"]:
        yield f"  not compared: {one['metric']} of {_printable(one['candidate'])}: {_printable(one['reason'])}"
    for one in found["warnings"]:
        yield f"  {_printable(one['message'])} ({one['code']})"


def _next(found: Mapping[str, Any]) -> str:
    lines = []
    if found["verdict"] == "regressed":
        lines.append("Next: look at what got worse above; a drop that does not matter is told with --tolerance.")
    power = found["rules"]["power"]
    lines += [_open(entry, power) for entry in found["comparisons"] if entry["verdict"] == "open"]
    return "\n".join(lines)


def _open(entry: Mapping[str, Any], power: float) -> str:
    """What these data can show, and what would settle the question."""
    needed, least = entry["to_settle"], entry["detectable_difference"]
    text = f"Next: {entry['metric']} of {_label(entry['candidate'])} is open."
    if least is None:
        return f"{text} Too few samples to say how much they vary."
    if least > 1:
        of = f" in {many(entry['n_units'], entry['unit'])}" if entry["unit"] != "sample" else ""
        text += f" These {many(entry['n_samples'], 'sample')}{of} are too few to show any difference"
    else:
        text += f" These {entry['n_samples']:,} samples show a difference of {difference_text(least, entry, '')}"
        text += f" {power:.0%} of the time"
    if needed and not _shows_nothing(entry):
        text += f"; to settle the {difference_text(abs(entry['difference']), entry, '')} seen takes about "
        text += f"{many(needed['n_samples'], 'sample')} in {many(needed['n_units'], entry['unit'])}"
    return f"{text}."


def _shows_nothing(entry: Mapping[str, Any]) -> bool:
    """Whether the difference is none in the digits that are shown: then no number of samples is worth naming."""
    return difference_text(entry["difference"], entry) in {difference_text(zero, entry) for zero in (0.0, -0.0)}


def _quoted(text: str) -> str:
    return textwrap.shorten(_printable(text), WIDTH - 17, placeholder=" …") or "(empty)"


def _label(text: str) -> str:
    text = _printable(text)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
