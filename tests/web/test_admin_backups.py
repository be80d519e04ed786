"""The page of backups: what it lists and asks for, and whom it refuses."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import User
from app.accounts.password import hash_password
from app.audit import COMMAND
from app.backup.archive import back_up
from app.backup.store import BackupStore
from app.backup.task import TaskRunner
from app.database.engine import Database
from tests.factories import make_user
from tests.web.conftest import PASSWORD

NAME = "2026-01-02T030405Z.zip"
PAGE = f"/admin/backups/{NAME}"
SURE = {"sure": "yes", "password": PASSWORD}


@pytest.fixture
def store(tmp_path: Path) -> BackupStore:
    store = BackupStore(tmp_path)
    store.open()
    return store


@pytest.fixture
def kept(admin: TestClient, database: Database, store: BackupStore) -> TestClient:
    """The admin, whose password is known, where there is a backup."""
    with database.transaction() as session:
        grace = session.scalars(select(User).where(User.username == "grace")).one()
        grace.password_hash = hash_password(PASSWORD)
    back_up(database, store.folder / NAME, COMMAND)
    return admin


def wait(store: BackupStore) -> None:
    TaskRunner(store.folder).hold().close()


def test_one_is_made_and_listed(admin: TestClient, store: BackupStore) -> None:
    assert "No backups yet" in admin.get("/admin/backups").text

    assert admin.post("/admin/backups").headers["location"] == "/admin/backups"
    while admin.get("/admin/backups").headers.get("refresh"):
        pass

    (made,) = store.list_paths()
    assert f'href="/admin/backups/{made.name}"' in admin.get("/admin/backups").text


def test_it_says_what_would_be_replaced(kept: TestClient, database: Database) -> None:
    with database.transaction() as session:
        make_user(session, "late")

    page = kept.get(PAGE).text

    assert '<td>Users</td><td class="number">2</td><td class="number">1</td>' in page
    assert "users suspended since then can sign in again" in page
    assert "password hashes" in page


def test_it_is_restored_by_who_ticks_the_box_and_knows_the_password(
    kept: TestClient, database: Database, store: BackupStore
) -> None:
    with database.transaction() as session:
        make_user(session, "late")

    unticked = kept.post(f"{PAGE}/restore", data={"password": PASSWORD})
    unproven = kept.post(f"{PAGE}/restore", data={**SURE, "password": "guessed"})
    begun = kept.post(f"{PAGE}/restore", data=SURE)
    while kept.get(PAGE).headers.get("refresh"):
        pass

    assert (unticked.status_code, unproven.status_code) == (409, 422)
    assert "Tick the box" in unticked.text
    assert "This is not your password" in unproven.text
    assert (begun.status_code, begun.headers["location"]) == (303, PAGE)
    wait(store)
    with database.transaction() as session:
        assert session.scalars(select(User.username)).all() == ["grace"]


def test_it_is_taken_out_by_who_knows_the_password(kept: TestClient, store: BackupStore) -> None:
    unproven = kept.post(f"{PAGE}/file", data={"password": "guessed"})
    taken = kept.post(f"{PAGE}/file", data={"password": PASSWORD})

    assert unproven.status_code == 422
    assert taken.content == store.get_path(NAME).read_bytes()
    assert taken.headers["content-disposition"] == f'attachment; filename="{NAME}"'


def test_it_is_removed(kept: TestClient, store: BackupStore) -> None:
    assert kept.post(f"{PAGE}/remove").status_code == 409
    assert kept.post(f"{PAGE}/remove", data={"sure": "yes"}).status_code == 303
    assert store.list_paths() == []
    assert kept.get(PAGE).status_code == 404


def test_a_damaged_one_is_not_offered_for_restoring(kept: TestClient, store: BackupStore) -> None:
    store.get_path(NAME).write_bytes(b"PK")

    page = kept.get(PAGE).text

    assert "The file is damaged" in page
    assert f"{PAGE}/restore" not in page
    assert kept.post(f"{PAGE}/restore", data=SURE).status_code == 409


def test_a_second_one_is_told_to_wait(kept: TestClient, store: BackupStore) -> None:
    with TaskRunner(store.folder).hold():
        refused = kept.post("/admin/backups")

    assert refused.status_code == 409
    assert "Try again when it has ended" in refused.text


def test_only_admins_may_use_the_backups_page(ada: TestClient, store: BackupStore) -> None:
    assert ada.get("/admin/backups").status_code == 403
    assert ada.post("/admin/backups").status_code == 403
    assert ada.post(f"{PAGE}/restore", data=SURE).status_code == 403
    assert store.list_paths() == []


def test_a_form_of_another_site_makes_no_backup(admin: TestClient, store: BackupStore) -> None:
    assert admin.post("/admin/backups", headers={"Origin": "https://elsewhere.example"}).status_code == 403
    assert store.list_paths() == []
