"""The state machine for very large inputs: its definition by a schema, and what the template gives it."""

from __future__ import annotations

import json

from tests.infra.conftest import INFRA, run, tool
from tests.infra.resolving import resolve

DEFINITION = INFRA / "state_machine.asl.json"
FUNCTION = "arn:aws:lambda:eu-west-1:123456789012:function:scenescore"


def test_the_definition_is_valid():
    text = DEFINITION.read_text().replace("${FunctionArn}", FUNCTION)
    assert "is valid" in run(tool("asl-validator"), "--json-definition", text)


def test_a_broken_definition_is_not():
    broken = json.loads(DEFINITION.read_text().replace("${FunctionArn}", FUNCTION))
    del broken["States"][broken["StartAt"]]
    try:
        said = run(tool("asl-validator"), "--json-definition", json.dumps(broken))
    except AssertionError as error:
        said = str(error)
    assert "is valid" not in said


def test_it_calls_the_one_function_and_reads_one_object(plain):
    """What it may do, in test_iam, is what it does: nothing but invoke and read."""
    definition = json.loads(DEFINITION.read_text())
    tasks = [state for state in _states(definition) if state["Type"] == "Task"]
    assert {state["Resource"] for state in tasks} == {"arn:aws:states:::lambda:invoke"}
    assert {state["Parameters"]["FunctionName"] for state in tasks} == {"${FunctionArn}"}
    readers = [state["ItemReader"]["Resource"] for state in _states(definition) if state["Type"] == "Map"]
    assert readers == ["arn:aws:states:::s3:getObject"]
    machine = resolve(plain, {"EnableLargeInputs": "true"})["StateMachine"]["Properties"]
    assert machine["DefinitionSubstitutions"] == {"FunctionArn": "<Function.Arn>"}
    assert machine["StateMachineType"] == "STANDARD"
    assert json.loads(machine["DefinitionString"]) == definition


def test_every_task_is_tried_again_when_the_function_is_busy():
    for state in _states(json.loads(DEFINITION.read_text())):
        if state["Type"] == "Task":
            (retry,) = state["Retry"]
            assert "States.ALL" in retry["ErrorEquals"]
            assert retry["MaxAttempts"] >= 3


def test_the_function_is_told_where_it_is(plain):
    resources = resolve(plain, {"EnableLargeInputs": "true"})
    told = resources["Function"]["Properties"]["Environment"]["Variables"]
    name = resources["StateMachine"]["Properties"]["StateMachineName"]
    assert told["SCENESCORE_STATE_MACHINE"].endswith(f":stateMachine:{name}")
    assert told["SCENESCORE_SHARD_CONCURRENCY"] < plain["Parameters"]["FunctionConcurrency"]["Default"]
    unasked = resolve(plain, {})["Function"]["Properties"]["Environment"]["Variables"]
    assert not {"SCENESCORE_STATE_MACHINE", "SCENESCORE_SHARD_ABOVE_BYTES"} & set(unasked)


def _states(machine):
    for state in machine["States"].values():
        yield state
        if "ItemProcessor" in state:
            yield from _states(state["ItemProcessor"])
