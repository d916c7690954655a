"""A large upload goes to the state machine, whose steps leave what an evaluation in one piece leaves."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace

import pytest

from handler import aws, lambda_handler, storage
from handler.aws import _calls
from handler.errors import ForbiddenError, RequestError
from handler.evaluation import EvaluationRequest, Machine, _run, run
from handler.jobs import _steps
from handler.settings import DEFAULT_SHARD_CONCURRENCY
from tests.aws import events
from tests.aws.state_machine import DEFINITION, Failed, StateMachine
from tests.evaluation.shard_files import close, lines
from tests.s3_fixtures import BUCKET

pytestmark = pytest.mark.model

ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:scenescore"


@pytest.fixture
def place(weed, folder, model, monkeypatch):
    """An installation with a state machine whose executions are kept in a list: location of the inputs, executions."""
    for name, value in {
        "MODEL": str(model),
        "INPUTS": f"{folder}/in",
        "OUTPUT": f"{folder}/out",
        "STATE_MACHINE": ARN,
        "SHARD_ABOVE_BYTES": "1000",
        "SHARD_SAMPLES": "40",
    }.items():
        monkeypatch.setenv(f"SCENESCORE_{name}", value)
    lambda_handler._settings.cache_clear()
    started = []
    monkeypatch.setattr(aws, "start_execution", lambda *what: started.append(json.loads(json.dumps(what))))
    yield SimpleNamespace(inputs=f"{folder}/in", output=f"{folder}/out", started=started, s3=weed)
    lambda_handler._settings.cache_clear()


def invoke(event, *, hurry=False):
    """hurry: time is up as soon as the function looks at the clock again."""
    left = iter([3000])
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: next(left, 0) if hurry else 900_000)
    return lambda_handler.lambda_handler(event, context)


def upload(place, name="a.jsonl", data=None):
    at = f"{place.inputs}/{name}"
    storage.write_bytes(at, data if data is not None else "\n".join(lines()).encode())
    key = at.removeprefix(f"s3://{BUCKET}/")
    return events.Upload(BUCKET, key, storage.stat(at).etag)


def send(place, one):
    return invoke(events.eventbridge_created(one))["evaluations"]


def sidecar(place, one, **fields):
    request = {"input": one.key.rsplit("/", 1)[-1], "max_error_rate": 0.5, "group_by": ["odd"], **fields}
    storage.write_bytes(f"{one.location}.scenescore.json", json.dumps(request).encode())


def test_an_upload_in_three_shards_is_what_one_piece_is(place, tmp_path, model):
    one = upload(place)
    sidecar(place, one)
    for _ in range(2):  # the same event twice
        (status,) = send(place, one)
        assert (status["state"], status["reason"]) == ("queued", "scored in shards")
    (arn, name, message), again = place.started
    assert [arn, name, message] == again
    assert (arn, name) == (ARN, status["id"])
    machine = StateMachine(invoke, place.s3)
    done = machine.run(message)
    assert machine.visited.count("ScoreShard") == 3
    (tmp_path / "a.jsonl").write_bytes(storage.read_bytes(one.location))
    request = EvaluationRequest(
        input=str(tmp_path / "a.jsonl"), output=str(tmp_path / "out"), max_error_rate=0.5, group_by=["odd"]
    )
    whole = run(request, Machine(model=model))
    for file in ("samples.jsonl", "errors.jsonl"):
        assert storage.read_bytes(f"{done['location']}/{file}") == storage.read_bytes(f"{whole.location}/{file}")
    report = json.loads(storage.read_bytes(f"{done['location']}/report.json"))
    for key in ("metrics", "counts", "warnings", "signature"):
        assert close(report[key], json.loads(json.dumps(whole[key]))), key
    left = [info.location.removeprefix(f"{place.output}/") for info in storage.list_objects(f"{place.output}/")]
    assert sorted(name.rsplit("/", 1)[-1] for name in left if not name.startswith("_")) == [
        "errors.jsonl", "latest.json", "report.html", "report.json", "samples.jsonl",
    ]  # fmt: skip
    (status,) = send(place, one)  # a late copy of the event finds the result
    assert (status["state"], status["location"], len(place.started)) == ("done", done["location"], 2)


def test_a_step_done_twice_or_cut_short_changes_nothing(place, monkeypatch):
    monkeypatch.setattr(_run, "CHUNK", 8)
    one = upload(place)
    sidecar(place, one)
    send(place, one)
    message = place.started[0][2]
    expected = StateMachine(invoke, place.s3).run(message)
    rows = storage.read_bytes(f"{expected['location']}/samples.jsonl")
    for info in list(storage.list_objects(f"{place.output}/")):
        storage.delete(info.location)
    calls, lock = {}, threading.Lock()

    def shaky(event):
        """Every call is made twice, the first of each fails after its work, and shards have no time to spare."""
        with lock:
            n = calls[json.dumps(event)] = calls.get(json.dumps(event), 0) + 1
        answer = invoke(event, hurry=event["schema"] == "scenescore.map/1")
        if n == 1:
            raise RuntimeError("the answer was lost")
        return answer

    machine = StateMachine(shaky, place.s3)
    done = machine.run(message)
    assert machine.visited.count("ScoreShard") > 3
    assert done == expected
    assert storage.read_bytes(f"{done['location']}/samples.jsonl") == rows


def test_small_uploads_and_those_without_a_model_are_scored_at_once(place):
    small = upload(place, "small.jsonl", b'{"answer": "A dog.", "reference": "A dog."}')
    assert [one["state"] for one in send(place, small)] == ["done"]
    row = json.dumps({"hypothesis": "hello world", "reference": "hello the world"})
    large = upload(place, "large.jsonl", "\n".join([row] * 200).encode())
    assert [one["state"] for one in send(place, large)] == ["done"]
    assert place.started == []


def test_what_cannot_be_read_fails_in_the_plan(place):
    one = upload(place)  # four of its items are broken, and nothing allows for it
    (status,) = send(place, one)
    answer = StateMachine(invoke, place.s3).run(place.started[0][2])
    assert answer["state"] == "failed"
    assert json.loads(storage.read_bytes(f"{answer['location']}/error.json"))["code"] == "unreadable_input"
    known = json.loads(storage.read_bytes(f"{place.output}/_evaluations/{status['id']}.json"))
    assert (known["state"], known["location"]) == ("failed", answer["location"])


def test_a_machine_that_gives_up_says_so_and_the_next_event_starts_another(place):
    one = upload(place)
    sidecar(place, one)
    send(place, one)

    def broken(event):
        if event.get("shard") == 1:
            raise RuntimeError("no more memory")
        return invoke(event)

    with pytest.raises(Failed):
        StateMachine(broken, place.s3).run(place.started[0][2])
    known = [json.loads(storage.read_bytes(i.location)) for i in storage.list_objects(f"{place.output}/_evaluations/")]
    assert [(status["state"], status["reason"]) for status in known] == [("failed", "no more memory")]
    send(place, one)
    assert [name for _, name, _ in place.started] == [known[0]["id"], f"{known[0]['id']}-1"]
    machine = StateMachine(invoke, place.s3)
    assert machine.run(place.started[1][2])["state"] == "done"


@pytest.mark.parametrize(
    ("event", "error"),
    [
        ({"schema": "scenescore.map/1", "plan": "s3://elsewhere/out/shards/x", "shard": 0}, ForbiddenError),
        ({"schema": "scenescore.map/1", "plan": "OUT/../in/x", "shard": 0}, ForbiddenError),
        ({"schema": "scenescore.map/1", "plan": "OUT/x", "shard": "0"}, RequestError),
        ({"schema": "scenescore.map/1", "plan": "OUT/x", "shard": 0}, storage.NotFoundError),
        ({"schema": "scenescore.reduce/1", "plan": "OUT/x", "result": "OUT/y", "id": "a"}, storage.NotFoundError),
        ({"schema": "scenescore.reduce/1", "plan": "OUT/x", "id": "a"}, RequestError),
        ({"schema": "scenescore.failed/1", "id": "../x"}, RequestError),
        ({"schema": "scenescore.plan/1"}, RequestError),
        ({"schema": "scenescore.plan/1", "request": {"input": "s3://elsewhere/a.jsonl"}}, ForbiddenError),
    ],
)
def test_steps_that_name_something_else_are_refused(place, event, error):
    event = {
        key: value.replace("OUT", place.output) if isinstance(value, str) else value for key, value in event.items()
    }
    with pytest.raises(error):
        invoke(event)


def test_a_plan_can_be_asked_for_directly(place):
    one = upload(place)
    answer = invoke({"schema": "scenescore.plan/1", "request": {"input": one.location, "max_error_rate": 0.5}})
    assert (answer["state"], answer["n_shards"], answer["concurrency"]) == ("planned", 3, DEFAULT_SHARD_CONCURRENCY)
    assert _steps.STEPS.keys() >= {"scenescore.plan/1", "scenescore.map/1", "scenescore.reduce/1"}


def test_the_same_name_starts_one_execution(moto_server, use, monkeypatch):
    """Against moto's Step Functions: a name that is taken is not an error, an unknown machine is."""
    use(moto_server, AWS_ENDPOINT_URL_SFN=moto_server.endpoint)
    _calls._client.cache_clear()
    client = _calls._client("stepfunctions")
    definition = DEFINITION.read_text().replace("${FunctionArn}", "arn:aws:lambda:us-east-1:123456789012:function:f")
    role = "arn:aws:iam::123456789012:role/r"
    arn = client.create_state_machine(name="scenescore", definition=definition, roleArn=role)["stateMachineArn"]
    for _ in range(3):
        aws.start_execution(arn, "job", {"a": 1})
    assert [one["name"] for one in client.list_executions(stateMachineArn=arn)["executions"]] == ["job"]
    with pytest.raises(_calls.CallError, match="stepfunctions start_execution failed"):
        aws.start_execution(f"{arn}x", "job", {})
    client.close()
    _calls._client.cache_clear()


def test_the_gates_of_a_request_are_held_against_its_report(place, monkeypatch):
    told = []
    monkeypatch.setenv("SCENESCORE_EVENT_BUS", "bus")
    monkeypatch.setattr(aws, "put_event", lambda bus, kind, detail: told.append((kind, detail.get("passed"))))
    lambda_handler._settings.cache_clear()
    one = upload(place)
    sidecar(place, one, fail_if=["vision.similarity.mean_similarity < 0.99"])
    send(place, one)
    assert StateMachine(invoke, place.s3).run(place.started[0][2])["state"] == "done"
    assert told == [("Gates Checked", False), ("Evaluation Finished", None)]
