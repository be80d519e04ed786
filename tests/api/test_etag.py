"""ETags: an unchanged answer is not sent again, and a change based on a stale answer is refused."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import httpx
import pytest
from sqlalchemy import select, update

from app.accounts.model import ApiToken, User
from app.api.etag import has_match, require_match, tag_of
from app.api.users import UserView
from app.catalog.model import Problem, SolveCount
from app.catalog.publish import lock_problem, publish
from app.database.engine import Database
from app.errors import Outdated
from tests.api.conftest import SignedIn
from tests.catalog.packages import make_package
from tests.factories import make_submission
from tests.queue.fleet import count_lock_waits, wait_until


def test_an_answer_is_not_sent_twice(ada: httpx.Client) -> None:
    first = ada.get("/me")

    again = ada.get("/me", headers={"If-None-Match": first.headers["etag"]})

    assert first.headers["cache-control"] == "private, no-cache"
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == "private, no-cache"
    assert again.headers["vary"] == "Authorization"
    assert "content-type" not in again.headers


def test_a_weak_tag_and_one_of_several_are_taken(ada: httpx.Client) -> None:
    tag = ada.get("/me").headers["etag"]

    weak = ada.get("/me", headers={"If-None-Match": f"W/{tag}"})
    several = ada.get("/me", headers={"If-None-Match": f'"other", {tag}'})

    assert (weak.status_code, several.status_code) == (304, 304)


def test_a_changed_answer_has_another_etag(ada: httpx.Client) -> None:
    first = ada.get("/me")
    ada.patch("/me", json={"is_ranked": True}).raise_for_status()

    again = ada.get("/me", headers={"If-None-Match": first.headers["etag"]})

    assert again.status_code == 200
    assert again.headers["etag"] != first.headers["etag"]


def test_errors_and_answers_to_changes_are_never_cached(ada: httpx.Client) -> None:
    missing, changed = ada.get("/problems/none"), ada.patch("/me", json={"is_ranked": True})

    for answer in (missing, changed):
        assert answer.headers["cache-control"] == "no-store"
        assert "etag" not in answer.headers


def test_a_change_is_refused_when_what_it_was_read_from_is_gone(ada: httpx.Client) -> None:
    view = UserView.model_validate(ada.get("/me").json())
    changed = view.model_copy(update={"is_ranked": not view.is_ranked})

    for taken in (None, "*", tag_of(view), f'"other", {tag_of(view)}'):
        require_match(taken, view)

    with pytest.raises(Outdated, match="GET it again"):
        require_match(tag_of(view), changed)
    assert not has_match(f"W/{tag_of(view)}", tag_of(view))


def test_a_recount_sends_the_problem_again_and_hinders_no_author(signed_in: SignedIn, database: Database) -> None:
    author = signed_in("grace", role="author")
    with database.transaction() as session:
        publish(session, make_package())
    path, change = "/problems/scaled_sum", {"availability": "unlisted"}
    seen = author.get(path).headers["etag"]
    with database.transaction() as session:
        problem_id = session.scalars(select(Problem.id)).one()
        session.add(SolveCount(problem_id=problem_id, submissions=90, students=60, solved=30))

    again = author.get(path, headers={"If-None-Match": seen})
    changed = author.patch(path, json=change, headers={"If-Match": seen})
    late = author.patch(path, json=change, headers={"If-Match": again.headers["etag"]})

    assert (again.status_code, again.json()["attempts"]["students"]) == (200, 60)
    assert author.get(path, headers={"If-None-Match": author.get(path).headers["etag"]}).status_code == 304
    assert (changed.status_code, changed.json()["availability"]) == (200, "unlisted")
    assert (late.status_code, late.json()["code"]) == (412, "outdated")


def test_one_of_two_concurrent_changes_of_a_problem_is_refused(signed_in: SignedIn, database: Database) -> None:
    author = signed_in("grace", role="author")
    with database.transaction() as session:
        publish(session, make_package())
    path = "/problems/scaled_sum"
    seen = {"If-Match": author.get(path).headers["etag"]}

    with ThreadPoolExecutor(2) as sides:
        with database.transaction() as session:
            lock_problem(session, "scaled_sum")
            wanted = ({"availability": "unlisted"}, {"availability": "withdrawn"})
            answers = [sides.submit(author.patch, path, json=change, headers=seen) for change in wanted]
            wait_until(lambda: count_lock_waits(database) == 2)
        assert sorted(answer.result().status_code for answer in answers) == [200, 412]


def test_an_admin_overwrites_nothing_that_another_has_changed_meanwhile(signed_in: SignedIn, ada: httpx.Client) -> None:
    admin = signed_in("grace", role="admin")
    for path, change in (
        ("/settings", {"max_pending": 7}),
        (f"/users/{ada.get('/me').json()['id']}", {"role": "author"}),
        ("/me", {"is_ranked": True}),
    ):
        seen = {"If-Match": admin.get(path).headers["etag"]}

        first, second = (admin.patch(path, json=change, headers=seen) for _ in range(2))

        assert first.status_code == 200, first.text
        assert (second.status_code, second.json()["code"]) == (412, "outdated")


def test_activity_of_a_user_does_not_change_the_etag_for_admins(
    signed_in: SignedIn, ada: httpx.Client, database: Database
) -> None:
    admin = signed_in("grace", role="admin")
    path = f"/users/{ada.get('/me').json()['id']}"
    seen = admin.get(path)
    with database.transaction() as session:
        session.execute(update(ApiToken).values(last_used_at=datetime(2030, 1, 1, tzinfo=UTC)))
        make_submission(session, session.scalars(select(User).where(User.username == "ada")).one())

    later = admin.get(path, headers={"If-None-Match": seen.headers["etag"]})
    changed = admin.patch(path, json={"role": "author"}, headers={"If-Match": seen.headers["etag"]})

    assert later.status_code == 200
    assert later.json()["last_seen_at"] != seen.json()["last_seen_at"]
    assert later.headers["etag"] == seen.headers["etag"]
    assert changed.status_code == 200, changed.text
