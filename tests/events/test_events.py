"""Events as AWS writes them -> what is evaluated, what is ignored, what comes again."""

from __future__ import annotations

import json
import logging
import sys
from urllib.parse import quote_plus

import orjson
import pytest

from handler import storage
from handler.errors import RequestError
from handler.events import answer_direct, handle_messages, handle_uploads, kind_of
from handler.events._log import log
from handler.events._uploads import uploads_of
from handler.jobs import Clock
from handler.settings import Settings
from tests.conftest import EXAMPLE
from tests.s3_fixtures import BUCKET

pytestmark = pytest.mark.model

KEY = "cam 1/a+b (2) Ł%41.json"


def notification(key, *, name="ObjectCreated:Put", etag="e", sequencer="0A"):
    thing = {"key": quote_plus(key), "size": 1, "eTag": etag, "sequencer": sequencer}
    record = {"eventSource": "aws:s3", "eventName": name, "s3": {"bucket": {"name": BUCKET}, "object": thing}}
    return {"Records": [record]}


def eventbridge(key, *, kind="Object Created", etag="e", sequencer="0A"):
    detail = {"bucket": {"name": BUCKET}, "object": {"key": key, "etag": etag, "sequencer": sequencer}}
    return {"source": "aws.s3", "detail-type": kind, "detail": detail}


def batch(*bodies, receives=1):
    attributes = {"ApproximateReceiveCount": str(receives)}
    return {
        "Records": [
            {"eventSource": "aws:sqs", "messageId": f"m{n}", "attributes": attributes, "body": body}
            for n, body in enumerate(one if isinstance(one, str) else json.dumps(one) for one in bodies)
        ]
    }


@pytest.fixture
def place(weed, folder, model):
    """Settings whose inputs and output are prefixes of this test's own."""
    return Settings(model=model, output=f"{folder}/out", inputs=(f"{folder}/in",))


def put(place, name, data=None):
    location = f"{place.inputs[0]}/{name}"
    storage.write_bytes(location, EXAMPLE.read_bytes() if data is None else data)
    return location.removeprefix(f"s3://{BUCKET}/"), storage.stat(location).etag


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        (notification("k"), "s3"),
        (eventbridge("k"), "eventbridge"),
        (batch({}), "sqs"),
        ({"Service": "Amazon S3", "Event": "s3:TestEvent"}, "s3-test"),
        ({"version": "2.0", "requestContext": {"http": {}}}, "http"),
        ({"httpMethod": "GET", "path": "/"}, "http"),
        ({"sessions": []}, "direct"),
        ({"input": "s3://b/k"}, "direct"),
        ({"schema": "scenescore.job/1"}, "job"),
    ],
)
def test_kinds(event, kind):
    assert kind_of(event) == kind


@pytest.mark.parametrize("event", [None, [], "x", 3, {}, {"Records": []}, {"Records": [1]}, {"a": 1}])
def test_unknown_events_are_named(event):
    with pytest.raises(RequestError, match=r"no known kind.*Known: HTTP, S3"):
        kind_of(event)


def test_keys_are_decoded_once_in_notifications_and_never_in_eventbridge():
    assert [one.location for one in uploads_of("s3", notification(KEY))] == [f"s3://{BUCKET}/{KEY}"]
    assert [one.location for one in uploads_of("eventbridge", eventbridge(KEY))] == [f"s3://{BUCKET}/{KEY}"]


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        ("s3", notification("folder/")),
        ("s3", notification("k.json", name="ObjectRemoved:Delete")),
        ("eventbridge", eventbridge("k.json", kind="Object Deleted")),
    ],
)
def test_markers_and_deletions_are_ignored(kind, event):
    assert uploads_of(kind, event) == []


@pytest.mark.parametrize("damage", [{"Records": [{"eventSource": "aws:s3"}]}, {"Records": [{"eventName": 1}]}])
def test_damaged_events_are_named(damage):
    with pytest.raises(RequestError, match="damaged"):
        uploads_of("s3", damage)


@pytest.mark.parametrize("kind", ["s3", "eventbridge"])
def test_an_upload_is_evaluated_once(place, kind):
    key, etag = put(place, KEY)
    event = notification(key, etag=etag) if kind == "s3" else eventbridge(key, etag=etag)
    first = handle_uploads(kind, event, place, Clock())[0]
    assert (first["state"], first["attempts"]) == ("done", 1)
    rows = [json.loads(line) for line in storage.read_bytes(f"{first['location']}/samples.jsonl").splitlines()]
    assert [round(row["metrics"]["vision.similarity"]["score"], 3) for row in rows] == [0.559, 0.291]
    for _ in range(3):
        assert handle_uploads(kind, event, place, Clock()) == [first]


def test_the_newest_version_is_latest_whatever_the_order(place):
    key, old_etag = put(place, "a.json")
    old = notification(key, etag=old_etag, sequencer="00A1")
    _, new_etag = put(place, "a.json", EXAMPLE.read_bytes() + b"\n")
    new = notification(key, etag=new_etag, sequencer="00A2")
    for event in (new, old, new):
        newest = handle_uploads("s3", event, place, Clock())[0]["location"]
    latest = json.loads(storage.read_bytes(f"{place.output}/{key}/latest.json"))
    assert (latest["sequencer"], latest["folder"]) == ("00A2", newest.rsplit("/", 1)[-1])
    put(place, "a.json")
    back = notification(key, etag=old_etag, sequencer="00A3")
    handle_uploads("s3", back, place, Clock())
    latest = json.loads(storage.read_bytes(f"{place.output}/{key}/latest.json"))
    assert (latest["sequencer"], latest["content"]) == ("00A3", old_etag)


