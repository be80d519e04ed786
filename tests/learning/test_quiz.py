import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import Conflict, NotFound
from app.learning.lesson import answer_question, get_lesson, retake_quiz
from app.learning.model import QuizAnswer, QuizAttempt
from tests.factories import make_user
from tests.learning.lessons import TAUGHT, publish_lesson

pytestmark = pytest.mark.usefixtures("revision")
SLUG = "scaled_sum"


def test_an_answer_is_kept_and_explained_and_the_other_question_says_nothing(session: Session) -> None:
    ada = make_user(session)

    quiz = answer_question(session, ada.id, SLUG, 0, 0)

    first, second = (asked.answered for asked in quiz.questions)
    assert first is not None
    assert (first.choice, first.is_right, first.right_choice) == (0, False, 1)
    assert first.explanation == "Count on your fingers."
    assert second is None
    assert (quiz.attempt, quiz.answered_count, quiz.right_count) == (1, 1, 0)


def test_a_question_has_one_answer_in_an_attempt_and_a_retake_asks_anew(session: Session) -> None:
    ada = make_user(session)
    answer_question(session, ada.id, SLUG, 0, 0)

    assert answer_question(session, ada.id, SLUG, 0, 0).answered_count == 1
    with pytest.raises(Conflict, match="retake the quiz"):
        answer_question(session, ada.id, SLUG, 0, 1)
    again = retake_quiz(session, ada.id, SLUG)
    same = retake_quiz(session, ada.id, SLUG)
    answered = answer_question(session, ada.id, SLUG, 0, 1)

    kept = session.execute(select(QuizAttempt.number, QuizAnswer.choice).join(QuizAnswer).order_by("number")).all()
    assert (again.attempt, again.answered_count) == (2, 0)
    assert same == again
    assert (answered.attempt, answered.right_count) == (2, 1)
    assert [tuple(row) for row in kept] == [(1, 0), (2, 1)]


@pytest.mark.parametrize(
    ("question", "choice", "words"),
    [(2, 0, "questions are numbered 0 to 1"), (-1, 0, "no question -1"), (0, 2, "question 0 has no choice 2")],
)
def test_an_unknown_question_or_choice_is_refused(session: Session, question: int, choice: int, words: str) -> None:
    ada = make_user(session)

    with pytest.raises(NotFound, match=words):
        answer_question(session, ada.id, SLUG, question, choice)

    assert get_lesson(session, SLUG, ada.id).quiz.attempt == 0


def test_answers_outlive_a_revision_that_asks_the_same_and_no_other(session: Session) -> None:
    ada = make_user(session)
    answer_question(session, ada.id, SLUG, 0, 1)

    publish_lesson(session, TAUGHT.replace("Add first.", "Add up first."))
    same = get_lesson(session, SLUG, ada.id).quiz
    publish_lesson(session, TAUGHT.replace("What is 1 + 1?", "What is 3 - 1?"))
    other = get_lesson(session, SLUG, ada.id).quiz
    begun = answer_question(session, ada.id, SLUG, 1, 0)

    assert same.answered_count == 1
    assert (other.attempt, other.answered_count) == (0, 0)
    assert (begun.attempt, begun.right_count) == (2, 1)
