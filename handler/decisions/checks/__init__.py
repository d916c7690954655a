"""What passed and what failed, in the forms that continuous integration reads."""

from handler.decisions.checks._check import Check, Outcome
from handler.decisions.checks._junit import junit
from handler.decisions.checks._markdown import checks_markdown

__all__ = ["Check", "Outcome", "checks_markdown", "junit"]
