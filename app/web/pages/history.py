"""The user's submissions, newest first; the diff of two; and copying one back to the editor."""

from collections.abc import Sequence
from typing import Annotated, Any, cast, get_args
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.errors import AllcloseError, Invalid, NotFound
from app.judging.verdicts import Verdict
from app.submissions.draft import restore_source
from app.submissions.query import (
    HistoryFilters,
    SubmissionSummary,
    compare_submissions,
    get_submission,
    get_summary,
    list_attempted,
    list_submissions,
)
from app.submissions.view import Mode
from app.web.address import SubmissionId, read_slug
from app.web.visit import CurrentVisit, require_own_origin, see_other

router = APIRouter()


def read_filters(problem: str = "", verdict: str = "", mode: str = "") -> HistoryFilters:
    """Read the filters; an empty field means no filter. Raises NotFound, Invalid."""
    return HistoryFilters(
        problem=read_slug(problem) if problem else None,
        verdict=Verdict(_one_of("verdict", verdict, tuple(Verdict))) if verdict else None,
        mode=cast(Mode, _one_of("mode", mode, get_args(Mode))) if mode else None,
    )


Filters = Annotated[HistoryFilters, Depends(read_filters)]
Picked = Annotated[list[str], Query(default_factory=list, description="two submissions to compare")]


@router.get("/submissions")
def show_history(visit: CurrentVisit, filters: Filters, pick: Picked, cursor: str = "") -> Response:
    """Show the history. With `pick`, redirect to the diff of the two selected submissions."""
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    refusal = ""
    with visit.transaction() as session:
        if pick:
            try:
                return see_other(_address_of_pair(session, visit.viewer, pick))
            except AllcloseError as fault:
                refusal = str(fault)
        page = list_submissions(session, visit.viewer.id, filters, cursor or None)
        attempted = list_attempted(session, visit.viewer.id)
    context: dict[str, Any] = {"page": page, "filters": filters, "attempted": attempted, "verdicts": tuple(Verdict)}
    context |= {"refusal": refusal, "picked": frozenset(pick), "query": _query(filters)}
    return visit.render("history.html", context, 422 if refusal else 200)


@router.get("/submissions/{submission_id}/diff")
def show_difference(visit: CurrentVisit, submission_id: SubmissionId, old: str = "") -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        pair = compare_submissions(session, visit.viewer, submission_id, _id(old) if old else None)
        new, before = get_summary(session, pair.new), get_summary(session, pair.old) if pair.old else None
        filters = HistoryFilters(problem=new.problem)
        others = list_submissions(session, pair.new.user_id, filters).items
    context: dict[str, Any] = {"new": new, "old": before, "file": pair.difference}
    return visit.render("difference.html", context | {"others": _with(others, new, before)})


@router.post("/submissions/{submission_id}/copy", dependencies=[Depends(require_own_origin)])
def copy_to_editor(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    if visit.viewer is None:
        return see_other("/sign-in")
    with visit.transaction() as session:
        _draft, slug = restore_source(session, visit.viewer, submission_id)
    return see_other(f"/problems/{slug}#source")


def _address_of_pair(session: Session, viewer: Viewer, picked: Sequence[str]) -> str:
    """Return the diff's address, with the later submission as the new one. Raises Invalid, NotFound."""
    if len(picked) != 2:
        raise Invalid("pick", f"Select two submissions to compare; you selected {len(picked)}.")
    old, new = sorted((get_submission(session, _id(one), viewer) for one in picked), key=lambda one: one.created_at)
    if old.problem_id != new.problem_id:
        raise Invalid("pick", "These two submissions are for different problems. Select two for the same problem.")
    return f"/submissions/{new.id}/diff?old={old.id}"


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("This submission does not exist. Choose one from your history.") from None


def _one_of(field: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise Invalid(field, f"{value[:40]!r} is not a valid {field}; choose one of {', '.join(allowed)}")
    return value


def _query(filters: HistoryFilters) -> dict[str, Any]:
    fields = {"problem": filters.problem, "verdict": filters.verdict, "mode": filters.mode}
    return {name: value for name, value in fields.items() if value}


def _with(items: Sequence[SubmissionSummary], *chosen: SubmissionSummary | None) -> list[SubmissionSummary]:
    """Return the newest submissions and the two shown ones, which may be older."""
    found = {item.id: item for item in (*items, *(one for one in chosen if one is not None))}
    return sorted(found.values(), key=lambda item: item.created_at, reverse=True)
