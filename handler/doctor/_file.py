"""Doctor on a file: references read and drawn, metrics made, pairs compared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from handler import storage
from handler.claims import false_versions, rewrites
from handler.counting import many
from handler.doctor._examine import Examination, examine
from handler.doctor._references import draw, read_references
from handler.errors import InputError, RequestError
from handler.formats import ReadOptions
from handler.metrics import BaseMetric, get_metric, metric_class, select_metrics
from handler.models import TextEncoder, shared_text_encoder
from handler.samples import Sample, Unreadable
from handler.settings import Settings

__all__ = ["DEFAULT_LIMIT", "DEFAULT_METRICS", "examine_file"]

DEFAULT_LIMIT = 200  # references: some five pairs each, a minute or two on one core
GROUPS = ("vision", "captions", "speech")  # metrics of whole sentences
DEFAULT_METRICS = ("vision.similarity", "vision.claims")


def examine_file(
    location: str,
    *,
    options: ReadOptions,
    metrics: Sequence[str] = DEFAULT_METRICS,
    limit: int | None = DEFAULT_LIMIT,
    seed: int = 0,
    model: Path | None = None,
    threads: int | None = None,
) -> Examination:
    """Examine metrics on the references of a file or folder.

    metrics: names or groups that read a description and its references. limit: references drawn; None means all. model: of
    the text encoder; None means that of the settings. Raises InputError for a file without references, RequestError for a
    metric that reads something else.
    """
    if limit is not None and limit < 1:
        raise RequestError("--limit must be at least 1", field="limit")
    names = _names(metrics)
    unreadable: list[Unreadable] = []
    described, n_read = draw(read_references(location, options, unreadable), limit=limit, seed=seed)
    if not described:
        raise InputError("there is no reference to examine", file=location, hint=_hint(unreadable))
    made = _make(names, model, threads)
    found = examine(
        described, made, edits=partial(false_versions, seed=seed), rewrites=partial(rewrites, seed=seed), seed=seed
    )
    head = {"input": storage.name_of(location), "limit": limit, "n_read": n_read, "n_unreadable": len(unreadable)}
    document: dict[str, Any] = {"schema": found.document["schema"], **head}
    return Examination({**document, **found.document}, found.pairs)


def _names(metrics: Sequence[str]) -> list[str]:
    names = select_metrics(metrics)
    for name in names:
        if metric_class(name).sample is not Sample or name.partition(".")[0] not in GROUPS:
            raise RequestError(
                f"{name} does not compare a description with what a person saw",
                field="metrics",
                hint=f"Those that do: {', '.join(DEFAULT_METRICS)}, vision.hallucination, captions.ngram, speech.wer",
            )
    return names


def _make(names: Sequence[str], model: Path | None, threads: int | None) -> list[BaseMetric]:
    encoder: TextEncoder | None = None
    made = []
    for name in names:
        if "text_encoder" in metric_class(name).models:
            encoder = encoder or shared_text_encoder(model or Settings.from_environment().model, threads)
            made.append(get_metric(name, encoder=encoder))
        else:
            made.append(get_metric(name))
    return made


def _hint(unreadable: Sequence[Unreadable]) -> str:
    if unreadable:
        return f"{many(len(unreadable), 'item')} could not be read, the first one because: {unreadable[0].reason}"
    return "`scenescore inspect` says what the file holds; --map references=COLUMN names the column"
