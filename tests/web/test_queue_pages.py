"""The pages about the queue, workers and judge errors: what they show, and what their buttons do."""

import re
from datetime import timedelta
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import func, select

from app.audit import AuditEvent
from app.database.engine import Database
from app.queue.lease import fail
from app.queue.model import MAX_ATTEMPTS, WorkerRow
from app.rejudging.model import Rejudging
from app.submissions.model import Judging
from tests.api.lease_steps import take
from tests.factories import make_judging, make_problem, make_submission, make_user, make_worker
from tests.rejudging.rows import begin, make_actor, make_judged


def test_the_queue_and_its_workers_are_shown(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        submission = make_submission(session, make_user(session, "ada"), make_problem(session, "a_sum"))
        make_judging(session, submission.id)
        versions = {"allclose": "0.1.0", "sandbox": "docker", "jax": "0.7.2"}
        make_worker(session, "cpu", name="here:1", boxes={"ready": 3, "busy": 1}, slots=2, versions=versions)

    page = admin.get("/admin/queue").text

    for shown in (
        "a_sum",
        "here:1",
        "3 ready, 1 busy",
        "0 of 2",
        "alive",
        "Drain",
        "allclose 0.1.0 · jax 0.7.2 · docker",
    ):
        assert shown in page
    assert f'<a href="/admin/users/{submission.user_id}#queue">ada</a>' in page


def test_the_queue_page_names_running_and_rejudged_submissions(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "a_sum")
        make_judged(session, revision, user=make_user(session, "bob"))
        begin(session, make_actor(session), problem="a_sum")
        running = make_submission(session, make_user(session, "ada"), revision)
        make_judging(session, running.id)
    take(database)

    page = admin.get("/admin/queue").text

    _, runs, waits = re.split('<h2 id="(?:running|longest)">', page)
    assert f"/submissions/{running.id}" in runs
    assert [word for word in ("a_sum", "ada", "<code>test</code>", "rejudge", "bob") if word in runs] == [
        *("a_sum", "ada", "<code>test</code>"),
    ]
    assert "rejudge" in waits
    assert '<td class="number">last</td>' in waits
    assert "1000000" not in page


def test_a_paused_rejudge_uses_no_slot(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "a_sum")
        make_worker(session, "cpu", name="test", slots=1)
        for _ in range(2):
            make_judging(session, make_submission(session, None, revision).id)
    for _ in range(2):
        take(database)

    assert "2 of 1" not in (page := admin.get("/admin/queue").text)
    assert "1 of 1" in page
    assert "1 rejudge paused" in page
    assert "1 slot, 1 in use" in admin.get("/admin").text


def test_the_queue_page_reloads_itself_on_request(admin: TestClient) -> None:
    assert "refresh" not in admin.get("/admin/queue").headers
    assert admin.get("/admin/queue?live=true").headers["refresh"] == "10"


def test_a_worker_is_drained_and_resumed(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        worker = make_worker(session, "cpu", name="here:1").id

    answer = admin.post(f"/admin/queue/workers/{worker}/drain")
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/queue")
    assert "draining" in admin.get("/admin/queue").text
    admin.post(f"/admin/queue/workers/{worker}/resume")

    with database.transaction() as session:
        assert not session.get_one(WorkerRow, worker).is_draining
        actions = list(session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)))
    assert actions[-2:] == ["worker.drained", "worker.resumed"]


def test_a_dead_worker_has_no_boxes_and_only_a_drained_one_can_be_resumed(
    admin: TestClient, database: Database
) -> None:
    with database.transaction() as session:
        gone: dict[str, Any] = {"seen_at": func.now() - timedelta(minutes=1), "boxes": {"ready": 7}}
        make_worker(session, "cpu", name="dead:1", **gone)
        away = make_worker(session, "cpu", name="away:1", is_draining=True, **gone).id

    page = admin.get("/admin/queue").text
    admin.post(f"/admin/queue/workers/{away}/resume")

    assert "7 ready" not in page
    assert "Resume away:1" in page
    assert "Drain dead:1" not in page
    assert "away:1" not in admin.get("/admin/queue").text


def fail_one(database: Database, slug: str, reason: str) -> str:
    with database.transaction() as session:
        submission = make_submission(session, revision=make_problem(session, slug))
        make_judging(session, submission.id, attempt=MAX_ATTEMPTS - 1)
        made = str(submission.id)
    fail(database, take(database), reason)
    return made


def test_judge_errors_are_grouped_by_cause_and_shown_one_by_one(admin: TestClient, database: Database) -> None:
    fail_one(database, "first", "BoxLost: box 17 <b>died</b>\n  Traceback of the first")
    fail_one(database, "second", "BoxLost: box 18 <b>died</b>\n  Traceback of the second")

    page = admin.get("/admin/judge-errors").text

    assert "BoxLost: box # &lt;b&gt;died&lt;/b&gt;" in page
    assert "Traceback of the first" in page
    assert "Traceback of the second" in page
    only = admin.get("/admin/judge-errors", params={"problem": "first"}).text
    assert "Traceback of the second" not in only


def test_judging_again_begins_a_rejudging(admin: TestClient, database: Database) -> None:
    submission = fail_one(database, "first", "BoxLost: box 17 died")
    fail_one(database, "second", "BoxLost: box 18 died")

    one = admin.post("/admin/judge-errors/again", data={"submission": submission})
    every = admin.post("/admin/judge-errors/again", data={"cause": "BoxLost: box # died"})

    assert one.headers["location"].startswith("/admin/rejudgings/")
    assert every.headers["location"].startswith("/admin/rejudgings/")
    with database.transaction() as session:
        totals = list(session.scalars(select(Rejudging.total).order_by(Rejudging.created_at)))
        again = select(func.count()).where(Judging.rejudging_id.is_not(None), Judging.verdict.is_(None))
        waiting = session.scalar(again)
    assert (totals, waiting) == ([1, 2], 3)
