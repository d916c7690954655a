"""The CDK construct: it synthesizes without Docker, cdk-nag has nothing to say, and it makes what SAM makes."""

from __future__ import annotations

import copy
import json
import re

import pytest

from tests.infra.conftest import INFRA, ROOT, run, to_cloudformation, tool
from tests.infra.resolving import differences, resolve

IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/scenescore@sha256:" + "0" * 64


@pytest.fixture(scope="session")
def assembly(plain_file, tmp_path_factory):
    """What the app in synthesize.py makes; it fails on findings of cdk-nag and of CDK's own rules."""
    output = tmp_path_factory.mktemp("cdk") / "out"
    script = ROOT / "tests" / "infra" / "synthesize.py"
    run(tool("cdk-python"), script, output, plain_file, JSII_NODE=tool("node"))
    return output


@pytest.fixture(scope="session")
def chosen(assembly):
    return json.loads((assembly / "chosen.json").read_text())


def synthesized(assembly, stack):
    """A stack's template as AWS transforms it, and the names that its resources have in infra/template.yaml."""
    source = assembly / f"{stack}.template.json"
    to_cloudformation(source, assembly / f"{stack}.plain.json")
    template = json.loads((assembly / f"{stack}.plain.json").read_text())
    made_by_cdk = (
        r"^SceneScoreTemplate(\w+?)[0-9A-F]{8}"  # and SAM makes more, with names that begin with the function's
    )
    names = {name: re.sub(made_by_cdk, r"\1", name) for name in template["Resources"]}
    return template, names


@pytest.mark.parametrize("stack", ["defaults", "everything", "transformed"])
def test_sam_and_cdk_make_the_same(plain, assembly, chosen, stack):
    template, names = synthesized(assembly, stack)
    ours = resolve(template, {}, names)
    theirs = resolve(plain, chosen["everything" if stack == "transformed" else stack])
    assert list(differences(theirs, _without_cdks_own(ours))) == []


def _without_cdks_own(resources):
    return {name: one for name, one in resources.items() if one["Type"] != "AWS::CDK::Metadata"}


@pytest.mark.parametrize(
    ("resource", "path", "value"),
    [
        ("Queue", ["VisibilityTimeout"], 30),
        ("Function", ["Environment", "Variables", "SCENESCORE_OUTPUT"], "s3://elsewhere/results"),
        ("FunctionMessages", ["FunctionResponseTypes"], []),
        ("ApiRoute", ["AuthorizationType"], "NONE"),
        ("GpuInstances", ["ComputeResources", "MinvCpus"], 4),
    ],
)
def test_a_difference_is_found(plain, chosen, resource, path, value):
    resources = resolve(plain, chosen["everything"])
    changed = copy.deepcopy(resources)
    place = changed[resource]["Properties"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert any(resource in found for found in differences(resources, changed))
    del changed[resource]
    assert f"/{resource} only on the left" in list(differences(resources, changed))


def test_every_parameter_has_a_property_and_none_is_left_at_its_default(plain, chosen):
    assert set(chosen["everything"]) == set(plain["Parameters"])
    for name, one in plain["Parameters"].items():
        assert str(chosen["everything"][name]) != str(one["Default"]), name


def test_buckets_and_keys_of_the_same_app_are_used(assembly):
    """Their names are known only on deployment, where conditions may not ask for them."""
    template, names = synthesized(assembly, "own")
    ours = resolve(template, {}, names)
    uploads = next(
        name for name, one in ours.items() if one["Type"] == "AWS::S3::Bucket" and name.startswith("Uploads")
    )
    variables = ours["Function"]["Properties"]["Environment"]["Variables"]
    assert variables["SCENESCORE_INPUTS"] == f"s3://<{uploads}>/uploads"
    assert variables["SCENESCORE_OUTPUT"] == "s3://<Results>/results"
    assert "Inputs" not in ours
    assert ours["Queue"]["Properties"]["KmsMasterKeyId"].startswith("<Key")
    assert "Conditions" not in template


def test_what_cannot_work_is_refused(chosen):
    second, jwt = chosen["own"]
    assert "has a SceneScore already" in second
    assert jwt == "HttpAccess jwt needs JwtIssuer and JwtAudience."


def test_the_app_synthesizes_without_docker(tmp_path):
    command = [tool("cdk"), "synth", "--quiet", "--no-notices", "--version-reporting", "false"]
    app = f"{tool('cdk-python')} app.py"
    nothing = {"PATH": f"{ROOT}/build/tools/node:/usr/bin:/bin", "CDK_DOCKER": "/nowhere/docker"}
    for options in (["--context", f"image={IMAGE}", "--context", "stage=prod"], []):
        output = tmp_path / str(len(options))
        run(*command, "--app", app, "--output", output, *options, cwd=INFRA / "cdk", JSII_NODE=tool("node"), **nothing)
    template = json.loads((tmp_path / "4" / "scenescore-prod.template.json").read_text())
    images = [
        one["Properties"]["ImageUri"] for one in template["Resources"].values() if "ImageUri" in one["Properties"]
    ]
    assert images == [IMAGE]
    built = json.loads((tmp_path / "0" / "scenescore-dev.assets.json").read_text())["dockerImages"]
    assert [one["source"]["dockerFile"] for one in built.values()] == ["infra/images/function.Dockerfile"]
    (context,) = (tmp_path / "0").glob("asset.*")  # what .dockerignore lets into the build, and no more
    assert {path.name for path in context.iterdir()} == {
        ".dockerignore", "LICENSE", "README.md", "handler", "infra", "model_export", "pyproject.toml",
    } | ({"build"} if (ROOT / "build" / "models").is_dir() else set())  # fmt: skip
    assert {path.name for path in (context / "infra").iterdir()} == {"images", "locks"}
