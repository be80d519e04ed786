"""The hints and quiz of a problem's current revision, with the answers. Only this package may read them.

Hints are revealed one at a time and in order. Allclose stores which hints each user has read. Read hints stay read in a
new revision, since its hints usually follow the same order.

The correct choice of a question is revealed only after the user's answer is stored. A user takes a quiz in attempts and
answers each question once in each. Pages show the last attempt while the problem still has the same questions.
Otherwise the next answer starts a new attempt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, Text, Uuid, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by, insert
from sqlalchemy.orm import Session, aliased

from app.accounts.model import serialise_requests
from app.catalog.access import is_open_to
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.courses.due import require_hints
from app.errors import Conflict, NotFound, ProblemNotFound
from app.learning.model import HintReveal, QuizAnswer, QuizAttempt


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LastAttempt:
    """The user's last attempt at the quiz. `is_current`: it has the current questions."""

    id: UUID
    number: int
    is_current: bool
    answers: Mapping[int, ShownAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Hints and quiz, as far as the user has come.

    `questions` has the manifest's form: question, choices, answer, explanation.
    """

    slug: str
    problem_id: UUID
    revision_id: UUID
    hints: Hints
    texts: tuple[str, ...]
    questions: tuple[dict[str, Any], ...]
    last: LastAttempt | None

    @property
    def attempt(self) -> LastAttempt | None:
        """The attempt that goes on, or None before the first answer to these questions."""
        return self.last if self.last and self.last.is_current else None

    @property
    def quiz(self) -> Quiz:
        attempt = self.attempt
        answers = attempt.answers if attempt else {}
        return Quiz(
            attempt=attempt.number if attempt else 0,
            questions=tuple(
                QuizQuestion(question=each["question"], choices=tuple(each["choices"]), answered=answers.get(place))
                for place, each in enumerate(self.questions)
            ),
        )


def get_lesson(session: Session, slug: str, user_id: UUID) -> Lesson:
    """Return the lesson. Raises NotFound, also for an unpublished problem, and for a draft unless for an author."""
    found = session.execute(_LESSON, {"slug": slug, "user_id": user_id}).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    return read_lesson(found)


def read_lesson(row: Row[Any]) -> Lesson:
    """Read a row of `select_lesson`."""
    texts, revealed = tuple(row.hints or ()), row.revealed or ()
    questions = tuple(row.quiz or ())
    return Lesson(
        slug=row.slug,
        problem_id=row.problem_id,
        revision_id=row.revision_id,
        hints=Hints(
            total=len(texts),
            revealed=tuple(
                Hint(number=place + 1, text=text, revealed_at=revealed_at)
                for place, (text, revealed_at) in enumerate(zip(texts, revealed, strict=False))
            ),
        ),
        texts=texts,
        questions=questions,
        last=_read_attempt(row, questions) if row.attempt_id else None,
    )


def _read_attempt(row: Row[Any], questions: tuple[dict[str, Any], ...]) -> LastAttempt:
    given: Mapping[str, Any] = row.answers or {} if row.is_current else {}
    answers = {int(place): _read_answer(questions[int(place)], answer) for place, answer in given.items()}
    return LastAttempt(id=row.attempt_id, number=row.attempt_number, is_current=row.is_current, answers=answers)


def _read_answer(question: Mapping[str, Any], answer: Mapping[str, Any]) -> ShownAnswer:
    return ShownAnswer(
        choice=answer["choice"],
        is_right=answer["is_right"],
        right_choice=question["answer"],
        explanation=question["explanation"],
        answered_at=datetime.fromisoformat(answer["answered_at"]),
    )


# The parameters of `select_lesson`.
USER_ID = bindparam("user_id", type_=Uuid())
SLUG = bindparam("slug", type_=Text())


def select_lesson() -> Select[Any]:
    """Select the lesson of the problem SLUG for the user USER_ID, if it is open to them."""
    asked = aliased(Revision)
    revealed = select(func.array_agg(aggregate_order_by(HintReveal.revealed_at, HintReveal.number)))
    last = select(QuizAttempt.id).where(QuizAttempt.user_id == USER_ID, QuizAttempt.problem_id == Problem.id)
    last = last.order_by(QuizAttempt.number.desc()).limit(1).correlate(Problem)
    parts = ("choice", QuizAnswer.choice, "is_right", QuizAnswer.is_right, "answered_at", QuizAnswer.answered_at)
    answers = select(func.jsonb_object_agg(cast(QuizAnswer.question, Text), func.jsonb_build_object(*parts)))
    columns: dict[str, Any] = {
        "slug": Problem.slug,
        "problem_id": Problem.id,
        "revision_id": Revision.id,
        "hints": Revision.manifest["hints"],
        "quiz": Revision.manifest["quiz"],
        "revealed": revealed.where(
            HintReveal.user_id == USER_ID, HintReveal.problem_id == Problem.id
        ).scalar_subquery(),
        "attempt_id": QuizAttempt.id,
        "attempt_number": QuizAttempt.number,
        "is_current": asked.manifest["quiz"] == Revision.manifest["quiz"],
        "answers": answers.where(QuizAnswer.attempt_id == QuizAttempt.id).scalar_subquery(),
    }
    chosen: Select[Any] = select(*(column.label(name) for name, column in columns.items()))
    return (
        chosen.join(Revision, IS_CURRENT)
        .outerjoin(QuizAttempt, QuizAttempt.id == last.scalar_subquery())
        .outerjoin(asked, asked.id == QuizAttempt.revision_id)
        .where(Problem.slug == SLUG, is_open_to(USER_ID))
    )


# Built once: building takes longer than running.
_LESSON = select_lesson()


def reveal_hint(session: Session, user_id: UUID, slug: str, number: int) -> Hints:
    """Reveal a hint; a revealed one stays unchanged.

    Raises NotFound, HintsClosed, and Conflict if an earlier hint is unread.
    """
    lesson = get_lesson(session, slug, user_id)
    require_hints(session, user_id, lesson.problem_id)
    _check_hint(lesson, number)
    row = {"user_id": user_id, "problem_id": lesson.problem_id, "number": number, "revision_id": lesson.revision_id}
    session.execute(insert(HintReveal).values(row).on_conflict_do_nothing())
    return get_lesson(session, slug, user_id).hints


def _check_hint(lesson: Lesson, number: int) -> None:
    count, next_number = lesson.hints.total, lesson.hints.next_number
    if not 1 <= number <= count:
        have = f"its hints are numbered 1 to {count}" if count else "it has none"
        raise NotFound(f"{lesson.slug!r} has no hint {number}: {have}")
    if next_number is not None and number > next_number:
        raise Conflict(f"hint {number} comes after hint {next_number}; read that one first")


def answer_question(session: Session, user_id: UUID, slug: str, question: int, choice: int) -> Quiz:
    """Store an answer. `question` and `choice` count from 0. Repeating the same answer changes nothing.

    Raises NotFound, and Conflict if the question has another answer in this attempt.
    """
    serialise_requests(session, user_id)
    lesson = get_lesson(session, slug, user_id)
    _check_choice(lesson, question, choice)
    given = lesson.attempt.answers.get(question) if lesson.attempt else None
    if given is None:
        attempt_id = lesson.attempt.id if lesson.attempt else _start(session, user_id, lesson)
        is_right = choice == lesson.questions[question]["answer"]
        session.add(QuizAnswer(attempt_id=attempt_id, question=question, choice=choice, is_right=is_right))
        session.flush()
    elif given.choice != choice:
        raise Conflict("you already answered this question; retake the quiz to change your answer")
    return get_lesson(session, slug, user_id).quiz


def retake_quiz(session: Session, user_id: UUID, slug: str) -> Quiz:
    """Start a new attempt, unless the last one has no answer yet. Raises NotFound."""
    serialise_requests(session, user_id)
    lesson = get_lesson(session, slug, user_id)
    if lesson.quiz.answered_count:
        _start(session, user_id, lesson)
    return get_lesson(session, slug, user_id).quiz


def _start(session: Session, user_id: UUID, lesson: Lesson) -> UUID:
    """Start an attempt, and return its ID."""
    attempt = QuizAttempt(
        user_id=user_id,
        problem_id=lesson.problem_id,
        revision_id=lesson.revision_id,
        number=lesson.last.number + 1 if lesson.last else 1,
    )
    session.add(attempt)
    session.flush()
    return attempt.id


def _check_choice(lesson: Lesson, question: int, choice: int) -> None:
    if not 0 <= question < len(lesson.questions):
        count = len(lesson.questions)
        have = f"its questions are numbered 0 to {count - 1}" if count else "it has no quiz"
        raise NotFound(f"{lesson.slug!r} has no question {question}: {have}")
    last = len(lesson.questions[question]["choices"]) - 1
    if not 0 <= choice <= last:
        raise NotFound(f"question {question} has no choice {choice}: choices are numbered 0 to {last}")
