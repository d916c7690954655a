"""The construct."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from aws_cdk import CfnResource, Stack
from aws_cdk import aws_ecr_assets as assets
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from aws_cdk.aws_lambda import Function, IFunction
from aws_cdk.cloudformation_include import CfnInclude
from constructs import Construct

from scenescore_cdk._acknowledged import acknowledge
from scenescore_cdk._props import SceneScoreProps
from scenescore_cdk._template import TEMPLATE, decide, load_template

__all__ = ["SceneScore"]

ROOT = TEMPLATE.parents[1]
DOCKERFILE = "infra/images/function.Dockerfile"


class SceneScore(Construct):
    """An installation of scenescore: buckets, queue, function, HTTP API, alarms; GPU jobs and state machine if asked for.

    One a stack, as some names are made from the stack's. input_bucket, output_bucket: where uploads and results lie.
    queue, dead_letter_queue: in front of the function. function: for direct invokes and grants. api_url, completion_bus_arn,
    state_machine_arn, job_queue_arn: None where there is none. template: another file than infra/template.yaml, for tests.
    """

    def __init__(
        self, scope: Construct, id: str, props: SceneScoreProps | None = None, *, template: Path = TEMPLATE
    ) -> None:
        super().__init__(scope, id)
        stack = Stack.of(self)
        if any(isinstance(one, SceneScore) for one in stack.node.find_all() if one is not self):
            raise ValueError(
                f"the stack {stack.node.id} has a SceneScore already: put the second into a stack of its own"
            )
        props = props or SceneScoreProps()
        parameters = props.parameters()
        if props.function_image is None:
            image = assets.DockerImageAsset(
                self, "Image", directory=str(ROOT), file=DOCKERFILE, platform=assets.Platform.LINUX_AMD64
            )
            parameters["FunctionImage"] = image.image_uri
        decided = decide(load_template(template), parameters)
        self._included = self._include(decided, parameters)
        for name, resource in decided["Resources"].items():
            acknowledge(
                self.resource(name), resource.get("Metadata", {}).get("cdk_nag", {}).get("rules_to_suppress", ())
            )

        self.input_bucket = props.input_bucket or self._bucket("Inputs")
        self.output_bucket = props.output_bucket or self._bucket("Results")
        self.queue = sqs.Queue.from_queue_arn(self, "QueueRef", self._attribute("Queue", "Arn"))
        self.dead_letter_queue = sqs.Queue.from_queue_arn(self, "DeadLettersRef", self._attribute("DeadLetters", "Arn"))
        self.function: IFunction = Function.from_function_arn(self, "FunctionRef", self._attribute("Function", "Arn"))
        self.completion_bus_arn = self._attribute("Completions", "Arn")
        self.api_url = self._attribute("Api", "ApiEndpoint") if "Api" in decided["Resources"] else None
        self.state_machine_arn = self._reference("StateMachine") if "StateMachine" in decided["Resources"] else None
        self.job_queue_arn = self._reference("JobQueue") if "JobQueue" in decided["Resources"] else None

    def resource(self, logical_id: str) -> CfnResource:
        """A resource by its name in the template, to change what no property reaches."""
        return self._included.get_resource(logical_id)

    def _include(self, template: dict[str, Any], parameters: dict[str, Any]) -> CfnInclude:
        known = template["Parameters"]
        values = {name: one["Default"] for name, one in known.items()} | parameters
        for name, one in known.items():
            if one["Type"] == "CommaDelimitedList" and isinstance(values[name], str):
                values[name] = values[name].split(",")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "template.json")
            path.write_text(json.dumps(template), encoding="utf-8")
            return CfnInclude(self, "Template", template_file=str(path), preserve_logical_ids=False, parameters=values)

    def _bucket(self, logical_id: str) -> s3.IBucket:
        return s3.Bucket.from_bucket_name(self, f"{logical_id}Ref", self._reference(logical_id))

    def _attribute(self, logical_id: str, name: str) -> str:
        return self.resource(logical_id).get_att(name).to_string()

    def _reference(self, logical_id: str) -> str:
        return self.resource(logical_id).ref
