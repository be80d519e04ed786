"""Reading the audit log over REST."""

import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.admin.audit_log import CHUNK
from app.audit import COMMAND, Act, Actor, record
from app.database.engine import Database


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


def test_the_export_of_the_log_has_all_matching_events(admin: httpx.Client, database: Database) -> None:
    write(database, CHUNK + 1, Act(action="user.suspended", target="ada"))
    write(database, 1, Act(action="user.reactivated", target="ada"))

    answer = admin.get("/audit-events/export", params={"action": "user.suspended"})

    assert answer.headers["content-type"] == "application/x-ndjson"
    assert "allclose-audit-" in answer.headers["content-disposition"]
    lines = [json.loads(line) for line in answer.text.splitlines()]
    assert len({line["id"] for line in lines}) == CHUNK + 1
    assert {line["action"] for line in lines} == {"user.suspended"}