def test_what_is_no_annotation_or_lies_elsewhere_is_ignored(place):
    for name in ("frame.png", "notes.txt"):
        key, _ = put(place, name, b"x")
        assert handle_uploads("s3", notification(key), place, Clock()) == []
    outside = f"{place.output}/r/report.json"
    storage.write_bytes(outside, b"{}")
    assert handle_uploads("eventbridge", eventbridge(outside.removeprefix(f"s3://{BUCKET}/")), place, Clock()) == []


def test_a_sidecar_is_the_request(place):
    data_key, data_etag = put(place, "day 1/a.json")
    sidecar = json.dumps({"input": "a.json", "threshold": 0.5}).encode()
    key, etag = put(place, "day 1/a.scenescore.json", sidecar)
    by_sidecar = handle_uploads("s3", notification(key, etag=etag), place, Clock())[0]
    by_data = handle_uploads("s3", notification(data_key, etag=data_etag), place, Clock())[0]
    assert by_sidecar["id"] == by_data["id"]
    report = json.loads(storage.read_bytes(f"{by_data['location']}/report.json"))
    assert report["request"]["threshold"] == 0.5
    assert report["metrics"]["vision.hallucination"]["overall"]["n_hallucinations"] == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b'{"input": "a.json", "treshold": 1}', "invalid_request"),
        (b'{"input": ', "unreadable_input"),
        (b"[]", "unreadable_input"),
        (b'{"input": "s3://elsewhere/a.json"}', "forbidden"),
        (b'{"input": "a.json", "metrics": ["nope"]}', "invalid_request"),
        (b'{"input": "a\\u0000b.json"}', "bad_location"),
        (orjson.dumps({"input": "x" * 2000}), "bad_location"),
        (b'{"input": "../../../a.json"}', "forbidden"),
    ],
)
def test_a_wrong_sidecar_leaves_error_json(place, text, code):
    key, etag = put(place, "a.scenescore.json", text)
    assert handle_uploads("s3", notification(key, etag=etag), place, Clock()) == []
    found = [one.location for one in storage.list_objects(f"{place.output}/") if one.location.endswith("error.json")]
    assert [json.loads(storage.read_bytes(one))["code"] for one in found] == [code]


def test_names_in_a_sidecar_are_relative_to_it(place):
    put(place, "day/a.json")
    key, etag = put(place, "day/b.scenescore.json", b'{"input": "./../day/a.json"}')
    assert handle_uploads("s3", notification(key, etag=etag), place, Clock())[0]["state"] == "done"


def test_one_bad_message_fails_nobody_else(place):
    good, good_etag = put(place, "good.json")
    broken, broken_etag = put(place, "broken.json", b"{")
    prefix = place.inputs[0].removeprefix(f"s3://{BUCKET}/")
    event = batch(
        notification(good, etag=good_etag),
        notification(broken, etag=broken_etag),
        eventbridge(f"{prefix}/missing.json", etag="e9"),
        "not json",
        {"what": "is this"},
        {"Service": "Amazon S3", "Event": "s3:TestEvent"},
        eventbridge(good, etag=good_etag),
    )
    assert handle_messages(event, place, Clock()) == {
        "batchItemFailures": [{"itemIdentifier": "m3"}, {"itemIdentifier": "m4"}]
    }
    names = [one.location.removeprefix(place.output) for one in storage.list_objects(f"{place.output}/{prefix}/")]
    assert sum(name.endswith("error.json") for name in names) == 2
    assert sum(name.endswith("report.json") for name in names) == 1


def test_without_time_messages_come_again(place):
    event = batch(notification("a.json"), notification("b.json"))
    failed = handle_messages(event, place, Clock.of_seconds(1, margin=2))
    assert [one["itemIdentifier"] for one in failed["batchItemFailures"]] == ["m0", "m1"]


def test_direct_invoke(place):
    body = answer_direct({"sessions": json.loads(EXAMPLE.read_text())}, place, Clock.of_seconds(60))
    assert [round(row["metrics"]["vision.similarity"]["score"], 3) for row in body["samples"]] == [0.559, 0.291]
    refused = answer_direct({"input": "s3://elsewhere/x.json"}, place, Clock.of_seconds(60))
    assert (refused["status"], refused["code"]) == (403, "forbidden")
    wrong = answer_direct({"sessions": [], "threshold": 7}, place, Clock.of_seconds(60))
    assert (wrong["status"], wrong["field"]) == (422, "threshold")


def test_direct_invoke_with_datasets_answers_as_fair_forge_does(place):
    datasets = json.loads(EXAMPLE.read_text())
    body = answer_direct({"datasets": datasets, "config": {"metric": "VisionSimilarity"}}, place, Clock.of_seconds(60))
    assert (body["success"], body["count"]) == (True, 1)
    assert round(body["metrics"][0]["mean_similarity"], 3) == 0.425
    refused = answer_direct(
        {"datasets": datasets, "connector": {"class_path": "os.system"}}, place, Clock.of_seconds(60)
    )
    assert (refused["status"], refused["field"]) == (422, "connector")


def test_logs_hold_no_text(place, capsys):
    log("the logger exists")
    logging.getLogger("scenescore").handlers[0].setStream(sys.stdout)
    secret = "zebra-striped umbrella"
    key, etag = put(place, "s.json", json.dumps([{"answer": secret, "reference": secret}]).encode())
    bad, bad_etag = put(place, "bad.json", json.dumps([{"answer": secret, "reference": [secret, 3]}]).encode())
    handle_messages(batch(notification(key, etag=etag), notification(bad, etag=bad_etag)), place, Clock())
    shown = capsys.readouterr()
    assert '"evaluation done"' in shown.out
    assert "Evaluations" in shown.out
    assert secret not in shown.out + shown.err
