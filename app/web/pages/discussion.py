"""Questions about a problem and their answers: reading, asking, answering, editing and deleting."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel

from app.accounts.permission import Viewer
from app.api.request_state import require_discussions
from app.catalog.query import get_problem
from app.database.cursor import Slice
from app.errors import AllcloseError, Invalid, LimitReached
from app.learning.discussion import (
    MAX_BODY,
    MAX_TITLE,
    PostText,
    answer,
    ask,
    delete_post,
    edit,
    get_discussion,
    get_own_post,
    list_questions,
    mark_seen,
    render_posts,
)
from app.web.address import PostId, QuestionId, Slug
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

router = APIRouter(dependencies=[Depends(require_discussions)])

QUESTIONS = 30
# A page renders all of its answers, which may hold many formulas.
ANSWERS = 25
LIMITS = {"max_title": MAX_TITLE, "max_body": MAX_BODY}


class PostForm(BaseModel):
    title: str = ""
    body: str = ""
    is_spoiler: bool = False

    @property
    def text(self) -> PostText:
        return PostText(title=self.title, body=self.body, is_spoiler=self.is_spoiler)


Written = Annotated[PostForm, Form()]


@router.get("/problems/{slug}/questions")
def show_questions(visit: CurrentVisit, slug: Slug, cursor: str = "") -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    return _render_questions(visit, visit.viewer, slug, cursor=cursor)


@router.post("/problems/{slug}/questions", dependencies=[Depends(require_own_origin)])
def send_question(visit: CurrentVisit, slug: Slug, form: Written) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in(f"/problems/{slug}/questions")
    try:
        with visit.transaction() as session:
            question_id = ask(session, visit.viewer, slug, form.text)
    except (Invalid, LimitReached) as fault:
        return _render_questions(visit, visit.viewer, slug, form=form, fault=fault)
    return see_other(f"/questions/{question_id}")


@router.get("/questions/{question_id}")
def show_question(visit: CurrentVisit, question_id: QuestionId, cursor: str = "", done: str = "") -> Response:
    """The question's author has seen its answers when the last page of them was shown."""
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    return _render_question(visit, visit.viewer, question_id, cursor=cursor, done=done)


@router.post("/questions/{question_id}/answers", dependencies=[Depends(require_own_origin)])
def send_answer(visit: CurrentVisit, question_id: QuestionId, form: Written) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in(f"/questions/{question_id}")
    try:
        with visit.transaction() as session:
            post_id = answer(session, visit.viewer, question_id, form.text)
    except (Invalid, LimitReached) as fault:
        return _render_question(visit, visit.viewer, question_id, form=form, fault=fault)
    return see_other(f"/questions/{question_id}#{post_id}")


@router.get("/posts/{post_id}/edit")
def show_edit(visit: CurrentVisit, post_id: PostId) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        post = get_own_post(session, visit.viewer, post_id)
    form = PostForm(title=post.title, body=post.body, is_spoiler=post.is_spoiler)
    return visit.render("edit_post.html", {"post": post, "form": form, "refusal": "", **LIMITS})


@router.post("/posts/{post_id}/edit", dependencies=[Depends(require_own_origin)])
def send_edit(visit: CurrentVisit, post_id: PostId, form: Written) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in(f"/posts/{post_id}/edit")
    with visit.transaction() as session:
        post = get_own_post(session, visit.viewer, post_id)
    try:
        with visit.transaction() as session:
            edit(session, visit.viewer, post_id, form.text)
    except (Invalid, LimitReached) as fault:
        context = {"post": post, "form": form, "refusal": str(fault), **LIMITS}
        return visit.render("edit_post.html", context, _status(fault))
    return see_other(f"/questions/{post.question_id or post.id}#{post.id}")


@router.post("/posts/{post_id}/delete", dependencies=[Depends(require_own_origin)])
def send_delete(visit: CurrentVisit, post_id: PostId) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        slug, question_id = delete_post(session, visit.viewer, post_id)
    return see_other(f"/questions/{question_id}" if question_id else f"/problems/{slug}/questions")


def _render_questions(
    visit: Visit,
    viewer: Viewer,
    slug: str,
    *,
    cursor: str = "",
    form: PostForm | None = None,
    fault: AllcloseError | None = None,
) -> Response:
    with visit.transaction() as session:
        problem = get_problem(session, slug, viewer.id)
        page = list_questions(session, viewer, slug, Slice(cursor=cursor or None, limit=QUESTIONS))
    context = {"problem": problem, "page": page, "cursor": cursor}
    return visit.render("questions.html", context | _typed(form, fault), _status(fault))


def _render_question(
    visit: Visit,
    viewer: Viewer,
    question_id: UUID,
    *,
    cursor: str = "",
    done: str = "",
    form: PostForm | None = None,
    fault: AllcloseError | None = None,
) -> Response:
    with visit.transaction() as session:
        thread = get_discussion(session, viewer, question_id, Slice(cursor=cursor or None, limit=ANSWERS))
        html = render_posts(session, (thread.question, *thread.answers))
        if thread.next is None and thread.question.is_own:
            mark_seen(session, viewer, question_id)
    context = {"thread": thread, "html": html, "cursor": cursor, "is_reported": done == "reported"}
    return visit.render("question.html", context | _typed(form, fault), _status(fault))


def _typed(form: PostForm | None, fault: AllcloseError | None) -> dict[str, Any]:
    return {"form": form or PostForm(), "refusal": str(fault) if fault else "", **LIMITS}


def _status(fault: AllcloseError | None) -> int:
    if fault is None:
        return 200
    return 429 if isinstance(fault, LimitReached) else 422
