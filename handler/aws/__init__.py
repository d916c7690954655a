"""Calls to AWS queues and event buses. boto3 is imported on first use."""

from handler.aws._calls import put_event, send_message
from handler.aws._counting import count

__all__ = ["count", "put_event", "send_message"]
