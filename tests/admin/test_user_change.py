"""Admins change accounts, and one active admin always stays, even when two act at the same time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from uuid import UUID

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.accounts.model import User, UserSession
from app.accounts.session import start_session
from app.accounts.token import create_token, find_viewer_by_token
from app.admin.erasure import erase
from app.admin.user_change import cancel_queue, change_email, change_role, reactivate, sign_out, suspend
from app.audit import COMMAND, AuditEvent
from app.database.engine import Database
from app.errors import Conflict, Invalid, NotFound
from app.submissions.model import Judging
from tests.factories import make_judging, make_submission, make_user
from tests.queue.fleet import count_lock_waits, wait_until
from tests.transaction import commit

UNKNOWN_USER = UUID(int=0)
Step = Callable[[Session, UUID], object]


def demote(session: Session, user_id: UUID) -> None:
    change_role(session, COMMAND, user_id, "author")


def put_away(session: Session, user_id: UUID) -> None:
    suspend(session, COMMAND, user_id)


def wipe(session: Session, user_id: UUID) -> None:
    erase(session, COMMAND, user_id)


def actions(session: Session) -> list[str]:
    return list(session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)))


def test_a_role_holds_at_once_also_for_tokens(database: Database) -> None:
    with database.transaction() as session:
        make_user(session, "root", role="admin")
        user = make_user(session, role="admin")
        token = create_token(session, user.id, "test").secret
        change_role(session, COMMAND, user.id, "student")

    with database.transaction() as session:
        viewer = find_viewer_by_token(session, token)
        assert viewer is not None
        assert not viewer.may("users:read")  # type: ignore[arg-type]
        event = session.scalars(select(AuditEvent)).one()
    assert (event.action, event.before, event.after) == (
        "user.role_changed",
        {"role": "admin"},
        {"role": "student"},
    )


def test_a_suspended_user_is_signed_out_and_their_tokens_rest_until_they_are_back(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        start_session(session, user.id)
        token = create_token(session, user.id, "test").secret

    commit(database, suspend, COMMAND, user.id)
    with database.transaction() as session:
        assert find_viewer_by_token(session, token) is None
        assert session.scalars(select(UserSession)).all() == []
        reactivate(session, COMMAND, user.id)
    with database.transaction() as session:
        assert find_viewer_by_token(session, token) is not None
        assert actions(session) == ["user.suspended", "user.reactivated"]


def test_a_change_that_changes_nothing_is_not_in_the_audit_log(session: Session) -> None:
    user = make_user(session)
    change_role(session, COMMAND, user.id, "student")
    reactivate(session, COMMAND, user.id)
    change_email(session, COMMAND, user.id, None)

    assert actions(session) == []


def test_an_address_is_changed_and_is_not_in_what_is_written_down(session: Session) -> None:
    user = make_user(session)
    change_email(session, COMMAND, user.id, "ada@example.org")
    with pytest.raises(Invalid):
        change_email(session, COMMAND, user.id, "nowhere")

    assert user.email == "ada@example.org"
    assert session.scalars(select(AuditEvent.after)).all() == [{"has_email": True}]


def test_signing_a_user_out_ends_all_sessions_of_that_user_only(session: Session) -> None:
    ada, grace = make_user(session), make_user(session)
    for user in (ada, ada, grace):
        start_session(session, user.id)

    assert sign_out(session, COMMAND, ada.id) == 2
    assert session.scalars(select(UserSession.user_id)).all() == [grace.id]


@pytest.mark.parametrize("step", [demote, put_away, wipe])
def test_the_last_active_admin_stays(session: Session, step: Step) -> None:
    admin, resting = make_user(session, role="admin"), make_user(session, role="admin")
    suspend(session, COMMAND, resting.id)

    with pytest.raises(Conflict, match="Make another user an admin first"):
        step(session, admin.id)
    step(session, make_user(session).id)


@pytest.mark.parametrize("first", [demote, put_away, wipe])
@pytest.mark.parametrize("second", [demote, put_away, wipe])
def test_of_two_admins_who_take_each_other_away_at_once_one_stays(
    database: Database, first: Step, second: Step
) -> None:
    ids = [commit(database, make_user, role="admin").id for _ in range(2)]
    together = Barrier(2)

    def take_away(step: Step, user_id: UUID) -> bool:
        with database.transaction() as session:
            session.scalar(select(User.username).where(User.id == user_id))
            together.wait()
            try:
                step(session, user_id)
            except Conflict:
                return False
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(take_away, (first, second), ids))

    assert sorted(done) == [False, True]
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(User.role == "admin", User.is_active)) == 1


@pytest.mark.parametrize("which", [0, 1])
def test_suspending_an_admin_locks_all_admins_in_order(database: Database, which: int) -> None:
    """Otherwise two admins who take each other away would wait for each other for ever."""
    ids = first, last = sorted(commit(database, make_user, role="admin").id for _ in range(2))
    held = select(User.id).with_for_update(key_share=True)

    def put_away_one() -> None:
        commit(database, put_away, ids[which])

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            session.execute(held.where(User.id == first))
            suspending = pool.submit(put_away_one)
            wait_until(lambda: count_lock_waits(database))
            session.execute(text("SET LOCAL lock_timeout = '5s'"))
            session.execute(held.where(User.id == last))
        suspending.result()


@pytest.mark.parametrize("step", [demote, put_away, wipe])
def test_changing_an_unknown_user_raises_not_found(database: Database, step: Step) -> None:
    with pytest.raises(NotFound), database.transaction() as session:
        step(session, UNKNOWN_USER)


def test_all_unfinished_submissions_of_one_user_are_cancelled_and_recorded_once(database: Database) -> None:
    lease = datetime.now(UTC) + timedelta(seconds=15)
    with database.transaction() as session:
        user = make_user(session, "ada")
        queued = make_judging(session, make_submission(session, user).id)
        running = make_judging(session, make_submission(session, user).id, lease_until=lease)
        done = make_judging(session, make_submission(session, user).id, verdict="accepted")
        others = make_judging(session)

    counts = [commit(database, cancel_queue, COMMAND, user.id) for _ in range(2)]

    with database.transaction() as session:
        verdicts = [session.get_one(Judging, each.id).verdict for each in (queued, running, done, others)]
        (event,) = session.scalars(select(AuditEvent)).all()
    assert counts == [2, 0]
    assert verdicts == ["cancelled", "cancelled", "accepted", None]
    assert (event.action, event.target, event.after) == ("user.queue_cancelled", str(user.id), {"submissions": 2})
