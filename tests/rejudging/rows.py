"""Judged submissions, and what a worker does to their new judgings: tests decide when each step happens."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.audit import Actor
from app.catalog.model import Problem, Revision
from app.database.engine import Database
from app.judging.verdicts import Finish, Verdict
from app.queue.lease import Wanted, claim
from app.rejudging.choice import Choice
from app.rejudging.create import Rejudge, rejudge
from app.rejudging.model import Onto, Rejudging
from app.submissions.judging_record import JudgingClaim, finish
from app.submissions.model import CaseRow, Judging, Submission
from tests.factories import make_judging, make_result, make_submission, make_user

LEASE = timedelta(seconds=15)


def make_judged(
    session: Session,
    revision: Revision,
    verdict: Verdict = Verdict.WRONG_ANSWER,
    score: int = 50,
    user: User | None = None,
) -> Submission:
    """Its two cases: the first accepted, the second as the submission."""
    submission = make_submission(session, user, revision)
    now = func.now()
    done = {"attempt": 1, "started_at": now, "finished_at": now}
    judging = make_judging(session, submission.id, verdict=verdict, score=score, **done)
    for position, each in enumerate((Verdict.ACCEPTED, verdict)):
        session.add(CaseRow(judging_id=judging.id, attempt=1, sequence=position, **asdict(make_result(position, each))))
    session.flush()
    return submission


def make_failed(session: Session, revision: Revision, why: str | None) -> Submission:
    """A judge error, which the last of three attempts ended by."""
    submission = make_submission(session, revision=revision)
    done = {"attempt": 3, "finished_at": func.now()}
    reason = f"attempt 3: {why}" if why else None
    make_judging(session, submission.id, verdict=Verdict.JUDGE_ERROR, reason=reason, **done)
    return submission


def make_actor(session: Session) -> Actor:
    return Actor(user_id=make_user(session, role="admin").id, channel="api", address="192.0.2.1")


def begin(session: Session, actor: Actor, onto: Onto = "own", **criteria: object) -> Rejudging:
    request = Rejudge(choice=Choice.model_validate(criteria), onto=onto)
    return rejudge(session, actor, request)


def take_all(database: Database) -> list[JudgingClaim]:
    """JudgingClaim all judgings, as an idle worker does."""
    wanted = Wanted(queues=["cpu", "gpu"], slots=100, worker="test", lease=LEASE, background=100)
    with database.transaction() as session:
        return claim(session, wanted, JudgingClaim)


def judge_again(database: Database, verdict: Verdict = Verdict.ACCEPTED, score: int = 100) -> None:
    for taken in take_all(database):
        cases = tuple(make_result(position, each) for position, each in enumerate((Verdict.ACCEPTED, verdict)))
        outcome = Finish(verdict=verdict, score=score, cases=cases, image="test", versions={})
        assert finish(database, taken, outcome)


def counting(session: Session, submissions: Sequence[UUID]) -> list[str | None]:
    """The verdicts that count."""
    query = select(Judging.submission_id, Judging.verdict).where(Judging.is_current)
    found = {row.submission_id: row.verdict for row in session.execute(query)}
    return [found[each] for each in submissions]


def add_revision(session: Session, first: Revision, **manifest: object) -> Revision:
    """The problem's current one from now on."""
    later = Revision(
        problem_id=first.problem_id,
        number=first.number + 1,
        digest=f"f{first.number + 1:063d}",
        manifest=first.manifest | manifest,
        files={},
        secret_seed=b"seed",
    )
    session.add(later)
    session.flush()
    session.get_one(Problem, first.problem_id).current_revision_id = later.id
    session.flush()
    return later
