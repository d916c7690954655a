"""infra/template.yaml with its conditions decided, so that a stack holds what it needs and nothing else.

A condition may not ask for a value that is known only on deployment, such as the name of a bucket of the same app. Here
it is enough to know that there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

__all__ = ["TEMPLATE", "decide", "load_template"]

TEMPLATE = Path(__file__).parents[2] / "template.yaml"

_NOTHING = object()


def load_template(path: Path = TEMPLATE) -> dict[str, Any]:
    """The template as data, short forms such as !Ref written out, and the state machine's definition inside."""
    template: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a safe loader
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        if "DefinitionS3Location" in properties:
            definition = path.parent / properties.pop("DefinitionS3Location")
            properties["DefinitionString"] = definition.read_text(encoding="utf-8")
    return template


def decide(template: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The template for these parameters, without conditions and rules.

    Raises ValueError for a parameter that the template does not know, and when one of its rules is broken.
    """
    unknown = given.keys() - template["Parameters"].keys()
    if unknown:
        raise ValueError(f"no such parameter: {', '.join(sorted(unknown))}")
    values = {name: given.get(name, known.get("Default")) for name, known in template["Parameters"].items()}
    for rule in template.get("Rules", {}).values():
        if _truth(rule["RuleCondition"], values, {}):
            for assertion in rule["Assertions"]:
                if not _truth(assertion["Assert"], values, {}):
                    raise ValueError(assertion["AssertDescription"])
    conditions = template["Conditions"]
    decided = {name: _truth(conditions[name], values, conditions) for name in conditions}
    kept = {name: part for name, part in template.items() if name not in ("Conditions", "Rules")}
    for section in ("Resources", "Outputs"):
        kept[section] = _kept(template[section], decided)
    return kept


def _kept(section: Mapping[str, Any], decided: Mapping[str, bool]) -> dict[str, Any]:
    wanted = {name: one for name, one in section.items() if "Condition" not in one or decided[one["Condition"]]}
    return {
        name: {key: _prune(part, decided) for key, part in one.items() if key != "Condition"}
        for name, one in wanted.items()
    }


def _prune(part: Any, decided: Mapping[str, bool]) -> Any:
    """A part of the template with every Fn::If replaced by the side that applies."""
    if isinstance(part, dict):
        if part.keys() == {"Fn::If"}:
            condition, then, otherwise = part["Fn::If"]
            return _prune(then if decided[condition] else otherwise, decided)
        if part == {"Ref": "AWS::NoValue"}:
            return _NOTHING
        pruned = {key: _prune(value, decided) for key, value in part.items()}
        return {key: value for key, value in pruned.items() if value is not _NOTHING}
    if isinstance(part, list):
        return [value for value in (_prune(one, decided) for one in part) if value is not _NOTHING]
    return part


def _truth(expression: Mapping[str, Any], values: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
    ((function, argument),) = expression.items()
    if function == "Fn::Equals":
        left, right = (_value(one, values) for one in argument)
        return bool(left == right)
    if function == "Fn::Not":
        return not _truth(argument[0], values, conditions)
    if function == "Condition":
        return _truth(conditions[argument], values, conditions)
    raise ValueError(f"a condition may not use {function}")


def _value(part: Any, values: Mapping[str, Any]) -> str:
    if isinstance(part, dict):
        if "Ref" in part:
            part = values[part["Ref"]]
        elif "Fn::Join" in part:
            part = values[part["Fn::Join"][1]["Ref"]]
    return "".join(map(str, part)) if isinstance(part, list) else str(part)


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms."""


def _short_form(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    name = suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        text = loader.construct_scalar(node)
        return {name: text.split(".", 1) if suffix == "GetAtt" else text}
    if isinstance(node, yaml.SequenceNode):
        return {name: loader.construct_sequence(node, deep=True)}
    raise yaml.MarkedYAMLError(problem=f"!{suffix} of a mapping", problem_mark=node.start_mark)


_Loader.add_multi_constructor("!", _short_form)
