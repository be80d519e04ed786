"""What someone who waits for a submission wants to know besides its results."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Revision
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
    cases = [case for case in manifest["cases"] if submission.mode == "submit" or case["visibility"] == "sample"]
    return Outlook(
        title=manifest["title"],
        parameters=tuple(parameter["name"] for parameter in manifest["parameters"]),
        cases=tuple(case["name"] for case in cases),
        is_again=_is_again(session, submission),
    )


def _is_again(session: Session, submission: Submission) -> bool:
    latest = select(Judging).where(Judging.submission_id == submission.id).order_by(Judging.id.desc()).limit(1)
    judging = session.scalars(latest).one()
    return judging.attempt > (1 if judging.state == "judging" else 0) and judging.state != "done"
