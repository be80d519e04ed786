"""Backups by REST: made, listed, taken out, removed, and put back while everything goes on."""

import hashlib
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select, text

from app.accounts.model import User
from app.accounts.permission import Permission
from app.accounts.token import create_token
from app.audit import AuditEvent
from app.backup.store import MOST, BackupStore
from app.backup.task import KILLED, TaskRunner
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.backup.rows import Rows, fill, read_rows
from tests.factories import make_judging, make_user

REPLACE = {"replace": True}


@pytest.fixture
def grace(signed_in: SignedIn, database: Database) -> httpx.Client:
    """An admin, where there is something to lose."""
    with database.transaction() as session:
        fill(session, "somebody")
    return signed_in("grace", role="admin")


@pytest.fixture
def store(tmp_path: Path) -> BackupStore:
    return BackupStore(tmp_path)


def follow(client: httpx.Client, name: str) -> dict[str, Any]:
    """Wait until the state changes no more. The database is away for a moment while names change."""
    while True:
        answer = client.get(f"/backups/{name}?wait=30")
        if answer.status_code == 503:
            continue
        view: dict[str, Any] = answer.raise_for_status().json()
        if view["state"] != "writing" and (view["restoration"] or {}).get("state") != "running":
            return view


def make(client: httpx.Client) -> dict[str, Any]:
    answer = client.post("/backups")
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"] == f"/api/v1/backups/{answer.json()['name']}"
    return follow(client, answer.json()["name"])


def restore(client: httpx.Client, name: str) -> dict[str, Any]:
    answer = client.post(f"/backups/{name}/restore", json=REPLACE)
    assert answer.status_code == 202, answer.text
    found = follow(client, name)["restoration"]
    assert isinstance(found, dict)
    return found


def actions(database: Database) -> list[tuple[str, str | None]]:
    """Return the audit events about backups: each action and its actor."""
    with database.transaction() as session:
        rows = select(AuditEvent.action, User.username).outerjoin(User, User.id == AuditEvent.actor_id)
        of_backups = rows.where(AuditEvent.target_kind == "backup").order_by(AuditEvent.id)
        return [(action, name) for action, name in session.execute(of_backups)]


def lasting(rows: Rows) -> Rows:
    """Leave out the tables that each request writes to."""
    return {table: each for table, each in rows.items() if table not in ("audit_events", "tokens")}


def test_one_is_made_listed_taken_out_and_removed(grace: httpx.Client, database: Database, store: BackupStore) -> None:
    made = make(grace)

    assert (made["state"], made["is_restorable"], made["notice"]) == ("ready", True, None)
    assert made["rows"]["users"] == 2
    listed = grace.get("/backups").json()
    assert (listed["items"], listed["most"]) == ([made], MOST)
    assert listed["free_bytes"] > 0
    file = store.get_path(made["name"])
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    taken = grace.get(f"/backups/{made['name']}/file")
    assert taken.headers["content-disposition"] == f'attachment; filename="{made["name"]}"'
    assert taken.content == file.read_bytes()
    dump = zipfile.ZipFile(io.BytesIO(taken.content)).read("database.dump")
    assert hashlib.sha256(dump).hexdigest() == made["dump_sha256"]
    assert [grace.delete(f"/backups/{made['name']}").status_code for _ in range(2)] == [204, 204]
    assert grace.get("/backups").json()["items"] == []
    assert grace.get(f"/backups/{made['name']}").status_code == 404
    done = ["backup.written", "backup.downloaded", "backup.removed"]
    assert actions(database) == [(action, "grace") for action in done]


def test_everything_is_as_it_was_and_the_service_goes_on(grace: httpx.Client, database: Database) -> None:
    before = lasting(read_rows(database))
    made = make(grace)
    with database.transaction() as session:
        make_user(session, "late")

    ended = restore(grace, made["name"])

    assert (ended["state"], ended["notice"]) == ("done", None)
    assert lasting(read_rows(database)) == before
    assert actions(database) == [("backup.restored", "grace")]
    assert grace.get("/me").json()["username"] == "grace"
    assert grace.get("/users", params={"q": "late"}).json()["items"] == []


