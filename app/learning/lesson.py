"""The hints and quiz of a problem's current revision, with the answers. Only this package may read them.

Hints are revealed one at a time and in order. Allclose stores which hints each user has read. Read hints stay read in a
new revision, since its hints usually follow the same order.

The correct choice of a question is revealed only after the user's answer is stored. A user takes a quiz in attempts and
answers each question once in each. Pages show the last attempt while the problem still has the same questions.
Otherwise the next answer starts a new attempt.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.model import serialise_requests
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.query import is_open_to
from app.errors import Conflict, NotFound, ProblemNotFound
from app.learning.model import HintReveal, QuizAnswer, QuizAttempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Hints and quiz. `quiz` has the manifest's form: question, choices, answer, explanation."""

    slug: str
    problem_id: UUID
    revision_id: UUID
    hints: tuple[str, ...]
    quiz: tuple[dict[str, Any], ...]


def get_lesson(session: Session, slug: str, user_id: UUID) -> Lesson:
    """Return the lesson. Raises NotFound, also for an unpublished problem, and for a draft unless for an author."""
    texts = (Revision.manifest["hints"], Revision.manifest["quiz"])
    query = select(Problem.id, Revision.id, *texts).join(Revision, IS_CURRENT)
    found = session.execute(query.where(Problem.slug == slug, is_open_to(user_id))).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    problem_id, revision_id, hints, quiz = found
    return Lesson(
        slug=slug,
        problem_id=problem_id,
        revision_id=revision_id,
        hints=tuple(hints or ()),
        quiz=tuple(quiz or ()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """`number` counts from 1."""

    number: int
    text: str
    revealed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The revealed hints in order, out of `total`."""

    total: int
    revealed: tuple[Hint, ...]

    @property
    def next_number(self) -> int | None:
        """The number of the next hint, or None after the last."""
        return len(self.revealed) + 1 if len(self.revealed) < self.total else None


def reveal_hint(session: Session, user_id: UUID, slug: str, number: int) -> Hints:
    """Reveal a hint; a revealed one stays unchanged. Raises NotFound, and Conflict if an earlier hint is unread."""
    lesson = get_lesson(session, slug, user_id)
    _check_hint(lesson, number, read_hints(session, user_id, lesson).next_number)
    row = {"user_id": user_id, "problem_id": lesson.problem_id, "number": number, "revision_id": lesson.revision_id}
    session.execute(insert(HintReveal).values(row).on_conflict_do_nothing())
    return read_hints(session, user_id, lesson)


def read_hints(session: Session, user_id: UUID, lesson: Lesson) -> Hints:
    of_this_problem = (HintReveal.user_id == user_id, HintReveal.problem_id == lesson.problem_id)
    query = select(HintReveal.number, HintReveal.revealed_at).where(*of_this_problem).order_by(HintReveal.number)
    revealed = session.execute(query.limit(len(lesson.hints))).all()
    return Hints(
        total=len(lesson.hints),
        revealed=tuple(
            Hint(number=number, text=lesson.hints[number - 1], revealed_at=moment) for number, moment in revealed
        ),
    )


def _check_hint(lesson: Lesson, number: int, next_number: int | None) -> None:
    if not 1 <= number <= len(lesson.hints):
        count = len(lesson.hints)
        have = f"its hints are numbered 1 to {count}" if count else "it has none"
        raise NotFound(f"{lesson.slug!r} has no hint {number}: {have}")
    if next_number is not None and number > next_number:
        raise Conflict(f"hint {number} comes after hint {next_number}; read that one first")


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
    _check_choice(lesson, question, choice)
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


def _check_choice(lesson: Lesson, question: int, choice: int) -> None:
    if not 0 <= question < len(lesson.quiz):
        count = len(lesson.quiz)
        have = f"its questions are numbered 0 to {count - 1}" if count else "it has no quiz"
        raise NotFound(f"{lesson.slug!r} has no question {question}: {have}")
    last = len(lesson.quiz[question]["choices"]) - 1
    if not 0 <= choice <= last:
        raise NotFound(f"question {question} has no choice {choice}: choices are numbered 0 to {last}")
