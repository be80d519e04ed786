"""For machines that watch the service: is the process up, and can it work?"""

from typing import Literal

from fastapi import APIRouter
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
    """`ok`, or what is wrong. Without a worker the service answers, and submissions wait."""

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
def get_readyz(database: Stored) -> Readiness:
    """Raises NotReady, which says of each check what is wrong."""
    try:
        if not is_current(database):
            raise NotReady(
                "database: ok; schema: not the one that this version needs; start Allclose anew to upgrade it; "
                "worker: not asked"
            )
        worker = _check_worker(database)
    except (OperationalError, PoolExhausted):
        raise NotReady(
            "database: it does not answer; start it, or see whether ALLCLOSE_DATABASE_URL names it; "
            "schema: not asked; worker: not asked"
        ) from None
    return Readiness(checks=Checks(database=FINE, database_schema=FINE, worker=worker))


def _check_worker(database: Database) -> str:
    with database.transaction() as session:
        states = {worker.state for worker in list_workers(session)}
    if "alive" in states:
        return FINE
    return "all are held back: resume one" if "draining" in states else "none is alive: submissions wait; start one"