def test_who_restores_may_have_come_after_the_backup(
    grace: httpx.Client, signed_in: SignedIn, database: Database
) -> None:
    made = make(grace)
    late = signed_in("late", role="admin")

    late.post(f"/backups/{made['name']}/restore", json=REPLACE).raise_for_status()

    assert follow(grace, made["name"])["restoration"]["state"] == "done"
    assert late.get("/me").status_code == 401
    assert actions(database) == [("backup.restored", None)]


def test_what_it_would_replace_is_said_to_who_does_not_ask_for_it(grace: httpx.Client, database: Database) -> None:
    name = make(grace)["name"]
    before = read_rows(database)

    refused = grace.post(f"/backups/{name}/restore", json={})

    assert refused.status_code == 409
    assert "2 users, 1 problem, 1 submission" in refused.json()["detail"]
    assert "send replace: true" in refused.json()["detail"]
    assert lasting(read_rows(database)) == lasting(before)


@pytest.mark.parametrize(
    "name", ["..%2Fwork.json", "%2e%2e", "work.json", "lock", "2000-01-01T000000Z.zip", "2000-01-01T000000Z.zip%00"]
)
def test_a_name_that_is_none_is_not_found(grace: httpx.Client, name: str) -> None:
    make(grace)

    answers = [
        grace.get(f"/backups/{name}"),
        grace.get(f"/backups/{name}/file"),
        grace.post(f"/backups/{name}/restore", json=REPLACE),
    ]
    removed = grace.delete(f"/backups/{name}").status_code

    assert removed in ((204,) if name == "2000-01-01T000000Z.zip" else (404, 405))
    assert {answer.status_code for answer in answers} <= {404, 405}
    assert len(grace.get("/backups").json()["items"]) == 1


def test_a_link_to_elsewhere_is_no_backup(grace: httpx.Client, store: BackupStore, tmp_path: Path) -> None:
    name = make(grace)["name"]
    elsewhere = tmp_path / "elsewhere.zip"
    store.get_path(name).rename(elsewhere)
    (store.folder / name).symlink_to(elsewhere)

    assert grace.get(f"/backups/{name}/file").status_code == 404
    assert grace.post(f"/backups/{name}/restore", json=REPLACE).status_code == 404


def open_to_others(path: Path) -> None:
    path.chmod(0o666)


def open_the_folder(path: Path) -> None:
    path.parent.chmod(0o777)


