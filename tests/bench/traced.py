"""The product's command in this process, with a clock at each part: what it prints is {"parts": {...}, ...} in seconds.

Run as a process of its own, which `start.py` does. A part's time does not hold that of the parts inside it.
"""

# ruff: noqa: E402 - the clock starts before the imports that it measures

from __future__ import annotations

import time

BEGUN = time.time()

import builtins
import contextlib
import functools
import importlib
import io
import json
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

seconds: dict[str, float] = defaultdict(float)
local = threading.local()
first: list[float] = []


def clocked(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose time is the part's, but for that of parts inside."""

    @functools.wraps(function)
    def timed(*given: Any, **named: Any) -> Any:
        if not hasattr(local, "stack"):
            local.stack = [[0.0]]
        stack, inside = local.stack, [0.0]
        stack.append(inside)
        started = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            took = time.perf_counter() - started
            stack.pop()
            stack[-1][0] += took
            seconds[part] += took - inside[0]

    return timed


def noted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose first call is the first score; what comes after it is a part of its own."""

    @functools.wraps(function)
    def marked(*given: Any, **named: Any) -> Any:
        if not first:
            first.append(time.time())
            parts.update(seconds)
        return function(*given, **named)

    return marked


parts: dict[str, float] = {}
builtins.__import__ = clocked("imports", builtins.__import__)
importlib.import_module = clocked("imports", importlib.import_module)

from handler import cli

importlib.import_module("handler.cli.evaluate")
text_encoder = importlib.import_module("handler.models._text_encoder")
folder = importlib.import_module("handler.reports._folder")
for module in (text_encoder, importlib.import_module("handler.models._precision")):
    module.open_session = clocked("model", module.open_session)
text_encoder.Tokenizer.__init__ = clocked("tokenizer", text_encoder.Tokenizer.__init__)
text_encoder.TextEncoder.encode_distinct = clocked("encode", text_encoder.TextEncoder.encode_distinct)
folder.RowWriter.sample = noted(folder.RowWriter.sample)

printed = io.TextIOWrapper(io.BytesIO())
with contextlib.redirect_stdout(printed):
    code = cli.main(sys.argv[1:])
ended = time.time()
if code or not first:
    sys.exit(code or 1)
started = float(os.environ["BENCH_STARTED"])
parts["interpreter"] = BEGUN - started
parts["rest"] = first[0] - started - sum(parts.values())
parts["write"] = ended - first[0]
printed.seek(0)
document = {"parts": parts, "first_score_seconds": first[0] - started, "timing": json.load(printed)["timing"]}
print(json.dumps(document))
