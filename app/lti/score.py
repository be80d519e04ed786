"""Scores in the grade books of platforms (AGS): which differ from the grades here, and how one is sent.

Grades are computed, so what is sent is compared with them again and again: an extension, an adjustment and an applied
rejudging follow. A score is sent once the points are released, and never while they are provisional.

Before a score is sent, it is stored with its timestamp. If the sender ends in between, the same score goes with the
same timestamp: the platform takes it once, and refuses the second. So no score is lost, and none counts twice.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.courses.model import Assignment, Course, Member
from app.database.engine import Database
from app.grading.book import read_rows
from app.grading.grade import CENT, ZERO, Grade
from app.grading.hand_ins import list_hand_ins
from app.judging.printable_text import printable
from app.lti.fetch import PlatformAway, PlatformRefused
from app.lti.line_item import add_query, add_to_path, get_line_item, list_pages, scopes_of
from app.lti.model import Deployment, LineItem, Platform, PlatformCourse, PlatformMember, Score
from app.lti.service import PlatformClient, ServiceCall

_SCORE = "application/vnd.ims.lis.v1.score+json"
_RESULTS = "application/vnd.ims.lis.v2.resultcontainer+json"
INSTANT = timedelta(milliseconds=1)
MAX_ERROR = 300
NOT_FOUND = 404
_log = logging.getLogger(__name__)
Value = tuple[Decimal, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """`look`: between two comparisons of a course, which take at most a fiftieth of the time.

    `lease`: after so long, a score that a process began to send is sent again. `retry`: after the first failure; it
    doubles with each further one. `away`: for all scores of a platform that did not answer at all.
    """

    look: timedelta = timedelta(minutes=1)
    lease: timedelta = timedelta(minutes=2)
    retry: timedelta = timedelta(seconds=10)
    away: timedelta = timedelta(seconds=30)
    most: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A score on its way. `value`: points and most."""

    key: tuple[UUID, UUID, str]
    platform: Platform
    linked: PlatformCourse
    assignment: Assignment
    value: Value
    timestamp: datetime
    submitted_at: datetime | None
    is_repeated: bool

    @property
    def document(self) -> dict[str, Any]:
        points, most = self.value
        said = {
            "userId": self.key[2],
            "scoreGiven": float(points),
            "scoreMaximum": float(most),
            "timestamp": self.timestamp.isoformat(timespec="microseconds"),
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
        }
        at = self.submitted_at
        return {**said, "submission": {"submittedAt": at.isoformat(timespec="microseconds")}} if at else said


