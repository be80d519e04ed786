"""Submissions for admins: all judgings of one, and the export of many as a table."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from app.admin.export import Format, Table, record_export
from app.audit import Actor
from app.catalog.model import Revision
from app.judging.verdicts import Verdict
from app.submissions.model import Judging, Submission
from app.submissions.query import HistoryFilters, SubmissionSummary, choose, summarise
from app.submissions.view import State

CHUNK = 500
# The chunk with sources, which have up to 256 KiB each.
SOURCES_AT_A_TIME = 50
COLUMNS = (
    "id",
    "user",
    "problem",
    "title",
    "revision",
    "mode",
    "created_at",
    "state",
    "verdict",
    "score",
    "wall_seconds",
    "memory_bytes",
)


class InspectedJudging(BaseModel):
    """One judging of a submission, as admins see it. Values of hidden cases are not stored, so they are not here.

    `is_current`: it counts, as exactly one does. `attempt`: how often a worker began it. `priority`: None once it is
    done. `reason`: why it is a judge_error, or was judged again. `request_id`: of the request in the server's log.
    """

    model_config = ConfigDict(frozen=True, from_attributes=True)

    id: int
    revision: int
    is_current: bool
    rejudging_id: UUID | None
    queue: str
    priority: int | None
    state: State
    verdict: Verdict | None
    score: int | None
    attempt: int
    worker: str | None
    image: str | None
    versions: dict[str, Any] | None
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    hint: str | None
    reason: str | None
    request_id: str | None


def inspect_judgings(session: Session, submission: Submission) -> tuple[InspectedJudging, ...]:
    """Return all judgings of the submission, newest first."""
    rows = session.execute(
        select(Judging, Revision.number)
        .join(Revision, Revision.id == Judging.revision_id)
        .where(Judging.submission_id == submission.id)
        .order_by(Judging.id.desc())
    )
    return tuple(_inspect(judging, number) for judging, number in rows)


def _inspect(judging: Judging, revision: int) -> InspectedJudging:
    of_attempt = {name: getattr(judging.latest, name) for name in ("attempt", "worker", "started_at", "reason")}
    known = {"revision": revision, "priority": judging.job.priority if judging.job else None, **of_attempt}
    names = InspectedJudging.model_fields.keys() - known.keys()
    return InspectedJudging(**known, **{name: getattr(judging, name) for name in names})


def export_submissions(session: Session, filters: HistoryFilters, format: Format, *, with_source: bool) -> Table:
    """Return the chosen submissions as a table. Raises as `choose` does."""
    choose(session, filters)
    columns = (*COLUMNS, "source") if with_source else COLUMNS
    records = each_submission(session, filters, with_source=with_source)
    return Table(name="submissions", format=format, columns=columns, records=records)


def record_submissions_export(session: Session, actor: Actor, filters: HistoryFilters, *, with_source: bool) -> None:
    given = {name: getattr(filters, name) for name in HistoryFilters.model_fields}
    record_export(session, actor, "submissions.exported", given, with_source=with_source)


def each_submission(session: Session, filters: HistoryFilters, *, with_source: bool) -> Iterator[dict[str, Any]]:
    """Yield the chosen submissions in chunks. Call it in a snapshot session, or the result mixes several moments."""
    size = SOURCES_AT_A_TIME if with_source else CHUNK
    chosen = choose(session, filters)
    after = chosen
    while found := summarise(session, after.limit(size)):
        sources = _sources(session, found) if with_source else {}
        for each in found:
            yield {name: getattr(each, name) for name in COLUMNS} | ({"source": sources[each.id]} if sources else {})
        place = tuple_(Submission.created_at, Submission.id) < tuple_(found[-1].created_at, found[-1].id)
        after = chosen.where(place)


def _sources(session: Session, found: tuple[SubmissionSummary, ...]) -> dict[UUID, str]:
    rows = session.execute(
        select(Submission.id, Submission.source).where(Submission.id.in_([each.id for each in found]))
    )
    return {row.id: row.source for row in rows}
