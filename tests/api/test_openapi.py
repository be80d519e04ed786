"""The OpenAPI document is true: generated requests, right and wrong ones, get only the answers that it promises."""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import count
from typing import Any
from uuid import UUID

import httpx
import pytest
import schemathesis
import schemathesis.specs.openapi.object_authorization  # late, and deep in a call, Python 3.11 may fail to parse it
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis import Case
from schemathesis.checks import CheckFunction
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance
from sqlalchemy import select

from app.accounts import sign_in
from app.accounts.model import Role, User
from app.accounts.password import MIN_CHARACTERS
from app.accounts.permission import EVERYBODY
from app.catalog.custom_inputs import MAX_BYTES
from app.catalog.publish import publish
from app.database.engine import Database
from app.lti.platform import MAX_URL, PlatformFields
from app.submissions.model import Submission
from tests.api.conftest import SignedIn
from tests.api.lease_steps import end, take
from tests.api.operations import DOCUMENT, Operation
from tests.catalog.packages import make_package
from tests.examples import IS_WHOLE
from tests.factories import make_judging, set_policy

SUBMISSION = UUID(int=1)
PLATFORM = PlatformFields.model_fields.keys() - {"may_create_courses"}

KNOWN = {"parameters": {"path.slug": "scaled_sum", "path.submission_id": str(SUBMISSION)}}

# The quick run asks for every third path.
ASKED = DOCUMENT if IS_WHOLE else DOCUMENT | {"paths": dict(list(DOCUMENT["paths"].items())[::3])}

anything = schemathesis.openapi.from_dict(ASKED)
something_known = schemathesis.openapi.from_dict(ASKED, config=schemathesis.Config.from_dict(KNOWN))
bounded = hypothesis_settings(
    max_examples=12 if IS_WHOLE else 1,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def policy(database: Database) -> None:
    with database.transaction() as session:
        set_policy(session, requests_per_minute=1_000_000, max_pending=10_000)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sign-ins over a limit, which generated ones exceed, are refused instead of waiting."""
    monkeypatch.setattr(sign_in, "LONGEST_WAIT_SECONDS", 0)


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


@pytest.fixture
def numbers() -> Iterator[int]:
    return count()


def is_asked(numbers: Iterator[int]) -> bool:
    """Return whether to send the next request. The quick run sends a fifth.

    Schemathesis adds up to 150 requests with boundary values to those that Hypothesis generates.
    """
    return next(numbers) % (1 if IS_WHOLE else 5) == 0


Askers = dict[Role, dict[str, str]]


@pytest.fixture
def askers(signed_in: SignedIn) -> Askers:
    """The headers of one user per role. The quick run asks as a student and as an admin."""
    roles = EVERYBODY if IS_WHOLE else ("student", "admin")
    return {role: {"Authorization": signed_in(f"some-{role}", role=role).headers["Authorization"]} for role in roles}


def mean_something(body: Any) -> Any:
    """Adapt a generated body to rules that the document can't state.

    For the document, a password may be easy to guess, and inputs, networks, time zones and addresses may be any text.
    """
    if not isinstance(body, dict):
        return body
    if isinstance(given := body.get("password"), str) and len(given) >= MIN_CHARACTERS:
        return body | {"password": "copper lantern meadow"}
    if isinstance(body.get("timezone"), str):
        return body | {"timezone": "Europe/Berlin"}
    if isinstance(body.get("keys_url"), str):
        most = dict.fromkeys(PLATFORM, MAX_URL) | {"name": 60}
        right = [name for name in PLATFORM if isinstance(body.get(name), str) and 0 < len(body[name]) <= most[name]]
        return body | dict.fromkeys(right, "https://lms.example.org")
    if body.get("networks"):
        return body | {"networks": ["192.0.2.0/24"]}
    if isinstance(given := body.get("inputs"), str) and len(given) <= MAX_BYTES:
        return body | {"inputs": None}  # YAML of the problem's parameters
    if body.get("requests_per_minute") is not None:
        return body | {"requests_per_minute": 1_000_000}  # else all that follow are too many
    return body


def asks_for_more(case: Case[Any]) -> bool:
    """Return whether the server's rules for this request go beyond those that the document can state.

    The server must have issued the cursor and the digest, a time range must not be empty, and some parameters need
    another one. The YAML of a package has its own schema.
    """
    if case.media_type == "application/yaml":
        return True
    given = case.query or {}
    needs_another = "revision" in given or "user" in given
    is_between = {"since", "until"} <= given.keys()
    return needs_another or is_between or "cursor" in given or "replaces" in given


def may_be_right(case: Case[Any]) -> bool:
    """Return whether a request that the document forbids may get another answer than a refusal of what is wrong.

    An object in a query is sent as its keys, which may be a right list.
    """
    return any(isinstance(value, dict) for value in (case.query or {}).values())


def ask(case: Case[Any], address: str, headers: dict[str, str]) -> int:
    """The answer's status, which the document promises, with all that is in the answer."""
    case.body = mean_something(case.body)
    excluded: list[CheckFunction] = [positive_data_acceptance] if asks_for_more(case) else []
    excluded += [negative_data_rejection] if may_be_right(case) else []
    return case.call_and_validate(base_url=address, headers=headers, excluded_checks=excluded).status_code


@anything.parametrize()
@bounded
def test_any_request_of_any_role_gets_an_answer_that_the_document_promises(
    case: Case[Any], address: str, askers: Askers, numbers: Iterator[int]
) -> None:
    if not is_asked(numbers):
        return
    operation = Operation(case.method.upper(), case.path, case.operation.definition.raw)
    for role, headers in askers.items():
        status = ask(case, address, headers)
        assert operation.is_for(role) or status >= HTTPStatus.BAD_REQUEST, f"a {role} may not do this"


@pytest.mark.usefixtures("judged")
@something_known.include(path_regex="slug|submission_id").parametrize()
@bounded
def test_requests_for_what_exists_get_what_the_document_promises(
    case: Case[Any], address: str, ada: httpx.Client, numbers: Iterator[int]
) -> None:
    if is_asked(numbers):
        ask(case, address, {"Authorization": ada.headers["Authorization"]})
