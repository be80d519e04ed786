"""Health checks for monitoring: whether the process is up, and whether it can work."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from app.admin.worker import list_workers
from app.api.dependency import Stored
from app.api.error_code import NotReady
from app.database.engine import Database
from app.schema import is_current

router = APIRouter(tags=["health"])

FINE = "ok"


class Health(BaseModel):
    status: str


class Checks(BaseModel):
    """Each check is `ok` or says what is wrong. Without a worker the service answers, and submissions wait."""

    database: str
    database_schema: str = Field(serialization_alias="schema")
    worker: str


class Readiness(BaseModel):
    status: Literal["ready"] = "ready"
    checks: Checks


@router.get("/healthz", summary="The process is up")
def get_healthz() -> Health:
    return Health(status="ok")


@router.get("/readyz", summary="The database answers and has the schema that this version needs")
def get_readyz(request: Request, database: Stored) -> Readiness:
    """A 503 says what is wrong with each check."""
    if full := request.app.state.full_disk.explain():
        raise NotReady(f"disk: {full}; database: not checked; schema: not checked; worker: not checked")
    try:
        if not is_current(database):
            raise NotReady(
                "database: ok; schema: not the one that this version needs, restart Allclose to upgrade it; "
                "worker: not checked"
            )
        worker = _check_worker(database)
    except (OperationalError, PoolExhausted):
        raise NotReady(
            "database: no answer, start it or check ALLCLOSE_DATABASE_URL; schema: not checked; worker: not checked"
        ) from None
    return Readiness(checks=Checks(database=FINE, database_schema=FINE, worker=worker))


def _check_worker(database: Database) -> str:
    with database.transaction() as session:
        workers = list_workers(session)
    states = {worker.state for worker in workers}
    if "alive" in states:
        return FINE
    if failure := next((worker.box_failure for worker in workers if worker.state == "no_boxes"), ""):
        return f"the worker is alive and can't open boxes, it tries again: {failure}"
    if "draining" in states:
        return "every worker is drained, resume one"
    return "no worker is alive and submissions wait, start one"
