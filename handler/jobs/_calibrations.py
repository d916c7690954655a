"""Calibrations asked for over HTTP: answered while the caller waits, kept beside the results."""

from __future__ import annotations

from typing import Any

from handler import storage
from handler.errors import RequestError
from handler.evaluation import CalibrationRequest, Machine, is_finished, run_calibration, run_suggestion
from handler.jobs._locations import CALIBRATIONS, check_locations
from handler.reports import dump_json
from handler.settings import Settings, is_under

__all__ = ["MAX_CALIBRATED", "answer_calibration"]

MAX_CALIBRATED = 400  # frames scored while the caller waits; a finished result may hold as many as it likes


def answer_calibration(request: CalibrationRequest, settings: Settings) -> dict[str, Any]:
    """`{"calibration", "frames", "location"}`: the content of calibration.json and where it was put, which evaluations may
    name; or, with `suggest`, the frames to label next. Raises ScenescoreError."""
    _check(request, settings)
    machine = Machine(model=settings.model)
    plain = request.model_copy(update={"output": None})
    if not is_finished(request.input):
        plain = plain.model_copy(update={"limit": min(request.limit or MAX_CALIBRATED + 1, MAX_CALIBRATED + 1)})
    if request.suggest is not None:
        return {"calibration": None, "frames": run_suggestion(plain, machine, most=MAX_CALIBRATED), "location": None}
    document = run_calibration(plain, machine, most=MAX_CALIBRATED)
    location = storage.join(settings.output, CALIBRATIONS, f"{document['fingerprint']}.json")
    storage.write_bytes(location, dump_json(document))
    return {"calibration": document, "frames": None, "location": location}


def _check(request: CalibrationRequest, settings: Settings) -> None:
    """A finished result may be named as well as an input."""
    if request.output is not None:
        raise RequestError("a calibration is put beside the results", field="output", hint="Leave it out")
    location = request.input
    ours = location is not None and is_under(location, settings.output) and ".." not in location.split("/")
    check_locations(request.model_copy(update={"input": None}) if ours else request, settings)
