"""Calls to AWS queues, event buses and state machines. boto3 is imported on first use."""

from handler.aws._calls import put_event, send_message, start_execution

__all__ = ["put_event", "send_message", "start_execution"]
