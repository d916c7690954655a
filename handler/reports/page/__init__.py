"""A result folder as a page, as Markdown and as a table."""

from handler.reports.page._csv import csv_lines
from handler.reports.page._markdown import markdown
from handler.reports.page._page import decision_page, page
from handler.reports.page._writing import PAGE, html_of, write_page

__all__ = ["PAGE", "csv_lines", "decision_page", "html_of", "markdown", "page", "write_page"]
