"""Calls to AWS queues, event buses and state machines. boto3 is imported on first use."""

from handler.aws._calls import put_event, send_message, start_execution
from handler.aws._counting import count

__all__ = ["count", "put_event", "send_message", "start_execution"]
