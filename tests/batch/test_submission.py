"""An uploaded manifest of videos -> an array job and the job that depends on it, on moto's AWS Batch."""

from __future__ import annotations

import json

import boto3
import pytest

from handler import storage
from handler.aws import _calls
from handler.batch_task import main
from handler.errors import SettingsError, StorageError
from handler.events import answer_direct, handle_messages, handle_uploads
from handler.jobs import Clock
from handler.jobs import _videos as batch
from handler.settings import Settings
from tests.batch.videos import essence, manifest
from tests.events.test_events import eventbridge, notification
from tests.s3_fixtures import BUCKET

QUEUE, DETECT, REDUCE = "videos", "detect-videos", "reduce-videos"


@pytest.fixture
def site(moto_server, use, folder, monkeypatch):
    """moto as S3 and Batch, with a queue and two job definitions; calls to Batch are written down."""
    from moto.core.config import default_user_config

    monkeypatch.setitem(default_user_config, "batch", {"use_docker": False})
    use(moto_server)
    _calls._client.cache_clear()
    region = {"endpoint_url": moto_server.endpoint, "region_name": "us-east-1"}
    client = boto3.client("batch", aws_access_key_id="a", aws_secret_access_key="b", **region)
    if not client.describe_job_queues(jobQueues=[QUEUE])["jobQueues"]:
        _make_queue(client, boto3.client("iam", aws_access_key_id="a", aws_secret_access_key="b", **region))
    settings = Settings(
        model=None,  # no text is encoded here
        output=f"{folder}/out",
        inputs=(f"{folder}/in",),
        job_queue=QUEUE,
        detect_job=DETECT,
        reduce_job=REDUCE,
    )
    sent = []
    ours = _calls._client("batch")
    ours.meta.events.register("provide-client-params.batch.SubmitJob", lambda params, **_: sent.append(dict(params)))
    yield settings, sent, client
    _calls._client.cache_clear()


