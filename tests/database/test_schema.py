from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from app.database.engine import Database
from app.schema import TABLES, SchemaTooNew, is_current, upgrade


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


def test_upgrading_twice_changes_nothing(database: Database) -> None:
    upgrade(database)

    upgrade(database)


def test_a_schema_newer_than_the_code_stops_the_start_with_a_sentence(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaTooNew, match="revision 9999, which this version of Allclose does not know"):
        upgrade(database)


def test_processes_that_start_at_once_upgrade_a_new_database_once(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))

    with ThreadPoolExecutor(4) as starts:
        list(starts.map(upgrade, [database] * 4))

    assert is_current(database)
