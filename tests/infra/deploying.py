"""A stack of the template in moto, as far as moto goes, and the objects that it made.

What moto passes over: bucket and queue policies, the HTTP API, the event bus's key. What it stumbles over is taken out
first: list items that a condition leaves out, outputs of types it does not know, a compute environment without a role.
"""

from __future__ import annotations

import copy
import json
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.infra.resolving import Template, is_left_out, resolve
from tests.servers import S3Server

REGION = "us-east-1"
Connect = Callable[[S3Server, str], Any]


@dataclass(frozen=True)
class Deployed:
    """A stack: the ids of what it made by their names in the template, and its outputs."""

    name: str
    ids: Mapping[str, str]
    outputs: Mapping[str, str]
    skipped: frozenset[str]


@contextmanager
def deployed(
    template: Template, parameters: Mapping[str, str], connect: Connect, server: S3Server, name: str
) -> Iterator[Deployed]:
    """Create the stack, and delete it afterwards. Raises AssertionError unless it was created without a complaint."""
    _without_docker(server)
    body = for_moto(template, parameters)
    cloudformation = connect(server, "cloudformation")
    given = [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()]
    cloudformation.create_stack(
        StackName=name, TemplateBody=json.dumps(body), Parameters=given, Capabilities=["CAPABILITY_NAMED_IAM"]
    )
    try:
        (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
        assert stack["StackStatus"] == "CREATE_COMPLETE", stack
        made = cloudformation.list_stack_resources(StackName=name)["StackResourceSummaries"]
        ids = {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in made}
        outputs = {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}
        skipped = frozenset(one["Type"] for key, one in resolve(template, parameters).items() if key not in ids)
        yield Deployed(name, ids, outputs, skipped)
    finally:
        cloudformation.delete_stack(StackName=name)


def for_moto(template: Template, parameters: Mapping[str, str]) -> Template:
    """The template without what moto stumbles over."""

    def cleaned(part: Any, function: bool = False) -> Any:
        if isinstance(part, list):
            return [cleaned(one) for one in part if function or not is_left_out(one, template, parameters)]
        if isinstance(part, dict):
            return {key: cleaned(value, key.startswith("Fn::")) for key, value in part.items()}
        return part

    body = copy.deepcopy(template)
    body["Resources"] = {
        name: {**one, "Properties": cleaned(one["Properties"])} for name, one in template["Resources"].items()
    }
    body["Outputs"].pop("ApiUrl")
    body["Resources"]["GpuInstances"]["Properties"]["ServiceRole"] = {"Fn::GetAtt": ["GpuInstanceRole", "Arn"]}
    return body


def _without_docker(server: S3Server) -> None:
    settings = {"lambda": {"use_docker": False}, "batch": {"use_docker": False}}
    request = urllib.request.Request(
        f"{server.endpoint}/moto-api/config",
        data=json.dumps(settings).encode(),
        headers={"Content-Type": "application/json"},
    )
    urllib.request.urlopen(request).close()
