"""The queries by which KEDA scales workers, out of the rendered chart, on a real database."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text, update
from sqlalchemy.orm import Session

from app.queue.model import BACKGROUND, Job
from tests.authoring.rows import make_verification
from tests.factories import make_judging
from tests.operations.chart import find_kind, render
from tests.similarity.cohort_rows import begin, make_homework

HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def triggers() -> dict[str, Mapping[str, str]]:
    """The triggers of the queue cpu."""
    scaled = find_kind(render("everything"), "ScaledObject")["allclose-worker-cpu"]
    return {trigger["name"]: trigger["metadata"] for trigger in scaled["spec"]["triggers"]}


@pytest.mark.parametrize(
    ("judging", "seconds"),
    [
        ({"queued_at": 90}, 90),
        ({"queued_at": 90, "queue": "gpu"}, 0),
        ({"queued_at": 90, "priority": BACKGROUND}, 0),  # a rejudging waits for idle workers
        ({"queued_at": 90, "verdict": "accepted"}, 0),
        ({"queued_at": 90, "lease_until": -10}, 0),
        ({"queued_at": 90, "lease_until": 10}, 90),  # its worker is dead
    ],
)
def test_the_age_is_that_of_the_oldest_judging_that_a_student_waits_for(
    session: Session, triggers: dict[str, Mapping[str, str]], judging: dict[str, Any], seconds: int
) -> None:
    make_judging(session, **_ago(judging))
    make_judging(session, **_ago({"queued_at": 20, "queue": "gpu"}))
    age = _measure(session, triggers["queue-age"])

    assert seconds <= age <= seconds + (60 if seconds else 0)


def test_an_empty_queue_has_the_age_0_and_uses_no_slot(
    session: Session, triggers: dict[str, Mapping[str, str]]
) -> None:
    assert _measure(session, triggers["queue-age"]) == 0
    assert _measure(session, triggers["busy-slots"]) == 0


def test_running_judgings_and_verifications_keep_their_workers(
    session: Session, triggers: dict[str, Mapping[str, str]]
) -> None:
    for priority in (0, 0, BACKGROUND):
        make_judging(session, **_ago({"lease_until": -10, "priority": priority}))
    make_judging(session, **_ago({"queued_at": 90}))
    make_verification(session)
    session.execute(update(Job).where(Job.verification_id.is_not(None)).values(lease_until=datetime.now(UTC) + HOUR))
    busy = _measure(session, triggers["busy-slots"])

    assert busy == 4
    assert triggers["busy-slots"]["targetQueryValue"] == "4"  # the slots of one worker


@pytest.mark.parametrize("waits", ["rejudging", "verification", "comparison"])
def test_background_work_wakes_one_worker(session: Session, triggers: dict[str, Mapping[str, str]], waits: str) -> None:
    for _ in range(5):
        if waits == "rejudging":
            make_judging(session, priority=BACKGROUND)
        elif waits == "verification":
            make_verification(session)
        else:
            begin(session, make_homework(session))
    busy, age = (_measure(session, triggers[name]) for name in ("busy-slots", "queue-age"))

    assert (busy, age) == (1, 0)


def test_keda_connects_with_the_key_of_the_secret() -> None:
    objects = render("everything")
    scaled = find_kind(objects, "ScaledObject")
    authentications = find_kind(objects, "TriggerAuthentication")

    for found in scaled.values():
        assert found["spec"]["scaleTargetRef"]["name"] in find_kind(objects, "Deployment")
        for trigger in found["spec"]["triggers"]:
            (reference,) = authentications[trigger["authenticationRef"]["name"]]["spec"]["secretTargetRef"]
            assert reference == {"parameter": "connection", "name": "judge-secrets", "key": "keda"}


def _measure(session: Session, trigger: Mapping[str, str]) -> int:
    return int(session.scalars(text(trigger["query"])).one())


def _ago(columns: dict[str, Any]) -> dict[str, Any]:
    now = datetime.now(UTC)
    times = {name: now - timedelta(seconds=columns[name]) for name in columns.keys() & {"queued_at", "lease_until"}}
    return columns | times
