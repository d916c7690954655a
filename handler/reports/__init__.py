"""Result folders: what is written, how it is read back, how it looks in a terminal."""

from handler.reports._cells import guarded
from handler.reports._document import Document
from handler.reports._finding import find_decision, find_result, is_result, read_document
from handler.reports._folder import (
    ERROR,
    ERRORS,
    REPORT,
    REPORT_SCHEMA,
    SAMPLES,
    ResultFolder,
    RowWriter,
    dump_json,
    dump_row,
    error_row,
)
from handler.reports._latest import LATEST, LATEST_KIND, mend_latest, update_latest
from handler.reports._parts import Parts
from handler.reports._report import Report
from handler.reports._terminal import render

__all__ = [
    "ERROR",
    "ERRORS",
    "LATEST",
    "LATEST_KIND",
    "REPORT",
    "REPORT_SCHEMA",
    "SAMPLES",
    "Document",
    "Parts",
    "Report",
    "ResultFolder",
    "RowWriter",
    "dump_json",
    "dump_row",
    "error_row",
    "find_decision",
    "find_result",
    "guarded",
    "is_result",
    "mend_latest",
    "read_document",
    "render",
    "update_latest",
]
