"""Evaluations that outlive a call: named, claimed, carried on, looked up.

A job is a request with a name made from what it asks for. Its status is a small object beside the results
(`<output>/_evaluations/<id>.json`), written only by compare-and-swap, so that the same event ten times is one evaluation.
"""

from handler.jobs._answer import MAX_REPLY, MAX_SAMPLES, WAIT_S, answer, count_frames, outcome, problem, reply
from handler.jobs._calibrations import MAX_CALIBRATED, answer_calibration
from handler.jobs._comparisons import MAX_COMPARED, ComparisonRequest, answer_comparison
from handler.jobs._datasets import RunRequest, answer_datasets
from handler.jobs._job import Job, make_job
from handler.jobs._locations import check_locations
from handler.jobs._perform import Clock, end_badly, end_well, perform
from handler.jobs._queue import JOB, job_of_message, submit
from handler.jobs._status import BusyError, State, Status, read_status
from handler.jobs._steps import STEPS, perform_or_shard, run_step
from handler.jobs._videos import detections_of, forget_batch, job_of_batch

__all__ = [
    "JOB",
    "MAX_CALIBRATED",
    "MAX_COMPARED",
    "MAX_REPLY",
    "MAX_SAMPLES",
    "STEPS",
    "WAIT_S",
    "BusyError",
    "Clock",
    "ComparisonRequest",
    "Job",
    "RunRequest",
    "State",
    "Status",
    "answer",
    "answer_calibration",
    "answer_comparison",
    "answer_datasets",
    "check_locations",
    "count_frames",
    "detections_of",
    "end_badly",
    "end_well",
    "forget_batch",
    "job_of_batch",
    "job_of_message",
    "make_job",
    "outcome",
    "perform",
    "perform_or_shard",
    "problem",
    "read_status",
    "reply",
    "run_step",
    "submit",
]
