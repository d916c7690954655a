"""An upload, told of in any way, leaves its result once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.aws import events
from tests.aws.emulator import FunctionError
from tests.aws.poller import EventSource
from tests.aws.watched import SCORED
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model

AWKWARD = "cam 1/a+b (2) Ł%41.jsonl"
DOCUMENTED = [0.559, 0.291]  # fair-forge's documentation of its vision metrics, for the example's two frames
SESSION = json.loads(EXAMPLE.read_text())[0]
LINES = "".join(
    json.dumps({"session_id": SESSION["session_id"], "assistant_id": SESSION["assistant_id"], **frame}) + "\n"
    for frame in SESSION["conversation"]
).encode()

WATCHED = "tests.aws.watched.lambda_handler"
BODIES = {"s3": events.s3_put, "eventbridge": events.eventbridge_created}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("through", ["queue", "nothing"])
def test_an_awkward_key_through_every_source(site, function, body, through):
    upload = site.upload(AWKWARD, LINES)
    event = BODIES[body](upload)
    if through == "queue":
        site.send(event)
        deliveries = EventSource(site.sqs, site.queue_url, function.invoke).drain()
        assert [(len(one.sent), one.failed, one.error) for one in deliveries] == [(1, (), None)]
    else:
        function.invoke(event)
    check_example(site, upload)


def test_an_awkward_key_in_a_request_and_in_a_queued_request(site, function, queue):
    upload = site.upload(AWKWARD, LINES)
    reply = function.invoke(events.direct(upload))
    assert [round(row["metrics"]["vision.similarity"]["score"], 3) for row in reply["samples"]] == DOCUMENTED
    assert reply["location"] == f"s3://{site.bucket}/{site.result(upload).key}"
    again = site.upload(f"later/{AWKWARD}", LINES)
    waiting = function.invoke(events.direct(again, wait=False))
    assert (waiting["state"], waiting["report"]) == ("queued", None)
    assert [one.failed for one in queue.drain()] == [()]
    assert site.result(again).scores() == DOCUMENTED


def check_example(site, upload):
    result = site.result(upload)
    assert result.scores() == DOCUMENTED
    hallucination = [json.loads(line)["metrics"]["vision.hallucination"] for line in result.samples.splitlines()]
    assert [row["is_hallucination"] for row in hallucination] == [True, True]
    assert result.errors == b""
    similarity = result.report["metrics"]["vision.similarity"]["sessions"]
    assert [round(one["mean_similarity"], 3) for one in similarity] == [round(sum(DOCUMENTED) / 2, 3)]
    assert result.report["input"]["location"] == upload.location
    latest = site.latest(upload)
    assert (latest["content"], latest["sequencer"]) == (upload.etag, upload.sequencer)
    assert result.key.endswith(f"/{latest['folder']}")
    (status,) = site.statuses()
    assert (status["state"], status["attempts"], status["n_samples"]) == ("done", 1, 2)


def test_the_documented_example_as_it_is(site, function):
    upload = site.upload("entrance.json", EXAMPLE.read_bytes())
    function.invoke(events.s3_put(upload))
    check_example(site, upload)


def test_the_same_event_ten_times_in_turn_is_one_computation(site, function, queue):
    upload = site.upload(AWKWARD, LINES)
    function.invoke(events.eventbridge_created(upload))
    before = site.outputs()
    for _ in range(5):
        function.invoke(events.eventbridge_created(upload))
    site.send(*[events.s3_put(upload)] * 4)
    assert all(not one.failed for one in queue.drain())
    check_example(site, upload)
    written = {key: (one["ETag"], one["LastModified"]) for key, one in site.outputs().items()}
    assert written == {key: (one["ETag"], one["LastModified"]) for key, one in before.items()}


def test_the_same_event_in_three_environments_at_once_is_one_computation(site, start):
    functions = [start(handler=WATCHED) for _ in range(3)]
    for one in functions:  # warm, so that all three begin at the same moment
        one.invoke(events.s3_test_event(site.bucket))
    upload = site.upload(AWKWARD, LINES)
    site.send(*[events.s3_put(upload)] * 3)
    sources = [EventSource(site.sqs, site.queue_url, one.invoke, batch_size=1) for one in functions]
    with ThreadPoolExecutor(3) as pool:
        first = list(pool.map(EventSource.poll, sources))
    assert [len(one.sent) for one in first] == [1, 1, 1]
    sources[0].drain()
    check_example(site, upload)
    assert sum(one.logs().count(SCORED) for one in functions) == 2  # two metrics, one batch each


def test_two_versions_out_of_order(site, function):
    old = site.upload("cam.jsonl", LINES)
    new = site.upload("cam.jsonl", LINES.splitlines(keepends=True)[0])
    function.invoke(events.s3_put(new))
    assert site.result(new).scores() == DOCUMENTED[:1]
    # The older event comes late: its content is gone, so there is nothing to score, and the newest stays the newest.
    function.invoke(events.s3_put(old))
    latest = site.latest(new)
    assert (latest["content"], latest["sequencer"]) == (new.etag, new.sequencer)
    assert site.read(f"{site.root}/out/{new.key}/{latest['folder']}/samples.jsonl").count(b"\n") == 1


def test_a_version_that_comes_after_its_elder(site, function):
    old = site.upload("cam.jsonl", LINES)
    function.invoke(events.eventbridge_created(old))
    new = site.upload("cam.jsonl", LINES.splitlines(keepends=True)[1])
    function.invoke(events.eventbridge_created(new))
    assert site.latest(new)["content"] == new.etag
    function.invoke(events.eventbridge_created(old))  # a late duplicate
    assert (site.latest(new)["content"], site.latest(new)["sequencer"]) == (new.etag, new.sequencer)
    assert len(site.folders(new)) == 2


def test_content_that_comes_back_is_the_newest_again(site, function):
    for lines in (LINES, LINES.splitlines(keepends=True)[1], LINES):
        upload = site.upload("cam.jsonl", lines)
        function.invoke(events.s3_put(upload))
        assert (site.latest(upload)["content"], site.latest(upload)["sequencer"]) == (upload.etag, upload.sequencer)
    assert len(site.folders(upload)) == 2


@pytest.mark.parametrize("make", [events.s3_delete, events.s3_folder_marker, events.eventbridge_deleted])
def test_what_is_no_upload_is_passed_over(site, function, queue, make):
    upload = site.upload("cam.jsonl", LINES)
    assert function.invoke(make(upload)) == {"evaluations": []}
    site.send(make(upload), events.s3_test_event(site.bucket))
    assert [(len(one.sent), one.failed) for one in queue.drain()] == [(2, ())]
    assert site.outputs() == {}


def test_results_that_come_back_as_events_are_passed_over(site, function):
    upload = site.upload("cam.jsonl", LINES)
    function.invoke(events.s3_put(upload))
    before = site.outputs()
    for key in before:
        function.invoke(events.s3_put(events.Upload(site.bucket, f"{site.root}/out/{key}")))
    assert site.outputs().keys() == before.keys()


def test_an_unknown_event_is_refused_with_its_shape(function):
    for event, words in [({"hello": 1}, "an object with hello"), ([], "list"), ({"Records": []}, "Records")]:
        with pytest.raises(FunctionError, match="of no known kind") as caught:
            function.invoke(event)
        assert caught.value.payload["errorType"] == "RequestError"
        assert words in caught.value.payload["errorMessage"]
