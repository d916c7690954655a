"""A small interpreter of the Amazon States Language: what infra/state_machine.asl.json uses, and an error for the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

DEFINITION = Path(__file__).parent.parent.parent / "infra" / "state_machine.asl.json"
LAMBDA = "arn:aws:states:::lambda:invoke"
KNOWN = {
    "Task": {"Resource", "Parameters", "ResultSelector", "ResultPath", "OutputPath", "Retry", "Catch", "Next", "End"},
    "Choice": {"Choices", "Default"},
    "Map": {
        "ItemReader", "MaxConcurrencyPath", "ToleratedFailurePercentage", "ItemProcessor", "ResultPath", "Catch", "Next",
    },
    "Pass": {"Result", "End"},
    "Succeed": set(),
    "Fail": {"Error"},
}  # fmt: skip
LONGEST = 262_144  # bytes of a state's input or output


class Failed(Exception):
    """The execution ended in a Fail state, or with an error that nothing caught."""


class StateMachine:
    """Runs a definition against a function and an S3 client. retries: of a failing task, none of which waits."""

    def __init__(self, invoke: Callable[[Any], Any], s3: Any, *, arn: str = "arn:the-function") -> None:
        self._invoke, self._s3, self._arn = invoke, s3, arn
        text = DEFINITION.read_text().replace("${FunctionArn}", arn)
        self._definition = json.loads(text)
        self.visited: list[str] = []

    def run(self, data: Any) -> Any:
        return self._states(self._definition, data)

    def _states(self, machine: dict[str, Any], data: Any) -> Any:
        name = machine["StartAt"]
        while True:
            state = machine["States"][name]
            self.visited.append(name)
            assert set(state) - {"Type", "Comment"} <= KNOWN[state["Type"]], (name, state)
            assert len(json.dumps(data)) <= LONGEST, f"States.DataLimitExceeded before {name}"
            if state["Type"] == "Succeed":
                return data
            if state["Type"] == "Fail":
                raise Failed(state["Error"])
            if state["Type"] == "Choice":
                name = next((one["Next"] for one in state["Choices"] if _holds(one, data)), state["Default"])
                continue
            try:
                data = self._step(state, data)
            except Exception as error:
                catch = next(iter(state.get("Catch", [])), None)
                if catch is None:
                    raise
                data = _placed(data, catch["ResultPath"], {"Error": type(error).__name__, "Cause": str(error)})
                name = catch["Next"]
                continue
            if state.get("End"):
                return data
            name = state["Next"]

    def _step(self, state: dict[str, Any], data: Any) -> Any:
        if state["Type"] == "Pass":
            return state["Result"]
        found = self._map(state, data) if state["Type"] == "Map" else self._task(state, data)
        if "ResultSelector" in state:
            found = _rendered(state["ResultSelector"], found)
        data = _placed(data, state.get("ResultPath", "$"), found)
        return _at(data, state.get("OutputPath", "$"))

    def _task(self, state: dict[str, Any], data: Any) -> Any:
        assert state["Resource"] == LAMBDA
        given = _rendered(state["Parameters"], data)
        assert given["FunctionName"] == self._arn
        attempts = state["Retry"][0]["MaxAttempts"] if state.get("Retry") else 0
        for left in reversed(range(attempts + 1)):
            try:
                return {"Payload": json.loads(json.dumps(self._invoke(json.loads(json.dumps(given["Payload"])))))}
            except Exception:
                if not left:
                    raise
        raise AssertionError

    def _map(self, state: dict[str, Any], data: Any) -> Any:
        reader, processor = state["ItemReader"], state["ItemProcessor"]
        assert reader["Resource"] == "arn:aws:states:::s3:getObject"
        assert reader["ReaderConfig"] == {"InputType": "JSON"}
        assert processor["ProcessorConfig"]["Mode"] == "DISTRIBUTED"
        assert state["ToleratedFailurePercentage"] == 0
        items = json.loads(self._s3.get_object(**_rendered(reader["Parameters"], data))["Body"].read())
        with ThreadPoolExecutor(min(_at(data, state["MaxConcurrencyPath"]), 4)) as pool:
            return list(pool.map(lambda item: self._states(processor, item), items))


def _holds(choice: dict[str, Any], data: Any) -> bool:
    assert set(choice) == {"Variable", "StringEquals", "Next"}
    return bool(_at(data, choice["Variable"]) == choice["StringEquals"])


def _at(data: Any, path: str) -> Any:
    for key in path.removeprefix("$").split(".")[1:]:
        data = data[key]
    return data


def _placed(data: Any, path: str | None, found: Any) -> Any:
    if path is None:
        return data
    if path == "$":
        return found
    assert path.count(".") == 1
    return {**data, path.removeprefix("$."): found}


def _rendered(template: Any, data: Any) -> Any:
    if not isinstance(template, dict):
        return template
    return {
        key.removesuffix(".$"): _at(data, value) if key.endswith(".$") else _rendered(value, data)
        for key, value in template.items()
    }
