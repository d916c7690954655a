"""Metrics by name. A module is imported when a metric of its group is first asked for."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from handler.errors import RequestError
from handler.metrics._base import BaseMetric, parse_mode

__all__ = ["describe", "get_metric", "has_mode", "list_metrics", "metric_class", "register", "select_metrics"]

Metric = TypeVar("Metric", bound=type[BaseMetric])

_MODULES = (
    "handler.metrics.captions",
    "handler.metrics.judge",
    "handler.metrics.retrieval",
    "handler.metrics.speech",
    "handler.metrics.vbench",
    "handler.metrics.vision",
    "handler.metrics.vlm2bench",
    "handler.metrics.vqa",
    "handler.metrics.yesno",
)
_CLASSES: dict[str, type[BaseMetric]] = {}


def register(name: str) -> Callable[[Metric], Metric]:
    """Class decorator: make the metric available under `group.name`."""

    def add(cls: Metric) -> Metric:
        known = _CLASSES.get(name)
        if known is not None and known.__module__ != cls.__module__:
            raise ValueError(f"{name} is registered by {known.__module__} already")
        cls.name = name
        _CLASSES[name] = cls
        return cls

    return add


def list_metrics() -> list[str]:
    """All metric names, sorted."""
    for module in _MODULES:
        importlib.import_module(module)
    return sorted(_CLASSES)


def metric_class(name: str) -> type[BaseMetric]:
    """The class registered under a full name. Raises RequestError with the nearest name."""
    if not _is_known(name):
        names = list_metrics()
        if name in _CLASSES:
            return _CLASSES[name]
        groups = sorted({known.partition(".")[0] for known in names})
        near = difflib.get_close_matches(name, [*names, *groups], n=1) or [
            known for known in names if name.casefold() in _CLASSES[known].title.casefold()
        ]
        hint = f"Did you mean {near[0]}?" if near else "`scenescore metrics` lists them"
        raise RequestError(f"there is no metric {name!r}", field="metrics", hint=hint)
    return _CLASSES[name]


def _is_known(name: str) -> bool:
    """Whether it is a full name, its own group imported if need be: the others would cost a tenth of a second."""
    module = f"handler.metrics.{name.partition('.')[0]}"
    if name not in _CLASSES and module in _MODULES:
        importlib.import_module(module)
    return name in _CLASSES


def get_metric(name: str, **options: Any) -> BaseMetric:
    """Make a metric, e.g. `get_metric("vision.similarity", mode="compat:fair-forge")`."""
    return metric_class(name)(**options)


def select_metrics(wanted: Iterable[str]) -> list[str]:
    """Full names for what a person typed: a full name, a group (`vision`) or a last part that is unique (`wer`)."""
    selected: dict[str, None] = {}
    for word in wanted:
        if not word.strip():
            raise RequestError(
                "a metric without a name is asked for",
                field="metrics",
                hint="`scenescore metrics` lists those there are",
            )
        if _is_known(word):
            selected[word] = None
            continue
        names = list_metrics()
        in_group = [name for name in names if name.startswith(f"{word}.") and not _CLASSES[name].by_name_only]
        group = [word] if word in names else in_group
        last = [name for name in names if name.rsplit(".", 1)[-1] == word]
        if not group and len(last) > 1:
            raise RequestError(
                f"{word!r} names several metrics: {', '.join(last)}", field="metrics", hint="Write one out"
            )
        for name in group or last or [metric_class(word).name]:
            selected[name] = None
    return list(selected)


def has_mode(name: str, mode: str) -> bool:
    """Whether the metric of this full name can reproduce the mode's tool; every metric has `strict`. Raises RequestError
    for words that name no mode."""
    wanted, known = parse_mode(mode), metric_class(name).ancestors
    return not wanted.compat or (wanted.tool in known if wanted.tool else bool(known))


def describe(cls: type[BaseMetric]) -> dict[str, Any]:
    """What a metric class declares, as data."""
    return {
        "name": cls.name,
        "title": cls.title,
        "version": cls.version,
        "range": list(cls.range),
        "higher_is_better": cls.higher_is_better,
        "requires_reference": cls.requires_reference,
        "needs_gpu": cls.needs_gpu,
        "is_set_metric": cls.is_set_metric,
        "models": [name.replace("_", " ") for name in cls.models],
        "dependencies": list(cls.dependencies),
        "ancestors": list(cls.ancestors),
        "options": dict(cls.options),
    }
