"""Thresholds from a calibration file, given to the metrics that have one, and what the report says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from handler.decisions import read_calibration
from handler.errors import RequestError
from handler.evaluation._request import EvaluationRequest
from handler.metrics import BaseMetric, Calibrated, metric_class
from handler.settings import DEFAULT_THRESHOLD

__all__ = ["calibrated_options", "calibration_part", "calibration_warnings"]


def calibrated_options(
    request: EvaluationRequest, names: Sequence[str], make: Callable[[str], BaseMetric]
) -> dict[str, dict[str, Any]]:
    """{metric: its options from the request's calibration}, none without one. make: makes the metric whose score is
    compared, to see that it scores as it did. Raises RequestError where no metric has a calibrated threshold, where the
    threshold is stated as well, or where the scores are other ones; InputError for a file that is no calibration."""
    if request.calibration is None:
        return {}
    takers = {name: base for name in names if (base := metric_class(name).threshold_of) is not None}
    if not takers:
        raise RequestError(
            f"no metric of this request has a threshold to calibrate: {', '.join(names)}", field="calibration"
        )
    stated = [name for name in takers if "threshold" in request.options.get(name, {})]
    if request.threshold != DEFAULT_THRESHOLD or stated:
        raise RequestError(
            "a threshold is stated beside the calibration", field="threshold", hint="Leave one of them out"
        )
    calibration = read_calibration(request.calibration)
    found = {}
    for name, base in takers.items():
        threshold = calibration.threshold_of(base, make(base).signature())
        summary = calibration.summary()
        found[name] = {
            "threshold": threshold.value,
            "calibrated": Calibrated(calibration.fingerprint, summary, threshold.chance),
        }
    return found


def calibration_part(metrics: Sequence[BaseMetric]) -> dict[str, Any]:
    """The `calibration` member of report.json; nothing without one."""
    used = [metric for metric in metrics if metric.calibrated is not None]
    if not used or used[0].calibrated is None:
        return {}
    return {"calibration": {**used[0].calibrated.summary, "metrics": [metric.name for metric in used]}}


def calibration_warnings(part: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A warning where the calibration does not call itself one."""
    if not part or part["calibration"]["calibrated"]:
        return []
    reasons = part["calibration"]["reasons"]
    return [{"code": "not_calibrated", "count": len(reasons), "examples": reasons[:3]}]
