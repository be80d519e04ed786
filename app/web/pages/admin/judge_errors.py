"""Judge errors by cause, with buttons to rejudge them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field

from app.accounts.permission import Permission, Viewer
from app.admin.judge_error import ErrorFilters, JudgeErrorPage, list_causes, list_judge_errors
from app.database.engine import storable
from app.errors import Invalid, ProblemNotFound
from app.rejudging.choice import MAX_CAUSE, Choice, count_chosen
from app.rejudging.create import MAX_NOTE, Rejudge, rejudge
from app.web.permission import needs
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter(prefix="/admin/judge-errors")

HERE = "/admin/judge-errors"
Watcher = Annotated[Viewer, needs(Permission.READ_OPERATIONS, home=HERE)]
Rejudger = Annotated[Viewer, needs(Permission.REJUDGE, home=HERE)]


class AgainForm(BaseModel):
    """One submission, or all current judge errors of a cause."""

    submission: UUID | None = None
    cause: str = Field("", max_length=MAX_CAUSE)


def read_filters(problem: str = "", kind: str = "", cause: str = "") -> ErrorFilters:
    """Read the filters; an empty field means no filter."""
    return ErrorFilters(problem=storable(problem) or None, kind=storable(kind) or None, cause=storable(cause) or None)


Filters = Annotated[ErrorFilters, Depends(read_filters)]


@router.get("")
def show_judge_errors(visit: CurrentVisit, viewer: Watcher, filters: Filters, cursor: str = "") -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        try:
            page = list_judge_errors(session, filters, cursor or None)
        except ProblemNotFound:
            page = JudgeErrorPage(items=[], next=None)
        causes = list_causes(session)
    fields = {"problem": filters.problem, "kind": filters.kind, "cause": filters.cause}
    query = {name: value for name, value in fields.items() if value}
    kinds = sorted({each.kind for each in causes})
    context = {"page": page, "causes": causes, "kinds": kinds, "query": query, "is_first": not cursor}
    return visit.render("admin/judge_errors.html", context)


@router.post("/again", dependencies=[Depends(require_own_origin)])
def judge_again(visit: CurrentVisit, viewer: Rejudger, form: Annotated[AgainForm, Form()]) -> Response:  # noqa: ARG001
    """Start a rejudging. Raises Invalid if no judge error is left."""
    chosen = {"ids": (form.submission,)} if form.submission else {"cause": form.cause}
    note = f"judge errors: {form.submission or storable(form.cause)}"
    wanted = Rejudge(choice=Choice.model_validate(chosen | {"samples": True}), note=note[:MAX_NOTE])
    with visit.transaction() as session:
        if not count_chosen(session, wanted.choice, wanted.onto):
            raise Invalid("cause", "No judge errors with this cause are left to rejudge. See the rejudgings.")
        made = rejudge(session, visit.actor, wanted)
    return see_other(f"/admin/rejudgings/{made.id}")
