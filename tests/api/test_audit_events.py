"""Reading the audit log over REST."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import select, update

from app.accounts.model import User
from app.admin import audit_log
from app.admin.audit_log import CHUNK, AuditFilters, each_event
from app.audit import COMMAND, Act, Actor, record
from app.database.cursor import PAGE
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.factories import make_user


@pytest.fixture
def admin(signed_in: SignedIn) -> httpx.Client:
    return signed_in("root", role="admin")


def write(database: Database, number: int, *acts: Act, actor: Actor = COMMAND) -> None:
    with database.transaction() as session:
        for _ in range(number):
            for act in acts:
                record(session, actor, act)


def test_an_event_says_who_did_what_from_where(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        root = session.scalars(select(User.id).where(User.username == "root")).one()
    actor = Actor(user_id=root, channel="page", address="10.0.0.7")
    act = Act(action="user.suspended", target="ada", before={"is_active": True}, after={"is_active": False})
    write(database, 1, act, actor=actor)

    (event,) = admin.get("/audit-events").json()["items"]

    assert {name: event[name] for name in ("actor", "channel", "action", "target_kind", "target", "address")} == {
        "actor": "root",
        "channel": "page",
        "action": "user.suspended",
        "target_kind": "user",
        "target": "ada",
        "address": "10.0.0.7",
    }
    assert (event["before"], event["after"]) == ({"is_active": True}, {"is_active": False})


def test_pages_follow_one_another_without_a_gap(admin: httpx.Client, database: Database) -> None:
    write(database, PAGE + 2, Act(action="user.suspended", target="ada"))

    first = admin.get("/audit-events").json()
    second = admin.get("/audit-events", params={"cursor": first["next"]}).json()

    ids = [event["id"] for event in first["items"] + second["items"]]
    assert ids == sorted(ids, reverse=True)
    assert (len(first["items"]), len(second["items"]), second["next"]) == (PAGE, 2, None)


@pytest.mark.parametrize(
    ("filters", "targets"),
    [
        ({"actor": "root"}, ["max_pending"]),
        ({"action": "user.suspended"}, ["ada"]),
        ({"kind": "user"}, ["bob", "ada"]),
        ({"kind": "user", "target": "bob"}, ["bob"]),
        ({"target": "a\0b"}, []),
        ({"since": (datetime.now(UTC) - timedelta(hours=1)).isoformat()}, ["max_pending", "bob", "ada"]),
        ({"since": (datetime.now(UTC) + timedelta(hours=1)).isoformat()}, []),
        ({"until": (datetime.now(UTC) - timedelta(hours=1)).isoformat()}, []),
    ],
)
def test_filters_must_all_hold(
    admin: httpx.Client, database: Database, filters: dict[str, str], targets: list[str]
) -> None:
    write(database, 1, Act(action="user.suspended", target="ada"), Act(action="user.reactivated", target="bob"))
    admin.patch("/settings", json={"max_pending": 3}).raise_for_status()

    items = admin.get("/audit-events", params=filters).json()["items"]

    assert [event["target"] for event in items] == targets


@pytest.mark.parametrize("wrong", [{"cursor": "x"}, {"since": "yesterday"}, {"since": "2026-01-01T00:00:00"}])
def test_what_can_not_be_read_is_named(admin: httpx.Client, wrong: dict[str, str]) -> None:
    answer = admin.get("/audit-events", params=wrong)

    assert answer.status_code == 422
    assert next(iter(wrong)) in answer.json()["errors"][0]["field"]


def test_the_filtered_log_is_a_file_of_all_of_it(admin: httpx.Client, database: Database) -> None:
    write(database, CHUNK + 1, Act(action="user.suspended", target="ada"))
    write(database, 1, Act(action="user.reactivated", target="ada"))

    answer = admin.get("/audit-events/export", params={"action": "user.suspended"})

    assert answer.headers["content-type"] == "application/x-ndjson"
    assert "allclose-audit-" in answer.headers["content-disposition"]
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert len({line["id"] for line in lines}) == CHUNK + 1
    assert {line["action"] for line in lines} == {"user.suspended"}


def test_the_file_of_the_log_is_of_one_moment(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "CHUNK", 1)
    with database.transaction() as session:
        grace = Actor(user_id=make_user(session, "grace").id, channel="page")
    write(database, 3, Act(action="user.suspended", target="ada"), actor=grace)

    with database.snapshot() as session:
        records = each_event(session, AuditFilters())
        first = next(records)
        with database.transaction() as other:
            other.execute(update(User).values(username="renamed"))
        rest = list(records)

    assert [event["actor"] for event in (first, *rest)] == ["grace"] * 3


def test_a_spreadsheet_takes_no_text_of_the_log_for_a_formula(admin: httpx.Client, database: Database) -> None:
    write(database, 1, Act(action="user.suspended", target='=HYPERLINK("http://evil")', after={"note": "a,b"}))

    answer = admin.get("/audit-events/export", params={"format": "csv"})

    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))
    assert row["target"] == '\'=HYPERLINK("http://evil")'
    assert json.loads(row["after"]) == {"note": "a,b"}
    assert row["actor"] == ""
