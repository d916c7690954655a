"""A calibration as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handler.counting import many

__all__ = ["render_calibration"]

FIGURES = {
    "balanced_accuracy": "balanced accuracy",
    "miss_rate": "hallucinations missed",
    "false_alarm_rate": "good frames flagged",
    "precision": "flagged rightly",
    "auc": "AUC",
}
MOST_SLICES = 12


def render_calibration(document: Mapping[str, Any]) -> str:
    """The thresholds, what they do on the held-out part, and why they are not called calibrated, as plain text."""
    verdicts, split = document["verdicts"], document["split"]
    lines = [
        f"{many(verdicts['n_same'], 'frame')} same, {verdicts['n_different']:,} different, {verdicts['n_without']:,} "
        f"without a verdict (column {_printable(verdicts['column'])}: {verdicts['rule']})",
        f"Aim {document['aim']}; parted by {_printable(split['by'])}",
        *(f"Note: {_printable(note)}" for note in split["notes"]),
    ]
    for name, entry in document["metrics"].items():
        lines += ["", *_metric(name, entry)]
    state = "Calibrated" if document["calibrated"] else "NOT calibrated"
    lines += ["", f"{state}; fingerprint {document['fingerprint']}"]
    return "\n".join(lines)


def _metric(name: str, entry: Mapping[str, Any]) -> Iterator[str]:
    sets = f" (sets {', '.join(entry['sets'])})" if entry["sets"] else ""
    if entry["threshold"] is None:
        yield f"{name}{sets}: no threshold"
    else:
        interval = _interval(entry["interval"], ".4f")
        yield f"{name}{sets}: threshold {entry['threshold']:.4f}{interval}; flags {entry['flags']}"
        yield from _figures(entry["held_out"])
        yield from _slices(entry)
        more = entry["to_halve"]
        yield (
            f"  to halve the intervals: {many(more['error_rates']['frames'], 'more frame')} in "
            f"{many(more['error_rates']['groups'], 'more group')} for the error rates, "
            f"{more['threshold']['frames']:,} for the threshold"
        )
    for reason in entry["reasons"]:
        yield f"  not calibrated: {_printable(reason)}"


def _figures(held_out: Mapping[str, Any]) -> Iterator[str]:
    yield f"  on {many(held_out['n'], 'held-out frame')} in {many(held_out['n_groups'], 'group')}"
    for key, words in FIGURES.items():
        value = held_out[key]
        shown = "-" if value is None else f"{value:.3f}{_interval(held_out['intervals'][key], '.3f')}"
        yield f"    {words:22s} {shown}"
    best = held_out["best_possible"]
    if best is not None and held_out["aim_value"] is not None:
        yield f"    {'lost to hindsight':22s} {best['aim_value'] - held_out['aim_value']:.3f} of the aim"
    elif best is not None:
        yield f"    {'target':22s} not reached on the held-out part"


def _slices(entry: Mapping[str, Any]) -> Iterator[str]:
    shown = [one for one in entry["slices"] if "reason" not in one]
    for one in shown[:MOST_SLICES]:
        interval = _interval(one["intervals"]["balanced_accuracy"], ".3f")
        where = f"{_printable(one['by'])}={_printable(one['value'])}"
        yield f"    {where}: balanced accuracy {one['balanced_accuracy']:.3f}{interval}"
    if left := len(entry["slices"]) - len(shown[:MOST_SLICES]):
        yield f"    {many(left, 'more slice')} in the file, some too small for figures"


def _interval(interval: Mapping[str, Any] | None, form: str) -> str:
    if interval is None:
        return ""
    level, method = interval["level"], interval["method"]
    return f" [{interval['low']:{form}}, {interval['high']:{form}}] {level:.0%} {method}"


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else "\ufffd" for one in text)[:200]
