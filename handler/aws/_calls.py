"""SQS, EventBridge and Step Functions, one client each per process."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson

from handler.errors import StorageError

__all__ = ["call", "put_event", "send_message", "start_execution"]


class CallError(StorageError):
    """A queue, event bus or state machine did not take what it was given; nothing was lost, the caller may try again."""

    code = "aws"
    exit_code = 3


def send_message(queue_url: str, body: dict[str, Any]) -> None:
    """Put a message into an SQS queue. Raises CallError."""
    text = orjson.dumps(body).decode()
    call("sqs", "send_message", queue_url, QueueUrl=queue_url, MessageBody=text)


def put_event(bus: str, detail_type: str, detail: dict[str, Any]) -> None:
    """Put an event of source `scenescore` on an EventBridge bus. Raises CallError."""
    entry = {"Source": "scenescore", "DetailType": detail_type, "Detail": orjson.dumps(detail).decode()}
    answer = call("events", "put_events", bus, Entries=[{**entry, "EventBusName": bus}])
    if answer.get("FailedEntryCount"):
        first = answer["Entries"][0]
        raise CallError(f"the event was refused: {first.get('ErrorMessage', first.get('ErrorCode'))}", file=bus)


def start_execution(state_machine: str, name: str, what: dict[str, Any]) -> None:
    """Start an execution of a state machine (its ARN), unless there is or was one of that name. Raises CallError."""
    text = orjson.dumps(what).decode()
    try:
        call("stepfunctions", "start_execution", state_machine, stateMachineArn=state_machine, name=name, input=text)
    except CallError as error:
        if not _is(error.__cause__, "ExecutionAlreadyExists"):
            raise


@cache
def _client(service: str) -> Any:
    import boto3
    from botocore.config import Config

    return boto3.client(service, config=Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard"}))


def _is(error: BaseException | None, code: str) -> bool:
    response = getattr(error, "response", None)
    return isinstance(response, dict) and response.get("Error", {}).get("Code") == code


def call(service: str, operation: str, place: str, **parameters: Any) -> Any:
    """One call. place: the queue or bus, for the message. Raises CallError."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return getattr(_client(service), operation)(**parameters)
    except (BotoCoreError, ClientError) as error:
        raise CallError(f"{service} {operation} failed: {error}", file=place) from error