class ScoreSender:
    """Sends scores, in one thread of each web process. They share the work by the rows of scores."""

    def __init__(self, client: PlatformClient, pauses: Pauses = Pauses()) -> None:
        self._client, self._pauses = client, pauses

    def send_due(self, database: Database) -> None:
        """Compare the courses whose time has come, then send what is due. One failure stops no other score."""
        if not self._compare_all(database):
            return
        while (delivery := self._claim(database)) is not None:
            try:
                self._deliver(database, delivery)
            except Exception:
                _log.exception("A score was not sent. It is sent again in %s.", self._pauses.lease)

    def _compare_all(self, database: Database) -> bool:
        """Return whether there is any course of a platform, and so perhaps a score."""
        is_due = and_(PlatformCourse.looks_at <= func.now(), PlatformCourse.line_items_url.is_not(None))
        with database.transaction() as session:
            courses = session.execute(select(PlatformCourse.id, is_due).order_by(PlatformCourse.looks_at)).all()
        for linked_id in [course_id for course_id, is_due_now in courses if is_due_now]:
            began = time.monotonic()
            with database.transaction() as session:
                linked = session.get(PlatformCourse, linked_id, with_for_update={"skip_locked": True})
                if linked is None:
                    continue
                compare_scores(session, linked)
                pause = max(self._pauses.look, timedelta(seconds=50 * (time.monotonic() - began)))
                linked.looks_at = _now(session) + pause
        return bool(courses)

    def _claim(self, database: Database) -> Delivery | None:
        """Take the next score that is due, for `lease`. Scores that are no longer to be sent are passed over."""
        while True:
            with database.transaction() as session:
                found = session.execute(_select_due().limit(1)).one_or_none()
                if found is None:
                    return None
                delivery = self._begin(session, *found)
            if delivery is not None:
                return delivery

    def _begin(
        self, session: Session, score: Score, linked: PlatformCourse, platform: Platform, assignment: Assignment
    ) -> Delivery | None:
        """Store what is sent now. The grade is computed again, so none is sent that has become provisional."""
        own = (PlatformMember.lti_course_id == linked.id, PlatformMember.subject == score.subject)
        member_id = session.scalars(select(PlatformMember.member_id).where(*own)).one()
        course = session.get_one(Course, linked.course_id)
        rows = read_rows(session, course, [assignment], Member.id == member_id)
        value = _value_of(rows[0].grades[0]) if rows and assignment.released_at is not None else None
        if value is None or (score.is_taken and _value_in(score) == value):
            score.next_try_at = None
            return None
        now = _now(session)
        if _value_in(score) != value:
            score.points, score.most = value
            score.timestamp = max(now, score.timestamp + INSTANT) if score.timestamp else now
            score.is_taken, score.tries = False, 0
        score.tries += 1
        score.next_try_at = now + self._pauses.lease
        assert score.timestamp is not None
        return Delivery(
            key=(linked.id, assignment.id, score.subject),
            platform=platform,
            linked=linked,
            assignment=assignment,
            value=value,
            timestamp=score.timestamp,
            submitted_at=_find_submitted_at(session, assignment, rows[0].member),
            is_repeated=score.tries > 1,
        )

    def _deliver(self, database: Database, delivery: Delivery) -> None:
        try:
            self._post(database, delivery)
        except PlatformAway as fault:
            self._put_off(database, delivery, fault)
        except PlatformRefused as fault:
            if delivery.is_repeated and self._has_result(database, delivery):
                _note(database, delivery, is_taken=True, taken_at=func.now(), next_try_at=None, error="")
            else:
                self._refuse(database, delivery, fault)
        else:
            _note(database, delivery, is_taken=True, taken_at=func.now(), next_try_at=None, error="")

    def _post(self, database: Database, delivery: Delivery) -> None:
        url = add_to_path(self._get_line_item(database, delivery), "scores")
        call = ServiceCall(url=url, method="POST", accepts=_SCORE, sends=_SCORE, document=delivery.document)
        self._client.call(delivery.platform, scopes_of(delivery.linked), call)

    def _get_line_item(self, database: Database, delivery: Delivery) -> str:
        with database.transaction() as session:
            return get_line_item(session, self._client, delivery.platform, delivery.linked, delivery.assignment)

    def _has_result(self, database: Database, delivery: Delivery) -> bool:
        """Whether the platform has this score, since it took an earlier try whose answer was lost."""
        points, most = delivery.value
        subject = delivery.key[2]
        try:
            url = add_query(add_to_path(self._get_line_item(database, delivery), "results"), {"user_id": subject})
            listed = list_pages(self._client, delivery.platform, scopes_of(delivery.linked), url, _RESULTS)
            own = [each for each in listed if each.get("userId") == subject]
            shares = [float(each["resultScore"]) / float(each.get("resultMaximum") or 1) for each in own]
        except (PlatformAway, PlatformRefused, KeyError, TypeError, ValueError):
            return False
        return any(abs(share - float(points / most)) < 1e-6 for share in shares)

    def _put_off(self, database: Database, delivery: Delivery, fault: PlatformAway) -> None:
        """Send it later. If the platform asked to wait, or did not answer, all of its scores wait."""
        with database.transaction() as session:
            tries = session.scalars(select(Score.tries).where(_is(delivery))).one()
            pause = max(min(self._pauses.retry * 2 ** min(tries - 1, 20), self._pauses.most), fault.retry_after)
            later = {"next_try_at": func.now() + pause, "error": printable(str(fault), MAX_ERROR)}
            session.execute(update(Score).where(_is(delivery)).values(later))
            if fault.stops_all:
                until = func.now() + max(self._pauses.away, fault.retry_after)
                own = Platform.id == delivery.platform.id
                session.execute(update(Platform).where(own).values(paused_until=until))

    def _refuse(self, database: Database, delivery: Delivery, fault: PlatformRefused) -> None:
        """Show why. A column that is gone is made again, once."""
        is_gone = fault.status == NOT_FOUND and not delivery.is_repeated
        with database.transaction() as session:
            if is_gone:
                own = (LineItem.lti_course_id == delivery.key[0], LineItem.assignment_id == delivery.key[1])
                session.execute(update(LineItem).where(*own).values(url=None))
            again = func.now() if is_gone else None
            values = {"next_try_at": again, "error": printable(str(fault), MAX_ERROR)}
            session.execute(update(Score).where(_is(delivery)).values(values))


def compare_scores(session: Session, linked: PlatformCourse) -> None:
    """Let each score be sent that differs from the grade, and name those that are to be corrected by hand."""
    course = session.get_one(Course, linked.course_id)
    of_course = select(Assignment).where(Assignment.course_id == course.id)
    released = session.scalars(of_course.where(Assignment.released_at.is_not(None))).all()
    learners = select(PlatformMember.member_id, PlatformMember.subject).where(
        PlatformMember.lti_course_id == linked.id, PlatformMember.is_learner
    )
    subjects: dict[UUID, str] = {row[0]: row[1] for row in session.execute(learners)}
    known = {
        (each.assignment_id, each.subject): each
        for each in session.scalars(select(Score).where(Score.lti_course_id == linked.id))
    }
    _name_withdrawn(known.values(), released)
    if not released or not subjects:
        return
    for row in read_rows(session, course, released, Member.id.in_(subjects)):
        for grade in row.grades:
            place = (grade.assignment.id, subjects[row.member.id])
            score = known.get(place)
            if score is not None:
                _compare(session, score, grade)
            elif _value_of(grade) is not None:
                session.add(
                    Score(lti_course_id=linked.id, assignment_id=place[0], subject=place[1], next_try_at=func.now())
                )


