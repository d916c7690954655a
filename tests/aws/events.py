"""AWS events: real documents from `events/`, with the places filled in.

S3 notifications quote keys as forms do (a space is `+`), EventBridge leaves them as they are.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote_plus

FOLDER = Path(__file__).parent / "events"


@dataclass(frozen=True)
class Upload:
    """One write of an object, as events tell of it. sequencer: hexadecimal, grows with each write to one key."""

    bucket: str
    key: str
    etag: str = "d41d8cd98f00b204e9800998ecf8427e"
    size: int = 1
    sequencer: str = "0055AED6DCD90281E5"

    @property
    def location(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


def s3_put(upload: Upload) -> dict[str, Any]:
    """The notification that S3 sends to a queue or a function."""
    return _event("s3_put", upload)


def s3_delete(upload: Upload) -> dict[str, Any]:
    return _event("s3_delete", upload)


def s3_folder_marker(upload: Upload) -> dict[str, Any]:
    """What the console's "create folder" causes."""
    return _event("s3_folder_marker", upload)


def s3_test_event(bucket: str) -> dict[str, Any]:
    """What S3 sends when notifications are set up."""
    return _fill(document("s3_test_event"), {"bucket": bucket})


def eventbridge_created(upload: Upload) -> dict[str, Any]:
    return _event("eventbridge_created", upload)


def eventbridge_deleted(upload: Upload) -> dict[str, Any]:
    return _event("eventbridge_deleted", upload)


def sqs(*bodies: Any, receive_count: int = 1) -> dict[str, Any]:
    """A batch as Lambda hands it to the function. Bodies that are no text become JSON."""
    texts = [body if isinstance(body, str) else json.dumps(body) for body in bodies]
    return {"Records": [_sqs_record(text, receive_count) for text in texts]}


def sqs_of_messages(messages: list[dict[str, Any]], queue_url: str) -> dict[str, Any]:
    """The same, from messages as `receive_message` gives them."""
    arn = f"arn:aws:sqs:us-east-1:{queue_url.split('/')[-2]}:{queue_url.split('/')[-1]}"
    return {"Records": [_record_of_message(message, arn) for message in messages]}


def direct(upload: Upload, **changes: Any) -> dict[str, Any]:
    """A request for an object."""
    return {**_event("direct", upload), **changes}


def http(method: str, path: str, body: Any = None) -> dict[str, Any]:
    """A request through an HTTP API (payload format 2.0). A body that is no text becomes JSON."""
    text = body if isinstance(body, str) else json.dumps(body)
    filled: dict[str, Any] = _fill(document("http_v2"), {"method": method, "path": path, "body": text})
    return filled


def document(name: str) -> Any:
    """A document with its places still open."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def _event(name: str, upload: Upload) -> dict[str, Any]:
    values = {**upload.__dict__, "quoted_key": quote_plus(upload.key, safe="/")}
    filled: dict[str, Any] = _fill(document(name), values)
    return filled


def _sqs_record(body: str, receive_count: int) -> Any:
    digest = hashlib.md5(body.encode(), usedforsecurity=False).hexdigest()
    values = {"message_id": str(uuid.uuid4()), "body": body, "md5": digest, "receive_count": str(receive_count)}
    return _fill(document("sqs_record"), values)


def _record_of_message(message: dict[str, Any], arn: str) -> dict[str, Any]:
    record = _sqs_record(message["Body"], 1)
    return {
        **record,
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "attributes": message["Attributes"],
        "eventSourceARN": arn,
    }


def _fill(node: Any, values: dict[str, Any]) -> Any:
    """Put values into `${name}` places; a text that is nothing but a place becomes the value itself."""
    if isinstance(node, dict):
        return {key: _fill(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [_fill(value, values) for value in node]
    if not isinstance(node, str):
        return node
    for name, value in values.items():
        if node == f"${{{name}}}":
            return value
    return Template(node).substitute(values)
