"""What authors are shown of their work: the objects of the API, which the pages show too."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.authoring.model import Verification
from app.catalog.model import Revision
from app.catalog.verification.report import Report
from app.submissions.waiting import is_held, is_served

NOBODY = "No {kind} is running now: the package waits in the queue and will be verified when one starts."
OUR_FAULT = "The verification broke off by our fault, three times; send it again, and tell an admin if it stays so."

Standing = Literal["queued", "verifying", "passed", "refused", "failed"]


class View(BaseModel):
    model_config = ConfigDict(frozen=True)


class VerificationView(View):
    """A package on its way. `refused`: by a check, the report says which; `failed`: it could not be checked."""

    id: UUID
    problem: str = Field(description="the slug")
    digest: str = Field(description="names the package's content, and that of the revision that it becomes")
    by: str = Field(description="the user name of who sent it")
    state: Standing
    step: str = Field(description="what is being checked; empty before")
    done: int = Field(description="how much of the step is done, of `total`")
    total: int
    publish: bool = Field(description="whether it is published when it passes")
    revision: int | None = Field(description="the number of the revision that it became; null until it is published")
    queued_at: datetime
    finished_at: datetime | None
    notice: str | None = Field(description="a sentence for people: why it waits, or what came in the way")
    report: Report | None = Field(description="what was found; null until it is done, and in lists")


class PublicationView(View):
    at: datetime
    by: str | None = Field(description="a user name; null where the server took it from its folder")
    verification: UUID | None = Field(
        description="the verification that it passed; null where it was a revision before"
    )


class RevisionView(View):
    """One version of a problem; `publications`: each time that it became the current one."""

    number: int
    digest: str
    title: str
    created_at: datetime
    is_current: bool
    publications: tuple[PublicationView, ...]


class ProblemView(View):
    """A problem in the authors' list; `number` is its current revision's."""

    slug: str
    number: int
    title: str
    published_at: datetime | None
    published_by: str | None


def view_verification(session: Session, row: Verification, *, with_report: bool = True) -> VerificationView:
    username, revision = session.execute(
        select(User.username, Revision.number)
        .outerjoin(Revision, Revision.id == row.revision_id)
        .where(User.id == row.user_id)
    ).one()
    return VerificationView(
        id=row.id,
        problem=row.slug,
        digest=row.digest,
        by=username,
        state=row.verdict or ("queued" if row.state == "queued" else "verifying"),
        step=row.step,
        done=row.step_done,
        total=row.step_total,
        publish=row.publish,
        revision=revision,
        queued_at=row.queued_at,
        finished_at=row.finished_at,
        notice=_notice(session, row),
        report=_read_report(row.report) if with_report and row.report else None,
    )


def _read_report(text: str) -> Report | None:
    """None for one that an earlier version wrote in a form that is no more."""
    try:
        return Report.model_validate_json(text)
    except ValidationError:
        return None


def _notice(session: Session, row: Verification) -> str | None:
    if row.state == "done":
        if row.verdict == "failed":
            return "It was cancelled." if row.cancel_requested else OUR_FAULT
        is_unpublished = row.publish and row.verdict == "passed" and row.revision_id is None
        return row.reason if is_unpublished else None
    if row.cancel_requested:
        return "It is being cancelled."
    if is_served(session, row.queue) or is_held(session, row.lease_until):
        return None
    kind = "GPU worker" if row.queue == "verify-gpu" else "worker"
    return NOBODY.format(kind=kind)
