"""Calls to AWS queues, event buses, state machines and Batch. boto3 is imported on first use."""

from handler.aws._batch import ATTEMPTS, WRONG_INPUT, submit_job
from handler.aws._calls import put_event, send_message, start_execution
from handler.aws._counting import count

__all__ = ["ATTEMPTS", "WRONG_INPUT", "count", "put_event", "send_message", "start_execution", "submit_job"]
