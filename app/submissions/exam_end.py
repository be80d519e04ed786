"""The end of a sitting: the last drafts are handed in, if the exam says so, at the moment of the end.

A sitting stays unsettled until this has happened, so no end of a process loses a draft: the next look hands it in.
"""

import logging
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.model import serialise_requests
from app.audit import Act, Actor, record
from app.catalog.model import Problem
from app.courses.deadlines import Window, find_windows, tell_pages
from app.courses.model import Assignment, Course, Sitting
from app.database.engine import Database
from app.errors import AllcloseError
from app.submissions.draft import Draft
from app.submissions.hand_in import HandIn, count_attempts
from app.submissions.model import Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit

_log = logging.getLogger(__name__)
UNLIMITED = SubmitLimits(max_pending=0)


def end_sitting(session: Session, actor: Actor, sitting: Sitting) -> None:
    """End a sitting before its time. Does nothing if it has ended."""
    serialise_requests(session, sitting.user_id)
    session.refresh(sitting, with_for_update=True)
    if sitting.ended_at is not None:
        return
    sitting.ended_at = func.now()
    session.flush()
    session.refresh(sitting)
    act = Act(action="sitting.ended", target=sitting.assignment_id, subject_id=sitting.user_id)
    record(session, actor, act)
    _settle(session, sitting)


def settle_sittings(database: Database) -> None:
    """Settle the sittings whose time is over, each in a transaction of its own."""
    with database.transaction() as session:
        unsettled = session.execute(select(Sitting.assignment_id, Sitting.user_id).where(~Sitting.is_settled)).all()
    for assignment_id, user_id in unsettled:
        with database.transaction() as session:
            _settle_if_over(session, assignment_id, user_id)


def _settle_if_over(session: Session, assignment_id: UUID, user_id: UUID) -> None:
    serialise_requests(session, user_id)
    sitting = session.get(Sitting, (assignment_id, user_id), with_for_update=True)
    if sitting is None or sitting.is_settled:
        return
    assignment = session.get_one(Assignment, assignment_id)
    window = find_windows(session, [assignment], user_id)[assignment_id].of(user_id)
    if window.phase(session.scalars(select(func.clock_timestamp())).one()) == "closed":
        _settle(session, sitting)


def _settle(session: Session, sitting: Sitting) -> None:
    """Hand in the last drafts. The caller has locked the user."""
    assignment = session.get_one(Assignment, sitting.assignment_id)
    if assignment.hands_in_draft:
        window = find_windows(session, [assignment], sitting.user_id)[assignment.id].of(sitting.user_id)
        for draft, slug in _list_drafts(session, sitting):
            try:
                with session.begin_nested():
                    _hand_in(session, assignment, window, draft, slug)
            except AllcloseError as fault:
                _log.warning("The draft %s of an exam was not handed in: %s", draft.id, fault)
    sitting.is_settled = True
    tell_pages(session, assignment.id)


def _list_drafts(session: Session, sitting: Sitting) -> list[tuple[Draft, str]]:
    query = select(Draft, Problem.slug).join(Problem, Problem.id == Draft.problem_id)
    own = (Draft.assignment_id == sitting.assignment_id, Draft.user_id == sitting.user_id)
    return [(draft, slug) for draft, slug in session.execute(query.where(*own))]


def _hand_in(session: Session, assignment: Assignment, window: Window, draft: Draft, slug: str) -> None:
    """Hand the draft in, if it differs from what was handed in last, and an attempt is left."""
    revisions = {each.problem_id: each.revision_id for each in assignment.problems}
    if draft.problem_id not in revisions or _find_last(session, draft) == draft.source:
        return
    hand_in = HandIn(
        assignment=assignment,
        problem_id=draft.problem_id,
        user_id=draft.user_id,
        arrived_at=window.closes_at,
        timezone=session.get_one(Course, assignment.course_id).timezone,
        window=None,
        is_draft=True,
    )
    if window.attempts is not None and count_attempts(session, hand_in) >= window.attempts:
        return
    wanted = Submit(
        user_id=draft.user_id,
        slug=slug,
        source=draft.source,
        mode="submit",
        hand_in=hand_in,
        revision_id=revisions[draft.problem_id],
    )
    submit(session, wanted, UNLIMITED)


def _find_last(session: Session, draft: Draft) -> str | None:
    own = (Submission.user_id == draft.user_id, Submission.problem_id == draft.problem_id)
    query = select(Submission.source).where(Submission.assignment_id == draft.assignment_id, *own)
    return session.scalar(query.order_by(Submission.created_at.desc(), Submission.id).limit(1))
