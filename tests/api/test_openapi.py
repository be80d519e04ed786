"""The OpenAPI document is true: generated requests, right and wrong ones, get only the answers that it promises."""

from typing import Any
from uuid import UUID

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis import Case, HookContext
from sqlalchemy import select

from app.accounts.model import User
from app.api.openapi import build_openapi
from app.catalog.own_inputs import MAX_BYTES
from app.catalog.publish import publish
from app.database import Database
from app.main import create_app
from app.settings import Settings
from app.submissions.model import Submission
from tests.api.lease_steps import end, take
from tests.catalog.packages import make_package
from tests.factories import make_judging

SUBMISSION = UUID(int=1)

# A cursor is any text to the document, and one that was handed out to the server.
OPAQUE = [
    {"include-name": name, "checks": {"positive_data_acceptance": {"enabled": False}}}
    for name in ("GET /api/v1/problems", "GET /api/v1/submissions")
]
KNOWN = {"parameters": {"path.slug": "scaled_sum", "path.submission_id": str(SUBMISSION)}}

# Nothing connects to this database: the document needs none.
DOCUMENT = build_openapi(create_app(Settings(), Database("postgresql+psycopg://nowhere.invalid/nothing")))

anything = schemathesis.openapi.from_dict(DOCUMENT, config=schemathesis.Config.from_dict({"operations": OPAQUE}))
something_known = schemathesis.openapi.from_dict(DOCUMENT, config=schemathesis.Config.from_dict(KNOWN))


@something_known.hook
def map_body(_: HookContext, body: Any) -> Any:
    """Inputs are any text to the document, and YAML of the problem's parameters to the server."""
    if isinstance(body, dict) and isinstance(given := body.get("inputs"), str) and len(given) <= MAX_BYTES:
        return body | {"inputs": None}
    return body


bounded = hypothesis_settings(
    max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture
def settings() -> Settings:
    return Settings(requests_per_minute=1_000_000, max_pending=1_000_000)


@pytest.fixture
def judged(ada: httpx.Client, database: Database) -> None:  # noqa: ARG001 (its user owns the submission)
    """A published problem and a judged submission of ada's: the ones that KNOWN names."""
    with database.transaction() as session:
        revision = publish(session, make_package())
        user_id = session.scalars(select(User.id).where(User.username == "ada")).one()
        facts = {"source": "x = 1", "mode": "submit", "variant": 0, "user_id": user_id}
        session.add(Submission(id=SUBMISSION, problem_id=revision.problem_id, revision_id=revision.id, **facts))
        session.flush()
        make_judging(session, SUBMISSION)
    end(database, take(database), cases=2)


@anything.parametrize()
@bounded
def test_any_request_gets_an_answer_that_the_document_promises(
    case: Case[Any], address: str, ada: httpx.Client
) -> None:
    case.call_and_validate(base_url=address, headers={"Authorization": ada.headers["Authorization"]})


@pytest.mark.usefixtures("judged")
@something_known.include(path_regex="slug|submission_id").parametrize()
@bounded
def test_requests_for_what_exists_get_what_the_document_promises(
    case: Case[Any], address: str, ada: httpx.Client
) -> None:
    case.call_and_validate(base_url=address, headers={"Authorization": ada.headers["Authorization"]})
