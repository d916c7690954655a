"""Which locations a request from outside may name."""

from __future__ import annotations

from handler import storage
from handler.errors import ForbiddenError
from handler.evaluation import EvaluationRequest
from handler.settings import Settings, is_under

__all__ = ["CALIBRATIONS", "check_locations", "stays_inside"]

CALIBRATIONS = "_calibrations"  # under the output, where calibrations asked for over HTTP lie


def check_locations(request: EvaluationRequest, settings: Settings) -> None:
    """Raises ForbiddenError unless every location lies under the configured prefixes.

    Inputs may be read under SCENESCORE_INPUTS, results go under SCENESCORE_OUTPUT, detections are read under either. Keys
    are compared as they are: S3 knows no `..`, and a local path that holds one is refused.
    """
    for role in ("input", "references", "questions", "calibration"):
        location = getattr(request, role)
        allowed = list(settings.inputs)
        if role == "calibration" and location is not None and stays_inside(location):
            allowed.append(storage.join(settings.output, CALIBRATIONS))
        if location is not None and not any(is_under(location, prefix) for prefix in allowed):
            _refuse(role, location, "SCENESCORE_INPUTS", settings.inputs)
    if request.detections is not None and not any(
        is_under(request.detections, one) and stays_inside(request.detections)
        for one in (settings.output, *settings.inputs)
    ):
        _refuse("detections", request.detections, "SCENESCORE_INPUTS", (settings.output, *settings.inputs))
    own = (storage.join(settings.output, name) for name in ("_evaluations", "_requests", "_detections", CALIBRATIONS))
    if request.output is not None and (
        not (is_under(request.output, settings.output) and stays_inside(request.output))
        or any(is_under(request.output, one) for one in own)
    ):
        _refuse("output", request.output, "SCENESCORE_OUTPUT", (settings.output,))


def stays_inside(location: str) -> bool:
    """Whether no segment of a location leads elsewhere."""
    return not {".", ".."} & set(location.split("/")[1:])


def _refuse(role: str, location: str, variable: str, prefixes: tuple[str, ...]) -> None:
    allowed = f"under {', '.join(prefixes)}" if prefixes else f"nowhere: {variable} is not set"
    raise ForbiddenError(f"{role} {location} is not open to requests", field=role, hint=f"Allowed: {allowed}")