def _make_queue(client, iam):
    trust = {"Version": "2012-10-17", "Statement": []}
    role = iam.create_role(RoleName="batch", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    made = client.create_compute_environment(
        computeEnvironmentName="gpus", type="UNMANAGED", state="ENABLED", serviceRole=role
    )
    order = [{"order": 1, "computeEnvironment": made["computeEnvironmentArn"]}]
    client.create_job_queue(jobQueueName=QUEUE, state="ENABLED", priority=1, computeEnvironmentOrder=order)
    for name in (DETECT, REDUCE):
        container = {"image": "scenescore", "vcpus": 1, "memory": 1024}
        client.register_job_definition(jobDefinitionName=name, type="container", containerProperties=container)


def put_manifest(settings, n=130, name="videos.csv"):
    text = "video,prompt\n" + "".join(f"clips/{number}.mp4,a dog\n" for number in range(n))
    storage.write_bytes(f"{settings.inputs[0]}/{name}", text.encode())
    return f"{settings.inputs[0]}/{name}".removeprefix(f"s3://{BUCKET}/")


def environment_of(job):
    return {one["name"]: one["value"] for one in job["containerOverrides"]["environment"]}


def test_an_uploaded_manifest_becomes_two_jobs(site):
    settings, sent, client = site
    key = put_manifest(settings)
    (status,) = handle_uploads("s3", notification(key), settings, Clock())
    array, last = sent
    assert (status["state"], status["location"]) == ("queued", None)
    assert status["reason"].startswith("AWS Batch looks at the videos: 130 in 3 tasks")
    assert json.loads(storage.read_bytes(f"{settings.output}/_evaluations/{status['id']}.json"))["state"] == "queued"
    assert array["jobName"] == f"scenescore-{status['id']}-detect"
    assert last["jobName"] == f"scenescore-{status['id']}-reduce"
    assert (array["jobQueue"], array["jobDefinition"], last["jobDefinition"]) == (QUEUE, DETECT, REDUCE)
    assert array["arrayProperties"] == {"size": 3}
    assert "arrayProperties" not in last
    retry = {"attempts": 5, "evaluateOnExit": [{"onExitCode": "2", "action": "EXIT"}]}
    assert array["retryStrategy"] == last["retryStrategy"] == retry
    assert array["timeout"] == {"attemptDurationSeconds": 1800 + 120 * 44}
    assert last["timeout"] == {"attemptDurationSeconds": 7200}
    jobs = {
        one["jobName"]: one["jobId"].partition(":")[0]
        for one in client.list_jobs(jobQueue=QUEUE, filters=named(array))["jobSummaryList"]
    }
    assert last["dependsOn"] == [{"jobId": jobs[array["jobName"]]}]
    assert environment_of(array) == environment_of(last)
    assert environment_of(array)["SCENESCORE_ARRAY_SIZE"] == "3"
    assert environment_of(array)["SCENESCORE_MANIFEST"] == f"{settings.inputs[0]}/videos.csv"


def named(job):
    return [{"name": "JOB_NAME", "values": [job["jobName"]]}]


def test_the_same_event_submits_once(site):
    settings, sent, _ = site
    key = put_manifest(settings, 5)
    etag = storage.stat(f"s3://{BUCKET}/{key}").etag
    first = handle_uploads("s3", notification(key, etag=etag), settings, Clock())
    for _ in range(3):
        assert handle_uploads("eventbridge", eventbridge(key, etag=etag), settings, Clock()) == first
    assert len(sent) == 2
    assert "arrayProperties" not in sent[0], "one task is no array"


def test_jobs_are_found_where_the_status_was_lost(site):
    """The function may die between submitting and writing it down."""
    settings, sent, _ = site
    key = put_manifest(settings, 5)
    (first,) = handle_uploads("s3", notification(key), settings, Clock())
    storage.delete(f"{settings.output}/_evaluations/{first['id']}.json")
    (again,) = handle_uploads("s3", notification(key), settings, Clock())
    assert again["reason"] == first["reason"]
    assert len(sent) == 2


def test_where_batch_does_not_answer_the_message_comes_again(site):
    settings, _, _ = site
    key = put_manifest(settings, 5)
    broken = Settings(**{**{name: getattr(settings, name) for name in settings.__slots__}, "detect_job": "nowhere"})
    body = json.dumps(notification(key))
    record = {"eventSource": "aws:sqs", "messageId": "m", "body": body}
    assert handle_messages({"Records": [record]}, broken, Clock()) == {"batchItemFailures": [{"itemIdentifier": "m"}]}
    with pytest.raises(StorageError, match="batch submit_job failed"):
        handle_uploads("s3", notification(key), broken, Clock())
    (status,) = handle_uploads("s3", notification(key), settings, Clock())
    assert status["state"] == "queued"


def test_a_sidecar_says_how_and_a_direct_invoke_waits_for_nobody(site):
    settings, sent, _ = site
    put_manifest(settings, 2)
    request = {"input": "videos.csv", "metrics": ["vbench.color"], "mode": "compat:vbench"}
    sidecar = f"{settings.inputs[0]}/videos.scenescore.json"
    storage.write_bytes(sidecar, json.dumps(request).encode())
    (status,) = handle_uploads("s3", notification(sidecar.removeprefix(f"s3://{BUCKET}/")), settings, Clock())
    parked = json.loads(storage.read_bytes(environment_of(sent[0])["SCENESCORE_JOB"]))
    assert (parked["id"], parked["request"]["mode"]) == (status["id"], "compat:vbench")
    reply = answer_direct({"input": f"{settings.inputs[0]}/videos.csv"}, settings, Clock.of_seconds(60))
    assert (reply["state"], reply["report"], len(sent)) == ("queued", None, 4)


def test_a_manifest_without_a_video_is_told(site):
    settings, sent, _ = site
    storage.write_bytes(f"{settings.inputs[0]}/videos.csv", b"video,prompt\n,a dog\n")
    key = f"{settings.inputs[0]}/videos.csv".removeprefix(f"s3://{BUCKET}/")
    (status,) = handle_uploads("s3", notification(key), settings, Clock())
    assert (status["state"], sent) == ("failed", [])
    assert "no video in this input" in json.loads(storage.read_bytes(f"{status['location']}/error.json"))["message"]


def test_the_tasks_finish_what_was_submitted(site, clips, tiny_grit, undisturbed, monkeypatch):
    """With the environment that Batch would give them."""
    settings, sent, _ = site
    monkeypatch.setattr(batch, "VIDEOS_EACH", 3)
    for path in (clips / "clips").iterdir():
        storage.write_bytes(f"{settings.inputs[0]}/clips/{path.name}", path.read_bytes())
    storage.write_bytes(f"{settings.inputs[0]}/videos.csv", manifest().encode())
    key = f"{settings.inputs[0]}/videos.csv".removeprefix(f"s3://{BUCKET}/")
    (status,) = handle_uploads("s3", notification(key), settings, Clock())
    for name, value in {**environment_of(sent[0]), "SCENESCORE_INPUTS": settings.inputs[0]}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SCENESCORE_DETECTOR", str(tiny_grit))
    for index in range(sent[0]["arrayProperties"]["size"]):
        monkeypatch.setenv("AWS_BATCH_JOB_ARRAY_INDEX", str(index))
        assert main(["--threads", "1"]) == 0
    monkeypatch.delenv("AWS_BATCH_JOB_ARRAY_INDEX")
    assert main(["reduce", "--threads", "1"]) == 0
    (done,) = handle_uploads("s3", notification(key), settings, Clock())
    assert (done["id"], done["state"], done["n_samples"]) == (status["id"], "done", 7)
    assert essence(done["location"], storage.read_bytes) == undisturbed.essence
    assert not list(storage.list_objects(f"{settings.output}/_requests/"))
    again = {"input": f"{settings.inputs[0]}/videos.csv", "detections": f"{settings.output}/_detections"}
    monkeypatch.delenv("SCENESCORE_DETECTOR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/nowhere")
    reply = answer_direct({**again, "metrics": ["vbench.object_class"]}, settings, Clock.of_seconds(60))
    overall, whole = (
        one["metrics"]["vbench.object_class"]["overall"] for one in (reply["report"], undisturbed.essence[0])
    )
    figures = ("score", "n_scored", "n_frames", "n_frames_right")
    assert [overall[name] for name in figures] == [whole[name] for name in figures], "the function scores them itself"
    assert overall["skipped"]["missing_detections"] == 1, "nobody looks whether a video without detections is one"
    assert len(sent) == 2


def test_detections_are_read_where_requests_may_read(site):
    settings, _, _ = site
    put_manifest(settings, 2)
    for elsewhere in (f"s3://{BUCKET}/elsewhere", f"{settings.output}/../elsewhere", "/etc"):
        request = {"input": f"{settings.inputs[0]}/videos.csv", "detections": elsewhere}
        assert answer_direct(request, settings, Clock.of_seconds(60))["status"] == 403


def test_a_task_that_cannot_succeed_ends_the_job(site, monkeypatch, tmp_path):
    settings, sent, _ = site
    key = put_manifest(settings, 2)
    (status,) = handle_uploads("s3", notification(key), settings, Clock())
    for name, value in {**environment_of(sent[0]), "SCENESCORE_INPUTS": settings.inputs[0]}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SCENESCORE_DETECTOR", str(tmp_path / "nowhere"))
    assert main([]) == 2
    left = json.loads(storage.read_bytes(f"{settings.output}/_evaluations/{status['id']}.json"))
    assert left["state"] == "failed"
    assert storage.stat(f"{left['location']}/error.json")
    monkeypatch.setenv("SCENESCORE_MAX_ATTEMPTS", "5")


def test_half_of_batch_is_refused(monkeypatch):
    monkeypatch.setenv("SCENESCORE_JOB_QUEUE", QUEUE)
    with pytest.raises(SettingsError, match="SCENESCORE_DETECT_JOB is not set"):
        Settings.from_environment()
