"""The quiz of a problem: a form for each question, and the correct choice after answering."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel

from app.accounts.model import User
from app.catalog.query import get_problem
from app.learning.lesson import answer_question, get_lesson, retake_quiz
from app.learning.progress import find_next_problem
from app.web.address import Slug
from app.web.render import HEADERS, render_text
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

router = APIRouter(prefix="/problems/{slug}/quiz")


class AnswerForm(BaseModel):
    """An answer. Both numbers count from 0."""

    question: int
    choice: int


@router.get("")
def show_quiz(visit: CurrentVisit, slug: Slug) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in()
    return visit.render("quiz.html", _context(visit, visit.user, slug))


@router.get("/questions")
def show_questions(visit: CurrentVisit, slug: Slug) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in(f"/problems/{slug}/quiz")
    fragment = render_text("fragments/questions.html", _context(visit, visit.user, slug))
    return Response(fragment, media_type="text/html", headers=HEADERS)


@router.post("", dependencies=[Depends(require_own_origin)])
def send_answer(visit: CurrentVisit, slug: Slug, form: Annotated[AnswerForm, Form()]) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in(f"/problems/{slug}/quiz")
    with visit.transaction() as session:
        answer_question(session, visit.user.id, slug, form.question, form.choice)
    return see_other(f"/problems/{slug}/quiz#question-{form.question + 1}")


@router.post("/again", dependencies=[Depends(require_own_origin)])
def send_retake(visit: CurrentVisit, slug: Slug) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in(f"/problems/{slug}/quiz")
    with visit.transaction() as session:
        retake_quiz(session, visit.user.id, slug)
    return see_other(f"/problems/{slug}/quiz")


def _context(visit: Visit, user: User, slug: str) -> dict[str, Any]:
    """Raises NotFound."""
    with visit.transaction() as session:
        quiz = get_lesson(session, slug, user.id).quiz
        next_problem = find_next_problem(session, user.id, slug) if quiz.answered_count == len(quiz.questions) else None
        return {"problem": get_problem(session, slug, user.id), "quiz": quiz, "next": next_problem}
