"""Which locations a request from outside may name."""

from __future__ import annotations

from handler import storage
from handler.errors import ForbiddenError
from handler.evaluation import EvaluationRequest
from handler.settings import Settings, is_under

__all__ = ["CALIBRATIONS", "check_locations"]

CALIBRATIONS = "_calibrations"  # under the output, where calibrations asked for over HTTP lie


def check_locations(request: EvaluationRequest, settings: Settings) -> None:
    """Raises ForbiddenError unless every location lies under the configured prefixes.

    Inputs may be read under SCENESCORE_INPUTS, results go under SCENESCORE_OUTPUT. Keys are compared as they are: S3
    knows no `..`, and a local path that holds one is refused.
    """
    for role in ("input", "references", "questions", "calibration"):
        location = getattr(request, role)
        allowed = list(settings.inputs)
        if role == "calibration" and location is not None and _stays(location):
            allowed.append(storage.join(settings.output, CALIBRATIONS))
        if location is not None and not any(is_under(location, prefix) for prefix in allowed):
            _refuse(role, location, "SCENESCORE_INPUTS", settings.inputs)
    own = (storage.join(settings.output, name) for name in ("_evaluations", "_requests", CALIBRATIONS))
    if request.output is not None and (
        not (is_under(request.output, settings.output) and _stays(request.output))
        or any(is_under(request.output, one) for one in own)
    ):
        _refuse("output", request.output, "SCENESCORE_OUTPUT", (settings.output,))


def _stays(location: str) -> bool:
    return not {".", ".."} & set(location.split("/")[1:])


def _refuse(role: str, location: str, variable: str, prefixes: tuple[str, ...]) -> None:
    allowed = f"under {', '.join(prefixes)}" if prefixes else f"nowhere: {variable} is not set"
    raise ForbiddenError(f"{role} {location} is not open to requests", field=role, hint=f"Allowed: {allowed}")
