"""The queue, workers and judge errors as an admin reads them, and holding a worker back."""

from datetime import timedelta

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import func, select

from app.admin.queue import MOST_SHOWN
from app.admin.worker import MOST_ENDED, list_workers
from app.audit import AuditEvent
from app.database.engine import Database
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop
from app.queue.model import WorkerRow
from app.submissions.judging_record import JudgingClaim, finish
from tests.api.lease_steps import take
from tests.factories import make_judging, make_problem, make_submission, make_user, make_worker
from tests.queue.fleet import wait_until
from tests.queue.test_lease_loop import ACCEPTED, BY_NOTIFY_ONLY, is_listening, send, states
from tests.transaction import commit, fetch_all, fetch_one

UNKNOWN_WORKER = "00000000-0000-0000-0000-000000000000"


def test_the_queue_counts_by_queue_and_kind_and_names_who_waits_longest(
    admin: httpx.Client, database: Database
) -> None:
    with database.transaction() as session:
        ada = make_user(session, "ada")
        for age in (10, 300):
            submission = make_submission(session, ada, make_problem(session, f"sum-{age}"))
            make_judging(session, submission.id, queued_at=func.now() - timedelta(seconds=age))
        make_judging(session, queue="gpu")

    state = admin.get("/queue").json()

    counts = {(row["queue"], row["kind"]): (row["depth"], row["running"]) for row in state["queues"]}
    assert counts == {
        ("cpu", "interactive"): (2, 0),
        ("cpu", "rejudge"): (0, 0),
        ("cpu", "visitor"): (0, 0),
        ("gpu", "interactive"): (1, 0),
        ("gpu", "rejudge"): (0, 0),
    }
    assert state["queues"][0]["oldest_seconds"] >= 300
    longest = state["longest"][0]
    assert (longest["problem"], longest["user"], longest["kind"]) == ("sum-300", "ada", "interactive")


def test_the_queue_tells_what_runs_whose_and_since_when(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "sums")
        for number in range(MOST_SHOWN + 1):
            submission = make_submission(session, make_user(session, f"ada-{number}"), revision)
            make_judging(session, submission.id)
    claims = [take(database) for _ in range(MOST_SHOWN + 1)]

    state = admin.get("/queue").json()

    assert state["queues"][0]["running"] == MOST_SHOWN + 1
    assert [each["judging"] for each in state["running"]] == [claim.judging_id for claim in claims[:MOST_SHOWN]]
    first = state["running"][0]
    assert (first["problem"], first["user"], first["kind"]) == ("sums", "ada-0", "interactive")
    assert (first["worker"], first["attempt"]) == ("test", 1)
    assert first["seconds"] >= state["running"][-1]["seconds"] >= 0
    assert state["longest"] == []


