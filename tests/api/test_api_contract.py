"""Requests made from the OpenAPI document, good and bad: replies are as documented, and none is a 5xx.

SCENESCORE_EXAMPLES sets how many there are for each of the five operations.
"""

from __future__ import annotations

import os

import pytest
import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from handler.api import create_app
from handler.settings import Settings

EXAMPLES = int(os.environ.get("SCENESCORE_EXAMPLES", "100"))
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def contract(model, encoder, tmp_path_factory):
    app = create_app(Settings(model=model, output=str(tmp_path_factory.mktemp("contract"))))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


schema = schemathesis.pytest.from_fixture("contract")


@schema.parametrize()
@hypothesis_settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_replies_are_as_documented(case):
    case.call_and_validate(checks=CHECKS)
