"""Begins a rejudging: its row and all its judgings in one transaction. None counts until it is applied."""

from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Boolean, Integer, Text, Uuid, func, insert, literal, select
from sqlalchemy.orm import Session

from app.audit import Act, Actor, record
from app.catalog.model import Revision
from app.errors import Invalid, NotFound
from app.log import request_id
from app.queue.model import BACKGROUND, CHANNEL, Job
from app.rejudging.choice import MOST, Choice, count_chosen, select_chosen, to_stored
from app.rejudging.model import Onto, Rejudging
from app.submissions.model import Judging, Submission

MAX_NOTE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudge:
    """An admin's request."""

    choice: Choice
    onto: Onto = "own"
    note: str = ""


def rejudge(session: Session, actor: Actor, request: Rejudge) -> Rejudging:
    """Begin a rejudging. Raises Invalid and NotFound."""
    _check_note(request.note)
    _check_size(count_chosen(session, request.choice, request.onto))
    rejudging = Rejudging(
        created_by=actor.user_id,
        note=request.note,
        chosen=to_stored(session, request.choice),
        onto=request.onto,
        total=0,
    )
    session.add(rejudging)
    session.flush()
    rejudging.total = _write_judgings(session, rejudging.id, request)
    record(session, actor, Act(action="rejudging.created", target=rejudging.id, after=_tell(rejudging)))
    return rejudging


def get_rejudging(session: Session, rejudging_id: UUID) -> Rejudging:
    found = session.get(Rejudging, rejudging_id)
    if found is None:
        raise NotFound(f"There is no rejudging {rejudging_id}. See the list of rejudgings.")
    return found


def _tell(rejudging: Rejudging) -> dict[str, Any]:
    """Return the facts for the audit log, with the number of IDs instead of thousands of them."""
    chosen = rejudging.chosen | ({"ids": len(rejudging.chosen["ids"])} if "ids" in rejudging.chosen else {})
    return {"chosen": chosen, "onto": rejudging.onto, "total": rejudging.total, "note": rejudging.note}


def _check_note(note: str) -> None:
    if len(note) > MAX_NOTE or "\0" in note:
        raise Invalid("note", f"A note has at most {MAX_NOTE} characters, without NUL. Shorten it.")


def _check_size(total: int) -> None:
    if total == 0:
        raise Invalid("chosen", "No judged submission matches. Look at the preview and change the criteria.")
    if total > MOST:
        raise Invalid("chosen", f"More than {MOST} submissions match. Narrow the selection, for example by time.")


def _write_judgings(session: Session, rejudging_id: UUID, request: Rejudge) -> int:
    """Write the judgings and return how many there are."""
    chosen = select_chosen(session, request.choice, request.onto).add_columns(
        literal(False, Boolean),
        literal(rejudging_id, Uuid),
        literal(request_id.get(), Text),
    )
    columns = ["submission_id", "replaces_id", "revision_id", "queue", "is_current", "rejudging_id", "request_id"]
    session.execute(insert(Judging).from_select(columns, chosen, include_defaults=False))
    frameworks = func.array(select(func.jsonb_array_elements_text(Revision.manifest["frameworks"])).scalar_subquery())
    new = (
        select(Judging.id, Submission.id, Judging.queue, frameworks)
        .add_columns(literal(BACKGROUND, Integer), Submission.inputs.is_not(None))
        .join(Submission, Submission.id == Judging.submission_id)
        .join(Revision, Revision.id == Judging.revision_id)
        .where(Judging.rejudging_id == rejudging_id)
        .order_by(Judging.id)
    )
    columns = ["judging_id", "watched", "queue", "frameworks", "priority", "is_rationed"]
    written = session.execute(insert(Job).from_select(columns, new, include_defaults=False).returning(Job.queue))
    queues = Counter(written.scalars())
    for queue in queues:
        session.execute(select(func.pg_notify(CHANNEL, queue)))
    return queues.total()
