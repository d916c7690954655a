"""The report as Python users get it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler.counting import many
from handler.reports._document import Document
from handler.reports._folder import ResultFolder
from handler.reports._terminal import render

__all__ = ["Report"]


class Report(Document):
    """The content of report.json as a mapping, with the rows beside it.

    location: the result folder, None when nothing was written. already_done: the folder was complete before.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        *,
        location: str | None = None,
        already_done: bool = False,
        samples: list[dict[str, Any]] | None = None,
        errors: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(document, location=location)
        self.already_done = already_done
        self._samples = samples
        self._errors = errors

    def __repr__(self) -> str:
        return f"Report({', '.join(self['metrics'])}; {many(self['counts']['n_samples'], 'sample')})"

    @property
    def samples(self) -> list[dict[str, Any]]:
        """The rows of samples.jsonl, in input order."""
        if self._samples is None:
            self._samples = list(ResultFolder(self.location).samples()) if self.location else []
        return self._samples

    @property
    def errors(self) -> list[dict[str, Any]]:
        """The rows of errors.jsonl."""
        if self._errors is None:
            self._errors = list(ResultFolder(self.location).errors()) if self.location else []
        return self._errors

    def display(self) -> None:
        """Print the table and the worst samples."""
        print(render(self._document))  # noqa: T201 - asked for
