"""Rejudgings as the pages of admins show them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.database.cursor import PAGE, read_uuid_cursor, split_page, write_cursor
from app.judging.verdicts import Verdict
from app.rejudging.choice import Choice, from_stored
from app.rejudging.decision import NOT_APPLIED
from app.rejudging.model import NEW, OLD, Kind, Onto, Rejudging, kind
from app.validation import FrozenModel

RejudgingState = Literal["judging", "ready", "overtaken", "applied", "cancelled"]
Decided = Literal["open", "applied", "cancelled"]


class RejudgingSummary(FrozenModel):
    """`judging` until all submissions are judged, then `ready` to be applied or cancelled. That decision is final.

    `overtaken` instead of `ready` if another rejudging of some of the same submissions was applied since: this one can
    only be cancelled. The number `overtaken` counts these submissions, and is 0 after the decision. `judged`: so far,
    or when it was decided. `by` and `decided_by` are user names; None for a command on the server.
    """

    id: UUID
    state: RejudgingState
    created_at: datetime
    by: str | None
    note: str
    chosen: Choice
    onto: Onto
    total: int
    judged: int
    overtaken: int
    decided_at: datetime | None
    decided_by: str | None


class Move(FrozenModel):
    """The number of submissions that went from one verdict to another."""

    old: Verdict
    new: Verdict
    count: int


class RejudgingView(RejudgingSummary):
    """A rejudging and its changes. `failed` submissions are judge errors and keep their old verdicts.

    `total` is the sum of `kinds` and `gone`, the submissions that were deleted. `moves`: the judged submissions.
    """

    kinds: dict[Kind, int]
    gone: int
    moves: tuple[Move, ...]


class RejudgingPage(FrozenModel):
    """Newest first. `next`: the cursor of the next page."""

    items: tuple[RejudgingSummary, ...]
    next: str | None


def list_of_assignment(session: Session, key: str) -> list[RejudgingSummary]:
    """List the rejudgings of an assignment, `COURSE/ASSIGNMENT`, as a whole or by problem, the newest first."""
    query = select(Rejudging).where(Rejudging.chosen["assignment"].astext == key)
    return _summarise(session, session.scalars(query.order_by(Rejudging.created_at.desc()).limit(PAGE)).all())


def view_rejudging(session: Session, rejudging: Rejudging) -> RejudgingView:
    moves, kinds = Counter[tuple[str, str]](), Counter[Kind]()
    counted = select(OLD.verdict, NEW.verdict, kind().label("kind"), func.count().label("count"))
    joined = counted.join_from(NEW, OLD, OLD.id == NEW.replaces_id).where(NEW.rejudging_id == rejudging.id)
    for old, new, which, count in session.execute(joined.group_by(OLD.verdict, NEW.verdict, "kind")):
        kinds[which] += count
        if new is not None and which != "cancelled":
            moves[old, new] += count
    summary = _summarise(session, [rejudging])[0]
    return RejudgingView(
        **summary.model_dump(exclude={"chosen"}),
        chosen=summary.chosen,
        kinds=dict(kinds),
        gone=rejudging.total - kinds.total(),
        moves=tuple(Move(old=Verdict(old), new=Verdict(new), count=n) for (old, new), n in sorted(moves.items())),
    )


def list_rejudgings(
    session: Session, cursor: str | None = None, limit: int = PAGE, decision: Decided | None = None
) -> RejudgingPage:
    """Return a page of rejudgings, newest first; `open` ones wait for a decision. Raises CursorInvalid."""
    is_chosen = Rejudging.decision.is_(None) if decision == "open" else Rejudging.decision == decision
    query = (
        select(Rejudging).where(*((is_chosen,) if decision else ())).order_by(Rejudging.created_at.desc(), Rejudging.id)
    )
    if cursor is not None:
        at, key = read_uuid_cursor(cursor)
        is_same_time = and_(Rejudging.created_at == at, Rejudging.id > key)
        query = query.where(Rejudging.created_at <= at, or_(Rejudging.created_at < at, is_same_time))
    shown, last = split_page(session.scalars(query.limit(limit + 1)).all(), limit)
    return RejudgingPage(
        items=tuple(_summarise(session, shown)),
        next=write_cursor(last.created_at, last.id) if last else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Progress:
    """The progress of an undecided rejudging."""

    waiting: int = 0
    judged: int = 0
    overtaken: int = 0

    @property
    def status(self) -> RejudgingState:
        if self.waiting:
            return "judging"
        return "overtaken" if self.overtaken else "ready"


def _count_open(session: Session, rejudgings: Sequence[Rejudging]) -> dict[UUID, _Progress]:
    """Return the progress of the undecided rejudgings, which are few."""
    undecided = [rejudging.id for rejudging in rejudgings if rejudging.decision is None]
    waits = NEW.verdict.is_(None)
    overtaken = and_(func.coalesce(NEW.verdict, "").not_in(NOT_APPLIED), ~OLD.is_current)
    waiting, judged, lost = (func.count().filter(each) for each in (waits, ~waits, overtaken))
    counted = select(NEW.rejudging_id, waiting, judged, lost).join_from(NEW, OLD, OLD.id == NEW.replaces_id)
    rows = session.execute(counted.where(NEW.rejudging_id.in_(undecided)).group_by(NEW.rejudging_id))
    return {each: _Progress(waiting=some, judged=done, overtaken=over) for each, some, done, over in rows if each}


def _summarise(session: Session, rejudgings: Sequence[Rejudging]) -> list[RejudgingSummary]:
    people = {person for each in rejudgings for person in (each.created_by, each.decided_by) if person is not None}
    rows = session.execute(select(User.id, User.username).where(User.id.in_(people)))
    names: dict[UUID | None, str] = {row.id: row.username for row in rows}
    progress = _count_open(session, rejudgings)
    return [_summary(session, each, progress.get(each.id, _Progress()), names) for each in rejudgings]


def _summary(session: Session, row: Rejudging, progress: _Progress, names: dict[UUID | None, str]) -> RejudgingSummary:
    return RejudgingSummary(
        id=row.id,
        state=row.decision or progress.status,
        created_at=row.created_at,
        by=names.get(row.created_by),
        note=row.note,
        chosen=from_stored(session, row.chosen),
        onto=row.onto,
        total=row.total,
        judged=progress.judged if row.judged is None else row.judged,
        overtaken=progress.overtaken,
        decided_at=row.decided_at,
        decided_by=names.get(row.decided_by),
    )
