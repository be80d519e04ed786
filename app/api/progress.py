"""Your progress with a problem, marking it as complete, and bookmarking it."""

from datetime import datetime
from http import HTTPStatus

from fastapi import APIRouter
from pydantic import BaseModel, Field

from app.api.dependency import Reader, Sender, Stored
from app.api.field import KnownSlug
from app.learning.bookmark import add_bookmark, remove_bookmark
from app.learning.progress import complete, read_learning, undo_completion
from app.learning.solution import OpenedBy

router = APIRouter(prefix="/problems/{slug}", tags=["learning"])


class ProgressView(BaseModel):
    hints: int = Field(description="the number of hints")
    hints_revealed: int
    questions: int = Field(description="the number of quiz questions")
    questions_answered: int = Field(description="in the last attempt")
    questions_right: int
    solution: OpenedBy | None = Field(description="why the solution is open; null while it is locked")
    solution_shown_at: datetime | None = Field(
        description="when you asked to see the solution before solving the problem"
    )
    solved_at: datetime | None = Field(description="when you sent your first accepted submission")
    solved_after_seeing_the_solution: bool
    completed_at: datetime | None
    bookmarked_at: datetime | None


class CompletionView(BaseModel):
    completed_at: datetime


class BookmarkView(BaseModel):
    bookmarked_at: datetime


@router.get(
    "/progress",
    operation_id="get_progress",
    summary="Your progress with a problem",
)
def get_progress_view(slug: KnownSlug, viewer: Reader, database: Stored) -> ProgressView:
    with database.transaction() as session:
        learning = read_learning(session, viewer.id, slug)
    return ProgressView(
        hints=learning.hints.total,
        hints_revealed=len(learning.hints.revealed),
        questions=len(learning.quiz.questions),
        questions_answered=learning.quiz.answered_count,
        questions_right=learning.quiz.right_count,
        solution=learning.lock.opened_by,
        solution_shown_at=learning.lock.shown_at,
        solved_at=learning.lock.solved_at,
        solved_after_seeing_the_solution=learning.lock.is_solved_after_seeing,
        completed_at=learning.completed_at,
        bookmarked_at=learning.bookmarked_at,
    )


@router.put(
    "/completion",
    operation_id="complete_problem",
    summary="Mark a solved problem as complete",
)
def put_completion(slug: KnownSlug, viewer: Sender, database: Stored) -> CompletionView:
    with database.transaction() as session:
        return CompletionView(completed_at=complete(session, viewer.id, slug))


@router.delete(
    "/completion",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="undo_completion",
    summary="Mark a problem as not complete",
)
def delete_completion(slug: KnownSlug, viewer: Sender, database: Stored) -> None:
    with database.transaction() as session:
        undo_completion(session, viewer.id, slug)


@router.put("/bookmark", operation_id="bookmark_problem", summary="Bookmark a problem")
def put_bookmark(slug: KnownSlug, viewer: Sender, database: Stored) -> BookmarkView:
    with database.transaction() as session:
        return BookmarkView(bookmarked_at=add_bookmark(session, viewer.id, slug))


@router.delete(
    "/bookmark",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="remove_bookmark",
    summary="Remove a bookmark",
)
def delete_bookmark(slug: KnownSlug, viewer: Sender, database: Stored) -> None:
    with database.transaction() as session:
        remove_bookmark(session, viewer.id, slug)
