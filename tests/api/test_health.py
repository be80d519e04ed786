"""The health and readiness of a web process."""

import httpx
from sqlalchemy import text

from app.database.engine import Database
from tests.factories import make_worker
from tests.transaction import commit, execute


def test_readiness_reports_each_check(address: str, database: Database) -> None:
    assert httpx.get(f"{address}/readyz").json() == {
        "status": "ready",
        "checks": {"database": "ok", "schema": "ok", "worker": "no worker is alive and submissions wait, start one"},
    }
    commit(database, make_worker, "cpu")
    assert httpx.get(f"{address}/readyz").json()["checks"]["worker"] == "ok"


def test_a_worker_that_can_not_open_boxes_is_named_with_its_reason(address: str, database: Database) -> None:
    commit(database, make_worker, "cpu", box_failure="the machine has too much to do")

    checks = httpx.get(f"{address}/readyz").json()["checks"]

    assert checks["worker"] == (
        "the worker is alive and can't open boxes, it tries again: the machine has too much to do"
    )


def test_a_schema_of_another_version_is_not_ready(address: str, database: Database) -> None:
    execute(database, text("UPDATE alembic_version SET version_num = 'of tomorrow'"))

    answer = httpx.get(f"{address}/readyz")

    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert "schema" in answer.json()["detail"]
    assert httpx.get(f"{address}/healthz").status_code == 200
