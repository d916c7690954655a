"""The gates of a request, held against its report: what a reply and the event bus say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handler import aws
from handler.decisions.gates import check_gates, gates_document
from handler.errors import RequestError
from handler.evaluation import EvaluationRequest
from handler.jobs._status import Status
from handler.settings import Settings

__all__ = ["gates_of", "tell_gates"]


def gates_of(request: EvaluationRequest, report: Mapping[str, Any]) -> dict[str, Any] | None:
    """None without `fail_if`. A gate on a figure that the report does not have has not passed: `error` says why."""
    if not request.fail_if:
        return None
    try:
        return gates_document(check_gates(report, request.fail_if, gate_on=request.gate_on), request.gate_on)
    except RequestError as error:
        return {**gates_document([], request.gate_on), "passed": False, "error": str(error)}


def tell_gates(request: EvaluationRequest, report: Mapping[str, Any], status: Status, settings: Settings) -> None:
    """Put a `Gates Checked` event on the bus and count failed gates in CloudWatch. Raises CallError."""
    found = gates_of(request, report)
    if found is None:
        return
    if settings.event_bus is not None:
        detail = {"id": status.id, "input": status.input, "location": status.location, **found}
        aws.put_event(settings.event_bus, "Gates Checked", detail)
    aws.count("GatesChecked", 1, outcome="passed" if found["passed"] else "failed")
    for metric in dict.fromkeys(one["metric"] for one in found["gates"]):
        failed = sum(one["outcome"] == "failed" for one in found["gates"] if one["metric"] == metric)
        aws.count("GatesFailed", failed, metric=metric)
