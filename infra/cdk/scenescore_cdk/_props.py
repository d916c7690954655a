"""What can be chosen, as types; each choice stands for parameters of the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

from aws_cdk import Duration, Size
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

__all__ = ["Jwt", "SceneScoreProps", "Video"]


@dataclass(frozen=True, kw_only=True)
class Jwt:
    """Callers of the HTTP API show a token of this issuer (an https URL) for one of these audiences."""

    issuer: str
    audience: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Video:
    """GPU jobs. detector_image: in ECR, by digest. subnets: private ones of the VPC; by default all that it has.

    instance_types: with at least 4 vCPUs and 16 GiB. max_vcpus: of all instances that may run at once.
    """

    detector_image: str
    vpc: ec2.IVpc
    subnets: Sequence[ec2.ISubnet] | None = None
    instance_types: Sequence[str] | None = None
    max_vcpus: int | None = None
    spot: bool | None = None


@dataclass(frozen=True, kw_only=True)
class SceneScoreProps:
    """Everything that can be chosen. None is the template's default, which its parameter states.

    function_image: URI in ECR, by digest; None builds infra/images/function.Dockerfile when the app is deployed, with
    Docker. input_bucket: must send its events to EventBridge. Prefixes have no slash at either end. reserved_concurrency:
    -1 reserves none. http: who may call, `None` for callers signed with IAM. large_inputs: whether inputs above
    shard_above are split and scored by a state machine. log_retention_days: a value that CloudWatch Logs knows.
    """

    function_image: str | None = None
    input_bucket: s3.IBucket | None = None
    input_prefix: str | None = None
    output_bucket: s3.IBucket | None = None
    output_prefix: str | None = None
    key: kms.IKey | None = None
    input_retention: Duration | None = None
    result_retention: Duration | None = None
    object_tags: Mapping[str, str] = field(default_factory=dict)
    memory_mb: int | None = None
    timeout: Duration | None = None
    storage: Size | None = None
    reserved_concurrency: int | None = None
    queue_concurrency: int | None = None
    subnets: Sequence[ec2.ISubnet] = ()
    security_groups: Sequence[ec2.ISecurityGroup] = ()
    http: Jwt | Literal["iam", "off"] | None = None
    http_requests_per_second: int | None = None
    large_inputs: bool | None = None
    shard_above: Size | None = None
    shard_concurrency: int | None = None
    video: Video | None = None
    alarm_email: str | None = None
    completion_email: str | None = None
    queue_age_alarm: Duration | None = None
    log_retention_days: int | None = None
    dashboard: bool | None = None

    def parameters(self) -> dict[str, Any]:
        """The template's parameters that these choices set."""
        jwt = self.http if isinstance(self.http, Jwt) else None
        chosen = {
            "FunctionImage": self.function_image,
            "InputBucket": self.input_bucket and self.input_bucket.bucket_name,
            "InputPrefix": self.input_prefix,
            "OutputBucket": self.output_bucket and self.output_bucket.bucket_name,
            "OutputPrefix": self.output_prefix,
            "KmsKeyArn": self.key and self.key.key_arn,
            "InputRetentionDays": self.input_retention and self.input_retention.to_days(),
            "ResultRetentionDays": self.result_retention and self.result_retention.to_days(),
            "ObjectTags": urlencode(self.object_tags) or None,
            "FunctionMemoryMb": self.memory_mb,
            "FunctionTimeoutS": self.timeout and self.timeout.to_seconds(),
            "FunctionStorageMb": self.storage and self.storage.to_mebibytes(),
            "FunctionConcurrency": self.reserved_concurrency,
            "QueueConcurrency": self.queue_concurrency,
            "FunctionSubnetIds": [one.subnet_id for one in self.subnets] or None,
            "FunctionSecurityGroupIds": [one.security_group_id for one in self.security_groups] or None,
            "HttpAccess": "jwt" if jwt else self.http,
            "JwtIssuer": jwt and jwt.issuer,
            "JwtAudience": jwt and list(jwt.audience),
            "HttpRequestsPerSecond": self.http_requests_per_second,
            "EnableLargeInputs": _flag(self.large_inputs),
            "ShardAboveBytes": self.shard_above and self.shard_above.to_bytes(),
            "ShardConcurrency": self.shard_concurrency,
            "AlarmEmail": self.alarm_email,
            "CompletionEmail": self.completion_email,
            "QueueAgeAlarmS": self.queue_age_alarm and self.queue_age_alarm.to_seconds(),
            "LogRetentionDays": self.log_retention_days,
            "EnableDashboard": _flag(self.dashboard),
            **(_video(self.video) if self.video else {}),
        }
        return {name: value for name, value in chosen.items() if value is not None}


def _video(video: Video) -> dict[str, Any]:
    subnets = video.vpc.private_subnets if video.subnets is None else video.subnets
    return {
        "EnableVideo": "true",
        "DetectorImage": video.detector_image,
        "VideoVpcId": video.vpc.vpc_id,
        "VideoSubnetIds": [one.subnet_id for one in subnets],
        "DetectorInstanceTypes": list(video.instance_types) if video.instance_types else None,
        "DetectorMaxVcpus": video.max_vcpus,
        "DetectorSpot": _flag(video.spot),
    }


def _flag(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()
