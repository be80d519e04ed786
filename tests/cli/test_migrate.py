"""`allclose migrate` prepares an empty database, as a deployment's first step."""

from pathlib import Path

import pytest

from app.accounts.password import is_password
from app.accounts.user import find_user
from app.cli.server import create_first_admin
from app.database.engine import Database
from app.settings import BadSetting
from tests.cli.test_commands import allclose
from tests.serving import ONE_PROBLEM

PASSWORD = "three uncommon words"


@pytest.mark.whole
def test_the_first_admin_gets_the_password_of_the_secrets_file_and_it_is_not_printed(
    database: Database, tmp_path: Path
) -> None:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    settings = {
        "ALLCLOSE_DATABASE_URL": database.url,
        "ALLCLOSE_PROBLEMS": str(ONE_PROBLEM),
        "ALLCLOSE_ADMIN_PASSWORD_FILE": str(tmp_path / "password"),
    }

    migrated = allclose("migrate", **settings)

    assert migrated.returncode == 0, migrated.stderr
    assert PASSWORD not in migrated.stdout + migrated.stderr
    assert "Sign in as admin, password of ALLCLOSE_ADMIN_PASSWORD" in migrated.stdout
    assert _has_password(database, PASSWORD)


def test_a_chosen_password_does_not_replace_that_of_an_admin(database: Database) -> None:
    generated = create_first_admin(database)

    assert create_first_admin(database, PASSWORD) is None
    assert generated is not None
    assert _has_password(database, generated)


def test_a_weak_password_of_the_first_admin_is_refused_with_a_sentence(database: Database) -> None:
    with pytest.raises(BadSetting, match=r"ALLCLOSE_ADMIN_PASSWORD can't be used: .* Choose a stronger one"):
        create_first_admin(database, "aaaaaaaaaaaa")

    with database.transaction() as session:
        assert find_user(session, "admin") is None


def _has_password(database: Database, password: str) -> bool:
    with database.transaction() as session:
        admin = find_user(session, "admin")
        assert admin is not None
        return is_password(password, admin.password_hash)
