"""Gates as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from handler.decisions.gates._checking import GATE_RULES, GateOn, GateResult

__all__ = ["render_gates"]


def render_gates(results: Sequence[GateResult], gate_on: GateOn) -> str:
    """The verdict line, failed gates first, then the rule."""
    failed = sum(one.outcome == "failed" for one in results)
    head = f"GATES FAILED: {failed} of {len(results)}" if failed else f"GATES PASSED: {len(results)} of {len(results)}"
    order = {"failed": 0, "open": 1, "passed": 2}
    lines = [head]
    for one in sorted(results, key=lambda one: order[one.outcome]):
        shown = "".join(c if c.isprintable() else " " for c in f"{one.name}: {one.reason}")
        lines.append(f"  {one.outcome:<6}  {shown}")
    if any(one.outcome == "open" for one in results):
        lines.append(
            "  Open gates pass: the interval lies on both sides. More samples, or --gate-on doubt, settle them."
        )
    if any(one.found.interval for one in results):
        lines.append(f"  Rule {gate_on}: a gate {GATE_RULES[gate_on]} (--gate-on)")
    return "\n".join(lines)
