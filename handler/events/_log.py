"""Structured logs and metrics of the function. Never a word of what anybody described: ids, places and counts only."""

from __future__ import annotations

from functools import cache
from typing import Any

from handler.jobs import Status
from handler.reports import Report

__all__ = ["log", "log_status"]


def log(message: str, /, **fields: Any) -> None:
    """One JSON line."""
    _logger().info(message, **fields)


def log_status(status: Status, report: Report | None) -> None:
    """What became of a job, as a line and, unless it was done before, as CloudWatch metrics in embedded form."""
    fields = {"evaluation": status.id, "result": status.location, "samples": status.n_samples}
    if report is not None and report.already_done:
        log("evaluation done before", **fields)
        return
    log(f"evaluation {status.state}", **fields)
    _count("Evaluations", 1, status.state)
    if status.state == "done":
        _count("Samples", status.n_samples or 0, status.state)


def _count(name: str, value: int, state: str) -> None:
    from aws_lambda_powertools.metrics import MetricUnit, single_metric

    with single_metric(name=name, unit=MetricUnit.Count, value=value, namespace="scenescore") as metric:
        metric.add_dimension(name="state", value=state)


@cache
def _logger() -> Any:
    from aws_lambda_powertools import Logger

    return Logger(service="scenescore", location=None)
