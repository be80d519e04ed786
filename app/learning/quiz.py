"""Quizzes. The correct choice is revealed only after the user's answer is stored.

A user takes a quiz in attempts and answers each question once in each. Pages show the last attempt while the problem
still has the same questions. Otherwise the next answer starts a new attempt.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import serialise_requests
from app.catalog.model import Revision
from app.errors import Conflict, NotFound
from app.learning.lesson import Lesson, get_lesson
from app.learning.model import QuizAnswer, QuizAttempt


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAnswer:
    """The user's choice and the correct choice, both counted from 0."""

    choice: int
    is_right: bool
    right_choice: int
    explanation: str | None
    answered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QuizQuestion:
    """A question with its answer, or None until it is answered."""

    question: str
    choices: tuple[str, ...]
    answered: ShownAnswer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiz:
    """A quiz. `attempt` counts from 1 and is 0 before the first answer to these questions."""

    attempt: int
    questions: tuple[QuizQuestion, ...]

    @property
    def answered_count(self) -> int:
        return sum(asked.answered is not None for asked in self.questions)

    @property
    def right_count(self) -> int:
        return sum(asked.answered is not None and asked.answered.is_right for asked in self.questions)


def get_quiz(session: Session, user_id: UUID, slug: str) -> Quiz:
    """Raises NotFound."""
    return read_quiz(session, user_id, get_lesson(session, slug, user_id))


def answer_question(session: Session, user_id: UUID, slug: str, question: int, choice: int) -> Quiz:
    """Store an answer. `question` and `choice` count from 0. Repeating the same answer changes nothing.

    Raises NotFound, and Conflict if the question has another answer in this attempt.
    """
    lesson = get_lesson(session, slug, user_id)
    _check(lesson, question, choice)
    serialise_requests(session, user_id)
    attempt = _find_attempt(session, user_id, lesson) or _start(session, user_id, lesson)
    given = session.get(QuizAnswer, (attempt.id, question))
    if given is None:
        is_right = choice == lesson.quiz[question]["answer"]
        session.add(QuizAnswer(attempt_id=attempt.id, question=question, choice=choice, is_right=is_right))
        session.flush()
    elif given.choice != choice:
        raise Conflict("you already answered this question; retake the quiz to change your answer")
    return read_quiz(session, user_id, lesson)


def retake_quiz(session: Session, user_id: UUID, slug: str) -> Quiz:
    """Start a new attempt, unless the last one has no answer yet. Raises NotFound."""
    lesson = get_lesson(session, slug, user_id)
    serialise_requests(session, user_id)
    if read_quiz(session, user_id, lesson).answered_count:
        _start(session, user_id, lesson)
    return read_quiz(session, user_id, lesson)


def read_quiz(session: Session, user_id: UUID, lesson: Lesson) -> Quiz:
    attempt = _find_attempt(session, user_id, lesson)
    answers = _answers(session, attempt) if attempt else {}
    return Quiz(
        attempt=attempt.number if attempt else 0,
        questions=tuple(_ask(question, answers.get(place)) for place, question in enumerate(lesson.quiz)),
    )


def _ask(question: dict[str, Any], answer: QuizAnswer | None) -> QuizQuestion:
    return QuizQuestion(
        question=question["question"],
        choices=tuple(question["choices"]),
        answered=_explain(question, answer) if answer else None,
    )


def _explain(question: dict[str, Any], answer: QuizAnswer) -> ShownAnswer:
    return ShownAnswer(
        choice=answer.choice,
        is_right=answer.is_right,
        right_choice=question["answer"],
        explanation=question["explanation"],
        answered_at=answer.answered_at,
    )


def _answers(session: Session, attempt: QuizAttempt) -> dict[int, QuizAnswer]:
    given = session.scalars(select(QuizAnswer).where(QuizAnswer.attempt_id == attempt.id))
    return {answer.question: answer for answer in given}


def _find_attempt(session: Session, user_id: UUID, lesson: Lesson) -> QuizAttempt | None:
    """Find the last attempt, if it had the current questions."""
    last = _find_last(session, user_id, lesson)
    if last is None or last.revision_id == lesson.revision_id:
        return last
    asked = session.scalar(select(Revision.manifest["quiz"]).where(Revision.id == last.revision_id))
    return last if asked == list(lesson.quiz) else None


def _find_last(session: Session, user_id: UUID, lesson: Lesson) -> QuizAttempt | None:
    mine = select(QuizAttempt).where(QuizAttempt.user_id == user_id, QuizAttempt.problem_id == lesson.problem_id)
    return session.scalar(mine.order_by(QuizAttempt.number.desc()).limit(1))


def _start(session: Session, user_id: UUID, lesson: Lesson) -> QuizAttempt:
    last = _find_last(session, user_id, lesson)
    attempt = QuizAttempt(
        user_id=user_id,
        problem_id=lesson.problem_id,
        revision_id=lesson.revision_id,
        number=last.number + 1 if last else 1,
    )
    session.add(attempt)
    session.flush()
    return attempt


def _check(lesson: Lesson, question: int, choice: int) -> None:
    if not 0 <= question < len(lesson.quiz):
        count = len(lesson.quiz)
        have = f"its questions are numbered 0 to {count - 1}" if count else "it has no quiz"
        raise NotFound(f"{lesson.slug!r} has no question {question}: {have}")
    last = len(lesson.quiz[question]["choices"]) - 1
    if not 0 <= choice <= last:
        raise NotFound(f"question {question} has no choice {choice}: choices are numbered 0 to {last}")
