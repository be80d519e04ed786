"""Scores in the platform's grade book: which are sent, when, how often, and what happens if something fails."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, select, update

from app.accounts.model import User
from app.courses.model import Assignment, Course, Member
from app.database.engine import Database
from app.grading.model import Adjustment
from app.lti.line_item import SCOPES
from app.lti.model import Platform, PlatformCourse, PlatformMember, Score
from app.lti.platform import open_platforms
from app.lti.score import ScoreSender, report_scores
from app.settings import Settings
from app.submissions.model import Submission
from tests.factories import make_assignment, make_judging, make_member, make_problem, make_submission, make_user
from tests.lti.conftest import Place
from tests.lti.peer import Peer, Walk
from tests.lti.sender_process import QUICK

PATIENCE_SECONDS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """A linked course with an assignment of 10 points, and the sender of a web process."""

    database: Database
    assignment: Assignment
    linked: PlatformCourse
    sender: ScoreSender
    peer: Peer

    def join(self, number: int, points: str | None = None, *, is_learner: bool = True) -> User:
        """A student from the platform, who has these points."""
        with self.database.transaction() as session:
            user = make_user(session, f"student-{number}")
            member = make_member(session, session.get_one(Course, self.linked.course_id), user)
            place = {"lti_course_id": self.linked.id, "member_id": member.id, "is_learner": is_learner}
            session.add(PlatformMember(subject=f"sub-{number}", **place))
        if points is not None:
            self.grade(user, points)
        return user

    def join_many(self, points: dict[int, Decimal]) -> None:
        with self.database.transaction() as session:
            users = {number: User(id=uuid4(), username=f"student-{number}") for number in points}
            session.add_all(users.values())
            session.flush()
            for number, user in users.items():
                member = Member(id=uuid4(), course_id=self.linked.course_id, user_id=user.id)
                place = {"lti_course_id": self.linked.id, "member_id": member.id, "is_learner": True}
                given = Adjustment(assignment_id=self.assignment.id, user_id=user.id, kind="points", reason="a test")
                given.points = points[number]
                session.add_all([member, given])
                session.flush()
                session.add(PlatformMember(subject=f"sub-{number}", **place))

    def grade(self, user: User, points: str) -> None:
        self._adjust(user, kind="points", points=Decimal(points))

    def excuse(self, user: User) -> None:
        self._adjust(user, kind="excused")

    def _adjust(self, user: User, **columns: Any) -> None:
        with self.database.transaction() as session:
            own = update(Adjustment).where(Adjustment.user_id == user.id)
            session.execute(own.values(replaced_at=datetime.now(UTC)))
            session.add(Adjustment(assignment_id=self.assignment.id, user_id=user.id, reason="a test", **columns))

    def release(self, at: datetime | None) -> None:
        with self.database.transaction() as session:
            session.execute(update(Assignment).values(released_at=at))

    def send(self) -> None:
        """Do what the sender does in a while: each pause is over."""
        for _ in range(3):
            with self.database.transaction() as session:
                early = datetime.now(UTC) - timedelta(seconds=1)
                session.execute(update(PlatformCourse).values(looks_at=early))
                session.execute(update(Platform).values(paused_until=None))
                session.execute(update(Score).where(Score.next_try_at.is_not(None)).values(next_try_at=early))
            self.sender.send_due(self.database)

    def count_taken(self) -> int:
        """How many scores the platform has taken, each time counted."""
        return len(self.peer.ask("taken")["taken"])

    def count_noted(self) -> int:
        """How many scores Allclose knows to be taken."""
        with self.database.transaction() as session:
            return session.scalars(select(func.count()).select_from(Score).where(Score.is_taken)).one()

    def scores(self) -> dict[str, float]:
        """What the platform has: points of each student."""
        return {each["user_id"]: each["score_given"] for each in self.peer.ask("state")["scores"]}

    def errors(self) -> dict[str, str]:
        with self.database.transaction() as session:
            return {each.name: each.error for each in report_scores(session, self.linked).failed}


@pytest.fixture
def taught(database: Database, platform: Platform, course: Course, place: Place, walk: Walk) -> Class:
    """An instructor has launched the assignment once, so the platform's services are known."""
    with database.transaction() as session:
        assignment = make_assignment(session, course, make_problem(session), slug="homework", title="Homework")
    place.peer.ask("reset")
    walk.launch(place.peer, role="instructor", user="1", assignment=str(assignment.id))
    settings = Settings(public_url=place.address)
    sender = ScoreSender(open_platforms(settings, database), QUICK)
    with database.transaction() as session:
        linked = session.scalars(select(PlatformCourse)).one()
        assert set(SCOPES) <= set(linked.scopes)
        assert linked.platform_id == platform.id
    return Class(database=database, assignment=assignment, linked=linked, sender=sender, peer=place.peer)


def test_a_score_is_sent_after_the_release_and_follows_the_grade(taught: Class) -> None:
    ada, zero = taught.join(2, "8.755"), taught.join(3, "0")
    taught.join(4)
    taught.join(5, "3", is_learner=False)

    taught.send()
    before = taught.scores()
    taught.release(datetime.now(UTC))
    taught.send()
    first = taught.scores()
    taught.grade(ada, "9.1")
    taught.grade(zero, "-1")
    taught.send()

    assert before == {}
    assert first == {"sub-2": 8.76, "sub-3": 0}
    assert taught.scores() == {"sub-2": 9.1, "sub-3": 0}
    assert taught.errors() == {}
    items = taught.peer.ask("state")["line_items"]
    assert items == [{"label": "Homework", "score_maximum": 10, "resource_id": str(taught.assignment.id)}]


