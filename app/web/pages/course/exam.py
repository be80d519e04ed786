"""An exam as its students see it: begin, the problems with their drafts, the clock, and the end."""

import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response
from fastapi.responses import JSONResponse
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.api.request_state import find_exam, read_place
from app.catalog.model import Problem
from app.catalog.query import get_problem_at
from app.courses.assignment import get_assignment
from app.courses.due import DueAssignment
from app.courses.model import Assignment
from app.courses.role import get_seat
from app.courses.sitting import Clock, RunningExam, begin, find_running
from app.database.engine import storable
from app.errors import Conflict, Invalid, LimitReached, NotFound, ProblemNotFound, Refused
from app.submissions.draft import Draft, Save, discard_other, find_draft, save_draft
from app.submissions.exam_end import end_sitting
from app.submissions.progress import ChangeStream
from app.submissions.query import list_recent
from app.submissions.view_query import ViewReader
from app.web.address import Slug
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.pages.draft import DraftText
from app.web.pages.problem import SolutionForm, as_judged, describe_refusal, render_problem, status_of
from app.web.pages.submission import SubmissionResult
from app.web.render import HEADERS, render_text
from app.web.visit import CurrentVisit, Visit, hold_stream, see_other

router = APIRouter(prefix=HOME + "/{course}/assignments/{assignment}")
PAGE = "course/exam_problem.html"
SHOWN = 20


def describe_exam(assignment: Assignment) -> dict[str, Any]:
    """Return the rules of an exam that students may know."""
    return {
        "has_password": assignment.password != "",
        "has_networks": bool(assignment.networks),
        "needs_seb": bool(assignment.seb_keys),
        "hands_in_draft": assignment.hands_in_draft,
    }


@router.post("/begin", dependencies=[OWN_ORIGIN])
def send_begin(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, password: Annotated[str, Form()] = ""
) -> Response:
    """Raises NotFound, Refused and LimitReached."""
    path = f"{HOME}/{course}/assignments/{assignment}"
    try:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course)
            found = get_assignment(session, seat, assignment)
            place = read_place(visit.request, viewer.credential_id)
            running = begin(session, visit.actor, seat, found, place, password)
    except Conflict as fault:
        raise Refused(str(fault)) from None
    return see_other(path if running else f"{path}?done=password")


@router.post("/end", dependencies=[OWN_ORIGIN])
def send_end(visit: CurrentVisit, _: Taker, course: str, assignment: str) -> Response:
    exam = _exam(visit, course, assignment)
    with visit.transaction() as session:
        end_sitting(session, visit.actor, session.merge(exam.sitting))
    return see_other(exam.path)


def hold_clock(visit: CurrentVisit, viewer: Reader) -> Iterator[ChangeStream]:
    """Hold one of the user's streams; a dependency, so that a stream is refused before it starts."""
    with hold_stream(visit, viewer, Permission.READ_COURSES) as changes:
        yield changes


@router.get("/clock", response_class=EventSourceResponse)
async def stream_clock(
    visit: CurrentVisit, changes: Annotated[ChangeStream, Depends(hold_clock)]
) -> AsyncIterator[ServerSentEvent]:
    """Send the bar of the exam on every change, and `done` when the exam is over."""
    exam = find_exam(visit.request)
    if exam is None:
        yield ServerSentEvent(event="done", raw_data="")
        return

    def read(session: Session, viewer: Viewer) -> Clock:
        running = find_running(session, viewer.id)
        if running is None or running.sitting.credential_id != viewer.credential_id:
            raise NotFound("The exam is over here.")
        return running.clock

    async with aclosing(changes.stream(exam.assignment.id, read)) as clocks:
        async for clock in clocks:
            yield ServerSentEvent(event="clock", raw_data=render_text("course/exam_bar.html", {"clock": clock}))
    yield ServerSentEvent(event="done", raw_data="")


