"""The SAM template by the linters that know AWS best, and by rules of our own: nothing unexplained, nothing unencrypted."""

from __future__ import annotations

import json
import re

import pytest

from tests.infra.conftest import INFRA, ROOT, run, tool
from tests.infra.resolving import resolve

TEMPLATE = INFRA / "template.yaml"


def test_sam_and_cfn_lint_find_nothing(plain_file):
    said = run(tool("sam"), "validate", "--lint", "--template", TEMPLATE, "--region", "eu-west-1")
    assert "is a valid SAM Template" in said
    assert run(tool("cfn-lint"), TEMPLATE, plain_file).strip() == ""


def test_checkov_finds_nothing_but_what_is_explained(plain_file):
    options = ["--framework", "cloudformation", "--skip-download", "--compact", "--output", "json"]
    report = json.loads(run(tool("checkov"), "--file", plain_file, *options))
    assert report["summary"]["failed"] == 0
    assert report["summary"]["parsing_errors"] == 0
    assert report["summary"]["passed"] >= 30
    for skipped in report["results"]["skipped_checks"]:
        assert len(skipped["check_result"]["suppress_comment"]) > 40, skipped["check_id"]


def test_every_suppression_has_its_reason(plain):
    for name, resource in plain["Resources"].items():
        notes = resource.get("Metadata", {})
        assert notes.keys() <= {"Dockerfile", "DockerContext", "DockerTag", "checkov", "cdk_nag", "cfn-lint"}, name
        for skip in notes.get("checkov", {}).get("skip", []):
            assert len(skip["comment"]) > 40, (name, skip)
        for rule in notes.get("cdk_nag", {}).get("rules_to_suppress", []):
            assert len(rule["reason"]) > 40, (name, rule)