def test_a_score_that_did_not_change_is_sent_once(taught: Class) -> None:
    taught.join(2, "8")
    taught.release(datetime.now(UTC))

    taught.send()
    taught.send()

    assert [each[1] for each in taught.peer.ask("taken")["taken"]] == [8]


def test_a_provisional_grade_is_not_sent_until_it_is_judged(taught: Class) -> None:
    user = taught.join(2)
    with taught.database.transaction() as session:
        revision = make_problem(session, "other")
        problem = taught.assignment.problems[0].problem_id
        submission = make_submission(session, session.get_one(User, user.id), revision)
        session.execute(update(Submission).values(assignment_id=taught.assignment.id, problem_id=problem))
        judging = make_judging(session, submission.id)
        at = session.get_one(Submission, submission.id).created_at
    taught.release(datetime.now(UTC))

    taught.send()
    pending = taught.scores()
    with taught.database.transaction() as session:
        make_judging(session, submission.id, verdict="accepted", score=100)
    taught.send()

    assert (pending, judging.verdict) == ({}, None)
    assert taught.scores() == {"sub-2": 10}
    assert taught.peer.ask("taken")["submitted"] == [at.astimezone(UTC).isoformat(timespec="microseconds")]


def test_what_was_sent_and_is_excused_or_withheld_is_named_for_correction_by_hand(taught: Class) -> None:
    ada, bob = taught.join(2, "8"), taught.join(3, "9")
    taught.release(datetime.now(UTC))
    taught.send()

    taught.excuse(ada)
    taught.send()
    excused = taught.errors()
    taught.release(None)
    taught.grade(bob, "1")
    taught.send()

    assert "excused" in excused["student-2"]
    assert "by hand" in excused["student-2"]
    assert "withheld" in taught.errors()["student-3"]
    assert taught.scores() == {"sub-2": 8, "sub-3": 9}


def test_a_refused_score_is_shown_and_stops_no_other(taught: Class) -> None:
    for number in (2, 3, 4):
        taught.join(number, str(number))
    taught.release(datetime.now(UTC))
    taught.peer.ask("fault", status=422, left=100, user="sub-3")

    taught.send()

    assert taught.scores() == {"sub-2": 2, "sub-4": 4}
    assert list(taught.errors()) == ["student-3"]
    assert "answered 422" in taught.errors()["student-3"]


@pytest.mark.parametrize("status", [429, 503])
def test_a_score_is_sent_again_after_a_failure_that_passes(status: int, taught: Class) -> None:
    for number in (2, 3):
        taught.join(number, str(number))
    taught.release(datetime.now(UTC))
    taught.peer.ask("fault", status=status, left=2)

    taught.send()

    assert taught.scores() == {"sub-2": 2, "sub-3": 3}
    assert taught.errors() == {}


def test_a_score_whose_answer_was_lost_counts_once(taught: Class) -> None:
    taught.join(2, "8")
    taught.release(datetime.now(UTC))
    taught.peer.ask("fault", status=502, left=1, after=1)

    taught.send()

    assert [each[1] for each in taught.peer.ask("taken")["taken"]] == [8]
    assert taught.errors() == {}


def test_a_column_that_was_deleted_there_is_made_again(taught: Class) -> None:
    ada = taught.join(2, "8")
    taught.release(datetime.now(UTC))
    taught.send()

    taught.peer.ask("reset")
    taught.grade(ada, "9")
    taught.send()

    assert taught.scores() == {"sub-2": 9}


@pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.whole)])
def test_scores_arrive_once_through_faults_and_killed_senders(number: int, taught: Class, place: Place) -> None:
    points = {each: Decimal(each) / 100 for each in range(2, number + 2)}
    taught.join_many(points)
    taught.peer.ask("fault", status=503, left=15)
    with sending(taught.database, place):
        time.sleep(1)
        assert taught.count_taken() == 0
        taught.release(datetime.now(UTC))
        wait_for(lambda: taught.count_taken() > number // 4)
    taught.peer.ask("fault", status=502, left=15, after=1)
    with sending(taught.database, place), sending(taught.database, place):
        wait_for(lambda: taught.count_taken() > number // 2)
    taught.peer.ask("fault", left=0)
    while taught.count_noted() < number:
        taught.sender.send_due(taught.database)

    taken = Counter((user, given) for user, given in taught.peer.ask("taken")["taken"])
    assert taken == {(f"sub-{each}", float(given)): 1 for each, given in points.items()}
    assert taught.errors() == {}


@contextmanager
def sending(database: Database, place: Place) -> Iterator[None]:
    """A process that sends scores, until it is killed in the middle of whatever it does."""
    command = [sys.executable, "-m", "tests.lti.sender_process", database.url, place.address]
    with subprocess.Popen(command) as process:
        try:
            yield
        finally:
            process.kill()


def wait_for(has_come: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not has_come():
        assert time.monotonic() < until
        time.sleep(0.3)


def test_only_students_of_the_course_here_get_scores(taught: Class) -> None:
    user = taught.join(2, "8")
    with taught.database.transaction() as session:
        session.execute(update(Member).where(Member.user_id == user.id).values(role="assistant"))
    taught.release(datetime.now(UTC))

    taught.send()

    assert taught.scores() == {}
