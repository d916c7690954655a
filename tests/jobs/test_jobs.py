"""One job, whoever was told to do it and however often."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import orjson
import pytest

from handler import aws, storage
from handler.errors import ForbiddenError, InternalError, OutOfTimeError, RequestError, SettingsError
from handler.evaluation import EvaluationRequest, _run
from handler.jobs import (
    BusyError,
    Clock,
    Status,
    answer,
    check_locations,
    job_of_message,
    make_job,
    perform,
    problem,
    read_status,
    submit,
)
from handler.jobs import _perform as perform_module
from handler.jobs._status import claim, settle
from handler.settings import Settings
from handler.storage import TransientStorageError
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model

FRAME = {"answer": "A dog runs.", "reference": "A dog is running."}


@pytest.fixture
def settings(model, tmp_path):
    return Settings(model=model, output=str(tmp_path / "out"))


@pytest.fixture
def queue(settings, monkeypatch):
    """A queue that keeps what it is sent (the real one is moto's, in tests/aws)."""
    sent = []
    monkeypatch.setattr(aws, "send_message", lambda url, body: sent.append(orjson.loads(orjson.dumps(body))))
    return replace(settings, queue_url="https://queue"), sent


def test_a_job_is_named_by_what_it_asks_for(settings, tmp_path):
    path = tmp_path / "frames.json"
    path.write_bytes(EXAMPLE.read_bytes())
    names = {
        make_job(EvaluationRequest(**fields), settings, etag=etag).id
        for fields in ({"input": str(path)}, {"input": str(path), "threshold": 0.6}, {"sessions": [FRAME]})
        for etag in ("a", "b")
    }
    assert len(names) == 6
    again = make_job(EvaluationRequest(input=str(path), wait=False), settings, etag="a").id
    assert again in names


def test_done_once_is_done(settings):
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    status, report = perform(job, settings, Clock())
    assert (status.state, status.attempts, status.n_samples) == ("done", 1, 1)
    again, same = perform(job, settings, Clock())
    assert again == read_status(job.id, settings) == replace(status, updated=again.updated)
    assert dict(same) == dict(report)
    assert same.already_done


def test_user_errors_finish_the_job(settings, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    for request in (EvaluationRequest(input=str(broken)), EvaluationRequest(input=str(tmp_path / "none.json"))):
        job = make_job(request, settings, etag="e1")
        status, report = perform(job, settings, Clock())
        assert (status.state, report) == ("failed", None)
        document = orjson.loads(storage.read_bytes(f"{status.location}/error.json"))
        assert document["code"] in ("unreadable_input", "not_found")
        assert read_status(job.id, settings).reason == status.reason
    broken.write_bytes(EXAMPLE.read_bytes())
    assert (
        perform(make_job(EvaluationRequest(input=str(broken)), settings, etag="e1"), settings, Clock())[0].state
        == "done"
    )


def test_what_may_pass_is_raised_until_the_last_try(settings, monkeypatch):
    def throttled(*arguments, **options):
        raise TransientStorageError("slow down", file="s3://b/k")

    monkeypatch.setattr(perform_module, "run", throttled)
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    with pytest.raises(TransientStorageError):
        perform(job, settings, Clock())
    assert read_status(job.id, settings).state == "queued"
    status, _ = perform(job, settings, Clock(), last_try=True)
    assert (status.state, status.attempts) == ("failed", 2)
    assert "slow down" in orjson.loads(storage.read_bytes(f"{status.location}/error.json"))["message"]


def test_our_own_fault_gives_the_claim_up(settings, monkeypatch):
    monkeypatch.setattr(perform_module, "run", lambda *_: 1 / 0)
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    with pytest.raises(InternalError, match="ZeroDivisionError"):
        perform(job, settings, Clock())
    monkeypatch.undo()
    assert perform(job, settings, Clock())[0].state == "done"


def test_a_lease_keeps_others_away_until_it_runs_out(settings):
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    claim(Status(job.id, "queued"), settings.output, 0.3)
    with pytest.raises(BusyError):
        perform(job, settings, Clock())
    time.sleep(0.35)
    assert perform(job, settings, Clock())[0].attempts == 2


def test_many_workers_one_computation(settings):
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    ends = []

    def work():
        try:
            ends.append(perform(job, settings, Clock())[0].state)
        except BusyError:
            ends.append("busy")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(ends) <= {"done", "busy"}
    assert "done" in ends
    assert read_status(job.id, settings).attempts == 1


def test_results_do_not_go_away(settings):
    settle(Status("x1", "done", location="here"), settings.output)
    assert settle(Status("x1", "failed"), settings.output).state == "done"
    assert read_status("x1", settings).location == "here"
    assert read_status("unknown", settings) is None
    assert read_status("../x1", settings) is None


def test_long_work_goes_through_the_queue_and_on(queue, monkeypatch):
    settings, sent = queue
    monkeypatch.setattr(_run, "CHUNK", 2)
    request = EvaluationRequest(sessions=[{**FRAME, "qa_id": str(n)} for n in range(9)], wait=False)
    code, body = answer(request, settings, Clock())
    assert (code, body["state"], len(sent)) == (202, "queued", 1)
    assert answer(request, settings, Clock())[1]["id"] == body["id"]
    stops = 0
    while sent:
        status, _ = perform(
            job_of_message(sent.pop(), settings), settings, Clock.of_seconds(60, margin=61 if stops < 3 else 0)
        )
        stops += 1
    # Asked twice, queued twice: three runs stop early, one finishes, and the second message finds it done.
    assert (status.state, status.n_samples, stops) == ("done", 9, 5)
    assert read_status(body["id"], settings).state == "done"
    assert submit(make_job(request, settings), settings).state == "done"
    assert sent == []


def test_large_bodies_are_parked_and_forgotten(queue):
    settings, sent = queue
    request = EvaluationRequest(sessions=[{**FRAME, "note": "x" * 200_000}], wait=False)
    answer(request, settings, Clock())
    assert sent[0].keys() == {"schema", "id", "etag", "sequencer", "request_at"}
    assert perform(job_of_message(sent[0], settings), settings, Clock())[0].state == "done"
    assert storage.stat(sent[0]["request_at"]) is None
    with pytest.raises(RequestError, match="damaged"):
        job_of_message({"schema": "scenescore.job/1"}, settings)


def test_a_parked_body_that_is_gone_is_no_poison(queue):
    settings, sent = queue
    request = EvaluationRequest(sessions=[{**FRAME, "note": "x" * 200_000}], wait=False)
    answer(request, settings, Clock())
    answer(request, settings, Clock())
    assert perform(job_of_message(sent[0], settings), settings, Clock())[0].state == "done"
    assert job_of_message(sent[1], settings) is None
    with pytest.raises(storage.NotFoundError):
        job_of_message({**sent[1], "id": "somebodyelse"}, settings)


@pytest.mark.parametrize(
    "change", [{"id": ""}, {"id": "../../in/x"}, {"request": {"sessions": [], "output": "/elsewhere"}}]
)
def test_messages_that_lead_elsewhere_are_damaged(queue, change):
    settings, sent = queue
    answer(EvaluationRequest(sessions=[FRAME], wait=False), settings, Clock())
    with pytest.raises(RequestError, match="damaged"):
        job_of_message({**sent[0], **change}, settings)


def test_a_wrong_request_leaves_the_result_of_another_alone(settings, tmp_path):
    path = tmp_path / "frames.json"
    path.write_bytes(EXAMPLE.read_bytes())
    good = EvaluationRequest(input=str(path))
    done, _ = perform(make_job(good, settings, etag="e1"), settings, Clock())
    for wrong in (
        {"references": str(tmp_path / "typo.json")},
        {"questions": str(tmp_path / "q")},
        {"sessions": [FRAME]},
    ):
        job = make_job(EvaluationRequest(input=str(path), **wrong), settings, etag="e1")
        status, _ = perform(job, settings, Clock())
        assert (status.state, status.location == done.location) == ("failed", False)
        assert storage.stat(f"{status.location}/error.json") is not None
    assert perform(make_job(good, settings, etag="e1"), settings, Clock())[1].already_done
    assert storage.stat(f"{done.location}/error.json") is None


@pytest.mark.parametrize("damage", [None, b'{"schema": "scene'])
def test_a_result_that_is_gone_or_torn_is_made_again(settings, damage):
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    status, report = perform(job, settings, Clock())
    location = f"{status.location}/report.json"
    storage.delete(location) if damage is None else storage.write_bytes(location, damage)
    again, same = perform(job, settings, Clock())
    assert (again.state, again.attempts, same["metrics"]) == ("done", 2, report["metrics"])


@pytest.mark.parametrize("damage", [b"{}", b"[]", b"null", b'{"schema": "x", "id": 1}', b"{torn"])
def test_a_damaged_status_is_no_status(settings, damage):
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    storage.write_bytes(f"{settings.output}/_evaluations/{job.id}.json", damage)
    assert read_status(job.id, settings) is None
    assert perform(job, settings, Clock())[0].state == "done"


def test_a_prefix_is_named_by_what_lies_under_it(weed, folder, model):
    settings = Settings(model=model, output=f"{folder}/out")
    for n in (1, 2):
        storage.write_bytes(f"{folder}/in/{n}.json", orjson.dumps([FRAME]))
        status, _ = perform(make_job(EvaluationRequest(input=f"{folder}/in/"), settings), settings, Clock())
        assert status.n_samples == n


def test_no_time_and_no_queue_is_said(settings):
    job = make_job(EvaluationRequest(sessions=[FRAME]), settings)
    with pytest.raises(OutOfTimeError, match="no queue"):
        perform(job, settings, Clock.of_seconds(60, margin=61))


def test_replies(settings):
    code, body = answer(EvaluationRequest(sessions=[FRAME]), settings, Clock())
    assert (code, body["state"], len(body["samples"])) == (200, "done", 1)
    many = [{**FRAME, "session_id": f"s{n}", "note": "x" * 100} for n in range(12_000)]
    code, body = answer(EvaluationRequest(sessions=many), settings, Clock())
    assert (code, body["samples"]) == (200, None)
    assert len(orjson.dumps(body)) < 6_000_000
    assert body["report"]["warnings"][-1]["code"] == "reply_cut"


@pytest.mark.parametrize(
    ("location", "allowed"),
    [
        ("s3://b/in/x.json", True),
        ("s3://b/in", True),
        ("s3://b/in-evil/x.json", False),
        ("s3://c/in/x.json", False),
        ("/etc/passwd", False),
        ("file:///etc/passwd", False),
        ("s3://b/../b/in/x", False),
    ],
)
def test_requests_reach_only_what_is_open(location, allowed):
    settings = Settings(model=None, output="s3://b/out", inputs=("s3://b/in/",))
    request = EvaluationRequest(input=location)
    if allowed:
        check_locations(request, settings)
    else:
        with pytest.raises(ForbiddenError, match="not open") as caught:
            check_locations(request, settings)
        assert problem(caught.value)["status"] == 403
    for output in ("s3://b/elsewhere", "s3://b/out/../in", "s3://b/out/_evaluations", "s3://b/out/_requests/x"):
        with pytest.raises(ForbiddenError):
            check_locations(EvaluationRequest(sessions=[], output=output), settings)


@pytest.mark.parametrize(
    ("inputs", "output"),
    [("s3://b/x", "s3://b/x/out"), ("s3://b/x/in", "s3://b/x"), ("s3://b", "s3://b/out"), ("local", "o")],
)
def test_settings_that_would_trigger_themselves_are_refused(inputs, output, monkeypatch):
    monkeypatch.setenv("SCENESCORE_INPUTS", inputs)
    monkeypatch.setenv("SCENESCORE_OUTPUT", output)
    with pytest.raises(SettingsError, match=r"SCENESCORE_INPUTS|would themselves be inputs"):
        Settings.from_environment()
