"""The quiz of a problem. The right choice is shown after answering."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from app.api.dependency import Reader, Sender, Stored
from app.api.field import KnownSlug, whole
from app.learning.quiz import Quiz, answer_question, get_quiz, retake_quiz
from app.validation import Body

MAX_INDEX = 1000

router = APIRouter(prefix="/problems/{slug}/quiz", tags=["learning"])
Index = Annotated[int, Field(ge=0, le=MAX_INDEX), whole]


class AnsweredView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    choice: int = Field(description="the index of your choice, from 0")
    is_right: bool
    right_choice: int
    explanation: str | None = Field(description="Markdown")
    answered_at: datetime


class AskedView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    question: str = Field(description="Markdown")
    choices: tuple[str, ...]
    answered: AnsweredView | None = Field(description="null until you have answered")


class QuizView(BaseModel):
    """`attempt` counts from 1; it is 0 before the first answer."""

    model_config = ConfigDict(from_attributes=True)

    attempt: int
    questions: tuple[AskedView, ...]


class NewAnswer(Body):
    """Both are indices into the lists of `GET`, from 0."""

    question: Index
    choice: Index


@router.get("", operation_id="get_quiz", summary="The questions and your answers")
def get_quiz_view(slug: KnownSlug, viewer: Reader, database: Stored) -> QuizView:
    with database.transaction() as session:
        return _view(get_quiz(session, viewer.id, slug))


@router.post("/answers", operation_id="answer_question", summary="Answer one question")
def post_answer(slug: KnownSlug, new: NewAnswer, viewer: Sender, database: Stored) -> QuizView:
    with database.transaction() as session:
        return _view(answer_question(session, viewer.id, slug, new.question, new.choice))


@router.post("/attempts", operation_id="retake_quiz", summary="Take the quiz again")
def post_attempt(slug: KnownSlug, viewer: Sender, database: Stored) -> QuizView:
    """Starts a new attempt. An attempt without an answer continues."""
    with database.transaction() as session:
        return _view(retake_quiz(session, viewer.id, slug))


def _view(quiz: Quiz) -> QuizView:
    return QuizView.model_validate(quiz)
