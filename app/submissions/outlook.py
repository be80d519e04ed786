"""What someone who waits for a submission wants to know besides its results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Revision
from app.catalog.own_inputs import OWN_INPUTS
from app.submissions.model import Judging, Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """`cases`: names of those that there will be a result of. `is_again`: an earlier attempt failed by our fault."""

    title: str
    parameters: tuple[str, ...]
    cases: tuple[str, ...]
    is_again: bool


def read_outlook(session: Session, submission: Submission) -> Outlook:
    manifest = session.get_one(Revision, submission.revision_id).manifest
    return Outlook(
        title=manifest["title"],
        parameters=list_parameters(manifest),
        cases=list_case_names(manifest, submission),
        is_again=_is_again(session, submission),
    )


def list_parameters(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(parameter["name"] for parameter in manifest.get("parameters", ()))


def list_case_names(manifest: Mapping[str, Any], submission: Submission) -> tuple[str, ...]:
    """Of the cases that it is judged on, in the problem's order."""
    if submission.inputs is not None:
        return (OWN_INPUTS,)
    is_whole = submission.mode == "submit"
    return tuple(case["name"] for case in manifest.get("cases", ()) if is_whole or case["visibility"] == "sample")


def _is_again(session: Session, submission: Submission) -> bool:
    latest = select(Judging).where(Judging.submission_id == submission.id).order_by(Judging.id.desc()).limit(1)
    judging = session.scalars(latest).one()
    return judging.attempt > (1 if judging.state == "judging" else 0) and judging.state != "done"
