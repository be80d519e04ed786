from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.catalog.model import Revision
from app.courses.due import HintsClosed
from app.courses.model import Sitting
from app.errors import Conflict, NotFound
from app.learning.lesson import reveal_hint
from app.learning.model import HintReveal
from app.learning.progress import read_learning
from app.submissions.view_query import ViewReader
from tests.factories import (
    make_assignment,
    make_course,
    make_judging,
    make_member,
    make_problem,
    make_submission,
    make_user,
)
from tests.learning.lessons import HINTS, TAUGHT, publish_lesson

pytestmark = pytest.mark.usefixtures("revision")
SLUG = "scaled_sum"


def test_hints_are_revealed_in_order_and_each_is_kept(session: Session, revision: Revision) -> None:
    ada = make_user(session)

    before = read_learning(session, ada.id, SLUG).hints
    reveal_hint(session, ada.id, SLUG, 1)
    after = reveal_hint(session, ada.id, SLUG, 2)

    rows = session.scalars(select(HintReveal).order_by(HintReveal.number)).all()
    assert (before.revealed, before.total, before.next_number) == ((), 3, 1)
    assert [(hint.number, hint.text) for hint in after.revealed] == [(1, HINTS[0]), (2, HINTS[1])]
    assert after.next_number == 3
    assert [(row.user_id, row.revision_id, row.number) for row in rows] == [(ada.id, revision.id, n) for n in (1, 2)]


def test_a_hint_asked_for_twice_is_revealed_once_and_the_last_has_no_next(session: Session) -> None:
    ada = make_user(session)

    for number in (1, 2, 3, 3, 1):
        hints = reveal_hint(session, ada.id, SLUG, number)

    assert [hint.number for hint in hints.revealed] == [1, 2, 3]
    assert hints.next_number is None


def test_no_hint_is_skipped_and_none_is_made_up(session: Session) -> None:
    ada = make_user(session)
    make_problem(session, "bare")

    with pytest.raises(Conflict, match="hint 2 comes after hint 1"):
        reveal_hint(session, ada.id, SLUG, 2)
    with pytest.raises(NotFound, match="'scaled_sum' has no hint 4: its hints are numbered 1 to 3"):
        reveal_hint(session, ada.id, SLUG, 4)
    with pytest.raises(NotFound, match="it has none"):
        reveal_hint(session, ada.id, "bare", 1)

    assert session.scalars(select(HintReveal)).all() == []


def test_revealed_hints_are_per_user_and_survive_a_new_revision(session: Session) -> None:
    ada, grace = make_user(session), make_user(session)
    reveal_hint(session, ada.id, SLUG, 1)

    publish_lesson(session, TAUGHT.replace("Use <b>numpy</b>.", "Use NumPy."))

    assert [hint.text for hint in read_learning(session, ada.id, SLUG).hints.revealed] == ["Use NumPy."]
    assert read_learning(session, grace.id, SLUG).hints.revealed == ()


def test_hints_are_closed_while_an_assignment_without_hints_is_open_for_the_student(
    session: Session, revision: Revision
) -> None:
    ada, stranger, course = make_user(session), make_user(session), make_course(session)
    make_member(session, course, ada)
    homework = make_assignment(session, course, revision, shows_hints=False)
    judged = make_judging(session, make_submission(session, ada, revision).id, verdict="wrong_answer", hint="Scale it.")

    def read_hint() -> str | None:
        session.expire_all()
        return ViewReader(judged.submission_id).read(session, signed_in(ada))[1].hint

    with pytest.raises(HintsClosed, match="shows no hints until"):
        reveal_hint(session, ada.id, SLUG, 1)
    assert read_hint() is None
    reveal_hint(session, stranger.id, SLUG, 1)
    homework.shows_hints = True
    session.flush()
    reveal_hint(session, ada.id, SLUG, 1)
    assert read_hint() == "Scale it."


def test_an_exam_without_hints_closes_them_until_its_last_student_has_finished(
    session: Session, revision: Revision
) -> None:
    ada, eve, course = make_user(session), make_user(session), make_course(session)
    now = datetime.now(UTC)
    window = {"opens_at": now - timedelta(hours=3), "due_at": now - timedelta(hours=2), "grace_seconds": 0}
    exam = make_assignment(session, course, revision, shows_hints=False, kind="exam", minutes=60, **window)
    for user in (ada, eve):
        make_member(session, course, user, time_factor=3)
    sitting = Sitting(
        assignment_id=exam.id, user_id=eve.id, addresses=["192.0.2.1"], started_at=now - timedelta(hours=2.5)
    )
    session.add(sitting)
    session.flush()

    with pytest.raises(HintsClosed):
        reveal_hint(session, ada.id, SLUG, 1)
    sitting.ended_at = now - timedelta(hours=1)
    session.flush()
    reveal_hint(session, ada.id, SLUG, 1)
