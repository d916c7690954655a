"""Gates: limits that figures of a report must keep, with the interval taken into account by a stated rule."""

from handler.decisions.gates._checking import GateOn, GateResult, check_gates, gates_document
from handler.decisions.gates._expression import Gate, parse_gate
from handler.decisions.gates._text import render_gates

__all__ = ["Gate", "GateOn", "GateResult", "check_gates", "gates_document", "parse_gate", "render_gates"]
