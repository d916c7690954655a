"""SAM -> plain CloudFormation, as AWS transforms it on deployment: run with the Python that has aws-sam-cli.

usage: to_cloudformation.py TEMPLATE OUTPUT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

IMAGE = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/scenescore@sha256:" + "0" * 64


def main(source: Path, target: Path) -> None:
    from samtranslator.translator.transform import transform
    from samtranslator.yaml_helper import yaml_parse

    template = yaml_parse(source.read_text())
    _package(template, source.parent)
    plain = transform(template, {}, _ManagedPolicies())
    target.write_text(json.dumps(plain, indent=1))


def _package(template: dict[str, Any], folder: Path) -> None:
    """What `sam package` does first: local files become parts of the template, a local image one in a registry."""
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        if "DefinitionS3Location" in properties:
            properties["DefinitionString"] = (folder / properties.pop("DefinitionS3Location")).read_text()
        if resource["Type"] == "AWS::Serverless::Function":
            properties.setdefault("ImageUri", IMAGE)


class _ManagedPolicies:
    """AWS's own policies by name; the template names none for SAM to look up."""

    def load(self) -> dict[str, str]:
        return {}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
