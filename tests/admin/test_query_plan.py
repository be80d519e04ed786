"""Users are found by indexes: among many, no list reads all of them."""

import pytest
from sqlalchemy import text

from app.admin.user_list import UserFilters, list_users
from app.database.engine import Database
from tests.large.plan import Planner, listening

MANY = text("""
    INSERT INTO users (id, username, email, role, is_active, is_ranked, created_at)
    SELECT gen_random_uuid(), 'user-' || n, 'name' || n || '@example.org',
        CASE WHEN n % 200 = 0 THEN 'author' ELSE 'student' END, n % 150 <> 0, false, now() - n * interval '1 minute'
    FROM generate_series(1, 10000) AS n
""")


@pytest.mark.parametrize(
    "wanted",
    [
        UserFilters(),
        UserFilters(q="name77"),
        UserFilters(role="author"),
        UserFilters(role="admin"),
        UserFilters(state="active"),
        UserFilters(state="suspended"),
        UserFilters(state="erased"),
    ],
    ids=str,
)
def test_a_list_of_users_reads_not_all_of_them(database: Database, wanted: UserFilters) -> None:
    with database.engine.begin() as connection:
        connection.execute(MANY)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))

    with listening(database) as heard, database.transaction() as session:
        list_users(session, wanted)

    with database.engine.connect() as connection:
        planner = Planner(connection)
        scans = {statement: planner.find_scans(statement, values) for statement, values in heard.statements.items()}
    assert set().union(*scans.values()) == set()
