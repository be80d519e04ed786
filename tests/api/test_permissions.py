"""Every endpoint for every role, and for tokens with every scope but the one: allowed users get in, others are refused.

The endpoints and the right that each needs are those of the OpenAPI document, the roles' rights those of the one table.
"""

from collections.abc import Callable
from http import HTTPStatus
from uuid import UUID

import httpx
import pytest

from app.accounts.model import Role
from app.accounts.permission import EVERYBODY, RULES, Permission
from app.accounts.token import create_token
from app.database.engine import Database
from tests.api.conftest import PATIENCE
from tests.api.operations import CLOSED, OPERATIONS, Operation
from tests.factories import make_user

# Operations that need no token; all others refuse a request without one.
OPEN = {
    "create_user",
    "create_token",
    "get_problem",
    "get_healthz",
    "get_readyz",
}
OPEN_OR_KNOWN = {"list_problems", "list_tracks", "get_track"}

REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
NOWHERE = str(UUID(int=0))


Client = Callable[[Role, list[Permission] | None], httpx.Client]


@pytest.fixture
def client(address: str, database: Database) -> Client:
    def client(role: Role, scopes: list[Permission] | None = None) -> httpx.Client:
        with database.transaction() as session:
            new = create_token(session, make_user(session, role=role).id, "test")
            new.token.scopes = None if scopes is None else list(map(str, scopes))
        return httpx.Client(base_url=address, headers={"Authorization": f"Bearer {new.secret}"}, timeout=PATIENCE)

    return client


def ask(client: httpx.Client, operation: Operation) -> httpx.Response:
    """Send parameters that name nothing, so that an allowed user gets an error other than 401 or 403."""
    path = operation.path
    for part in ("slug", "track"):
        path = path.replace(f"{{{part}}}", "nothing_like_it")
    while "{" in path:
        before, _, rest = path.partition("{")
        name, _, after = rest.partition("}")
        path = before + ("1" if name == "number" else NOWHERE) + after
    body: dict[str, object] = {"json": {}} if operation.method in ("POST", "PUT", "PATCH") else {}
    return client.request(operation.method, path, **body)  # type: ignore[arg-type]


def test_only_the_listed_operations_are_open_without_a_token() -> None:
    without_a_token = {operation.name for operation in OPERATIONS if operation.is_open}

    assert without_a_token == OPEN | OPEN_OR_KNOWN


def test_every_right_is_needed_somewhere_and_every_role_has_what_the_table_says() -> None:
    assert {operation.right for operation in CLOSED} <= set(RULES)
    assert all(set(rule.roles) <= set(EVERYBODY) and rule.allows for rule in RULES.values())


@pytest.mark.parametrize("role", EVERYBODY)
def test_each_role_may_call_what_its_rights_are_for_and_nothing_else(client: Client, role: Role) -> None:
    with client(role, None) as asker:
        answers = {operation: ask(asker, operation).status_code for operation in CLOSED}

    refused = {operation for operation, status in answers.items() if status in REFUSED}
    assert refused == {
        operation for operation in CLOSED if operation.right and role not in RULES[operation.right].roles
    }
    assert not [operation for operation, status in answers.items() if status >= HTTPStatus.INTERNAL_SERVER_ERROR]


def test_a_token_with_every_scope_but_one_may_not_do_what_that_one_is_for(client: Client) -> None:
    allowed: list[str] = []
    for right in Permission:
        with client("admin", [other for other in Permission if other is not right]) as asker:
            asked = [operation for operation in CLOSED if operation.right is right]
            allowed += [operation.name for operation in asked if ask(asker, operation).status_code not in REFUSED]

    assert allowed == []


@pytest.mark.parametrize("secret", [None, "alc_unknown", "alc_" + "x" * 43, "x" * 5000])
def test_without_a_token_that_was_given_everything_that_is_not_open_asks_for_one(
    address: str, secret: str | None
) -> None:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE) as anyone:
        answers = {operation: ask(anyone, operation).status_code for operation in CLOSED if not operation.is_open}

    assert set(answers.values()) == {HTTPStatus.UNAUTHORIZED}
