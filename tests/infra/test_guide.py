"""The operating guide names what there is."""

from __future__ import annotations

import re

from tests.infra.conftest import INFRA, ROOT

GUIDE = (INFRA / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
NOT_OURS = {"RUNNABLE", "SceneScore", "Redrive"}


def test_parameters_and_outputs_are_called_by_their_names(plain):
    known = plain["Parameters"].keys() | plain["Outputs"].keys() | NOT_OURS
    named = set(re.findall(r"`\$?([A-Z][A-Za-z]+)(?:=[^`]*)?`", GUIDE)) - {"BUILD_BASE"}
    assert named >= {"FunctionConcurrency", "KmsKeyArn", "EnableVideo", "FailedJobsQueueUrl"}
    assert named <= known


def test_verbs_and_files_exist():
    for verb in set(re.findall(r"`?make ([a-z-]+)", GUIDE)):
        assert re.search(rf"^{verb}:", MAKEFILE, re.M), verb
    for path in set(re.findall(r"`(?:infra/)?((?:environments|images|locks|cdk|tests)/[\w./]*)`", GUIDE)):
        assert (INFRA / path).exists() or (ROOT / path).exists(), path


def test_every_example_of_an_environment_is_named_like_its_stack():
    for path in (INFRA / "environments").glob("*.yaml"):
        assert f"ENVIRONMENT={path.stem}" in path.read_text()


def test_what_an_hour_at_the_bound_costs(plain):
    """The guide's figure, from the template's own defaults."""
    known = plain["Parameters"]
    gigabytes = known["FunctionMemoryMb"]["Default"] / 1024
    hour = known["FunctionConcurrency"]["Default"] * gigabytes * 0.0000166667 * 3600
    assert f"= {hour:.2f} an hour at {known['FunctionConcurrency']['Default']}" in GUIDE
    instances = known["DetectorMaxVcpus"]["Default"] / 4
    assert f"{instances * 0.526:.2f} an hour on demand" in GUIDE
