"""The admin's overview over REST: the last day, disk space, and problems."""

import httpx
import pytest

from app.catalog.model import ExpectedOutput
from app.catalog.publish import publish
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.catalog.packages import make_listed, make_package
from tests.factories import make_judging, make_problem, make_submission, make_user, make_worker


@pytest.fixture
def admin(signed_in: SignedIn) -> httpx.Client:
    return signed_in("root", role="admin")


def test_the_day_at_a_glance(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        make_judging(session, state="done", verdict="accepted")
        make_judging(session)
        make_worker(session, "cpu", slots=3)

    overview = admin.get("/overview").json()

    assert (overview["submissions"], overview["workers"], overview["slots"]) == (2, 1, 3)
    assert {each["verdict"]: each["count"] for each in overview["verdicts"]} == {"accepted": 1, None: 1}
    assert overview["sign_ups"] == 3
    assert sum(queue["depth"] for queue in overview["queues"]) == 1
    assert overview["database_bytes"] > 1_000_000


def test_tables_are_told_by_size(admin: httpx.Client) -> None:
    storage = admin.get("/storage").json()

    sizes = [table["bytes"] for table in storage["tables"]]
    assert sizes == sorted(sizes, reverse=True)
    assert {"submissions", "audit_events"} <= {table["name"] for table in storage["tables"]}
    assert 0 < storage["disk_free_bytes"] <= storage["disk_total_bytes"]


def test_what_would_be_removed_is_told_before_it_is(admin: httpx.Client) -> None:
    admin.patch("/settings", json={"keep_submissions_days": 30}).raise_for_status()

    retention = admin.get("/retention").json()

    assert {"name": "submissions", "setting": "keep_submissions_days", "days": 30, "count": 0} in retention["due"]
    assert retention["last_run"] is None


def test_a_problem_is_ready_when_each_draw_has_its_expected_outputs(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        revision = make_problem(session, "some", title="Some", variants=2)
        make_judging(session, make_submission(session, make_user(session), revision).id)
        make_judging(session, make_submission(session, None, make_problem(session, "other")).id)
        facts = {
            "inputs": b"",
            "expected": b"",
            "inputs_preview": {},
            "expected_preview": {},
            "image": "",
            "versions": {},
        }
        for case in ("small", "large"):
            session.add(ExpectedOutput(revision_id=revision.id, variant=0, device="cpu", case_name=case, **facts))

    _other, state = admin.get("/revisions").json()["items"]

    assert (state["problem"], state["number"], state["is_current"], state["submissions"]) == ("some", 1, True, 1)
    assert (state["variants"], state["ready_variants"]) == (2, 1)


def test_revisions_of_a_problem_are_told_newest_first(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        publish(session, make_package())
        publish(session, make_listed("scaled_sum", title="Another title"))

    states = admin.get("/revisions", params={"problem": "scaled_sum"}).json()["items"]

    assert [(state["number"], state["is_current"]) for state in states] == [(2, True), (1, False)]
    assert admin.get("/revisions", params={"problem": "nothing"}).status_code == 404
