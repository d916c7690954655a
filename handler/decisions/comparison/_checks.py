"""A comparison as checks: a figure or a slice that got worse is a failed one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handler.decisions.checks import Check, Outcome
from handler.decisions.comparison._text import METHODS, difference_text, figure_text, p_text, shown_verdict

__all__ = ["checks_of"]

_OUTCOMES: Mapping[str, Outcome] = {"worse": "failed", "open": "open"}


def checks_of(found: Mapping[str, Any]) -> list[Check]:
    """Each figure of each candidate, then its slices; what could not be compared is open."""
    return list(_checks(found))


def _checks(found: Mapping[str, Any]) -> Iterator[Check]:
    for entry in found["comparisons"]:
        name = f"{entry['candidate']} against {entry['baseline']}: {entry['metric']} {entry['figure']}"
        for one, where in [(entry, ""), *((one, f" [{one['by']} = {one['value']}]") for one in entry["slices"])]:
            yield Check(entry["metric"], name + where, _OUTCOMES.get(one["verdict"], "passed"), _reason(one, entry))
    for one in found["refused"]:
        yield Check(one["metric"], f"{one['candidate']}: {one['metric']}", "open", f"not compared: {one['reason']}")


def _reason(one: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    values = " -> ".join(figure_text(one[side], entry) for side in ("baseline_value", "candidate_value"))
    method = METHODS[one["p_method"]].format(unit=one["unit"])
    return (
        f"{shown_verdict(one['verdict'])}: {values} ({difference_text(one['difference'], entry)}), n {one['n_samples']:,}, "
        f"p {p_text(one['p_corrected'])} ({method}, corrected)"
    )
