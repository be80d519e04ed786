from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest
from alembic.autogenerate import compare_metadata
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import select, text

from app.catalog.model import ExpectedOutput
from app.database.engine import Database
from app.schema import TABLES, SchemaTooNew, is_current, upgrade
from tests.factories import make_prepared, make_problem


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


def test_expected_outputs_of_random_answers_are_computed_again(database: Database) -> None:
    with database.transaction() as session:
        random, other = make_problem(session, answer={"kind": "random"}), make_problem(session)
        for revision in (random, other):
            make_prepared(session, revision)
        kept = other.id

    migration = import_module("migrations.versions.0040_random_samples_are_computed_again")
    with database.engine.begin() as connection, Operations.context(MigrationContext.configure(connection)):
        migration.upgrade()

    with database.transaction() as session:
        assert session.scalars(select(ExpectedOutput.revision_id)).all() == [kept]
