"""The OpenAPI document is true: generated requests, right and wrong ones, get only the answers that it promises."""

from typing import Any
from uuid import UUID

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, settings as hypothesis_settings
from schemathesis import Case

from app.api.openapi import build_openapi
from app.database import Database
from app.main import create_app
from app.settings import Settings
from tests.api.conftest import SignedIn

NOWHERE = Database("postgresql+psycopg://nowhere.invalid/nothing")
DOCUMENT = build_openapi(create_app(Settings(), NOWHERE))
schema = schemathesis.openapi.from_dict(DOCUMENT)


@pytest.fixture
def settings() -> Settings:
    return Settings(requests_per_minute=1_000_000, max_pending=1_000_000)


@schema.parametrize()
@hypothesis_settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_generated_requests_get_the_answers_that_are_promised(case: Case, address: str, ada: httpx.Client) -> None:
    case.call_and_validate(base_url=address, headers={"Authorization": ada.headers["Authorization"]})
