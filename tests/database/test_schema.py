from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, select, text
from sqlalchemy.exc import DBAPIError

from app.accounts.model import User
from app.database.engine import Database
from app.schema import TABLES, SchemaUnknown, is_current, upgrade
from tests.factories import make_user


def test_the_revisions_lead_to_the_tables_of_the_models(database: Database) -> None:
    with database.engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), TABLES)

    assert differences == []


def test_the_revisions_lead_to_the_check_constraints_of_the_models(database: Database) -> None:
    query = text("SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' ORDER BY 1")
    with database.engine.begin() as connection:
        migrated = connection.execute(query).all()
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
        TABLES.create_all(connection)
        modelled = connection.execute(query).all()

    assert migrated == modelled


def test_a_schema_newer_than_the_code_stops_the_start_with_a_sentence(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaUnknown, match="revision 9999, which this version of Allclose does not know"):
        upgrade(database)


def test_a_schema_from_before_the_first_release_is_refused_and_kept(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
        connection.execute(text("CREATE TABLE alembic_version AS SELECT '0041' AS version_num"))

    with pytest.raises(SchemaUnknown, match=r"revision 0041, from before the first release.* has changed nothing"):
        upgrade(database)

    with database.engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "0041"


@pytest.mark.usefixtures("next_migration")
def test_the_next_migration_upgrades_a_database_of_this_version_and_keeps_its_rows(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session).id
    assert not is_current(database)

    upgrade(database)

    assert is_current(database)
    with database.transaction() as session:
        assert session.scalars(select(User.id)).all() == [user]
        assert inspect(session.connection()).has_table("added")


def test_a_migration_that_fails_leaves_the_schema_as_it_was(database: Database, next_migration: Path) -> None:
    next_migration.write_text(f"{next_migration.read_text()}    op.execute('SELECT 1 / 0')\n")

    with pytest.raises(DBAPIError, match="division by zero"):
        upgrade(database)

    with database.engine.connect() as connection:
        assert not inspect(connection).has_table("added")
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) != "9000"


def test_processes_that_start_at_once_upgrade_a_new_database_once(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))

    with ThreadPoolExecutor(4) as starts:
        list(starts.map(upgrade, [database] * 4))

    assert is_current(database)
