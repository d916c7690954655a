"""What a calibration says: the threshold, how it does on frames that did not choose it, curves, slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handler.counting import many
from handler.reports.page._curves import curve, reliability
from handler.reports.page._description import Figure
from handler.reports.page._figures import ABSENT, interval_bar, interval_words, method_name, shown
from handler.reports.page._nested import nested
from handler.reports.page._text import escaped, isolated, tag

__all__ = ["calibration"]

MAX_SLICES = 60
_RATES = {
    "balanced_accuracy": "Balanced accuracy",
    "miss_rate": "Hallucinations missed",
    "false_alarm_rate": "Good frames flagged",
    "precision": "Flagged rightly",
    "recall": "Hallucinations found",
    "f1": "F1",
    "auc": "Area under the ROC curve",
}

Found = Mapping[str, Any]


def calibration(found: Any) -> str:
    """The section of a `scenescore.calibration/1` document, or of what report.json keeps of one; empty for anything else."""
    if not isinstance(found, Mapping) or not found:
        return ""
    metrics = found.get("metrics")
    if not isinstance(metrics, Mapping):
        rest = {
            key: value for key, value in found.items() if key not in ("calibrated", "reasons") and value is not None
        }
        return _status(found) + nested(rest)
    verdicts = _part(found, "verdicts")
    facts = {
        "Aim": str(found.get("aim", ABSENT)).replace("_", " "),
        "Found on": _part(found, "input").get("name", ABSENT),
        "Verdicts": f"{verdicts.get('n_same', 0):,} same, {verdicts.get('n_different', 0):,} different",
        "Parted by": str(_part(found, "split").get("by", ABSENT)).replace("_", " "),
        "Fingerprint": found.get("fingerprint", ABSENT),
    }
    listed = "".join(f"<div><dt>{label}</dt><dd>{isolated(str(value))}</dd></div>" for label, value in facts.items())
    parts = [_metric(name, one) for name, one in metrics.items() if isinstance(one, Mapping)]
    return _status(found) + tag("dl", listed, class_="facts") + "".join(parts)


def _status(found: Found) -> str:
    if found.get("calibrated"):
        return tag("p", "The threshold was found on verdicts of people, and tried on frames that had no part in it.")
    reasons = found.get("reasons")
    listed = "".join(f"<li>{isolated(str(one))}</li>" for one in reasons) if isinstance(reasons, list) else ""
    return tag("div", f"This calibration does not call itself calibrated.<ul>{listed}</ul>", class_="caution")


def _metric(name: str, one: Found) -> str:
    value, interval = one.get("threshold"), one.get("interval")
    parts = [tag("h3", f"Threshold of {escaped(name)}")]
    flags = escaped(str(one.get("flags", "")))
    parts.append(tag("p", f"<strong>{escaped(shown(value, 'score'))}</strong> {flags}", class_="figure"))
    if isinstance(value, int | float) and interval:
        parts.append(interval_bar(Figure("threshold", "Threshold", "score"), value, interval, (0.0, 1.0)))
        words = f"{interval_words(interval, 'score')} ({interval['level']:.0%}, {method_name(interval['method'])})"
        parts.append(tag("p", f"Other frames of the same kind could have given anything from {escaped(words)}."))
    parts += [_rates(one), tag("div", "".join(_curves(one)), class_="squares"), _slices(one), _needed(one)]
    return "".join(parts)


def _rates(one: Found) -> str:
    chosen, held = _part(one, "calibration"), _part(one, "held_out")
    rows = []
    for key, label in _RATES.items():
        if held.get(key) is None and chosen.get(key) is None:
            continue
        interval = _part(held, "intervals").get(key)
        form = "score" if key in ("f1", "auc") else "percent"
        cells = (shown(held.get(key), form), interval_words(interval, form), shown(chosen.get(key), form))
        rows.append((label, cells))
    n_held, n_chosen = held.get("n", 0), chosen.get("n", 0)
    heads = (f"On held-out frames (n = {n_held:,})", "Interval", f"Where it was chosen (n = {n_chosen:,})")
    return _table("Rates", ("", *heads), rows)


def _curves(one: Found) -> Iterator[str]:
    held = _part(one, "held_out")
    missed, found = held.get("miss_rate"), held.get("recall")
    hit = None if missed is None else 1 - missed
    if _is_curve(one.get("roc")):
        yield curve(
            one["roc"],
            title="Receiver operating characteristic on held-out frames",
            across="Good frames flagged",
            up="Hallucinations found",
            at=(held.get("false_alarm_rate"), hit),
            chance=True,
        )
    if _is_curve(one.get("precision_recall")):
        yield curve(
            one["precision_recall"],
            title="Precision and recall on held-out frames",
            across="Hallucinations found",
            up="Flagged rightly",
            at=(found, held.get("precision")),
            chance=False,
        )
    bins = _part(_part(one, "probability"), "reliability").get("bins")
    if isinstance(bins, list) and bins:
        yield reliability(
            bins, title="Reliability of the stated chance", across="Stated chance of a hallucination", up="Came true"
        )


def _slices(one: Found) -> str:
    slices = one.get("slices")
    if not isinstance(slices, list) or not slices:
        return ""
    rows = []
    for part in slices[:MAX_SLICES]:
        interval = _part(part, "intervals").get("balanced_accuracy")
        rates = [shown(part.get(key), "percent") for key in ("balanced_accuracy", "miss_rate", "false_alarm_rate")]
        name = f"{part.get('by', '')} = {part.get('value') or '(none)'}"
        rows.append((name, (rates[0], interval_words(interval, "percent"), *rates[1:], f"{part.get('n', 0):,}")))
    more = f"<p>{len(slices) - MAX_SLICES:,} more in calibration.json.</p>" if len(slices) > MAX_SLICES else ""
    heads = ("", "Balanced accuracy", "Interval", "Missed", "Wrongly flagged", "Frames")
    return _table("By slice, on held-out frames", heads, rows) + more


def _needed(one: Found) -> str:
    more = _part(_part(one, "to_halve"), "error_rates")
    if not more.get("frames"):
        return ""
    size = f"{many(more['frames'], 'more frame')} in {many(more.get('groups', 0), 'more group')}"
    return tag("p", f"To halve the intervals of the rates takes about {size}.")


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    names = "".join(
        f'<th scope="col"{" class=n" if place else ""}>{escaped(one)}</th>' for place, one in enumerate(heads)
    )
    lines = "".join(
        f'<tr><th scope="row">{isolated(name)}</th>{"".join(f"<td class=n>{escaped(one)}</td>" for one in cells)}</tr>'
        for name, cells in rows
    )
    table = (
        f'<table class="plain"><caption>{title}</caption><thead><tr>{names}</tr></thead><tbody>{lines}</tbody></table>'
    )
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label=title)


def _part(found: Found, key: str) -> Found:
    value = found.get(key)
    return value if isinstance(value, Mapping) else {}


def _is_curve(points: Any) -> bool:
    return (
        isinstance(points, list) and len(points) > 1 and all(isinstance(one, list) and len(one) > 1 for one in points)
    )
