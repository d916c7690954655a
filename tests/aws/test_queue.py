"""Queues as they are in an installation: wired to a bucket, with good, bad and unlucky messages side by side."""

from __future__ import annotations

import json

import pytest

from tests.aws import events
from tests.aws.poller import EventSource, depth, failed_ids
from tests.conftest import EXAMPLE
from tests.storage.proxy import Fault, FaultyProxy, faulty_proxy

pytestmark = pytest.mark.model

DOCUMENTED = [0.559, 0.291]
AWKWARD = "cam 1/a+b (2) Ł%41.json"
FOR_EVER = 1_000_000


@pytest.fixture
def wired(make_site, unique):
    """A site whose bucket's notifications go to its queue, straight or through EventBridge; on moto, which can do that."""

    def wired(way):
        site = make_site(on_moto=True, bucket=f"uploads-{unique}")
        attributes = site.sqs.get_queue_attributes(QueueUrl=site.queue_url, AttributeNames=["QueueArn"])["Attributes"]
        wire = {"sqs": _straight, "eventbridge": _through_the_bus}[way]
        wire(site, attributes["QueueArn"])
        return site

    return wired


def _straight(site, queue_arn):
    rules = [{"Name": "prefix", "Value": f"{site.root}/in/"}]
    configuration = {
        "QueueArn": queue_arn,
        "Events": ["s3:ObjectCreated:*"],
        "Filter": {"Key": {"FilterRules": rules}},
    }
    site.s3.put_bucket_notification_configuration(
        Bucket=site.bucket, NotificationConfiguration={"QueueConfigurations": [configuration]}
    )


def _through_the_bus(site, queue_arn):
    site.s3.put_bucket_notification_configuration(
        Bucket=site.bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )
    pattern = {
        "source": ["aws.s3"],
        "detail-type": ["Object Created"],
        "detail": {"bucket": {"name": [site.bucket]}, "object": {"key": [{"prefix": f"{site.root}/in/"}]}},
    }
    site.bus.put_rule(Name=site.root, EventPattern=json.dumps(pattern))
    site.bus.put_targets(Rule=site.root, Targets=[{"Id": "queue", "Arn": queue_arn}])


@pytest.mark.parametrize("way", ["sqs", "eventbridge"])
def test_an_upload_finds_its_way_by_itself(wired, start, way):
    site = wired(way)
    uploads = [site.upload("entrance.json", EXAMPLE.read_bytes()), site.upload(AWKWARD, EXAMPLE.read_bytes())]
    deliveries = EventSource(site.sqs, site.queue_url, start(site).invoke).drain()
    assert [(one.failed, one.error) for one in deliveries] == [((), None)]
    for upload in uploads:
        assert site.result(upload).scores() == DOCUMENTED
        assert site.latest(upload)["content"] == upload.etag
    # What was written meanwhile has caused no more messages.
    assert {one["state"] for one in site.statuses()} == {"done"}
    assert depth(site.sqs, site.queue_url) == 0


def test_the_end_of_an_evaluation_is_an_event(site, function):
    heard = site.listen()
    good, bad = site.upload("entrance.json", EXAMPLE.read_bytes()), site.upload("bad.json", b"[{")
    for upload in (good, bad):
        function.invoke(events.s3_put(upload))
    told = [json.loads(body) for body in heard()]
    assert [(one["source"], one["detail-type"]) for one in told] == [("scenescore", "Evaluation Finished")] * 2
    details = {one["detail"]["input"]: one["detail"] for one in told}
    assert details[good.location]["location"] == f"s3://{site.bucket}/{site.result(good).key}"
    assert {key: one["state"] for key, one in details.items()} == {good.location: "done", bad.location: "failed"}


@pytest.fixture
def proxy(seaweedfs_server):
    with faulty_proxy(seaweedfs_server.endpoint) as proxy:
        yield proxy


