"""Synthesizes stacks with the construct, as an app would, with cdk-nag and CDK's own rules; run with the Python of the CDK.

usage: synthesize.py OUTPUT PLAIN_TEMPLATE. Writes the assembly and, per stack, the parameters that its choices stand for.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import aws_cdk as cdk
import cdk_nag
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

INFRA = Path(__file__).parents[2] / "infra"
sys.path.insert(0, str(INFRA / "cdk"))

from scenescore_cdk import Jwt, SceneScore, SceneScoreProps, Video

IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/scenescore@sha256:" + "0" * 64
DETECTOR = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/scenescore-detector@sha256:" + "1" * 64
KEY = "arn:aws:kms:eu-west-1:123456789012:key/11111111-2222-3333-4444-555555555555"


def main(output: Path, plain: Path) -> None:
    app = cdk.App(outdir=str(output), context={"@aws-cdk/core:validateAgainstDefaultRules": True})
    chosen = {}
    for name in ("defaults", "everything"):
        stack = cdk.Stack(app, name)
        props = SceneScoreProps(function_image=IMAGE) if name == "defaults" else everything(stack)
        SceneScore(stack, "SceneScore", props)
        chosen[name] = props.parameters()
    stack = cdk.Stack(app, "transformed")
    SceneScore(stack, "SceneScore", everything(stack), template=plain)
    chosen["own"] = own(cdk.Stack(app, "own"))
    cdk.Validations.of(app).add_plugins(cdk_nag.AwsSolutionsChecks(app))
    app.synth()
    (output / "chosen.json").write_text(json.dumps(chosen))


def everything(stack: cdk.Stack) -> SceneScoreProps:
    """No property left at its default."""
    subnets = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
    vpc = ec2.Vpc.from_vpc_attributes(
        stack, "Vpc", vpc_id="vpc-0123456789abcdef0", availability_zones=["a", "b"], private_subnet_ids=subnets
    )
    return SceneScoreProps(
        function_image=IMAGE,
        input_bucket=s3.Bucket.from_bucket_name(stack, "In", "their-uploads"),
        input_prefix="vlm/in",
        output_bucket=s3.Bucket.from_bucket_name(stack, "Out", "their-results"),
        output_prefix="vlm/out",
        key=kms.Key.from_key_arn(stack, "Key", KEY),
        input_retention=cdk.Duration.days(30),
        result_retention=cdk.Duration.days(365),
        object_tags={"team": "vision", "cost": "42"},
        memory_mb=4096,
        timeout=cdk.Duration.minutes(10),
        storage=cdk.Size.gibibytes(2),
        reserved_concurrency=50,
        queue_concurrency=20,
        subnets=vpc.private_subnets,
        security_groups=[ec2.SecurityGroup.from_security_group_id(stack, "Group", "sg-0123456789abcdef0")],
        http=Jwt(issuer="https://login.example.com/", audience=["scenescore"]),
        http_requests_per_second=50,
        large_inputs=True,
        shard_above=cdk.Size.mebibytes(16),
        shard_concurrency=20,
        video=Video(
            detector_image=DETECTOR, vpc=vpc, instance_types=["g5.xlarge"], max_vcpus=32, spot=False, subnets=None
        ),
        alarm_email="ops@example.com",
        completion_email="team@example.com",
        queue_age_alarm=cdk.Duration.hours(1),
        log_retention_days=90,
        dashboard=False,
    )


def own(stack: cdk.Stack) -> list[str]:
    """Buckets and key of the same stack, whose names are known only on deployment; the refusals that were met."""
    key = kms.Key(stack, "Key", enable_key_rotation=True)
    settings = {"encryption_key": key, "enforce_ssl": True}
    logs = s3.Bucket(stack, "Logs", **settings)
    uploads = s3.Bucket(stack, "Uploads", server_access_logs_bucket=logs, **settings)
    made = SceneScore(stack, "SceneScore", SceneScoreProps(function_image=IMAGE, input_bucket=uploads, key=key))
    cdk.Validations.of(logs).acknowledge(cdk.Acknowledgment(id="AwsSolutions-S1", reason="it is the log bucket"))
    cdk.CfnOutput(stack, "Results", value=made.output_bucket.bucket_name)
    refused = []
    for props in (SceneScoreProps(function_image=IMAGE), SceneScoreProps(http="jwt")):
        try:
            place = stack if props.function_image else cdk.Stack(cdk.App(), "refused")
            SceneScore(place, "Second", props)
        except ValueError as error:
            refused.append(str(error))
    return refused


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
