"""`metric.key[tag=value] OP number`: what would make a run fail."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from handler.errors import RequestError

__all__ = ["OPERATORS", "Gate", "parse_gate"]

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
}
_GRAMMAR = re.compile(
    r"\s*(?P<key>[^\s\[\]<>=!]+)\s*(?:\[\s*(?P<by>[^=\]]*?)\s*=(?P<value>.*)\])?"
    r"\s*(?P<op>>=|<=|==|>|<)\s*(?P<number>[^\s<>=]+)\s*",
    re.DOTALL,
)
_EXAMPLE = "Write METRIC.FIGURE>NUMBER, e.g. 'vision.hallucination.hallucination_rate>0.10' or '…rate[camera=7]>0.10'"


@dataclass(frozen=True, slots=True)
class Gate:
    """The run fails when the expression is true. key: metric and figure with dots between. by, value: the tag and its
    value, or `*` for each; None for overall."""

    key: str
    op: str
    limit: float
    by: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        group = f"[{self.by}={self.value}]" if self.by is not None else ""
        return f"{self.key}{group} {self.op} {self.limit:g}"


def parse_gate(text: str) -> Gate:
    """Read an expression. A limit may be written in percent (10%). Raises RequestError."""
    found = _GRAMMAR.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise RequestError(f"{text!r:.120} is no gate", field="fail_if", hint=_EXAMPLE)
    if found["by"] == "":
        raise RequestError(f"the gate {text!r:.120} names no tag before the =", field="fail_if", hint=_EXAMPLE)
    if "." not in found["key"].strip("."):
        raise RequestError(f"{found['key']!r} names no figure of a metric", field="fail_if", hint=_EXAMPLE)
    value = found["value"].strip() if found["by"] is not None else None
    return Gate(found["key"], found["op"], _number(found["number"], text), found["by"], value)


def _number(word: str, text: str) -> float:
    scale = 100.0 if word.endswith("%") else 1.0
    try:
        number = float(word.removesuffix("%")) / scale
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise RequestError(f"{word!r} in {text!r:.120} is no number", field="fail_if", hint=_EXAMPLE)
    return number
