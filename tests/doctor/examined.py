"""A metric and rules whose outcomes are known without running anything."""

from __future__ import annotations

from typing import NamedTuple

from handler.metrics import BaseMetric
from handler.results import MetricResult

ONE, TWO, BARE = "A red car stops.", "Two men wait.", "Nothing to change"


class Made(NamedTuple):
    kind: str
    text: str
    spans: tuple = ()


def edits(reference):
    if reference == ONE:
        yield Made("attribute", "A blue car stops.", ((2, 6),))
        yield Made("negation", "A red car does not stop.")
        yield Made("negation", "No red car stops.")
    if reference == TWO:
        yield Made("number", "Three men wait.", ((0, 5),))
        yield Made("attribute", TWO)  # changes nothing


def rewrites(text):
    """Rules for the first reference; each may apply to what another one made."""
    if "red car" in text or "red automobile" in text:
        yield Made("order", text)
        yield Made("synonym", text.replace("car", "automobile"))
        yield Made("wording", text.replace("A red", "There is: a red"))


class Scored(BaseMetric):
    """Scores of answers as a table has them; None is skipped."""

    name = "test.scored"
    title = "given"

    def __init__(self, table, *, higher=True, name="test.scored"):
        super().__init__()
        self.table = table
        self.higher_is_better = higher
        self.name = name

    def compute(self, sample):
        score = self.table(sample.answer)
        return MetricResult(self.name, score, {} if score is not None else {"skipped": "no_reason"})
