"""Programs read `code`: each error class has one, and each code has one status."""

from collections.abc import Iterator

import httpx

import app.web_process  # noqa: F401 (all that a request can raise is imported by it)
from app.accounts.single_sign_on import ProviderAway
from app.admin.settings import SettingsRefused
from app.api.error_code import CODE_OF, CODE_OF_STATUS, MEANINGS, Code, code_of
from app.database.embedded_cluster import PostgresNotStarted
from app.errors import AllcloseError, JudgeFailed
from app.lti.fetch import PlatformAway
from app.schema import SchemaUnknown
from app.settings import BadSetting
from tests.api.conftest import SignedIn

# Of starting, judging and commands, and of single sign-on and learning platforms, whose pages answer them: one that
# gets out is our failure.
NEVER_ANSWERED = (
    BadSetting,
    SettingsRefused,
    PlatformAway,
    ProviderAway,
    SchemaUnknown,
    PostgresNotStarted,
    JudgeFailed,
)
OF_OTHER_PROCESSES = (
    "app.backup",
    "app.catalog.importing",
    "app.cli",
    "app.database.embedded_server",
    "app.log",
    "app.worker",
)


def errors_of_ours(base: type[AllcloseError] = AllcloseError) -> Iterator[type[AllcloseError]]:
    for kind in base.__subclasses__():
        yield kind
        yield from errors_of_ours(kind)


def test_every_error_that_a_request_can_meet_has_a_code() -> None:
    met = [
        kind
        for kind in errors_of_ours()
        if not issubclass(kind, NEVER_ANSWERED)
        and not kind.__module__.startswith(OF_OTHER_PROCESSES)
        and kind.__module__.startswith("app.")
    ]

    assert len(met) > 12
    assert [kind for kind in met if code_of(kind) is Code.FAILED] == []


def test_every_code_means_something_and_can_be_met() -> None:
    made_elsewhere = {Code.FAILED, Code.BODY_UNREADABLE}

    assert set(MEANINGS) == set(Code)
    assert set(CODE_OF.values()) | set(CODE_OF_STATUS.values()) | made_elsewhere == set(Code)
    assert all(MEANINGS[code].status == status for status, code in CODE_OF_STATUS.items())


def test_a_missing_token_and_a_missing_permission_have_different_codes(
    anyone: httpx.Client, signed_in: SignedIn
) -> None:
    unknown = anyone.get("/me").json()
    student = signed_in("linus").get("/verifications").json()
    guess = anyone.post("/tokens", json={"username": "ada", "password": "not hers at all"}).json()

    assert [unknown["code"], student["code"], guess["code"]] == ["not_signed_in", "right_missing", "sign_in_failed"]
