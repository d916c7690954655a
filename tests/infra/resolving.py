"""What a template comes to for given parameters: conditions decided, references to parameters filled in.

References to resources stay, as `<Name>` and `<Name.Attribute>`. Written apart from the construct, which it checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Template", "differences", "is_left_out", "resolve", "statements"]

Template = dict[str, Any]
_ABSENT = object()


def resolve(template: Template, parameters: Mapping[str, Any], rename: Mapping[str, str] | None = None) -> Template:
    """Resources by name, with Type, Properties and the attributes that AWS acts on. rename: names of resources."""
    return _Resolver(template, parameters, rename or {}).resources()


class _Resolver:
    def __init__(self, template: Template, parameters: Mapping[str, Any], rename: Mapping[str, str]) -> None:
        known = template.get("Parameters", {})
        self._values = {name: parameters.get(name, one.get("Default")) for name, one in known.items()}
        for name, one in known.items():
            if one["Type"] == "CommaDelimitedList" and isinstance(self._values[name], str):
                self._values[name] = self._values[name].split(",")
        self._template, self._rename = template, rename

    def resources(self) -> Template:
        kept = ("Type", "Properties", "DeletionPolicy", "UpdateReplacePolicy", "UpdatePolicy")
        return {
            self._rename.get(name, name): {key: self._value(one[key]) for key in kept if key in one}
            for name, one in self._template["Resources"].items()
            if "Condition" not in one or self._holds(one["Condition"])
        }

    def _holds(self, condition: str) -> bool:
        return bool(self._value(self._template["Conditions"][condition]))

    def _value(self, part: Any) -> Any:
        if isinstance(part, list):
            return [value for value in map(self._value, part) if value is not _ABSENT]
        if not isinstance(part, dict):
            return part
        if len(part) == 1:
            ((function, argument),) = part.items()
            if function == "Ref":
                return _ABSENT if argument == "AWS::NoValue" else self._reference(argument)
            if function.startswith("Fn::"):
                return self._call(function.removeprefix("Fn::"), argument)
        values = {key: self._value(value) for key, value in part.items()}
        return {key: value for key, value in values.items() if value is not _ABSENT}

    def _call(self, function: str, argument: Any) -> Any:
        if function == "If":
            return self._value(argument[1] if self._holds(argument[0]) else argument[2])
        if function == "GetAtt":
            name, attribute = argument.split(".", 1) if isinstance(argument, str) else argument
            return f"<{self._rename.get(name, name)}.{attribute}>"
        if function == "Sub":
            text, own = (argument, {}) if isinstance(argument, str) else argument
            return re.sub(r"\$\{([^}!]+)\}", lambda found: self._named(found[1], own), text)
        if function == "Join":
            return argument[0].join(map(str, self._value(argument[1])))
        if function == "Equals":
            left, right = self._value(argument)
            return str(left) == str(right)
        if function == "Not":
            return not self._value(argument[0])
        raise NotImplementedError(function)

    def _named(self, name: str, own: Mapping[str, Any]) -> str:
        if name in own:
            return str(self._value(own[name]))
        resource, dot, attribute = name.partition(".")
        return str(self._reference(name)) if not dot else f"<{self._rename.get(resource, resource)}.{attribute}>"

    def _reference(self, name: str) -> Any:
        return self._values[name] if name in self._values else f"<{self._rename.get(name, name)}>"


def differences(left: Any, right: Any, at: str = "") -> Iterator[str]:
    """Where two structures differ. Texts that hold JSON are compared as JSON; numbers and their texts are alike."""
    left, right = _read(left), _read(right)
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            if key in left and key in right:
                yield from differences(left[key], right[key], f"{at}/{key}")
            else:
                yield f"{at}/{key} only on the {'left' if key in left else 'right'}"
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for n, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from differences(one, other, f"{at}[{n}]")
    elif left != right and str(left).lower() != str(right).lower():
        yield f"{at}: {left!r} and {right!r}"


def _read(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def statements(resources: Template) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every statement of every policy, with the name of the resource that it belongs to."""
    for name, resource in resources.items():
        for document in _documents(resource["Properties"]):
            for statement in document["Statement"]:
                yield name, statement


def _documents(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if "Statement" in part:
            yield part
        else:
            for value in part.values():
                yield from _documents(value)
    elif isinstance(part, list):
        for value in part:
            yield from _documents(value)


def is_left_out(part: Any, template: Template, parameters: Mapping[str, Any]) -> bool:
    """Whether an item of a list is one that a condition leaves out."""
    return _Resolver(template, parameters, {})._value(part) is _ABSENT
