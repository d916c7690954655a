"""Two or more results on the same samples: which is better, by how much, where, and is that chance?"""

from handler.decisions.comparison._compare import COMPARISON, Comparison, compare
from handler.decisions.comparison._text import difference_text, figure_text, p_text, render_comparison, shown_verdict

__all__ = [
    "COMPARISON",
    "Comparison",
    "compare",
    "difference_text",
    "figure_text",
    "p_text",
    "render_comparison",
    "shown_verdict",
]
