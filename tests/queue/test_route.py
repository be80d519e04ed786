"""Which queue takes a problem, and which workers have its frameworks."""

from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.catalog.model import Revision
from app.errors import Invalid
from app.queue.route import Route, find_route, require_frameworks, select_queue
from tests.factories import make_problem, make_worker

GPU, EITHER, CPU = {"gpu": True}, {"gpu": True, "interpreter": True}, {"gpu": False}


def queues(session: Session, limits: dict[str, bool]) -> list[str]:
    """The queue of one problem, as it is found for one submission and for many."""
    revision = make_problem(session, frameworks=["pallas"], limits=limits)
    one = find_route(session, limits, ["pallas"]).queue
    return [one, *session.scalars(select(select_queue(session)).where(Revision.id == revision.id))]


@pytest.mark.parametrize(("limits", "queue"), [(GPU, "gpu"), (EITHER, "cpu"), (CPU, "cpu")])
def test_without_a_worker_with_a_gpu_an_interpreter_judges_where_the_author_allows_it(
    session: Session, limits: dict[str, bool], queue: str
) -> None:
    make_worker(session, "cpu")

    assert queues(session, limits) == [queue, queue]


@pytest.mark.parametrize(("limits", "queue"), [(GPU, "gpu"), (EITHER, "gpu"), (CPU, "cpu")])
def test_a_worker_with_a_gpu_gets_all_that_need_one(session: Session, limits: dict[str, bool], queue: str) -> None:
    make_worker(session, "gpu")

    assert queues(session, limits) == [queue, queue]


@pytest.mark.parametrize("columns", [{"is_draining": True}, {"seen_at": func.now() - func.make_interval(0, 0, 0, 1)}])
def test_a_worker_with_a_gpu_that_is_gone_or_drained_gets_nothing(session: Session, columns: dict[str, Any]) -> None:
    make_worker(session, "gpu", **columns)

    assert queues(session, EITHER) == ["cpu", "cpu"]


def test_a_framework_that_all_workers_lack_is_refused_and_one_that_some_have_is_not(session: Session) -> None:
    route = Route("cpu", ("triton", "torch"))

    require_frameworks(session, route)  # no worker is known
    make_worker(session, "cpu", lacks=["triton"])
    with pytest.raises(Invalid, match="needs triton, which no worker of this server has"):
        require_frameworks(session, route)
    make_worker(session, "gpu")
    with pytest.raises(Invalid):
        require_frameworks(session, route)
    make_worker(session, "cpu")
    require_frameworks(session, route)
