"""What Lambda's event source mapping does between a queue and a function: batches, partial failures, redelivery.

moto has one as well, but it sends single messages and loses those that the function reports as failed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.aws.emulator import EmulatorGoneError, FunctionError
from tests.aws.events import sqs_of_messages

_COUNTS = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed")


@dataclass(frozen=True)
class Delivery:
    """One batch: the ids that went in, those that stay in the queue, and the function's error if it had one."""

    sent: tuple[str, ...]
    failed: tuple[str, ...]
    error: str | None = None


@dataclass
class EventSource:
    """A queue in front of a function. Messages are deleted unless the function or its reply says that they failed."""

    sqs: Any
    queue_url: str
    invoke: Callable[[Any], Any]
    batch_size: int = 10
    deliveries: list[Delivery] = field(default_factory=list)

    def poll(self) -> Delivery | None:
        """Hand over what is in the queue now, at most one batch; None when nothing is visible."""
        messages = self._receive()
        if not messages:
            return None
        sent = tuple(message["MessageId"] for message in messages)
        try:
            failed, error = failed_ids(self.invoke(sqs_of_messages(messages, self.queue_url)), sent), None
        except (FunctionError, EmulatorGoneError) as raised:
            failed, error = sent, str(raised)
        for message in messages:
            if message["MessageId"] not in failed:
                self.sqs.delete_message(QueueUrl=self.queue_url, ReceiptHandle=message["ReceiptHandle"])
        self.deliveries.append(Delivery(sent, failed, error))
        return self.deliveries[-1]

    def drain(self, seconds: float = 90) -> list[Delivery]:
        """Poll until the queue is empty, the hidden messages included. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.poll() is None:
                if self.depth() == 0:
                    return self.deliveries
                time.sleep(0.1)
        raise TimeoutError(f"{self.depth()} messages are left after {seconds} s: {self.deliveries}")

    def depth(self) -> int:
        """Messages in the queue: visible, in flight and delayed."""
        return depth(self.sqs, self.queue_url)

    def _receive(self) -> list[dict[str, Any]]:
        answer = self.sqs.receive_message(
            QueueUrl=self.queue_url, MaxNumberOfMessages=self.batch_size, WaitTimeSeconds=0, AttributeNames=["All"]
        )
        found: list[dict[str, Any]] = answer.get("Messages", [])
        return found


def depth(sqs: Any, queue_url: str) -> int:
    """Messages in a queue, whatever their state."""
    attributes = sqs.get_queue_attributes(QueueUrl=queue_url, AttributeNames=list(_COUNTS))["Attributes"]
    return sum(int(attributes[name]) for name in _COUNTS)


def failed_ids(reply: Any, sent: tuple[str, ...]) -> tuple[str, ...]:
    """The messages that a partial batch response keeps. AWS keeps all of them when it cannot make sense of it."""
    try:
        ids = tuple(one["itemIdentifier"] for one in (reply or {}).get("batchItemFailures") or [])
    except (AttributeError, KeyError, TypeError):
        return sent
    return ids if set(ids) <= set(sent) else sent


def make_queues(sqs: Any, name: str, *, visibility_s: int = 1, max_receives: int = 3) -> tuple[str, str]:
    """A queue and its dead-letter queue; their URLs."""
    dead = sqs.create_queue(QueueName=f"{name}-dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    redrive = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": max_receives})
    attributes = {"VisibilityTimeout": str(visibility_s), "RedrivePolicy": redrive}
    return sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"], dead
