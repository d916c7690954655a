"""calibration.json: sealed when written, checked when used."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from handler import storage
from handler.errors import InputError, RequestError
from handler.statistics import Logistic, Steps

__all__ = ["SCHEMA", "Calibration", "Threshold", "read_calibration", "sealed"]

SCHEMA = "scenescore.calibration/1"


@dataclass(frozen=True, slots=True)
class Threshold:
    """value: on the metric's score. chance: score -> probability that a person would call it different, or None."""

    value: float
    calibrated: bool
    chance: Callable[[float], float] | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """A calibration.json that is whole. location: where it was read."""

    location: str
    document: Mapping[str, Any]

    @property
    def fingerprint(self) -> str:
        """16 hex digits over all of its content."""
        return str(self.document["fingerprint"])

    def known(self, takers: dict[str, str]) -> dict[str, str]:
        """Of {metric: the metric whose score it compares} those whose score the calibration is of; all where it is of
        none, for then each is refused."""
        return {name: base for name, base in takers.items() if base in self.document["metrics"]} or takers

    def threshold_of(self, metric: str, signature: str) -> Threshold:
        """The threshold for a metric's score. Raises RequestError where it has none, or where the metric now scores in
        another way (model, version, mode): a threshold holds for the scores it was found on."""
        entry = self.document["metrics"].get(metric)
        if entry is None or entry["threshold"] is None:
            why = f": {entry['reasons'][-1]}" if entry and entry["reasons"] else ""
            raise self._refusal(f"the calibration has no threshold for {metric}{why}", "Calibrate with that metric")
        if entry["signature"] != signature:
            raise self._refusal(
                f"the calibration was made with {_difference(entry['signature'], signature)}",
                "Calibrate again with this model and mode, or score with those of the calibration",
            )
        return Threshold(entry["threshold"], entry["calibrated"], _chance(entry["probability"]))

    def summary(self) -> dict[str, Any]:
        """What a report says of it."""
        thresholds = {name: one["threshold"] for name, one in self.document["metrics"].items()}
        kept = {key: self.document[key] for key in ("fingerprint", "calibrated", "reasons", "aim")}
        return {"file": self.location, **kept, "thresholds": thresholds}

    def _refusal(self, message: str, hint: str) -> RequestError:
        return RequestError(message, file=self.location, field="calibration", hint=hint)


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with its fingerprint, over everything else in it."""
    content = {key: value for key, value in document.items() if key not in ("schema", "fingerprint")}
    return {"schema": document["schema"], "fingerprint": _fingerprint(document), **content}


def read_calibration(location: str) -> Calibration:
    """Read calibration.json. Raises InputError where it is something else or was changed after it was written."""
    try:
        document: Any = orjson.loads(storage.read_bytes(location))
    except orjson.JSONDecodeError as error:
        raise InputError(f"a calibration is JSON: {error}", file=location, hint="Make it anew") from error
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(
            f"this is not a calibration: its schema is not {SCHEMA}",
            file=location,
            field="schema",
            hint="`scenescore calibrate` writes one",
        )
    if document.get("fingerprint") != _fingerprint(document):
        raise InputError(
            "the calibration was changed after it was written: its fingerprint is another one",
            file=location,
            field="fingerprint",
            hint="Make it anew; to set a threshold by hand use --threshold",
        )
    try:
        for entry in document["metrics"].values():
            _check_entry(entry)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"the calibration is not whole: {error}", file=location, field="metrics", hint="Make it anew"
        ) from error
    return Calibration(location, document)


def _check_entry(entry: Mapping[str, Any]) -> None:
    """What is used of an entry, used: raises one of Python's own errors for what is missing or of another kind."""
    if entry["threshold"] is not None:
        threshold, chance = float(entry["threshold"]), _chance(entry["probability"])
        if chance is not None:
            chance(threshold)
    _difference(entry["signature"], "")
    _ = bool(entry["calibrated"]), [*entry["reasons"]]


def _fingerprint(document: Mapping[str, Any]) -> str:
    content = {key: _plain(value) for key, value in document.items() if key != "fingerprint"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """1.0 and 1 are one number to JSON, whoever wrote it last."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and math.isfinite(value) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def _difference(made: str, now: str) -> str:
    """The parts in which two signatures differ."""
    ones, others = (dict.fromkeys(text.split("|")) for text in (made, now))
    gone, come = ([part for part in one if part not in other] for one, other in ((ones, others), (others, ones)))
    return f"{', '.join(gone) or 'less'}, and this request scores with {', '.join(come) or 'less'}"


def _chance(entry: Mapping[str, Any] | None) -> Callable[[float], float] | None:
    if entry is None:
        return None
    if entry["method"] == "logistic":
        line = Logistic(float(entry["intercept"]), float(entry["slope"]))
        return lambda score: float(line.at([score])[0])
    places, heights = Steps(entry["lows"], entry["highs"], entry["probabilities"]).corners()
    return lambda score: float(np.interp(score, places, heights))
