"""Two or more results on the same samples: which is better, by how much, where, and is that chance?"""

from handler.decisions.comparison._checks import checks_of
from handler.decisions.comparison._compare import COMPARISON, Comparison, compare
from handler.decisions.comparison._markdown import comparison_markdown
from handler.decisions.comparison._text import render_comparison

__all__ = [
    "COMPARISON",
    "Comparison",
    "checks_of",
    "compare",
    "comparison_markdown",
    "render_comparison",
]
