"""Metrics: samples in, results out. No files, no network, no AWS.

`list_metrics()` names them, `get_metric(name)` makes one, `@register(name)` adds one.
"""

from handler.metrics._base import BaseMetric, Calibrated, Mode, Tally, parse_mode
from handler.metrics._registry import describe, get_metric, list_metrics, metric_class, register, select_metrics

__all__ = [
    "BaseMetric",
    "Calibrated",
    "Mode",
    "Tally",
    "describe",
    "get_metric",
    "list_metrics",
    "metric_class",
    "parse_mode",
    "register",
    "select_metrics",
]
