"""A problem's page with its editor. Submitting works as a plain form, without scripts."""

import hashlib
import secrets
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Query, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.api.request_limits import await_submit_turn, await_visitor_turn
from app.api.request_state import get_database, get_policy, get_queue_waits, get_settings, shared_state
from app.api.response_headers import with_styles
from app.catalog.custom_inputs import MAX_BYTES, MAX_VALUE_BYTES, InputsInvalid
from app.catalog.manifest import interpret
from app.catalog.publish import notify_problem_opened
from app.catalog.query import ProblemDetail, get_problem
from app.catalog.track import Surroundings
from app.courses.disclosure import ResultsHidden
from app.courses.due import DueAssignment, describe_hints_closed, describe_inputs_closed, list_open_and_locks
from app.errors import Conflict, Invalid, LimitReached, NotFound
from app.learning.problem_statistics import is_solved_by_student
from app.learning.progress import Learning, make_next_steps, read_learning, read_own_surroundings
from app.limits import network_of
from app.queue.route import Route, find_route, require_frameworks
from app.submissions.hand_in import HandIn
from app.submissions.model import Submission
from app.submissions.query import get_submission, list_recent
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from app.submissions.view_query import ViewReader
from app.submissions.visitor_run import VisitorRun
from app.web.address import Slug
from app.web.notebook import write_notebook
from app.web.pages.submission import SubmissionResult
from app.web.render import HEADERS
from app.web.visit import CurrentVisit, Visit, read_address, require_own_origin, see_other

router = APIRouter()

SHOWN_SUBMISSIONS = 5


class SolutionForm(BaseModel):
    """The editor's form. `attempt` is new on every page, so a double click sends one submission.

    `mode` own runs the code on `inputs`, which every button sends along.
    """

    source: str = ""
    mode: Literal["submit", "sample", "own"] = "submit"
    inputs: str = ""
    attempt: str = ""

    @property
    def text(self) -> str:
        """The source with LF line ends; browsers send CR LF."""
        return self.source.replace("\r\n", "\n")

    @property
    def own_inputs(self) -> str | None:
        return self.inputs.replace("\r\n", "\n") if self.mode == "own" else None

    @property
    def key(self) -> str:
        """The idempotency key: the same page, button and texts are the same submission."""
        parts = (self.attempt, self.mode, self.text, self.own_inputs or "")
        return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()

    def wanted(
        self, user_id: UUID, slug: str, hand_in: HandIn | None = None, revision_id: UUID | None = None
    ) -> Submit:
        return Submit(
            user_id=user_id,
            slug=slug,
            source=self.text,
            mode="submit" if self.mode == "submit" else "sample",
            inputs=self.own_inputs,
            idempotency_key=self.key,
            hand_in=hand_in,
            revision_id=revision_id,
        )


Given = Annotated[UUID | None, Query(alias="from", description="an earlier submission, to go on with its code")]


@router.get("/problems/{slug}")
def show_problem(visit: CurrentVisit, slug: Slug, given: Given = None, assignment: str = "") -> Response:
    """`assignment`: `COURSE/ASSIGNMENT` to hand in for, or `none` to practise."""
    with visit.transaction() as session:
        earlier = _find_given(session, visit.viewer, given)
        context = _context(session, visit.viewer, slug, assignment)
        if visit.viewer is not None:
            notify_problem_opened(session, context["learning"].revision_id)
    draft = context["draft"]
    source = draft.source if draft else context["problem"].starter
    if earlier is None:
        return render_problem(visit, context | {"source": source})
    return render_problem(visit, context | {"source": earlier.source, "is_given": True, "own_inputs": earlier.inputs})


@router.get("/problems/{slug}/notebook")
def send_notebook(visit: CurrentVisit, slug: Slug) -> Response:
    with visit.transaction() as session:
        problem = get_problem(session, slug, visit.viewer.id if visit.viewer else None)
    text = write_notebook(problem, get_settings(visit.request).base_url)
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{problem.slug}.ipynb"'}
    return Response(text, media_type="application/x-ipynb+json", headers=headers)


@router.post(
    "/problems/{slug}/submissions",
    dependencies=[Depends(require_own_origin), Depends(await_submit_turn, scope="function")],
)
def send_solution(visit: CurrentVisit, slug: Slug, form: Annotated[SolutionForm, Form()]) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in(f"/problems/{slug}")
    waits = get_queue_waits(visit.request)
    waits.read()
    limits = SubmitLimits.of(get_policy(visit.request).read(), waits)
    try:
        with visit.transaction() as session:
            submission = submit(session, form.wanted(visit.viewer.id, slug), limits)
    except (ResultsHidden, Invalid, LimitReached) as fault:
        return refuse_solution(visit, slug, form, fault, "none")
    return see_other(f"/submissions/{submission.id}")


@router.post(
    "/problems/{slug}/visitor-runs",
    dependencies=[Depends(require_own_origin), Depends(await_visitor_turn, scope="function")],
)
def run_without_account(visit: CurrentVisit, slug: Slug, form: Annotated[SolutionForm, Form()]) -> Response:
    if get_policy(visit.request).read().visitor_runs == "off":
        return visit.ask_to_sign_in(f"/problems/{slug}")
    network = network_of(read_address(visit.request))
    run = VisitorRun(network=network, slug=slug, source=form.text, key=form.key)
    try:
        run_id = shared_state(visit.request).visitor_runs.start(
            get_database(visit.request), run, get_queue_waits(visit.request).read()
        )
    except (Invalid, LimitReached) as fault:
        return refuse_solution(visit, slug, form, fault)
    return see_other(f"/visitor-runs/{run_id}")


