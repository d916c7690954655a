"""What passed and what failed, in the forms that continuous integration reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handler.lazily import exported

if TYPE_CHECKING:
    from handler.decisions.checks._check import Check, Outcome
    from handler.decisions.checks._junit import junit
    from handler.decisions.checks._markdown import checks_markdown

__all__ = ["Check", "Outcome", "checks_markdown", "junit"]

__getattr__ = exported(
    __name__,
    {
        "_check": "Check Outcome",
        "_junit": "junit",
        "_markdown": "checks_markdown",
    },
)
