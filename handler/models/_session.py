"""One ONNX Runtime session: how it is made, and the time that took."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from handler.errors import ModelError, RequestError
from handler.models._card import Card, check_content
from handler.settings import available_threads

__all__ = ["load_seconds", "open_session", "usable_threads"]

MAX_THREADS = 256

_load_times: list[float] = []


def open_session(folder: Path, card: Card, graph: str) -> Any:
    """A session of one thread on a graph of the folder, whose content is checked first. Raises ModelError."""
    started = time.perf_counter()
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # it would note machine and model in the user's home
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # one plan would be kept for every batch shape ever seen
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    check_content(folder, card)
    path = folder / graph
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises a dozen unrelated classes
        raise ModelError(
            f"ONNX Runtime cannot load the model: {error}", file=str(path), hint="Export it again with --force"
        ) from error
    _load_times.append(time.perf_counter() - started)
    return session


def load_seconds() -> float:
    """Time this process has spent loading models, the library included, in seconds."""
    return sum(_load_times)


def usable_threads(wanted: int | None) -> int:
    """The number of threads asked for, or the cores this process may use. Raises RequestError for none."""
    if wanted is not None and (type(wanted) is not int or wanted < 1):
        raise RequestError(f"threads must be a whole number from 1, got {wanted!r}", field="threads")
    return min(wanted, MAX_THREADS) if wanted else available_threads()
