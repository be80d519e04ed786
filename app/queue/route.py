"""Which workers judge a problem: those of its queue that have its frameworks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, case, false, func, select
from sqlalchemy.orm import Session

from app.catalog.model import Revision
from app.catalog.parameter import OPTIONAL_FRAMEWORKS
from app.errors import Invalid
from app.queue.heartbeat import has_worker, is_alive
from app.queue.model import WorkerRow

LACKS_FRAMEWORK = (
    "this problem needs {name}, which no worker of this server has. The server's admin can install it: make runtime "
    "FRAMEWORKS={name}, or for Docker boxes: make images FRAMEWORKS={name}"
)


@dataclass(frozen=True, slots=True)
class Route:
    """The queue that a job waits in, and the frameworks that its worker must have."""

    queue: str
    frameworks: tuple[str, ...] = ()


def find_route(session: Session, limits: Mapping[str, Any], frameworks: Iterable[str]) -> Route:
    """Return the route of a problem. While no worker has a GPU, an interpreter may take its place."""
    is_interpreted = limits.get("interpreter") and not has_worker(session, is_alive("gpu"))
    return Route("gpu" if limits["gpu"] and not is_interpreted else "cpu", tuple(frameworks))


def select_queue(session: Session) -> ColumnElement[str]:
    """Return the expression for the queue of a revision, the one that `find_route` finds."""
    limits = Revision.manifest["limits"]
    needs_gpu = limits["gpu"].as_boolean()
    if not has_worker(session, is_alive("gpu")):
        needs_gpu = and_(needs_gpu, ~func.coalesce(limits["interpreter"].as_boolean(), false()))
    return case((needs_gpu, "gpu"), else_="cpu")


def require_frameworks(session: Session, route: Route) -> None:
    """Raises Invalid if all workers of the queue lack a framework. Without a worker, none is known."""
    needed = sorted(OPTIONAL_FRAMEWORKS.intersection(route.frameworks))
    lacks = session.scalars(select(WorkerRow.lacks).where(is_alive(route.queue))).all() if needed else ()
    for name in needed:
        if lacks and all(name in each for each in lacks):
            raise Invalid("problem", LACKS_FRAMEWORK.format(name=name))
