"""What a comparison says: differences with intervals, where they lie, the samples that lost most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.counting import many
from handler.reports.page._figures import ABSENT, difference_bar, method_name
from handler.reports.page._nested import nested
from handler.reports.page._text import escaped, isolated, tag

__all__ = ["comparison"]

MAX_SLICES = 60
MAX_SAMPLES = 10
_WORDS = {"open": "not shown", "within_tolerance": "within tolerance"}
_HEADS = ("Before", "After", "Difference", "", "Interval", "p, corrected", "Samples", "Reading")

Found = Mapping[str, Any]


def comparison(found: Any) -> str:
    """The section of a `scenescore.comparison/1` document; another mapping is listed as it is, anything else is empty."""
    if not isinstance(found, Mapping) or not found:
        return ""
    entries = found.get("comparisons")
    if not isinstance(entries, list) or not all(isinstance(one, Mapping) for one in entries):
        return nested(found)
    parts = [tag("p", escaped(str(found.get("summary", ""))), class_="lead"), _figures(entries), _slices(entries)]
    parts += [_counts(entries), *_samples(entries), *_unmatched(found.get("matching")), _notes(found)]
    return "".join(parts)


def _figures(entries: Sequence[Found]) -> str:
    rows = [(f"{one.get('candidate')}: {one.get('metric')} {one.get('figure')}", one, one) for one in entries]
    return _table("Differences from the baseline", rows)


def _slices(entries: Sequence[Found]) -> str:
    changed = [
        (
            f"{part.get('by')} = {part.get('value') or '(none)'}: {entry.get('candidate')}, {entry.get('metric')}",
            part,
            entry,
        )
        for entry in entries
        for part in entry.get("slices") or []
        if part.get("verdict") in ("worse", "better")
    ]
    if not changed:
        return ""
    changed.sort(key=lambda row: (row[1].get("verdict") != "worse", row[1].get("p", 1)))
    more = f"<p>{len(changed) - MAX_SLICES:,} more in comparison.json.</p>" if len(changed) > MAX_SLICES else ""
    return _table("Where it changed", changed[:MAX_SLICES]) + more


def _counts(entries: Sequence[Found]) -> str:
    lines = [
        f"<li>{isolated(str(one.get('candidate')))}, {escaped(str(one.get('metric')))}: better in {one['wins']:,}, "
        f"the same in {one['ties']:,}, worse in {one['losses']:,}</li>"
        for one in entries
        if one.get("wins") is not None
    ]
    return f"<h3>Sample by sample</h3><ul>{''.join(lines)}</ul>" if lines else ""


def _samples(entries: Sequence[Found]) -> Iterator[str]:
    entry = next((one for one in entries if one.get("regressed")), None)
    if entry is None:
        return
    yield f"<h3>Samples that lost most, {escaped(str(entry.get('metric')))} of {isolated(str(entry.get('candidate')))}</h3>"
    for one in entry["regressed"][:MAX_SAMPLES]:
        before, after = _value(one.get("baseline_score"), entry), _value(one.get("candidate_score"), entry)
        texts = [("After", one.get("candidate_answer")), ("Before", one.get("baseline_answer"))]
        texts += [("Person", text) for text in (one.get("references") or [])[:2]]
        sides = "".join(
            f'<div><p class="who">{who}</p><p dir="auto" class="said">{escaped(str(text))}</p></div>'
            for who, text in texts
            if text is not None
        )
        if not sides and isinstance(one.get("question"), str):
            sides = f'<div><p class="who">Asked</p><p dir="auto" class="said">{escaped(one["question"])}</p></div>'
        sides = sides or '<p class="note">Its texts are in the input: results quote their worst samples only.</p>'
        place = f"{isolated(str(one.get('session_id')))} / {isolated(str(one.get('sample_id')))}"
        head = f'<p><strong>{place}</strong> <span class="note">{before} to {after}</span></p>'
        yield tag("article", f'{head}<div class="sides diff">{sides}</div>', class_="worst")


def _unmatched(matching: Any) -> Iterator[str]:
    for one in matching if isinstance(matching, list) else []:
        alone = {side: one.get(f"n_only_{side}") or 0 for side in ("baseline", "candidate")}
        text = f"{isolated(str(one.get('candidate')))}: {many(one.get('n_matched', 0), 'sample')} in both"
        if any(alone.values()):
            text += f"; {alone['baseline']:,} only in the baseline, {alone['candidate']:,} only in the candidate"
        yield tag("p", f"{text}.", class_="note")


def _notes(found: Found) -> str:
    lines = [
        f"{one.get('metric')} of {one.get('candidate')} is not compared: {one.get('reason')}"
        for one in _entries(found.get("refused"))
    ]
    lines += [str(one.get("message")) for one in _entries(found.get("warnings"))]
    return f"<h3>Mind</h3><ul>{''.join(f'<li>{isolated(line)}</li>' for line in lines)}</ul>" if lines else ""


def _entries(value: Any) -> list[Found]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _table(title: str, rows: Sequence[tuple[str, Found, Found]]) -> str:
    """rows: name, figures, and the comparison they are of, which says whether they are rates."""
    spans: dict[bool, float] = {}
    for _, one, entry in rows:
        interval = _interval(one) or {}
        ends = [abs(value) for value in (interval.get("low"), interval.get("high"), one.get("difference")) if value]
        rate = bool(entry.get("is_rate"))
        spans[rate] = max([spans.get(rate, 0.0), *ends])
    lines = "".join(_row(name, one, entry, spans[bool(entry.get("is_rate"))]) for name, one, entry in rows)
    names = "".join(f'<th scope="col" class="n">{one}</th>' if one else "<td></td>" for one in _HEADS)
    head = f"<thead><tr><td></td>{names}</tr></thead>"
    table = f'<table class="plain"><caption>{title}</caption>{head}<tbody>{lines}</tbody></table>'
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label=title)


def _row(name: str, one: Found, entry: Found, span: float) -> str:
    difference, interval = one.get("difference"), _interval(one)
    bar = difference_bar(difference, interval, span) if interval and difference is not None else ""
    ends = " to ".join(_difference(interval[end], entry) for end in ("low", "high")) if interval else ABSENT
    method = (
        f" <small>{escaped(method_name(interval['method'], str(one.get('unit') or 'session')))}</small>"
        if interval
        else ""
    )
    p = one.get("p_corrected")
    cells = (
        _value(one.get("baseline_value"), entry),
        _value(one.get("candidate_value"), entry),
        f"<strong>{_difference(difference, entry)}</strong>",
        bar,
        ends + method,
        ABSENT if p is None else "&lt; 0.001" if p < 0.001 else f"{p:.3f}",
        f"{one.get('n_samples', 0):,}",
        escaped(_WORDS.get(str(one.get("verdict")), str(one.get("verdict")))),
    )
    return f'<tr><th scope="row">{isolated(name)}</th>{"".join(f"<td class=n>{cell}</td>" for cell in cells)}</tr>'


def _interval(one: Found) -> Found | None:
    found = one.get("interval")
    return found if isinstance(found, Mapping) else None


def _value(value: float | None, entry: Found) -> str:
    if value is None:
        return ABSENT
    return f"{value:.1%}" if entry.get("is_rate") else f"{value:.3f}"


def _difference(value: float | None, entry: Found) -> str:
    if value is None:
        return ABSENT
    return f"{100 * value:+.1f} pp" if entry.get("is_rate") else f"{value:+.3f}"
