"""Requests made from the OpenAPI document, good and bad: replies are as documented, and none is a 5xx.

SCENESCORE_EXAMPLES sets how many there are for each operation and kind of request.
"""

from __future__ import annotations

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from handler.api import create_app
from handler.settings import Settings

EXAMPLES = int(os.environ.get("SCENESCORE_EXAMPLES", "100"))
OPERATIONS = [
    ("POST", "/v1/evaluations"),
    ("GET", "/v1/evaluations/{evaluation_id}"),
    ("POST", "/v1/calibrations"),
    ("POST", "/v1/comparisons"),
    ("GET", "/v1/metrics"),
    ("GET", "/health"),
    ("POST", "/run"),
]
BARE = ("/v1/metrics", "/health", "/v1/evaluations/{evaluation_id}")  # their requests cannot be malformed
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def contract(model, encoder, tmp_path_factory):
    app = create_app(Settings(model=model, output=str(tmp_path_factory.mktemp("contract"))))
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        (method, path, mode)
        for method, path in OPERATIONS
        for mode in GenerationMode
        if path not in BARE or mode is GenerationMode.POSITIVE
    ],
)
def test_replies_are_as_documented(contract, method, path, mode):
    operation = contract[path][method]

    @given(operation.as_strategy(generation_mode=mode))
    @hypothesis_settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def holds(case):
        case.call_and_validate(checks=CHECKS)

    holds()


def test_every_operation_is_tested(contract):
    found = [(one.ok().method.upper(), one.ok().path) for one in contract.get_all_operations()]
    assert sorted(found) == sorted(OPERATIONS)
