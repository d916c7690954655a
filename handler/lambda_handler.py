"""The AWS Lambda door: `handler.lambda_handler.lambda_handler`. It tells events apart and hands them on.

FastAPI is imported for HTTP events only; the model is loaded by the first evaluation of the process.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handler.settings import Settings

__all__ = ["lambda_handler"]

MARGIN_S = 10.0  # kept for saving what is scored and telling the queue


def lambda_handler(event: Any, context: Any) -> Any:
    """Answer one event. Raises SettingsError when the environment does not fit, and what is worth a retry."""
    from handler import events
    from handler.jobs import Clock, run_step

    kind = events.kind_of(event)
    if kind == "http":
        from handler.api import mangum_reply

        return mangum_reply(event, context)
    settings = _settings()
    clock = Clock(lambda: context.get_remaining_time_in_millis() / 1000, _margin(context))
    if kind == "sqs":
        return events.handle_messages(event, settings, clock)
    if kind == "s3" or kind == "eventbridge":
        return {"evaluations": events.handle_uploads(kind, event, settings, clock)}
    if kind == "s3-test":
        return {"evaluations": []}
    if kind == "direct":
        return events.answer_direct(event, settings, clock)
    if kind == "step":
        return run_step(event, settings, clock)
    from handler.errors import RequestError

    raise RequestError(f"an event of kind {kind} cannot be invoked directly", hint="Send it through the queue or HTTP")


@cache
def _settings() -> Settings:
    """The environment, read and checked once per process."""
    from handler.settings import Settings

    return Settings.from_environment()


def _margin(context: Any) -> float:
    """Ten seconds, or a third of what is left where the time limit itself is short."""
    return min(MARGIN_S, float(context.get_remaining_time_in_millis()) / 3000)