@pytest.fixture
def throttled(site, proxy: FaultyProxy, start):
    """An upload that S3 answers with SlowDown, and the queue in front of a function that meets it."""
    upload = site.upload("throttled.json", EXAMPLE.read_bytes())
    proxy.faults.append(Fault("GET", FOR_EVER, f"/{upload.bucket}/{upload.key}", answer=(503, "SlowDown")))
    function = start(environment={"AWS_ENDPOINT_URL": proxy.endpoint, "AWS_MAX_ATTEMPTS": "2"})
    return upload, EventSource(site.sqs, site.queue_url, function.invoke)


def test_ten_messages_of_which_three_go_wrong(site, proxy, throttled):
    unlucky, queue = throttled
    good = [site.upload(f"good {n}.json", EXAMPLE.read_bytes()) for n in range(7)]
    malformed = site.upload("malformed.json", b'[{"assistant": "x",]')
    missing = site.upload("missing.json", EXAMPLE.read_bytes())
    site.s3.delete_object(Bucket=missing.bucket, Key=missing.key)
    uploads = [malformed, *good[:3], unlucky, *good[3:], missing]
    site.send(*map(events.eventbridge_created, uploads))

    delivery = queue.poll()
    assert (len(delivery.sent), len(delivery.failed), delivery.error) == (10, 1, None)
    assert [site.result(upload).scores() for upload in good] == [DOCUMENTED] * 7
    assert sum(key.endswith("/report.json") for key in site.outputs()) == 7
    assert sum(key.endswith("/error.json") for key in site.outputs()) == 2
    assert (site.error(malformed)["code"], site.error(malformed)["line"]) == ("unreadable_input", 1)
    assert site.error(missing)["code"] == "not_found"
    assert site.folders(unlucky) == {}

    proxy.reset()
    assert [len(one.sent) for one in queue.drain()[1:]] == [1]
    assert site.result(unlucky).scores() == DOCUMENTED
    assert depth(site.sqs, site.dead_url) == 0


def test_the_last_try_says_why_it_failed(site, throttled):
    unlucky, queue = throttled
    site.send(events.s3_put(unlucky))
    deliveries = queue.drain()
    assert [len(one.failed) for one in deliveries] == [1, 1, 0]
    assert "SlowDown" in site.error(unlucky)["message"]
    (status,) = site.statuses()
    assert (status["state"], status["attempts"]) == ("failed", 3)


def test_a_message_that_nobody_understands_ends_in_the_dead_letter_queue(site, queue):
    upload = site.upload("entrance.json", EXAMPLE.read_bytes())
    site.send({"schema": "scenescore.job/1", "id": "x"}, ["nonsense"], events.s3_put(upload))
    deliveries = queue.drain()
    assert [(len(one.sent), len(one.failed)) for one in deliveries] == [(3, 2), (2, 2), (2, 2)]
    assert depth(site.sqs, site.dead_url) == 2
    assert site.result(upload).scores() == DOCUMENTED


def test_a_mended_upload_is_tried_again(site, function):
    broken = site.upload("cam.json", b"[{")
    function.invoke(events.s3_put(broken))
    assert site.error(broken)["code"] == "unreadable_input"
    mended = site.upload("cam.json", EXAMPLE.read_bytes())
    function.invoke(events.s3_put(mended))
    folder = site.latest(mended)["folder"]
    assert sorted(site.folders(mended)[folder]) == ["errors.jsonl", "report.html", "report.json", "samples.jsonl"]


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ({"batchItemFailures": []}, ()),
        ({"batchItemFailures": [{"itemIdentifier": "b"}]}, ("b",)),
        (None, ()),
        ({"batchItemFailures": [{"itemIdentifier": "elsewhere"}]}, ("a", "b")),
        ({"batchItemFailures": [{}]}, ("a", "b")),
        ("text", ("a", "b")),
    ],
)
def test_the_poller_keeps_what_aws_keeps(reply, kept):
    assert failed_ids(reply, ("a", "b")) == kept
