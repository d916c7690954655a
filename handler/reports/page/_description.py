"""How one metric is shown on a page, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = ["Description", "Figure", "Form", "Table"]

Form = Literal["percent", "score", "count", "signed", "text", "truth", "below"]


class Figure(NamedTuple):
    """A figure of a summary. key: its name there; a key that ends in `@*` stands for one figure per cut-off."""

    key: str
    label: str
    form: Form = "percent"


class Table(NamedTuple):
    """A summary's mapping of slices to figures, drawn as a table. heads: of slices and, where each has one, of figures."""

    key: str
    title: str
    form: Form = "percent"
    heads: tuple[str, str] = ("", "")


_SCORE = Figure("score", "Score", "score")
_UNCALIBRATED = (
    "Two people who describe one picture often score below it, so read the share as a comparison, not as an error rate;"
)


@dataclass(frozen=True, slots=True)
class Description:
    """How a metric is shown.

    question: the heading. noun: what a sample is called. main: the figure of the headline. axis: the least span that
    intervals are drawn on. score: the figure of a row; its form `truth` is yes or no, `below` compares it with the
    threshold of the summary. evidence: {detail of a row: label}. sides: what answer and reference are called. is_text:
    whether the words of both are compared. uncalibrated: what to mind of a threshold that is nobody's own. calibrate: what
    finds one.
    """

    question: str
    noun: str
    main: Figure
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    evidence: Mapping[str, str] | None = None
    axis: tuple[float, float] = (0.0, 1.0)
    sides: tuple[str, str] = ("Model", "Person")
    is_text: bool = False
    score: Figure = _SCORE
    uncalibrated: str = _UNCALIBRATED
    calibrate: str = "scenescore calibrate"
