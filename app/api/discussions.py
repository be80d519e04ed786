"""Questions about problems and their answers."""

from http import HTTPStatus
from operator import attrgetter
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, Field, StrictBool

from app.api.dependency import Discusser, Reader, ShortSliced, Sliced, Stored
from app.api.field import KnownSlug
from app.api.openapi import locates
from app.api.request_state import require_discussions
from app.database.cursor import cut_list
from app.learning.discussion import (
    MAX_BODY,
    MAX_TITLE,
    Discussion,
    PostText,
    QuestionPage,
    UnreadAnswers,
    answer,
    ask,
    delete_post,
    edit,
    get_discussion,
    list_questions,
    list_unread,
    mark_seen,
)
from app.validation import Body

router = APIRouter(tags=["discussions"], dependencies=[Depends(require_discussions)])

TITLE = Field(
    json_schema_extra={"minLength": 1, "maxLength": MAX_TITLE},
    description="all readers see it",
    examples=["Why is the mean subtracted?"],
)
BODY = Field(
    json_schema_extra={"minLength": 1, "maxLength": MAX_BODY},
    description="Markdown, with formulas in $…$",
    examples=["What is $x - m$ for?"],
)
SPOILER = Field(False, description="true: the body is withheld until the solution is open to the reader")


class NewQuestion(Body):
    title: str = TITLE
    body: str = BODY
    is_spoiler: StrictBool = SPOILER


class NewReply(Body):
    body: str = BODY
    is_spoiler: StrictBool = SPOILER


class PostEdit(Body):
    """All texts of the post. An answer has no title."""

    title: str = Field("", json_schema_extra={"maxLength": MAX_TITLE}, description="empty for an answer")
    body: str = BODY
    is_spoiler: StrictBool = SPOILER


class PostCreated(BaseModel):
    id: UUID


class UnreadAnswersList(BaseModel):
    """Your questions with answers by other users that you have not seen, the last asked first."""

    items: tuple[UnreadAnswers, ...]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


@router.get(
    "/problems/{slug}/questions",
    operation_id="list_questions",
    summary="List the questions about a problem, newest first",
)
def get_questions(slug: KnownSlug, viewer: Reader, database: Stored, wanted: Sliced) -> QuestionPage:
    with database.transaction() as session:
        return list_questions(session, viewer, slug, wanted)


@router.post(
    "/problems/{slug}/questions",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the question")},
    operation_id="create_question",
    summary="Ask a question about a problem",
)
def post_question(
    slug: KnownSlug, new: NewQuestion, viewer: Discusser, database: Stored, response: Response
) -> PostCreated:
    with database.transaction() as session:
        question_id = ask(session, viewer, slug, _text(new))
    response.headers["Location"] = f"/api/v1/questions/{question_id}"
    return PostCreated(id=question_id)


@router.get(
    "/questions/{question_id}",
    operation_id="get_question",
    summary="A question with its answers, oldest first",
)
def get_question(question_id: UUID, viewer: Reader, database: Stored, wanted: Sliced) -> Discussion:
    with database.transaction() as session:
        return get_discussion(session, viewer, question_id, wanted)


@router.post(
    "/questions/{question_id}/answers",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the question with its answers")},
    operation_id="create_answer",
    summary="Answer a question",
)
def post_answer(
    question_id: UUID, new: NewReply, viewer: Discusser, database: Stored, response: Response
) -> PostCreated:
    with database.transaction() as session:
        post_id = answer(session, viewer, question_id, _text(new))
    response.headers["Location"] = f"/api/v1/questions/{question_id}"
    return PostCreated(id=post_id)


@router.put(
    "/questions/{question_id}/seen",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="mark_answers_seen",
    summary="Mark the answers to your question as seen",
)
def put_seen(question_id: UUID, viewer: Discusser, database: Stored) -> None:
    with database.transaction() as session:
        mark_seen(session, viewer, question_id)


@router.put(
    "/posts/{post_id}",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="edit_post",
    summary="Edit your question or answer",
)
def put_post(post_id: UUID, new: PostEdit, viewer: Discusser, database: Stored) -> None:
    with database.transaction() as session:
        edit(session, viewer, post_id, _text(new))


@router.delete(
    "/posts/{post_id}",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="delete_post",
    summary="Delete your question or answer",
)
def remove_post(post_id: UUID, viewer: Discusser, database: Stored) -> None:
    """A question with answers stays with empty texts."""
    with database.transaction() as session:
        delete_post(session, viewer, post_id)


@router.get(
    "/me/unread-answers",
    operation_id="list_unread_answers",
    summary="Your questions with unread answers",
)
def get_unread(viewer: Reader, database: Stored, wanted: ShortSliced) -> UnreadAnswersList:
    with database.transaction() as session:
        items, following = cut_list(list_unread(session, viewer.id), attrgetter("question_id"), wanted)
    return UnreadAnswersList(items=tuple(items), next=following)


def _text(new: NewQuestion | NewReply | PostEdit) -> PostText:
    return PostText(**new.model_dump())
