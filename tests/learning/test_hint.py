import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Revision
from app.errors import Conflict, NotFound
from app.learning.lesson import reveal_hint
from app.learning.model import HintReveal
from app.learning.progress import read_learning
from tests.factories import make_problem, make_user
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