def test_workers_are_alive_until_they_stop_beating(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu", name="here:1", boxes={"ready": 2}, versions={"allclose": "0.1.0"})
        make_worker(session, "verify-cpu", name="here:1")
        make_worker(session, "gpu", name="there:2", seen_at=func.now() - timedelta(minutes=2), gpus=["H200"])
        make_judging(session, worker="here:1", lease_until=func.now() + timedelta(seconds=9))

    here, there = admin.get("/workers").json()["items"]

    assert (here["name"], here["state"], here["queues"], here["running"]) == (
        "here:1",
        "alive",
        ["cpu", "verify-cpu"],
        1,
    )
    assert (here["boxes"], here["versions"]) == ({"ready": 2}, {"allclose": "0.1.0"})
    assert (there["name"], there["state"], there["gpus"]) == ("there:2", "dead", ["H200"])


def test_a_drained_worker_takes_nothing_until_it_is_resumed(admin: httpx.Client, database: Database) -> None:
    def run(claim: JudgingClaim, _: object) -> None:
        finish(database, claim, ACCEPTED)

    loop = LeaseLoop(
        database,
        Capacity(queues=("cpu",), slots=1),
        JudgingClaim,
        run,
        BY_NOTIFY_ONLY,
    )
    loop.start()
    try:
        wait_until(lambda: is_listening(database) and admin.get("/workers").json()["items"])
        worker = admin.get("/workers").json()["items"][0]["id"]

        held = admin.post(f"/workers/{worker}/drain").json()
        send(database)
        # It beats at once when it is told; the row then carries the time of that.
        wait_until(lambda: _beats_since(database, held["seen_at"]))
        assert (held["state"], states(database)) == ("draining", ["queued"])

        assert admin.post(f"/workers/{worker}/resume").json()["state"] == "alive"
        wait_until(lambda: states(database) == ["done"])
    finally:
        loop.stop()


def _beats_since(database: Database, seen_at: str) -> bool:
    return fetch_one(database, select(WorkerRow.seen_at)).isoformat() != seen_at.replace("Z", "+00:00")


def test_the_audit_log_records_draining_once(admin: httpx.Client, database: Database) -> None:
    worker = commit(database, make_worker, "cpu", name="here:1").id
    for act in ("drain", "drain", "resume"):
        admin.post(f"/workers/{worker}/{act}").raise_for_status()

    events = fetch_all(database, select(AuditEvent).order_by(AuditEvent.id))

    assert [(event.action, event.target) for event in events] == [
        ("worker.drained", "here:1"),
        ("worker.resumed", "here:1"),
    ]
    assert admin.post(f"/workers/{UNKNOWN_WORKER}/drain").status_code == 404


@pytest.mark.parametrize("act", ["drain", "resume"])
def test_a_dead_worker_is_neither_drained_nor_resumed(admin: httpx.Client, database: Database, act: str) -> None:
    with database.transaction() as session:
        silent = func.now() - timedelta(minutes=2)
        worker = make_worker(session, "cpu", name="here:1", seen_at=silent, boxes={"ready": 7}).id

    answer = admin.post(f"/workers/{worker}/{act}")

    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert "here:1 is dead" in answer.json()["detail"]
    assert admin.get("/workers").json()["items"][0]["boxes"] == {}
    assert fetch_all(database, select(AuditEvent)) == []


def test_metrics_of_workers_are_merged_and_unreadable_ones_are_skipped(
    admin: httpx.Client, address: str, database: Database
) -> None:
    counter = (
        "# HELP allclose_errors_total What\n# TYPE allclose_errors_total counter\n"
        'allclose_errors_total{kind="X",part="worker"} 2.0\n'
    )
    with database.transaction() as session:
        make_worker(session, "cpu", name="one", metrics=counter)
        make_worker(session, "cpu", name="two", metrics=counter)
        make_worker(session, "cpu", name="broken", metrics="what{ is this")
        make_worker(session, "cpu", name="dead", metrics=counter, seen_at=func.now() - timedelta(minutes=2))

    answer = httpx.get(f"{address}/metrics", headers=admin.headers)

    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    assert answer.text.count("# TYPE allclose_errors_total ") == 1
    assert [sample.labels["worker"] for sample in families["allclose_errors"].samples] == ["one", "two"]
    alive = {sample.labels["state"]: sample.value for sample in families["allclose_workers"].samples[:5]}
    assert alive == {"alive": 3, "no_boxes": 0, "draining": 0, "away": 0, "dead": 1}


def test_of_many_dead_workers_only_the_last_are_listed(database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu", name="alive")
        make_worker(session, "cpu", name="away", is_draining=True, seen_at=func.now() - timedelta(days=30))
        for minutes in range(1, 2 * MOST_ENDED):
            make_worker(session, "cpu", name=f"dead-{minutes}", seen_at=func.now() - timedelta(minutes=minutes))

    names = {worker.name for worker in commit(database, list_workers)}

    assert len(names) == MOST_ENDED + 1
    assert {"alive", "away", "dead-1"} < names
    assert f"dead-{MOST_ENDED}" not in names