@router.get("/problems/{slug}")
def show_exam_problem(visit: CurrentVisit, _: Reader, course: str, assignment: str, slug: Slug) -> Response:
    exam = find_exam(visit.request)
    if exam is None or exam.path != f"{HOME}/{course}/assignments/{assignment}":
        return see_other(f"{HOME}/{course}/assignments/{assignment}")
    context = _read_problem(visit, exam, slug)
    source = context["draft"].source if context["draft"] else context["problem"].starter
    return render_problem(visit, context | {"source": source}, template=PAGE)


def refuse_in_exam(
    visit: Visit, exam: RunningExam, slug: str, form: SolutionForm, fault: Conflict | Invalid | LimitReached
) -> Response:
    """Show the page with what was typed, and the reason."""
    context = _read_problem(visit, exam, slug) | describe_refusal(form, fault)
    return render_problem(visit, context, status_of(fault), PAGE)


@router.put("/problems/{slug}/draft", dependencies=[OWN_ORIGIN])
def save(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, slug: Slug, written: DraftText) -> Response:
    exam_id = _exam(visit, course, assignment).assignment.id
    wanted = Save(user_id=viewer.id, slug=slug, source=written.source, base=written.base, exam_id=exam_id)
    with visit.transaction() as session:
        draft = save_draft(session, wanted)
    answer = {"version": str(draft.version), "has_other": draft.other_source is not None}
    return JSONResponse(answer, headers=HEADERS)


@router.get("/problems/{slug}/draft/other")
def read_other(visit: CurrentVisit, viewer: Reader, course: str, assignment: str, slug: Slug) -> Response:
    exam = _exam(visit, course, assignment)
    with visit.transaction() as session:
        draft = find_draft(session, viewer.id, slug, exam.assignment.id)
    return JSONResponse({"source": draft.other_source if draft else None}, headers=HEADERS)


@router.delete("/problems/{slug}/draft/other", dependencies=[OWN_ORIGIN])
def give_up(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, slug: Slug) -> Response:
    exam = _exam(visit, course, assignment)
    with visit.transaction() as session:
        discard_other(session, viewer.id, slug, exam.assignment.id)
    return Response(status_code=204, headers=HEADERS)


def _exam(visit: Visit, course: str, assignment: str) -> RunningExam:
    """Return the exam that the student is writing. Raises NotFound if it is not this one."""
    exam = find_exam(visit.request)
    if exam is None or exam.path != f"{HOME}/{course}/assignments/{assignment}":
        raise NotFound("You are not writing this exam now. See its page.")
    return exam


def _read_problem(visit: Visit, exam: RunningExam, slug: str) -> dict[str, Any]:
    """Return the context of the problem's page. Raises ProblemNotFound."""
    user_id = exam.sitting.user_id
    with visit.transaction() as session:
        known = session.scalars(select(Problem).where(Problem.slug == storable(slug))).one_or_none()
        row = next((each for each in exam.assignment.problems if known and each.problem_id == known.id), None)
        if known is None or row is None:
            raise ProblemNotFound(slug)
        # A problem that was added while students write has no revision of the exam yet.
        revision_id = row.revision_id or known.current_revision_id
        if revision_id is None:
            raise ProblemNotFound(slug)
        recent = list_recent(session, user_id, row.problem_id, SHOWN)
        sent = [each for each in recent if each.created_at >= exam.sitting.started_at]
        draft: Draft | None = find_draft(session, user_id, slug, exam.assignment.id)
        problem, _ = as_judged(session, get_problem_at(session, slug, revision_id))
        last = _read_last(session, visit, sent[0].id) if sent else None
    chosen = DueAssignment(course=exam.course, assignment=exam.assignment, window=exam.window, is_late=False)
    usual: dict[str, Any] = {"place": None, "prerequisites": (), "is_solved": False, "learning": None, "due": ()}
    return usual | {
        "problem": problem,
        "draft": draft,
        "chosen": chosen,
        "last": last,
        "attempt": secrets.token_urlsafe(16),
    }


def _read_last(session: Session, visit: Visit, submission_id: Any) -> SubmissionResult | None:
    if visit.viewer is None:
        return None
    submission, view = ViewReader(submission_id).read(session, visit.viewer)
    return SubmissionResult(submission=submission, view=view, next_steps=None)
