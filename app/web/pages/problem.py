"""One problem with its editor, and sending a solution. Works as a plain form, without scripts."""

import hashlib
import secrets
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Query, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.query import get_problem
from app.content_policy import with_styles
from app.drafts.save import find_draft
from app.errors import AllcloseError, Invalid, LimitReached, NotFound
from app.settings import Settings
from app.submissions.query import HistoryFilters, SubmissionSummary, get_submission, list_submissions
from app.submissions.solved import list_solved_slugs
from app.submissions.submit import Submit, SubmitLimits, submit
from app.web.address import Slug
from app.web.origin import require_own_origin
from app.web.pages.learning import find_learning
from app.web.pages.submission import Shown, read_one
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter()

SHOWN_SUBMISSIONS = 5


class SolutionForm(BaseModel):
    """`attempt` is new with every page, so that a double click sends one submission."""

    source: str = ""
    mode: Literal["submit", "sample"] = "submit"
    attempt: str = ""

    @property
    def text(self) -> str:
        """Browsers send every line end as CR LF."""
        return self.source.replace("\r\n", "\n")

    @property
    def key(self) -> str:
        """The same page, the same button and the same text are the same submission."""
        return hashlib.sha256("\0".join((self.attempt, self.mode, self.text)).encode(errors="replace")).hexdigest()


Given = Annotated[UUID | None, Query(alias="from", description="an earlier submission, to go on with its code")]


@router.get("/problems/{slug}")
def show_problem(visit: CurrentVisit, slug: Slug, given: Given = None) -> Response:
    with visit.transaction() as session:
        source = _given_source(session, visit.user, given)
        context = _context(session, visit.user, slug)
    draft = context["draft"]
    shown = source or (draft.source if draft else context["problem"].starter)
    return _render(visit, context | {"source": shown, "is_given": source is not None, "refusal": ""})


@router.post("/problems/{slug}/submissions", dependencies=[Depends(require_own_origin)])
def send_solution(visit: CurrentVisit, slug: Slug, form: Annotated[SolutionForm, Form()]) -> Response:
    if visit.user is None:
        return see_other(f"/sign-in?next=/problems/{slug}")
    settings: Settings = visit.request.app.state.settings
    wanted = Submit(user_id=visit.user.id, slug=slug, source=form.text, mode=form.mode, idempotency_key=form.key)
    try:
        with visit.transaction() as session:
            submission = submit(session, wanted, SubmitLimits(max_pending=settings.max_pending))
    except Invalid as fault:
        return _refused(visit, slug, form, fault, 422)
    except LimitReached as fault:
        return _refused(visit, slug, form, fault, 429)
    return see_other(f"/submissions/{submission.id}")


def _refused(visit: Visit, slug: str, form: SolutionForm, fault: AllcloseError, status: int) -> Response:
    with visit.transaction() as session:
        context = _context(session, visit.user, slug)
    return _render(visit, context | {"source": form.text, "is_given": True, "refusal": str(fault)}, status)


def _render(visit: Visit, context: dict[str, Any], status: int = 200) -> Response:
    nonce = secrets.token_urlsafe(16)
    page = visit.render("problem.html", context | {"nonce": nonce}, status)
    page.headers["Content-Security-Policy"] = with_styles(nonce)
    return page


def _context(session: Session, user: User | None, slug: str) -> dict[str, Any]:
    """Raises NotFound."""
    problem = get_problem(session, slug)
    mine = list_submissions(session, user.id, HistoryFilters(problem=slug)).items[:SHOWN_SUBMISSIONS] if user else ()
    is_solved = user is not None and slug in list_solved_slugs(session, user.id)
    return {
        "problem": problem,
        "submissions": mine,
        "last": _last(session, user, mine),
        "draft": find_draft(session, user.id, slug) if user else None,
        "is_solved": is_solved,
        "learning": find_learning(session, user, slug),
        "attempt": secrets.token_urlsafe(16),
    }


def _last(session: Session, user: User | None, mine: Sequence[SubmissionSummary]) -> Shown | None:
    return read_one(session, user, mine[0].id) if user and mine else None


def _given_source(session: Session, user: User | None, given: UUID | None) -> str | None:
    """The code to go on with; None for someone else's submission, as if it were not there."""
    if user is None or given is None:
        return None
    try:
        return get_submission(session, given, user).source
    except NotFound:
        return None
