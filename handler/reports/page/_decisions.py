"""What calibration and comparison add to a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.reports.page._nested import nested
from handler.reports.page._text import isolated, tag

__all__ = ["calibration", "comparison"]


def calibration(found: Any) -> str:
    """The calibration that thresholds come from."""
    if not isinstance(found, Mapping) or not found:
        return ""
    reasons = found.get("reasons") or []
    if found.get("calibrated"):
        said = tag("p", "Thresholds were found on verdicts of people.")
    else:
        listed = "".join(f"<li>{isolated(str(one))}</li>" for one in reasons) if isinstance(reasons, list) else ""
        said = tag("div", f"This calibration does not call itself calibrated.<ul>{listed}</ul>", class_="caution")
    rest = {key: value for key, value in found.items() if key not in ("calibrated", "reasons") and value is not None}
    return said + nested(rest)


def comparison(found: Any) -> str:
    """Two or more results on the same samples."""
    return nested(found) if isinstance(found, Mapping) and found else ""
