"""Gates held against a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from handler.decisions.checks import Check, Outcome
from handler.decisions.gates._expression import OPERATORS, Gate, parse_gate
from handler.decisions.gates._figures import Found, find_figures

__all__ = ["GATE_RULES", "GateOn", "GateResult", "check_gates", "gates_document"]

GateOn = Literal["sure", "point", "doubt"]
GATE_RULES: Mapping[str, str] = {
    "sure": "fails when the whole interval lies beyond the limit, so that chance alone rarely fails a run",
    "point": "fails when the figure itself lies beyond the limit, whatever its interval",
    "doubt": "fails when any part of the interval lies beyond the limit: the run has to prove itself",
}


class GateResult(NamedTuple):
    """outcome: failed, passed, or open (passed, though the interval lies on both sides of the limit)."""

    gate: Gate
    found: Found
    outcome: Outcome
    reason: str

    @property
    def name(self) -> str:
        """The expression, with the group's value written out."""
        group = f" [{self.found.group}]" if self.found.group else ""
        return f"{self.found.metric}.{self.found.key}{group} {self.gate.op} {self.gate.limit:g}"

    def check(self) -> Check:
        """As a test case."""
        return Check(self.found.metric, self.name, self.outcome, self.reason)

    def document(self) -> dict[str, Any]:
        """Plain JSON."""
        interval = self.found.interval
        return {
            "expression": str(self.gate),
            "metric": self.found.metric,
            "key": self.found.key,
            "group": self.found.group or None,
            "value": self.found.value,
            "interval": dict(interval) if interval else None,
            "op": self.gate.op,
            "limit": self.gate.limit,
            "outcome": self.outcome,
            "reason": self.reason,
        }


def check_gates(
    report: Mapping[str, Any], gates: Iterable[Gate | str], *, gate_on: GateOn = "sure"
) -> list[GateResult]:
    """Hold each gate against the report; a gate fails when its expression is true.

    gate_on: which part of the interval must lie beyond the limit, see GATE_RULES. Figures without an interval, and `==`,
    go by the figure itself. A figure that is null fails: nothing says that it keeps the limit. Raises RequestError for a
    figure, tag or value that the report does not have.
    """
    parsed = [parse_gate(one) if isinstance(one, str) else one for one in gates]
    return [_checked(gate, found, gate_on) for gate in parsed for found in find_figures(gate, report)]


def gates_document(results: Sequence[GateResult], gate_on: GateOn) -> dict[str, Any]:
    """What an event or a reply says of them."""
    return {
        "schema": "scenescore.gates/1",
        "passed": all(one.outcome != "failed" for one in results),
        "n_failed": sum(one.outcome == "failed" for one in results),
        "gate_on": gate_on,
        "gates": [one.document() for one in results],
    }


def _checked(gate: Gate, found: Found, gate_on: GateOn) -> GateResult:
    if found.value is None:
        return GateResult(gate, found, "failed", f"the figure is null: {_why_null(found.summary)}")
    interval = found.interval
    beyond = OPERATORS[gate.op]
    if interval is None or gate.op == "==":
        return GateResult(gate, found, "failed" if beyond(found.value, gate.limit) else "passed", _shown(found))
    ends = beyond(interval["low"], gate.limit), beyond(interval["high"], gate.limit)
    fails = {"sure": all(ends), "point": beyond(found.value, gate.limit), "doubt": any(ends)}[gate_on]
    outcome: Outcome = "failed" if fails else "open" if any(ends) else "passed"
    return GateResult(gate, found, outcome, _shown(found) + _where(*ends))


def _shown(found: Found) -> str:
    interval = found.interval
    if interval is None:
        return f"{found.value:.4g} (no interval: the figure itself counts)"
    ends = f"{interval['low']:.4g} to {interval['high']:.4g}"
    return f"{found.value:.4g} ({interval['level']:.0%} interval {ends}, {interval['method']})"


def _where(low: bool, high: bool) -> str:
    if low and high:
        return ", wholly beyond the limit"
    return ", on both sides of the limit" if low or high else ", wholly within the limit"


def _why_null(summary: Mapping[str, Any]) -> str:
    if summary.get("n_scored"):
        return "the scored samples do not support it"
    reasons = ", ".join(f"{n:,} {reason.replace('_', ' ')}" for reason, n in (summary.get("skipped") or {}).items())
    return f"nothing was scored{f' (skipped: {reasons})' if reasons else ''}"
