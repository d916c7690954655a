"""Whether what happened was handled: no exception without a name, and no more than 5 seconds of processor time."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from handler.errors import InternalError, ScenescoreError

__all__ = ["SLOWEST_S", "HangError", "UnhandledError", "at_most", "check_refusal"]

SLOWEST_S = 5.0


class HangError(BaseException):
    """It took more than 5 seconds of processor time."""


class UnhandledError(AssertionError):
    """Something left the product that is no answer and no error of a user's."""


@contextmanager
def at_most(seconds: float = SLOWEST_S) -> Iterator[None]:
    """Raises HangError in the block, or after it where one call of C took too long."""

    def over(*_: Any) -> None:
        raise HangError

    before, started = signal.signal(signal.SIGPROF, over), time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    if time.process_time() - started > seconds:
        raise HangError


def check_refusal(error: ScenescoreError) -> None:
    """A refusal is one printable line, and nobody's fault but the input's."""
    if isinstance(error, InternalError):
        raise UnhandledError(str(error)) from error
    if not str(error).isprintable():
        raise UnhandledError(f"a message of several lines or with control characters: {error!r}")