def give_away(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a file away takes root")
    os.chown(path, 12345, -1)


@pytest.mark.parametrize("loosen", [open_to_others, open_the_folder, give_away])
def test_what_others_could_have_written_is_not_restored(
    grace: httpx.Client, database: Database, store: BackupStore, loosen: Callable[[Path], None]
) -> None:
    name = make(grace)["name"]
    before = lasting(read_rows(database))
    loosen(store.get_path(name))

    refused = grace.post(f"/backups/{name}/restore", json=REPLACE)

    assert refused.status_code == 409
    assert "Other users can" in refused.json()["detail"]
    shown = grace.get(f"/backups/{name}").json()
    assert not shown["is_restorable"]
    assert shown["notice"] == refused.json()["detail"]
    assert lasting(read_rows(database)) == before


def test_a_file_without_an_end_is_shown_as_damaged(grace: httpx.Client, store: BackupStore) -> None:
    name = make(grace)["name"]
    path = store.get_path(name)
    path.write_bytes(path.read_bytes()[:-100])

    shown = grace.get("/backups").json()["items"][0]

    assert (shown["state"], shown["is_restorable"]) == ("damaged", False)
    assert "The file is damaged" in shown["notice"]
    assert grace.post(f"/backups/{name}/restore", json=REPLACE).status_code == 409
    assert grace.delete(f"/backups/{name}").status_code == 204


def test_a_damaged_dump_changes_nothing_and_says_so(
    grace: httpx.Client, database: Database, store: BackupStore
) -> None:
    name = make(grace)["name"]
    path = store.get_path(name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    before = lasting(read_rows(database))

    ended = restore(grace, name)

    assert ended["state"] == "failed"
    assert "not an undamaged backup" in ended["notice"]
    assert lasting(read_rows(database)) == before


def test_while_one_is_written_nothing_else_is_begun(grace: httpx.Client, database: Database) -> None:
    kept = make(grace)["name"]
    with database.engine.begin() as connection:  # pg_dump waits for this lock
        connection.execute(text("LOCK TABLE drafts IN ACCESS EXCLUSIVE MODE"))
        writing = grace.post("/backups").json()
        refused = [
            grace.post("/backups"),
            grace.post(f"/backups/{kept}/restore", json=REPLACE),
            grace.delete(f"/backups/{kept}"),
        ]
        shown = grace.get(f"/backups/{writing['name']}").json()

    assert [answer.status_code for answer in refused] == [409, 409, 409]
    assert all("Try again when it has ended" in answer.json()["detail"] for answer in refused)
    assert (shown["state"], shown["is_restorable"]) == ("writing", False)
    assert follow(grace, writing["name"])["state"] == "ready"


def test_one_whose_process_was_killed_does_not_go_on_for_ever(grace: httpx.Client, store: BackupStore) -> None:
    name = make(grace)["name"]
    runner = TaskRunner(store.folder)
    work = runner.read()
    assert work is not None
    for kind, of in (("restore", name), ("backup", "2000-01-01T000000Z.zip")):
        told = work.model_copy(update={"kind": kind, "name": of, "state": "running"})
        (store.folder / "work.json").write_text(told.model_dump_json())
        shown = grace.get(f"/backups/{of}").json()
        state, notice = (
            (shown["state"], shown["notice"])
            if kind == "backup"
            else (shown["restoration"]["state"], shown["restoration"]["notice"])
        )
        assert (state, notice) == ("failed", KILLED)

    assert make(grace)["state"] == "ready"


def test_so_many_are_kept_and_no_more(grace: httpx.Client, store: BackupStore) -> None:
    path = store.get_path(make(grace)["name"])
    for number in range(1, MOST):
        (store.folder / f"2000-01-{number:02}T000000Z.zip").write_bytes(path.read_bytes())

    refused = grace.post("/backups")

    assert refused.status_code == 429
    assert f"There are {MOST} backups, which is the limit" in refused.json()["detail"]
    assert grace.delete("/backups/2000-01-01T000000Z.zip").status_code == 204
    assert make(grace)["state"] == "ready"


def test_a_full_disk_is_said_before(grace: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.backup.store.SPARE_BYTES", 10**18)

    refused = grace.post("/backups")

    assert refused.status_code == 429
    assert "Remove older backups" in refused.json()["detail"]
    assert grace.get("/backups").json()["items"] == []


def test_it_takes_an_admin_and_the_scope(
    grace: httpx.Client, signed_in: SignedIn, address: str, database: Database
) -> None:
    name = make(grace)["name"]
    with database.transaction() as session:
        new = create_token(session, make_user(session, "emil", role="admin").id, "small")
        new.token.scopes = [str(right) for right in Permission if right is not Permission.BACK_UP]
    headers = {"Authorization": f"Bearer {new.secret}"}
    with httpx.Client(base_url=f"{address}/api/v1", headers=headers, timeout=60) as small:
        for client in (signed_in("ada"), signed_in("ann", role="author"), small):
            answers = [
                client.get("/backups"),
                client.post("/backups"),
                client.get(f"/backups/{name}"),
                client.get(f"/backups/{name}/file"),
                client.delete(f"/backups/{name}"),
                client.post(f"/backups/{name}/restore", json=REPLACE),
            ]
            assert {answer.status_code for answer in answers} == {403}
    assert len(grace.get("/backups").json()["items"]) == 1


def test_numbers_that_were_handed_out_never_come_again(grace: httpx.Client, database: Database) -> None:
    name = make(grace)["name"]
    with database.transaction() as session:
        late = make_judging(session).id

    assert restore(grace, name)["state"] == "done"

    with database.transaction() as session:
        assert make_judging(session).id > late
