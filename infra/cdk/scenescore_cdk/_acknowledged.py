"""The reasons that stand in the template for what cdk-nag objects to, said to cdk-nag in its own words.

Its IAM rules want every wildcard acknowledged by name, and names of resources are known only inside an app.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from aws_cdk import Acknowledgment, CfnResource, Stack, Validations
from aws_cdk import aws_iam as iam

__all__ = ["acknowledge"]


def acknowledge(resource: CfnResource, rules: Iterable[dict[str, str]]) -> None:
    """Acknowledge rules (id, reason) on a resource; IAM4 and IAM5 for each of its policies and wildcards."""
    for rule in rules:
        for finding in _findings(resource, rule["id"]):
            Validations.of(resource).acknowledge(Acknowledgment(id=f"{rule['id']}{finding}", reason=rule["reason"]))


def _findings(resource: CfnResource, rule: str) -> list[str]:
    resolve = Stack.of(resource).resolve
    if rule == "AwsSolutions-IAM4" and isinstance(resource, iam.CfnRole):
        return [f"[Policy::{_flat(arn)}]" for arn in resolve(resource.managed_policy_arns)]
    if rule == "AwsSolutions-IAM5" and isinstance(resource, iam.CfnRole):
        documents = [one["policyDocument"] for one in resolve(resource.policies)]
    elif rule == "AwsSolutions-IAM5" and isinstance(resource, iam.CfnManagedPolicy):
        documents = [resolve(resource.policy_document)]
    else:
        return [""]
    wildcards = (_flat(target) for document in documents for target in _targets(document))
    return sorted({f"[Resource::{one}]" for one in wildcards if "*" in one})


def _targets(document: dict[str, Any]) -> Iterator[Any]:
    for statement in document["Statement"]:
        target = statement["Resource"]
        yield from target if isinstance(target, list) else [target]


def _flat(reference: Any) -> str:
    """A reference as cdk-nag writes it: <Name>, <Name.Attribute>."""
    if isinstance(reference, str):
        return re.sub(r"\$\{(.*?)\}", r"<\1>", reference)
    ((function, argument),) = reference.items()
    if function == "Ref":
        return f"<{argument}>"
    if function == "Fn::GetAtt":
        name, attribute = argument
        return f"<{name}.{attribute}>"
    if function == "Fn::Join":
        return str(argument[0]).join(map(_flat, argument[1]))
    return _flat(argument) if isinstance(argument, str) else json.dumps(argument, separators=(",", ":"))
