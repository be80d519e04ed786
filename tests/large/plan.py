"""The plans of the statements that a request executes, and the growing tables that a plan reads whole."""

import json
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, event, text

from app.database.engine import Database

# Small tables: they do not grow with students, submissions or years.
SMALL = {
    "problems",
    "revisions",
    "tracks",
    "workers",
    "policy",
    "server_keys",
    "rejudgings",
    "alembic_version",
    "solve_counts",
}
# A table of so many rows is read whole since that is quicker: what counts is whether it need be.
MANY_ROWS = 2_000
# The share of a growing table's rows that is as good as all of them.
MOST = 0.5


@dataclass(slots=True)
class Heard:
    """The executed statements with their values; of several with the same text, the first."""

    statements: dict[str, Any] = field(default_factory=dict)


@contextmanager
def listening(database: Database) -> Iterator[Heard]:
    """Record all statements that this engine executes."""
    heard = Heard()

    def hear(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        heard.statements.setdefault(statement, parameters)

    event.listen(database.engine, "before_cursor_execute", hear)
    try:
        yield heard
    finally:
        event.remove(database.engine, "before_cursor_execute", hear)


class Planner:
    """Plans statements on a connection of its own, whose transaction is rolled back."""

    def __init__(self, connection: Connection, small: Set[str] = frozenset(SMALL)) -> None:
        self._connection = connection
        sizes = connection.execute(text("SELECT relname, n_live_tup FROM pg_stat_user_tables"))
        self.sizes = {name: rows for name, rows in sizes if name not in small}

    def find_scans(self, statement: str, parameters: Any) -> set[str]:
        """The growing tables that are read whole."""
        if isinstance(parameters, list) or not statement.lstrip().upper().startswith(("SELECT", "WITH", "UPDATE")):
            return set()
        scanned = self._scans(statement, parameters)
        if not {table for table in scanned if self.sizes[table] < MANY_ROWS}:
            return scanned
        with self._connection.begin_nested() as nested:
            self._connection.execute(text("SET LOCAL enable_seqscan = off"))
            unavoidable = self._scans(statement, parameters)
            nested.rollback()
        return {table for table in scanned if self.sizes[table] >= MANY_ROWS or table in unavoidable}

    def _scans(self, statement: str, parameters: Any) -> set[str]:
        with self._connection.begin_nested() as nested:
            explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {statement}"
            told = self._connection.exec_driver_sql(explain, parameters).scalar()
            nested.rollback()
        plan = told if isinstance(told, list) else json.loads(str(told))
        return {str(node["Relation Name"]) for node in _nodes(plan[0]["Plan"]) if self._reads_whole(node)}

    def _reads_whole(self, node: dict[str, Any]) -> bool:
        size = self.sizes.get(node.get("Relation Name"))
        if size is None:
            return False
        read = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        is_scan = node["Node Type"] == "Seq Scan" and node["Actual Loops"] > 0
        return bool(is_scan or (size >= MANY_ROWS and read >= MOST * size))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for part in node.get("Plans", ()):
        yield from _nodes(part)
