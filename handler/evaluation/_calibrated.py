"""Thresholds from a calibration file, given to the metrics that have one, and what the report says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from handler.decisions import read_calibration
from handler.errors import RequestError
from handler.evaluation._request import EvaluationRequest
from handler.metrics import BaseMetric, Calibrated, metric_class, score_signature
from handler.settings import DEFAULT_THRESHOLD

__all__ = ["calibrated_options", "calibration_part", "calibration_warnings"]


def calibrated_options(
    request: EvaluationRequest, names: Sequence[str], make: Callable[[str], BaseMetric]
) -> dict[str, dict[str, Any]]:
    """{metric: its options from the request's calibration}, none without one. make: makes the metric whose score is
    compared, to see that it scores as it did. A metric keeps its own threshold where the calibration says nothing of its
    score but something of another's. Raises RequestError where no metric has a calibrated threshold, where the threshold
    is stated as well, or where the scores are other ones; InputError for a file that is no calibration."""
    if request.calibration is None:
        return {}
    takers = {name: base for name in names if (base := metric_class(name).threshold_of) is not None}
    if not takers:
        raise RequestError(
            f"no metric of this request has a threshold to calibrate: {', '.join(names)}", field="calibration"
        )
    calibration = read_calibration(request.calibration)
    takers = calibration.known(takers)
    stated = [name for name in takers if "threshold" in request.options.get(name, {})]
    similarities = [name for name in takers if metric_class(name).own_threshold is None]
    if stated or (similarities and request.threshold != DEFAULT_THRESHOLD):
        raise RequestError(
            "a threshold is stated beside the calibration", field="threshold", hint="Leave one of them out"
        )
    found = {}
    for name, base in takers.items():
        threshold = calibration.threshold_of(base, score_signature(make(base).signature()))
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


def calibration_warnings(part: Mapping[str, Any], names: Sequence[str]) -> list[dict[str, Any]]:
    """Warnings where the calibration does not call itself one, and where a metric of the request has a threshold that it
    says nothing of. names: the metrics of the request."""
    if not part:
        return []
    found = part["calibration"]
    apart = [name for name in names if metric_class(name).threshold_of is not None and name not in found["metrics"]]
    warnings = [{"code": "not_in_calibration", "count": len(apart), "examples": apart[:3]}] if apart else []
    if not found["calibrated"]:
        warnings.append({"code": "not_calibrated", "count": len(found["reasons"]), "examples": found["reasons"][:3]})
    return warnings