def refuse_solution(
    visit: Visit, slug: str, form: SolutionForm, fault: Conflict | Invalid | LimitReached, assignment: str = ""
) -> Response:
    """Show the page with what was typed, and the reason."""
    with visit.transaction() as session:
        context = _context(session, visit.viewer, slug, assignment)
    return render_problem(visit, context | describe_refusal(form, fault), status_of(fault))


def describe_refusal(form: SolutionForm, fault: Conflict | Invalid | LimitReached) -> dict[str, Any]:
    """Return the context of what was typed, and of the reason."""
    why = {"input_faults": fault.faults} if isinstance(fault, InputsInvalid) else {"refusal": str(fault)}
    return {"source": form.text, "is_given": True, "own_inputs": form.own_inputs} | why


def status_of(fault: Conflict | Invalid | LimitReached) -> int:
    return 422 if isinstance(fault, Invalid) else 429 if isinstance(fault, LimitReached) else 409


def render_problem(
    visit: Visit, context: dict[str, Any], status: int = 200, template: str = "problem.html"
) -> Response:
    """Render the page. `own_inputs` is None without custom inputs."""
    nonce = secrets.token_urlsafe(16)
    usual: dict[str, Any] = {"is_given": False, "own_inputs": None, "input_faults": (), "refusal": "", "nonce": nonce}
    usual |= {"most_input_bytes": MAX_BYTES, "most_input_value_bytes": MAX_VALUE_BYTES}
    usual["is_visitor_run"] = _takes_visitor_runs(visit, context["problem"])
    page = visit.render(template, usual | context, status)
    page.headers["Content-Security-Policy"] = with_styles(nonce)
    return page


def _takes_visitor_runs(visit: Visit, problem: ProblemDetail) -> bool:
    """Whether the editor's form runs the samples without an account."""
    is_on = get_policy(visit.request).read().visitor_runs == "on"
    return visit.viewer is None and is_on and problem.availability == "listed" and not problem.limits.gpu


def _context(session: Session, viewer: Viewer | None, slug: str, assignment: str = "") -> dict[str, Any]:
    """Raises NotFound."""
    due, locks = list_open_and_locks(session, viewer.id, slug) if viewer else ([], [])
    problem, route = as_judged(session, get_problem(session, slug, viewer.id if viewer else None))
    around = read_own_surroundings(session, viewer.id if viewer else None, slug, problem.prerequisites)
    usual: dict[str, Any] = {"submissions": (), "last": None, "draft": None, "note": None, "learning": None}
    return {
        **usual,
        "problem": problem,
        "refusal": _find_refusal(session, route),
        "place": around.place,
        "prerequisites": around.builds_on,
        "is_solved": False,
        "is_unsolved": False,
        "attempt": secrets.token_urlsafe(16),
        "due": due,
        "is_locked": bool(locks),
        "no_hints": next((describe_hints_closed(each) for each in locks if not each.assignment.shows_hints), None),
        "no_inputs": next((describe_inputs_closed(each) for each in locks if each.assignment.kind == "exam"), None),
        "chosen": _choose_assignment(due, assignment),
        **(_work(session, viewer, problem, around) if viewer else {}),
    }


def as_judged(session: Session, problem: ProblemDetail) -> tuple[ProblemDetail, Route]:
    """Return the problem as this server judges it now, maybe by interpreter, and where."""
    route = find_route(session, problem.limits.model_dump(), problem.frameworks)
    return problem if route.queue == "gpu" else interpret(problem, problem.limits), route


def _find_refusal(session: Session, route: Route) -> str:
    """Return why no worker can judge the problem, or an empty text."""
    try:
        require_frameworks(session, route)
    except Invalid as fault:
        return str(fault)
    return ""


def _work(session: Session, viewer: Viewer, problem: ProblemDetail, around: Surroundings) -> dict[str, Any]:
    """Return what the user has done with the problem."""
    learning = read_learning(session, viewer.id, problem.slug)
    mine = list_recent(session, viewer.id, learning.problem_id, SHOWN_SUBMISSIONS)
    is_author = viewer.may(Permission.WRITE_PROBLEMS)
    return {
        "learning": learning,
        "note": learning.note,
        "draft": learning.draft,
        "is_solved": learning.lock.solved_at is not None,
        "is_unsolved": is_author and not is_solved_by_student(session, problem.slug),
        "submissions": mine,
        "last": _last(session, viewer, mine[0].id, learning, around) if mine else None,
    }


def _choose_assignment(due: Sequence[DueAssignment], assignment: str) -> DueAssignment | None:
    """Return the assignment that the page hands in for: the named one, or the only one."""
    if not assignment:
        return due[0] if len(due) == 1 else None
    return next((each for each in due if each.key == assignment), None)


def _last(
    session: Session, viewer: Viewer, submission_id: UUID, learning: Learning, around: Surroundings
) -> SubmissionResult:
    submission, view = ViewReader(submission_id).read(session, viewer)
    steps = make_next_steps(session, submission, view, learning.quiz, around.track)
    return SubmissionResult(submission=submission, view=view, next_steps=steps)


def _find_given(session: Session, viewer: Viewer | None, given: UUID | None) -> Submission | None:
    """Find the submission to continue with, or None if it belongs to another user or does not exist."""
    if viewer is None or given is None:
        return None
    try:
        return get_submission(session, given, viewer)
    except NotFound:
        return None
