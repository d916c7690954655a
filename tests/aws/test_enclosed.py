"""The function where nothing but /tmp can be written, with no home, no shared memory and an unknown user."""

from __future__ import annotations

import json

import pytest

from tests.aws import enclosure, events
from tests.aws.emulator import ROOT, Emulator, FunctionError
from tests.aws.rie import emulator_binary
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model

LOOK = "tests.aws.look.lambda_handler"


@pytest.fixture
def prefix(rie, model):
    reason = enclosure.why_not()
    if reason:
        pytest.skip(reason)
    return enclosure.enclose(ROOT, model.resolve(), emulator_binary().parent)


def enclosed(site, prefix, **options):
    environment = {**site.environment, "TMPDIR": "/tmp"}
    return Emulator(environment, prefix=prefix, unset=["HOME", "PYTHONDONTWRITEBYTECODE"], **options)


def test_the_enclosure_encloses(site, model, prefix):
    with enclosed(site, prefix, handler=LOOK) as function:
        seen = function.invoke({"write": [str(ROOT), str(model), "/", "/usr", "/var", "/dev/shm", "/etc", "/tmp"]})
    assert seen["written"] == ["/tmp"]
    assert seen["uid"] >= 100_000
    assert (seen["home"], seen["shm"]) == (None, False)


def test_the_function_needs_nothing_that_lambda_does_not_give(site, prefix):
    upload = site.upload("cam 1/entrance.json", EXAMPLE.read_bytes())
    many = "".join(
        json.dumps({"assistant": f"A dog {n}.", "ground_truth_assistant": "A dog."}) + "\n" for n in range(900)
    )
    large = site.upload("many.jsonl", many.encode())
    with enclosed(site, prefix) as function:
        function.invoke(events.s3_put(upload))
        function.invoke(events.sqs(events.eventbridge_created(large)))
        reply = function.invoke(events.document("direct_pair"))
        logs = function.logs()
    assert site.result(upload).scores() == [0.559, 0.291]
    assert site.result(large).report["counts"]["n_samples"] == 900
    assert [row["sample_id"] for row in reply["samples"]] == ["frame_001"]
    for word in ("Read-only file system", "Permission denied", "Traceback", "Warning"):
        assert word not in logs


def test_a_model_that_is_not_in_the_image_is_named(site, prefix):
    missing = {**site.environment, "SCENESCORE_MODEL": "/var/task/models/none", "TMPDIR": "/tmp"}
    upload = site.upload("entrance.json", EXAMPLE.read_bytes())
    with Emulator(missing, prefix=prefix, unset=["HOME"]) as function, pytest.raises(FunctionError) as caught:
        function.invoke(events.s3_put(upload))
    assert caught.value.payload["errorType"] == "ModelError"
    assert "/var/task/models/none" in caught.value.payload["errorMessage"]
