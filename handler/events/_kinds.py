"""Telling events apart by their shape."""

from __future__ import annotations

from typing import Any, Literal

from handler.errors import RequestError
from handler.jobs import JOB, STEPS

__all__ = ["Kind", "kind_of"]

Kind = Literal["http", "s3", "s3-test", "eventbridge", "sqs", "job", "step", "direct"]

_DIRECT = {"sessions", "input", "datasets", "results"}


def kind_of(event: Any) -> Kind:
    """What kind of event this is. Raises RequestError for one this function does not know."""
    if isinstance(event, dict):
        records = event.get("Records")
        if isinstance(records, list) and records and all(isinstance(one, dict) for one in records):
            source = records[0].get("eventSource", records[0].get("EventSource"))
            if source == "aws:s3":
                return "s3"
            if source == "aws:sqs":
                return "sqs"
        elif "httpMethod" in event or isinstance(event.get("requestContext"), dict):
            return "http"
        elif event.get("Event") == "s3:TestEvent":
            return "s3-test"
        elif event.get("source") == "aws.s3" and "detail" in event:
            return "eventbridge"
        elif event.get("schema") == JOB:
            return "job"
        elif isinstance(event.get("schema"), str) and event["schema"] in STEPS:
            return "step"
        elif _DIRECT & event.keys():
            return "direct"
    shape = (
        f"an object with {', '.join(sorted(map(str, event))[:8])}" if isinstance(event, dict) else type(event).__name__
    )
    raise RequestError(
        f"this event is of no known kind: {shape or 'an empty object'}",
        hint="Known: HTTP, S3, EventBridge and SQS events, steps, and bodies with sessions, input, datasets or results",
    )