def _compare(session: Session, score: Score, grade: Grade) -> None:
    value = _value_of(grade)
    if value is None:
        if not grade.is_provisional and score.taken_at is not None:
            score.next_try_at, score.error = None, _correct(score, "The grade is excused or has no points now")
    elif value != _value_in(score):
        score.next_try_at, score.error = _now(session), ""


def _name_withdrawn(scores: Iterable[Score], released: Sequence[Assignment]) -> None:
    shown = {each.id for each in released}
    for score in scores:
        if score.assignment_id not in shown and score.taken_at is not None:
            score.next_try_at, score.error = None, _correct(score, "The points were withheld again here")


def _correct(score: Score, reason: str) -> str:
    return f"{reason}, and the platform has {score.points} points. Correct it there by hand."


def _value_of(grade: Grade) -> Value | None:
    """Return what a platform gets: points as they are shown, and never less than 0. None: nothing to send."""
    if grade.points is None or grade.is_provisional or grade.is_excused or not grade.most:
        return None
    return max(ZERO, grade.points).quantize(CENT, ROUND_HALF_UP), grade.most.quantize(CENT, ROUND_HALF_UP)


def _value_in(score: Score) -> Value | None:
    return None if score.points is None or score.most is None else (score.points, score.most)


def _find_submitted_at(session: Session, assignment: Assignment, member: Member) -> datetime | None:
    """Return when the last of the hand-ins that count was sent: else a platform may call it late."""
    assert member.user_id is not None
    hand_ins = list_hand_ins(session, assignment, member.user_id)
    return max((each.created_at.astimezone(UTC) for each in hand_ins if each.counts), default=None)


def _select_due() -> Any:
    """Select the score that is due next, with its places, and lock it. Other processes take others."""
    is_free = or_(Platform.paused_until.is_(None), Platform.paused_until <= func.now())
    return (
        select(Score, PlatformCourse, Platform, Assignment)
        .join(PlatformCourse, PlatformCourse.id == Score.lti_course_id)
        .join(Platform, Platform.id == PlatformCourse.platform_id)
        .join(
            Deployment,
            and_(
                Deployment.platform_id == PlatformCourse.platform_id,
                Deployment.deployment_id == PlatformCourse.deployment_id,
            ),
        )
        .join(Assignment, Assignment.id == Score.assignment_id)
        .where(Score.next_try_at <= func.now(), is_free, Deployment.approved_at.is_not(None))
        .order_by(Score.next_try_at)
        .with_for_update(of=Score, skip_locked=True)
    )


def _is(delivery: Delivery) -> ColumnElement[bool]:
    """The row of this score, unless a later one has taken its place."""
    linked_id, assignment_id, subject = delivery.key
    own = and_(Score.lti_course_id == linked_id, Score.assignment_id == assignment_id, Score.subject == subject)
    return and_(own, Score.timestamp == delivery.timestamp)


def _note(database: Database, delivery: Delivery, **values: Any) -> None:
    with database.transaction() as session:
        session.execute(update(Score).where(_is(delivery)).values(values))


def _now(session: Session) -> datetime:
    now: datetime = session.scalars(select(func.clock_timestamp())).one()
    return now


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedScore:
    """A score that the platform does not have as it should."""

    name: str
    assignment: str
    points: Decimal | None
    error: str
    next_try_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReport:
    """`taken` and `waiting` are numbers of scores."""

    taken: int
    waiting: int
    failed: Sequence[FailedScore]


def report_scores(session: Session, linked: PlatformCourse) -> ScoreReport:
    query = (
        select(Score, Member.name, User.username, Assignment.title)
        .join(PlatformMember, _of_member())
        .join(Member, Member.id == PlatformMember.member_id)
        .join(User, User.id == Member.user_id)
        .join(Assignment, Assignment.id == Score.assignment_id)
        .where(Score.lti_course_id == linked.id)
        .order_by(Assignment.due_at, Member.name, User.username)
    )
    found = session.execute(query).all()
    failed = [
        FailedScore(
            name=name or username,
            assignment=title,
            points=score.points,
            error=score.error,
            next_try_at=score.next_try_at,
        )
        for score, name, username, title in found
        if score.error
    ]
    waiting = sum(1 for score, *_ in found if score.next_try_at is not None and not score.error)
    return ScoreReport(taken=sum(1 for score, *_ in found if score.is_taken), waiting=waiting, failed=failed)


def _of_member() -> ColumnElement[bool]:
    return and_(PlatformMember.lti_course_id == Score.lti_course_id, PlatformMember.subject == Score.subject)


def send_again(session: Session, linked: PlatformCourse) -> None:
    """Send what failed now, without waiting for its next try."""
    failed = (Score.lti_course_id == linked.id, Score.error != "", ~Score.is_taken)
    session.execute(update(Score).where(*failed).values(next_try_at=func.now(), error=""))
    linked.looks_at = func.now()
