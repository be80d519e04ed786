"""Settings that change while Allclose runs."""

import time
from datetime import UTC, datetime

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from app.accounts.model import ApiToken
from app.accounts.token import create_token
from app.audit import AuditEvent
from app.database.engine import Database
from app.policy import LEAST_REQUESTS
from app.settings import Settings
from app.submissions.model import Submission
from app.web_process import create_app
from tests.api.conftest import SignedIn
from tests.factories import make_judging, make_user
from tests.http_server import serving

# How long another process may go by what was before; the rest is for a machine that is busy.
SOON_SECONDS = 30


def test_each_setting_says_what_it_is_for_and_within_which_bounds(admin: httpx.Client) -> None:
    settings = {one["name"]: one for one in admin.get("/settings").json()["items"]}

    assert settings["max_pending"] == {
        "name": "max_pending",
        "description": "unfinished submissions per user",
        "value": 20,
        "default": 20,
        "choices": [],
        "minimum": 1,
        "maximum": 10_000,
        "max_length": None,
        "may_be_empty": False,
        "changed_by": None,
        "changed_at": None,
    }
    assert settings["sign_up"]["choices"] == ["open", "invitation", "closed"]
    assert settings["keep_submissions_days"]["may_be_empty"] is True
    assert settings["announcement"]["max_length"] == 500


def test_a_change_is_kept_with_its_author(admin: httpx.Client) -> None:
    answer = admin.patch("/settings", json={"max_pending": 3, "announcement": "  Exam\nat nine "})

    assert answer.status_code == 200
    settings = {one["name"]: one for one in admin.get("/settings").json()["items"]}
    assert (settings["max_pending"]["value"], settings["announcement"]["value"]) == (3, "Exam at nine")
    assert settings["max_pending"]["changed_by"] == "root"
    assert settings["max_pending"]["changed_at"] is not None
    assert settings["sign_up"]["changed_at"] is None


def test_changes_are_written_down_with_what_was_before(admin: httpx.Client, database: Database) -> None:
    admin.patch("/settings", json={"max_pending": 3, "sign_up": "open"}).raise_for_status()
    admin.delete("/settings/max_pending").raise_for_status()

    with database.transaction() as session:
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id)).all()
    assert [(event.action, event.target, event.before, event.after) for event in events] == [
        ("setting.changed", "max_pending", {"max_pending": 20}, {"max_pending": 3}),
        ("setting.changed", "max_pending", {"max_pending": 3}, {"max_pending": 20}),
    ]
    assert {event.channel for event in events} == {"api"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"requests_per_minute": 59}, "requests_per_minute is 59: should be greater than or equal to 60"),
        ({"max_pending": 0}, "max_pending is 0: should be greater than or equal to 1"),
        ({"keep_submissions_days": 40_000}, "keep_submissions_days is 40000: should be less than or equal to 36500"),
        ({"sign_up": "sometimes"}, "sign_up is \"sometimes\": should be 'open', 'invitation' or 'closed'"),
        ({"announcement": "x" * 501}, "should have at most 500 characters"),
        ({"announcement": "a\0b"}, "it contains a character that can't be stored"),
        ({"max_pendign": 3}, "max_pendign is not a field of this request"),
    ],
)
def test_a_wrong_value_is_named_with_its_limit_and_changes_nothing(
    admin: httpx.Client, change: dict[str, object], said: str
) -> None:
    answer = admin.patch("/settings", json={"judging_seconds_per_hour": 900, **change})

    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert answer.json()["errors"][0]["field"] == next(iter(change))
    values = {one["name"]: one["value"] for one in admin.get("/settings").json()["items"]}
    assert values["judging_seconds_per_hour"] == 3600


def test_a_setting_that_there_is_not_can_not_be_put_back(admin: httpx.Client) -> None:
    answer = admin.delete("/settings/max_pendign")

    assert answer.status_code == 404
    assert "Allowed: sign_up, discussions" in answer.json()["detail"]


def test_another_process_counts_requests_by_the_new_number_within_seconds(
    admin: httpx.Client, signed_in: SignedIn, database: Database
) -> None:
    ada = signed_in("ada")
    other: FastAPI = create_app(Settings(), database)
    with serving(other) as address, httpx.Client(base_url=f"{address}/api/v1", headers=ada.headers) as there:
        assert there.get("/me").status_code == 200

        admin.patch("/settings", json={"requests_per_minute": 60}).raise_for_status()
        for _ in range(60):
            there.get("/me")

        deadline = time.monotonic() + SOON_SECONDS
        while (status := there.get("/me").status_code) == 200 and time.monotonic() < deadline:
            time.sleep(0.1)
    assert status == 429


def test_the_process_that_is_told_counts_by_the_new_number_at_once(admin: httpx.Client, signed_in: SignedIn) -> None:
    ada = signed_in("ada")
    ada.get("/me").raise_for_status()

    admin.patch("/settings", json={"requests_per_minute": 60}).raise_for_status()

    assert [ada.get("/me").status_code for _ in range(60)] == [*[200] * 59, 429]


def test_with_the_fewest_requests_an_admin_still_opens_and_saves_the_settings(admin: httpx.Client) -> None:
    admin.patch("/settings", json={"requests_per_minute": LEAST_REQUESTS}).raise_for_status()

    for _ in range(10):
        admin.get("/settings").raise_for_status()
    admin.patch("/settings", json={"requests_per_minute": 600}).raise_for_status()


def test_a_shorter_time_of_keeping_is_confirmed_with_what_it_removes(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        judging = make_judging(session, verdict="wrong_answer")
        at = datetime(2020, 1, 1, tzinfo=UTC)
        session.execute(update(Submission).where(Submission.id == judging.submission_id).values(created_at=at))

    unconfirmed = admin.patch("/settings", json={"keep_submissions_days": 30, "max_pending": 3})
    values = {one["name"]: one["value"] for one in admin.get("/settings").json()["items"]}
    confirmed = admin.patch("/settings", json={"keep_submissions_days": 30, "confirm_removal": True})
    longer = admin.patch("/settings", json={"keep_submissions_days": 31})
    for_ever = admin.delete("/settings/keep_submissions_days")

    assert (unconfirmed.status_code, unconfirmed.json()["code"]) == (409, "removal_unconfirmed")
    assert "keep_submissions_days = 30 would remove 1 submissions, for good" in unconfirmed.json()["detail"]
    assert "confirm_removal=true" in unconfirmed.json()["detail"]
    assert (values["keep_submissions_days"], values["max_pending"]) == (None, 20)
    assert [confirmed.status_code, longer.status_code, for_ever.status_code] == [200, 200, 200]


def test_a_default_that_removes_is_confirmed_too(admin: httpx.Client, database: Database) -> None:
    admin.patch("/settings", json={"keep_ended_days": None}).raise_for_status()
    with database.transaction() as session:
        create_token(session, make_user(session).id, "old")
        session.execute(
            update(ApiToken).where(ApiToken.name == "old").values(revoked_at=datetime(2020, 1, 1, tzinfo=UTC))
        )

    assert admin.delete("/settings/keep_ended_days").status_code == 409
    assert admin.delete("/settings/keep_ended_days", params={"confirm_removal": "true"}).status_code == 200
