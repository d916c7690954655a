"""What the function does as a process: one model load, refusals at the start and at the door, and what it logs."""

from __future__ import annotations

import json

import pytest

from tests.aws import events
from tests.aws.emulator import Emulator, FunctionError
from tests.aws.watched import MADE, SCORED
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model

WATCHED = "tests.aws.watched.lambda_handler"


def test_two_invocations_load_the_model_once(site, start):
    function = start(handler=WATCHED)
    for name in ("a.json", "b.json"):
        function.invoke(events.s3_put(site.upload(name, EXAMPLE.read_bytes())))
    function.invoke(events.document("direct_pair"))
    logs = function.logs()
    assert (logs.count(MADE), logs.count(SCORED)) == (1, 6)


def test_events_without_work_load_no_model(site, start):
    function = start(handler=WATCHED)
    upload = site.upload("a.json", EXAMPLE.read_bytes())
    for event in (events.s3_test_event(site.bucket), events.s3_delete(upload), events.s3_folder_marker(upload)):
        function.invoke(event)
    function.invoke(events.direct(upload, wait=False))
    assert MADE not in function.logs()


@pytest.mark.parametrize("below", ["", "/results", "/in/deeper"])
def test_results_that_would_be_inputs_are_refused_at_the_start(site, start, below):
    inputs = f"s3://{site.bucket}/{site.root}"
    function = start(environment={"SCENESCORE_INPUTS": inputs, "SCENESCORE_OUTPUT": f"{inputs}{below}"})
    upload = site.upload("a.json", EXAMPLE.read_bytes())
    for event in (events.s3_put(upload), events.sqs(events.s3_put(upload)), events.document("direct_pair")):
        with pytest.raises(FunctionError) as caught:
            function.invoke(event)
        assert caught.value.payload["errorType"] == "SettingsError"
        assert "would themselves be inputs" in caught.value.payload["errorMessage"]
    assert "would themselves be inputs" in function.logs()


@pytest.fixture(scope="module")
def closed(make_site):
    """A site and its function, for calls that leave nothing behind."""
    site = make_site()
    with Emulator(site.environment) as function:
        yield site, function


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"input": "s3://another-bucket/in/a.json"}, "input"),
        ({"input": "s3://{bucket}/{root}/in-house/a.json"}, "input"),
        ({"input": "s3://{bucket}/{root}/out/a.json"}, "input"),
        ({"input": "/etc/passwd"}, "input"),
        ({"input": "file:///etc/passwd"}, "input"),
        ({"output": "s3://another-bucket/out"}, "output"),
        ({"output": "s3://{bucket}/{root}/in/results"}, "output"),
        ({"output": "s3://{bucket}/{root}/out-of-bounds"}, "output"),
        ({"output": "/tmp/out"}, "output"),
    ],
)
def test_locations_outside_are_refused(closed, change, field):
    site, function = closed
    upload = site.upload("a.json", EXAMPLE.read_bytes())
    filled = {name: value.format(bucket=site.bucket, root=site.root) for name, value in change.items()}
    reply = function.invoke(events.direct(upload, **filled))
    assert (reply["status"], reply["code"], reply["field"]) == (403, "forbidden", field)
    assert filled[field] in reply["detail"]
    assert site.outputs() == {}


def test_dots_are_no_way_out(site, function):
    secret = f"{site.root}/secret.json"
    site.s3.put_object(Bucket=site.bucket, Key=secret, Body=EXAMPLE.read_bytes())
    upload = site.upload("a.json", EXAMPLE.read_bytes())
    # S3 takes dots for what they are; this server refuses such keys. Either way nobody walks up.
    reply = function.invoke(events.direct(upload, input=f"s3://{site.bucket}/{site.root}/in/../secret.json"))
    assert reply["status"] in (403, 404, 422)
    assert "report" not in reply
    function.invoke(events.direct(upload, output=f"s3://{site.bucket}/{site.root}/out/../escaped"))
    listed = site.s3.list_objects_v2(Bucket=site.bucket, Prefix=f"{site.root}/escaped")
    assert listed["KeyCount"] == 0
    assert [one["state"] for one in site.statuses() if one["lease_until"]] == []


def test_a_sidecar_cannot_reach_outside_either(site, function):
    data = site.upload("cam.json", EXAMPLE.read_bytes())
    sidecar = site.upload("cam.scenescore.json", json.dumps({"input": "s3://another-bucket/x.json"}).encode())
    function.invoke(events.s3_put(sidecar))
    assert site.error(sidecar)["code"] == "forbidden"
    assert site.folders(data) == {}


def test_a_sidecar_says_how(site, function):
    data = site.upload("cam.json", EXAMPLE.read_bytes())
    sidecar = site.upload("cam.scenescore.json", json.dumps({"input": "cam.json", "threshold": 0.4}).encode())
    function.invoke(events.s3_put(sidecar))
    rows = [json.loads(line) for line in site.result(data).samples.splitlines()]
    # 0.559 is above the threshold asked for, 0.291 below.
    assert [row["metrics"]["vision.hallucination"]["is_hallucination"] for row in rows] == [False, True]


WORDS = ("heliotrope", "Zebrastreifen", "カピバラ", "ultramarine")


def test_logs_hold_no_word_of_a_description(site, start, queue, function):
    heliotrope, zebra, capybara, ultramarine = WORDS
    frame = {"assistant": f"A {heliotrope} van.", "ground_truth_assistant": f"Ein {zebra} und {capybara}."}
    lines = json.dumps(frame, ensure_ascii=False).encode() + b"\n"
    uploads = [
        site.upload("good.jsonl", lines),
        site.upload("cut.json", lines.strip()[:-1]),
        site.upload("wrong.jsonl", lines + json.dumps({"assistant": {ultramarine: zebra}}).encode() + b"\n"),
        site.upload("bytes.jsonl", lines + f'{{"assistant": "{heliotrope} \xff"}}\n'.encode("latin-1")),
        site.upload("twice.jsonl", lines + lines),
        site.upload("table.csv", f"assistant,ground_truth\n{heliotrope},{zebra},{ultramarine}\n".encode()),
    ]
    site.send(*map(events.s3_put, uploads), {"assistant": ultramarine}, {"sessions": [frame]}, ultramarine)
    queue.drain()
    pair = {"session_id": "s", "assistant_id": "a", "conversation": [{"qa_id": "1", **frame}]}
    function.invoke({"sessions": [pair]})
    for wrong in ({"sessions": [{**pair, "conversation": [{heliotrope: zebra}]}]}, {"sessions": [pair], "mode": zebra}):
        function.invoke(wrong)
    with pytest.raises(FunctionError):
        function.invoke([frame])
    logs = function.logs()
    assert site.result(uploads[0]).report["counts"]["n_samples"] == 1
    assert "evaluation done" in logs
    for word in WORDS:
        assert word not in logs
        assert word not in logs.encode().decode("unicode_escape", "replace")
