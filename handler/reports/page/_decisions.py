"""What calibration and comparison add to a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.reports.page._nested import nested

__all__ = ["calibration", "comparison"]


def calibration(found: Any) -> str:
    """The calibration that thresholds come from."""
    return nested(found) if isinstance(found, Mapping) and found else ""


def comparison(found: Any) -> str:
    """Two or more results on the same samples."""
    return nested(found) if isinstance(found, Mapping) and found else ""
