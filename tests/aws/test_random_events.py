"""Events of every kind, whole and damaged: the handler answers or raises an error with a name, and nothing else.

SCENESCORE_EVENTS: how many to make (500; 50,000 have been run once).
"""

from __future__ import annotations

import json
import os
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

import handler.aws._calls as calls
import handler.lambda_handler as door
from handler.errors import InternalError, ScenescoreError
from handler.events import _sqs
from tests.aws import events
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model

DEFAULT = 500
N = int(os.environ.get("SCENESCORE_EVENTS", DEFAULT))
CONTEXT = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000, aws_request_id="r", function_name="f")

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)


@pytest.fixture
def installation(make_site, seaweedfs_server, use, monkeypatch):
    """This process as the function of a site; faults that a batch would swallow are kept in a list."""
    site = make_site()
    use(seaweedfs_server, **{key: value for key, value in site.environment.items() if key not in ("AWS_ENDPOINT_URL",)})
    faults = []

    def log(message, /, **fields):
        if fields.get("code") == "internal":
            faults.append((message, fields))

    monkeypatch.setattr(_sqs, "log", log)
    for cached in (calls._client, door._settings):
        cached.cache_clear()
    yield site, faults
    for cached in (calls._client, door._settings):
        cached.cache_clear()


def uploads(site, uploaded):
    """Writes: of objects that are there, of objects that are not, and of what no store would call a name."""
    keys = st.sampled_from([upload.key for upload in uploaded]) | st.text(max_size=20).map(
        lambda text: f"{site.root}/in/{text}"
    )
    names = st.builds(lambda key, suffix: key + suffix, keys, st.sampled_from(["", ".json", ".scenescore.json", "/"]))
    buckets = st.just(site.bucket) | st.text(max_size=10)
    made = st.builds(events.Upload, buckets, names, st.text(max_size=8), scalars, st.text(max_size=8))
    return st.sampled_from(uploaded) | made


def requests(site, uploaded):
    """Bodies of a direct invoke: whole ones with some members replaced by anything."""
    members = ["input", "sessions", "output", "threshold", "metrics", "options", "limit", "wait", "mode", "map", "x"]
    changes = st.dictionaries(st.sampled_from(members), anything, max_size=3)
    whole = uploads(site, uploaded).map(events.direct) | st.just(events.document("direct_pair"))
    return st.builds(lambda request, change: {**request, **change}, whole, changes)


def notifications(site, uploaded):
    makers = [
        events.s3_put,
        events.s3_delete,
        events.s3_folder_marker,
        events.eventbridge_created,
        events.eventbridge_deleted,
    ]
    return st.builds(lambda make, upload: make(upload), st.sampled_from(makers), uploads(site, uploaded))


def jobs(site, uploaded):
    """What the product itself puts into the queue, or somebody who pretends to be it."""
    fields = {"id": anything, "etag": anything, "sequencer": anything}
    return st.fixed_dictionaries(
        {"schema": st.just("scenescore.job/1")},
        optional={**fields, "request": requests(site, uploaded) | anything, "request_at": anything},
    )


def http_requests(site, uploaded):
    methods = st.sampled_from(["GET", "POST", "HEAD", "DELETE"])
    paths = st.sampled_from(["/v1/evaluations", "/v1/evaluations/abc", "/v1/metrics", "/health", "/run", "/docs", "/"])
    return st.builds(events.http, methods, paths, requests(site, uploaded) | anything | st.text())


@st.composite
def damaged(draw, whole):
    """A document of which one part, at any depth, is something else or not there."""
    event = json.loads(json.dumps(draw(whole)))
    node = event
    while isinstance(node, (dict, list)) and node:
        key = draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        if draw(st.booleans()) or not isinstance(node[key], (dict, list)):
            if draw(st.booleans()):
                node[key] = draw(anything)
            else:
                del node[key]
            return event
        node = node[key]
    return event


def every_event(site, uploaded):
    single = notifications(site, uploaded) | st.just(events.s3_test_event(site.bucket))
    queued = single | jobs(site, uploaded) | requests(site, uploaded) | anything | st.text()
    batches = st.lists(queued | damaged(single), max_size=4).map(lambda bodies: events.sqs(*bodies))
    whole = single | batches | requests(site, uploaded) | jobs(site, uploaded) | http_requests(site, uploaded)
    return whole | damaged(whole) | anything


def test_no_event_is_met_by_an_unhandled_exception(installation):
    site, faults = installation
    uploaded = [
        site.upload("cam 1/a+b (2) Ł%41.json", EXAMPLE.read_bytes()),
        site.upload("broken.json", b'[{"assistant": '),
        site.upload("empty.jsonl", b""),
        site.upload("cam.scenescore.json", json.dumps({"input": "broken.json", "threshold": 0.3}).encode()),
        site.upload("no.scenescore.json", b'{"input": 7}'),
    ]

    @settings(
        max_examples=N,
        deadline=None,
        database=None,
        derandomize=N == DEFAULT,  # the ordinary suite meets the same events every time
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=False,
    )
    @given(every_event(site, uploaded))
    def meet(event):
        note(ascii(event))
        try:
            reply = door.lambda_handler(event, CONTEXT)
        except InternalError:
            raise
        except ScenescoreError:
            return
        check_reply(event, reply)
        assert faults == []

    meet()
    assert {one["state"] for one in site.statuses()} >= {"done", "failed"}


def check_reply(event, reply):
    json.dumps(reply, allow_nan=False)
    assert reply.get("statusCode", 200) < 500, reply
    if "batchItemFailures" in reply:
        sent = {str(record.get("messageId", "")) for record in event["Records"]}
        assert {one["itemIdentifier"] for one in reply["batchItemFailures"]} <= sent
