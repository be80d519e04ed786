"""The day at a glance, storage, and the state of problems."""

import re
import shutil
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.admin.first_steps import list_open_steps
from app.admin.queue import LONG_WAIT_SECONDS
from app.audit import COMMAND, Act, AuditEvent, record
from app.catalog.publish import publish
from app.database.engine import Database
from app.queue.heartbeat import ALIVE
from app.settings import ROOT
from tests.catalog.packages import make_listed
from tests.factories import make_judging, make_submission, make_worker, set_policy
from tests.transaction import commit, fetch_all


def test_the_overview_leads_to_what_it_counts(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        make_judging(session, verdict="wrong_answer")
        make_judging(session)
        make_worker(session, "cpu")

    page = admin.get("/admin").text

    for place in ("queue", "judge-errors", "submissions", "users", "invitations", "rejudgings", "problems", "storage"):
        assert f'href="/admin/{place}"' in page
    assert 'href="/admin/submissions?verdict=wrong_answer"' in page
    assert '<a href="/admin/queue">Not judged yet</a>' in page


def test_numbers_that_need_attention_come_first(app: FastAPI, admin: TestClient, database: Database) -> None:
    app.state.started_at -= ALIVE
    with database.transaction() as session:
        error: dict[str, Any] = {"verdict": "judge_error", "finished_at": datetime.now(UTC)}
        make_judging(session, **error)
        submission = make_submission(session)
        make_judging(session, submission.id, **error)
        make_judging(session, submission.id, verdict="accepted")

    page = admin.get("/admin").text

    assert "2 numbers need attention" in page
    urgent, rest = page.split('class="urgent"')[1].split("</section>")[:2]
    assert urgent.count("Needs attention") == 2
    assert '<span class="what">Judge errors</span><span class="value">1</span>' in urgent  # the other was judged again
    assert "Workers" in urgent
    assert "Submissions" in rest
    assert "Needs attention" not in rest


def test_workers_have_time_to_start_before_the_overview_raises_an_alarm(app: FastAPI, admin: TestClient) -> None:
    starting = admin.get("/admin").text
    app.state.started_at -= ALIVE
    missing = admin.get("/admin").text

    assert "Nothing needs attention." in starting
    assert re.search(r"Workers.*?<.*?starting", starting, re.DOTALL)
    assert "1 number needs attention" in missing
    assert "No submissions in the last 24 hours." in missing
    assert "nothing is being judged" in missing


def test_the_first_steps_lead_a_new_admin_until_they_are_done(admin: TestClient, database: Database) -> None:
    new = admin.get("/admin").text

    admin.post("/admin/settings", data={"sign_up": "invitation"})
    with database.transaction() as session:
        make_submission(session)
        record(session, COMMAND, Act(action="backup.written", target="monday.backup"))
    done = admin.get("/admin").text

    steps = new.split('class="first-steps"')[1].split("</section>")[0]
    for address in ("settings#sign_up", "invitations"):
        assert f'<a href="/admin/{address}">' in steps
    assert '<a href="/problems">Submit a solution yourself</a>' in steps
    assert "First steps" not in done


@pytest.mark.parametrize(
    "changes", [({"sign_up": "invitation"}, {"sign_up": "open"}), ()], ids=["changed twice", "kept"]
)
def test_an_admin_who_leaves_sign_up_open_has_decided(
    admin: TestClient, database: Database, changes: tuple[dict[str, str], ...]
) -> None:
    before = admin.get("/admin").text

    for change in changes:
        admin.post("/admin/settings", data=change)
    if not changes:
        for _ in range(2):
            admin.post("/admin/first-steps/keep-sign-up")
    after = admin.get("/admin").text

    assert "First steps" in after
    assert ["Decide who may sign up" in page for page in (before, after)] == [True, False]
    actions = fetch_all(database, select(AuditEvent.action).where(AuditEvent.target == "sign_up"))
    assert actions == (["setting.changed"] * 2 if changes else ["setting.kept"])


def test_problems_come_before_tracks(database: Database) -> None:
    with database.transaction() as session:
        empty = list_open_steps(session)
        publish(session, make_listed("alone", place=""))
        without_a_track = list_open_steps(session)
        publish(session, make_listed("in_a_track"))
        with_a_track = list_open_steps(session)

    assert empty == ("sign_up", "problems", "submission", "users", "backup")
    assert without_a_track == ("sign_up", "tracks", "submission", "users", "backup")
    assert with_a_track == ("sign_up", "submission", "users", "backup")


def test_an_admin_dismisses_the_first_steps_and_a_setting_brings_them_back(admin: TestClient) -> None:
    before = admin.get("/admin").text

    answer = admin.post("/admin/first-steps/dismiss")
    dismissed = admin.get(answer.headers["location"]).text
    admin.post("/admin/settings", data={"first_steps": "on"})

    assert ["First steps" in page for page in (before, dismissed, admin.get("/admin").text)] == [True, False, True]


def test_drained_and_dead_workers_are_named(admin: TestClient, database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu", name="alive-1")
        make_worker(session, "cpu", name="drained-1", is_draining=True)
        make_worker(session, "cpu", name="dead-1", seen_at=datetime.now(UTC) - timedelta(minutes=5))

    urgent = admin.get("/admin").text.split('class="urgent"')[1].split("</section>")[0]

    assert "Drained: drained-1. Dead: dead-1" in urgent
    assert "alive-1" not in urgent


@pytest.mark.parametrize(("seconds", "is_urgent"), [(LONG_WAIT_SECONDS - 30, False), (LONG_WAIT_SECONDS + 30, True)])
def test_the_overview_the_queue_and_the_alert_agree_on_a_long_wait(
    admin: TestClient, database: Database, seconds: int, is_urgent: bool
) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu")
        make_judging(session, queued_at=datetime.now(UTC) - timedelta(seconds=seconds))

    pages = [admin.get(path).text for path in ("/admin", "/admin/queue")]

    assert ["tile tone-limit" in page for page in pages] == [is_urgent, is_urgent]
    rules = (ROOT / "deploy/monitoring/alerts.yaml").read_text()
    assert f'oldest_age_seconds{{kind="interactive"}} > {LONG_WAIT_SECONDS}\n' in rules


@pytest.mark.parametrize("path", ["/admin", "/admin/storage"])
def test_a_disk_that_is_nearly_full_needs_attention(
    admin: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    commit(database, make_worker, "cpu")
    usage = shutil.disk_usage(__file__)

    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=usage.total * 6 // 100))
    calm = admin.get(path).text
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage._replace(free=usage.total * 4 // 100))
    full = admin.get(path).text

    assert "Needs attention" not in calm
    assert full.count("Needs attention") == 1


def test_each_problem_leads_to_its_revisions_and_to_a_rejudging(admin: TestClient) -> None:
    page = admin.get("/admin/problems").text

    assert 'href="/author/problems/scaled_sum"' in page
    assert 'href="/admin/rejudgings/new?problem=scaled_sum"' in page
    assert 'href="/admin/submissions?problem=scaled_sum&amp;revision=1"' in page
    assert "0 of " in page


def test_storage_shows_what_each_setting_will_delete(admin: TestClient, database: Database) -> None:
    commit(database, set_policy, keep_submissions_days=30)

    page = admin.get("/admin/storage").text

    assert 'href="/admin/settings#keep_submissions_days"' in page
    assert "30 days" in page
    assert "Not run yet." in page


def test_the_overview_says_when_the_last_backup_was_made(admin: TestClient, database: Database) -> None:
    without = admin.get("/admin").text
    commit(database, record, COMMAND, Act(action="backup.written", target="monday.backup"))
    today = admin.get("/admin").text

    assert re.search(r"Last backup</span><span class=\"value\">none", without)
    assert re.search(rf"Last backup</span><span class=\"value\">{datetime.now(UTC):%Y-%m-%d}", today)
