"""report.html of a result folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler import storage
from handler.reports._folder import PAGE, SAMPLES, ResultFolder
from handler.reports.page._page import page

__all__ = ["PAGE", "html_of", "write_page"]


def html_of(folder: ResultFolder, report: Mapping[str, Any]) -> bytes:
    """The page of the rows that the folder holds."""
    return page(report, lines=folder.lines(SAMPLES), errors=folder.errors()).encode()


def write_page(folder: ResultFolder, report: Mapping[str, Any]) -> str:
    """Write the page beside the rows; returns where. The rows must be there already, report.json need not."""
    location = storage.join(folder.location, PAGE)
    storage.write_bytes(location, html_of(folder, report))
    return location
