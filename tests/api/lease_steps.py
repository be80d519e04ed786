"""A worker's steps on a submission, through the lease's own functions: tests decide when each step happens."""

from datetime import timedelta

from app.database.engine import Database
from app.judging.verdicts import Finish, Verdict
from app.queue.lease import Wanted, claim
from app.submissions.judging_record import JudgingClaim, finish, record_cases
from tests.factories import make_result

WANTED = Wanted(queues=["cpu"], slots=1, worker="test", lease=timedelta(seconds=15))


def take(database: Database) -> JudgingClaim:
    with database.transaction() as session:
        (taken,) = claim(session, WANTED, JudgingClaim)
    return taken


def record(database: Database, taken: JudgingClaim, position: int, verdict: Verdict = Verdict.ACCEPTED) -> None:
    with database.transaction() as session:
        record_cases(session, taken, [make_result(position, verdict)])


def end(database: Database, taken: JudgingClaim, verdict: Verdict = Verdict.ACCEPTED, cases: int = 0) -> None:
    results = tuple(make_result(position, verdict) for position in range(cases))
    assert finish(database, taken, Finish(verdict=verdict, score=100, cases=results, image="test", versions={}))
