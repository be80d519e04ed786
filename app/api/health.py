"""For machines that watch the service: is the process up, and can it work?"""

from fastapi import APIRouter
from pydantic import BaseModel

from app.api.dependency import Stored
from app.api.error_code import NotReady
from app.schema import is_current

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: str


@router.get("/healthz", summary="The process is up")
def get_healthz() -> Health:
    return Health(status="ok")


@router.get("/readyz", summary="The database answers and has the schema that this version needs")
def get_readyz(database: Stored) -> Health:
    if not is_current(database):
        raise NotReady(
            "the database's schema is not the one that this version needs; start Allclose anew to upgrade it"
        )
    return Health(status="ready")