def test_parameters_and_outputs_are_described_and_grouped(plain):
    for section in ("Parameters", "Outputs"):
        for name, one in plain[section].items():
            assert len(one["Description"]) > 15, name
    groups = plain["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    grouped = [name for group in groups for name in group["Parameters"]]
    assert sorted(grouped) == sorted(plain["Parameters"])
    assert all("Default" in one for one in plain["Parameters"].values()), (
        "sam deploy asks for nothing it could not guess"
    )


@pytest.mark.parametrize("path", sorted((INFRA / "environments").glob("*.yaml")), ids=lambda path: path.stem)
def test_the_example_environments_fit_the_template(plain, path):
    yaml = pytest.importorskip("yaml")
    chosen = yaml.safe_load(path.read_text())
    for name, value in chosen.items():
        one = plain["Parameters"][name]
        text = ",".join(value) if isinstance(value, list) else str(value)
        assert re.search(one.get("AllowedPattern", ""), text), (name, text)
        assert text in map(str, one.get("AllowedValues", [text])), (name, text)
        if one["Type"] == "Number":
            assert one.get("MinValue", 0) <= float(text) <= one.get("MaxValue", float("inf")), name

    values = {name: one["Default"] for name, one in plain["Parameters"].items()} | chosen
    shards = int(values["ShardConcurrency"]) if values["EnableLargeInputs"] == "true" else 0
    assert int(values["QueueConcurrency"]) + shards < int(values["FunctionConcurrency"]), (
        "or work is refused, not queued"
    )


def test_everything_is_encrypted_private_and_kept_for_a_while(plain):
    for parameters in ({}, {"KmsKeyArn": "arn:aws:kms:eu-west-1:123456789012:key/1", "EnableLargeInputs": "true"}):
        key = parameters.get("KmsKeyArn")
        resources = resolve(plain, {**parameters, "AlarmEmail": "a@b.cc", "CompletionEmail": "a@b.cc"})
        for name, resource in resources.items():
            properties, kind = resource["Properties"], resource["Type"]
            if kind == "AWS::S3::Bucket":
                assert all(properties["PublicAccessBlockConfiguration"].values()), name
                (rule,) = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
                assert rule["ServerSideEncryptionByDefault"].get("KMSMasterKeyID") == key
                assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
            elif kind == "AWS::SQS::Queue":
                assert properties.get("KmsMasterKeyId") == key
                assert properties.get("SqsManagedSseEnabled", False) is (key is None)
            elif kind == "AWS::Logs::LogGroup":
                assert (properties["RetentionInDays"], properties.get("KmsKeyId")) == (30, key)
            elif kind == "AWS::SNS::Topic":
                assert properties.get("KmsMasterKeyId") == key
        kinds = dict.fromkeys(("AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::SNS::Topic"), 0)
        for resource in resources.values():
            kinds[resource["Type"]] = kinds.get(resource["Type"], 0) + 1
        policies = [kinds.get(f"{kind}Policy") for kind in ("AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::SNS::Topic")]
        assert policies == [kinds["AWS::S3::Bucket"], kinds["AWS::SQS::Queue"], kinds["AWS::SNS::Topic"]] == [2, 2, 2]


def test_nothing_runs_while_nothing_is_asked(plain):
    """What is billed by the hour: instances, gateways, endpoints, provisioned concurrency. There is none."""
    video = {"EnableVideo": "true", "DetectorImage": "a:b", "VideoVpcId": "vpc-1", "VideoSubnetIds": "subnet-1"}
    resources = resolve(plain, {**video, "EnableLargeInputs": "true"})
    kinds = {one["Type"].split("::", 1)[1] for one in resources.values()}
    assert not kinds & {"EC2::NatGateway", "EC2::VPCEndpoint", "EC2::Instance", "Lambda::Alias", "ElasticLoadBalancing"}
    assert resources["GpuInstances"]["Properties"]["ComputeResources"]["MinvCpus"] == 0
    assert not any("ProvisionedConcurrencyConfig" in one["Properties"] for one in resources.values())
    assert len(resolve(plain, {})) < len(resources)


def test_the_queue_hides_a_message_for_six_times_the_longest_call(plain):
    longest = plain["Parameters"]["FunctionTimeoutS"]["MaxValue"]
    resources = resolve(plain, {})
    assert resources["Queue"]["Properties"]["VisibilityTimeout"] >= 6 * longest
    variables = resources["Function"]["Properties"]["Environment"]["Variables"]
    receives = resources["Queue"]["Properties"]["RedrivePolicy"]["maxReceiveCount"]
    assert variables["SCENESCORE_MAX_RECEIVES"] == str(receives)


def test_the_function_is_told_what_it_reads(plain):
    """Every variable that the template sets is one that the code knows."""
    told = {name for one in plain["Resources"].values() for name in re.findall(r"SCENESCORE_[A-Z_]+", json.dumps(one))}
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "handler").rglob("*.py"))
    assert {name for name in told if name not in code} == set()


def test_sam_build_goes_as_far_as_it_can_without_an_engine(tmp_path):
    """It reads the template, finds the Dockerfile and its context, and asks for Docker; with Docker it would build."""
    metadata = yaml_of(TEMPLATE)["Resources"]["Function"]["Metadata"]
    assert (INFRA / metadata["DockerContext"] / metadata["Dockerfile"]).is_file()
    nobody = {"DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    with pytest.raises(AssertionError) as caught:
        run(tool("sam"), "build", "--template", TEMPLATE, "--build-dir", tmp_path / "build", **nobody)
    assert "Building image for Function function" in str(caught.value)
    assert "requires a container runtime" in str(caught.value)


def test_the_parameter_files_are_what_sam_reads(tmp_path):
    """SAM turns the values of a file into texts, where an unquoted true would become True, which no condition knows."""
    code = (
        "import json, sys; from samcli.cli.types import CfnParameterOverridesType as Type;"
        "print(json.dumps(Type().convert((f'file://{sys.argv[1]}',), None, None)))"
    )
    for path in (INFRA / "environments").glob("*.yaml"):
        read = json.loads(run(tool("sam-python"), "-c", code, path).strip().splitlines()[-1])
        for name in ("EnableVideo", "EnableLargeInputs", "EnableDashboard"):
            assert read.get(name, "true") in ("true", "false")


def yaml_of(path):
    """The template with the short forms of its functions left out."""
    yaml = pytest.importorskip("yaml")

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("!", lambda loader, suffix, node: None)
    return yaml.load(path.read_text(), Loader=Loader)
