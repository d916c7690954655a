"""Long files, short time limits and machines that fail: what is left equals an undisturbed run, byte for byte."""

from __future__ import annotations

import json
import random
import threading
import time
from functools import cache
from pathlib import Path

import pytest

from handler import evaluate
from tests.aws import events
from tests.aws.emulator import FunctionError
from tests.aws.poller import EventSource, depth
from tests.aws.watched import SCORED

pytestmark = pytest.mark.model

WATCHED = "tests.aws.watched.lambda_handler"
FRAMES = 4_000
TIMEOUT_S = 5  # a third of it is kept for saving; the whole file takes longer than the rest
SLOW = {"WATCHED_PAUSE_S": "0.3"}  # for each of two metrics and 512 frames: the file takes 4.8 seconds at least


def long_file(n: int = FRAMES) -> bytes:
    """New texts all along, but few among the 512 frames scored together, so that even a slow machine is on time."""
    lines = []
    for i in range(n):
        answer, truth = f"A guard with badge {i // 24} walks past.", f"Somebody with badge {i // 25} enters."
        frame = {"session_id": f"cam-{i % 7}", "qa_id": f"f{i}", "assistant": answer, "ground_truth_assistant": truth}
        lines.append(json.dumps(frame if i % 500 else {**frame, "assistant": None}) + "\n")
    return "".join(lines).encode()


@pytest.fixture
def patient_site(make_site):
    """A queue that delivers again for as long as a dead worker's lease runs."""
    return make_site(max_receives=60)


@pytest.fixture(scope="module")
def undisturbed(model, tmp_path_factory):
    """The rows, errors and report of a run that nothing interrupts, on a local file, by number of frames."""

    @cache
    def undisturbed(n=FRAMES):
        folder = tmp_path_factory.mktemp("undisturbed")
        (folder / "long.jsonl").write_bytes(long_file(n))
        report = evaluate(folder / "long.jsonl", output=str(folder / "out"), model=model)
        result = Path(report.location)
        return (result / "samples.jsonl").read_bytes(), (result / "errors.jsonl").read_bytes(), comparable(report)

    return undisturbed


def comparable(report):
    """A report without what two runs may differ in: when, how fast, from where and where to."""
    request = {key: value for key, value in report["request"].items() if key not in ("input", "output")}
    return {**{key: value for key, value in report.items() if key not in ("timing", "input")}, "request": request}


def check_equal(site, upload, expected, n=FRAMES):
    result = site.result(upload)
    assert result.samples == expected[0]
    assert result.errors == expected[1]
    assert comparable(result.report) == expected[2]
    assert result.report["input"]["content"] == upload.etag
    assert result.report["counts"] == {"n_samples": n - n // 500, "n_sessions": 7, "n_unreadable": n // 500}
    assert depth(site.sqs, site.dead_url) == 0
    (status,) = site.statuses()
    assert (status["state"], status["n_samples"]) == ("done", n - n // 500)


@pytest.mark.parametrize("n", [FRAMES, pytest.param(60_000, marks=pytest.mark.full)])
def test_a_time_limit_of_seconds_is_met_by_carrying_on(site, start, undisturbed, n):
    upload = site.upload("long.jsonl", long_file(n))
    function = start(timeout_s=TIMEOUT_S, handler=WATCHED, environment=SLOW if n == FRAMES else {})
    queue = EventSource(site.sqs, site.queue_url, function.invoke)
    site.send(events.eventbridge_created(upload))
    deliveries = queue.drain(300)
    assert [(one.failed, one.error) for one in deliveries] == [((), None)] * len(deliveries)
    assert len(deliveries) >= 2
    assert "Task timed out" not in function.logs()
    check_equal(site, upload, undisturbed(n), n)
    assert [one["attempts"] for one in site.statuses()] == [len(deliveries)]


@pytest.mark.full
def test_without_a_queue_the_reason_is_said_and_the_work_is_kept(site, start, undisturbed):
    upload = site.upload("long.jsonl", long_file())
    function = start(timeout_s=TIMEOUT_S, handler=WATCHED, environment={**SLOW, "SCENESCORE_QUEUE_URL": ""})
    refusals = []
    for _ in range(10):
        try:
            function.invoke(events.s3_put(upload))
            break
        except FunctionError as error:
            refusals.append(error.payload)
    assert refusals
    assert {one["errorType"] for one in refusals} == {"OutOfTimeError"}
    assert "SCENESCORE_QUEUE_URL" in refusals[0]["errorMessage"]
    check_equal(site, upload, undisturbed())


def deliver_and_kill(site, function, ready):
    """Deliver a message and kill the function as soon as its log, or the time since, says so, or when it has ended."""
    ended, before = threading.Event(), len(function.logs())

    def kill():
        started = time.monotonic()
        while not ended.wait(0.01) and not ready(function.logs()[before:], time.monotonic() - started):
            pass
        function.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        return EventSource(site.sqs, site.queue_url, function.invoke).poll()
    finally:
        ended.set()
        killer.join()
        function.start()


def test_killed_in_the_middle_and_replayed(patient_site, start, undisturbed):
    site = patient_site
    upload = site.upload("long.jsonl", long_file())
    function = start(site, timeout_s=TIMEOUT_S, handler=WATCHED, environment=SLOW)
    site.send(events.s3_put(upload))
    delivery = deliver_and_kill(site, function, lambda log, _: log.count(SCORED) >= 3)
    assert "RemoteDisconnected" in delivery.error
    assert site.folders(upload) == {}
    assert [(one["state"], one["attempts"]) for one in site.statuses()] == [("running", 1)]
    deliveries = EventSource(site.sqs, site.queue_url, function.invoke).drain(180)
    assert deliveries[0].failed  # while the dead worker's lease runs, the others wait
    check_equal(site, upload, undisturbed())


@pytest.mark.full
@pytest.mark.parametrize("seed", range(8))
def test_killed_at_any_moment_again_and_again(patient_site, start, undisturbed, seed):
    site, chance = patient_site, random.Random(seed)
    upload = site.upload("long.jsonl", long_file())
    function = start(site, timeout_s=TIMEOUT_S, handler=WATCHED, environment=SLOW)
    site.send(events.s3_put(upload))
    for _ in range(3):
        moment = chance.uniform(0.5, TIMEOUT_S)
        delivery = None
        while delivery is None and depth(site.sqs, site.queue_url):
            delivery = deliver_and_kill(site, function, lambda _, seconds, moment=moment: seconds > moment)
            time.sleep(0.2)
    EventSource(site.sqs, site.queue_url, function.invoke).drain(180)
    check_equal(site, upload, undisturbed())
