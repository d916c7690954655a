"""CloudWatch metrics in embedded form: a line on stdout, which Lambda's log turns into a metric."""

from __future__ import annotations

import os

__all__ = ["count"]


def count(name: str, value: int, **dimensions: str) -> None:
    """Count something under the namespace `scenescore`. Elsewhere than on Lambda nobody reads such lines: then nothing."""
    if not os.environ.get("AWS_LAMBDA_FUNCTION_NAME"):
        return
    from aws_lambda_powertools.metrics import MetricUnit, single_metric

    with single_metric(name=name, unit=MetricUnit.Count, value=value, namespace="scenescore") as metric:
        for key, word in dimensions.items():
            metric.add_dimension(name=key, value=word)
