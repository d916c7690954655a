"""Checks as a table of GitHub-flavoured Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from handler.decisions.checks._check import Check
from handler.reports.page._markdown import plain

__all__ = ["checks_markdown"]

_MARKS = {"failed": ":x:", "open": ":grey_question:", "passed": ":white_check_mark:"}
_ORDER = list(_MARKS)


def checks_markdown(title: str, checks: Sequence[Check]) -> str:
    """A heading that says how many failed, and a row per check, failed ones first."""
    failed = sum(one.outcome == "failed" for one in checks)
    verdict = f"{failed} of {len(checks)} failed" if failed else f"all {len(checks)} passed"
    rows = [
        f"| {_MARKS[one.outcome]} {one.outcome} | {plain(one.name)} | {plain(one.reason)} |"
        for one in sorted(checks, key=lambda one: _ORDER.index(one.outcome))
    ]
    return "\n".join([f"## {plain(title)}: {verdict}", "", "| | Check | Found |", "|---|---|---|", *rows, ""])
