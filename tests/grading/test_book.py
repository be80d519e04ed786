"""Grades over real rows; each number is computed by hand beside it."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.courses.member import OwnRow
from app.courses.model import Assignment, Extension
from app.database.engine import Database
from app.errors import Conflict, Invalid
from app.grading.adjustment import NewAdjustment, adjust, list_adjustments, release, remove_adjustment
from app.grading.book import read_book, read_own_row
from app.grading.grade import Grade, show_points
from app.grading.grade_change import keep_points, list_grade_changes
from app.grading.hand_ins import list_hand_ins
from app.grading.model import AdjustmentKind, ShownGrade
from app.rejudging.choice import Choice
from app.rejudging.create import Rejudge, rejudge
from app.rejudging.decision import apply, cancel
from app.submissions.model import Judging
from tests.courses.seats import Taught, teach
from tests.factories import make_assignment, make_judging, make_member, make_problem, make_submission, make_user

NOW = datetime.now(UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
STEPS = [{"hours": 24, "percent": 80}, {"hours": 48, "percent": 50}]


@pytest.fixture
def taught(session: Session) -> Taught:
    return teach(session)


@pytest.fixture
def ada(session: Session, taught: Taught) -> User:
    user = make_user(session, "ada")
    make_member(session, taught.course, user, name="Ada Lovelace", number="1")
    return user


def hand_in(
    session: Session, user: User, assignment: Assignment, score: int | None, late: timedelta = -HOUR, problem: int = 0
) -> UUID:
    """Hand in a problem so long after the due date; without a score it is not judged yet."""
    problem_id = assignment.problems[problem].problem_id
    revision = next(each for each in session.info["revisions"] if each.problem_id == problem_id)
    submission = make_submission(session, user, revision)
    submission.assignment_id, submission.created_at = assignment.id, assignment.due_at + late
    verdict = None if score is None else "accepted" if score == 100 else "wrong_answer"
    make_judging(session, submission.id, verdict=verdict, score=score)
    return submission.id


def make_homework(session: Session, taught: Taught, problems: int = 1, **columns: object) -> Assignment:
    """Due 10 days ago, with late work for 3 days; each problem has 10 points."""
    revisions = [make_problem(session) for _ in range(problems)]
    session.info.setdefault("revisions", []).extend(revisions)
    due_at = NOW - 10 * DAY
    dates = {"opens_at": due_at - 7 * DAY, "due_at": due_at, "closes_at": due_at + 3 * DAY, "late_steps": STEPS}
    return make_assignment(session, taught.course, *revisions, **dates | columns)


def grade_of(session: Session, taught: Taught, user: User, at: int = 0) -> Grade:
    row = read_own_row(session, taught.seat, user.id)
    assert row is not None
    return row.grades[at]


def test_the_best_hand_in_counts_by_score_and_lateness(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught, problems=2)
    hand_in(session, ada, homework, 60)  # 60 % of 10
    hand_in(session, ada, homework, 100, late=2 * HOUR)  # 80 % of 10: this one
    hand_in(session, ada, homework, 70, late=30 * HOUR, problem=1)  # 70 % of 50 % of 10

    grade = grade_of(session, taught, ada)

    assert [part.points for part in grade.parts] == [Decimal(8), Decimal("3.5")]
    assert (grade.points, grade.most, grade.shown, grade.is_provisional) == (
        Decimal("11.5"),
        Decimal(20),
        "11.50",
        False,
    )


def test_a_late_attempt_never_lowers_the_best(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    hand_in(session, ada, homework, 90)
    hand_in(session, ada, homework, 100, late=40 * HOUR)

    assert grade_of(session, taught, ada).points == Decimal(9)


def test_the_last_hand_in_counts_if_the_assignment_says_so(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught, counts="last")
    hand_in(session, ada, homework, 100, late=-5 * HOUR)
    hand_in(session, ada, homework, 30)
    hand_in(session, ada, homework, 100, late=4 * DAY)  # after the close

    assert grade_of(session, taught, ada).points == Decimal(3)


def test_all_or_nothing_gives_no_part_of_the_points(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    homework.problems[0].scoring = "accepted"
    hand_in(session, ada, homework, 99)
    assert grade_of(session, taught, ada).points == Decimal(0)

    hand_in(session, ada, homework, 100, late=HOUR)

    assert grade_of(session, taught, ada).points == Decimal(8)


@pytest.mark.parametrize("verdict", [None, "judge_error"])
def test_what_is_not_judged_makes_a_grade_provisional_and_never_0(
    session: Session, taught: Taught, ada: User, verdict: str | None
) -> None:
    homework = make_homework(session, taught)
    submission = hand_in(session, ada, homework, None)
    if verdict:
        make_judging(session, submission, verdict=verdict)

    grade = grade_of(session, taught, ada)

    assert (grade.points, grade.shown, grade.is_provisional) == (None, "–", True)


def test_nothing_handed_in_is_a_dash_until_the_close_and_0_then(session: Session, taught: Taught, ada: User) -> None:
    make_homework(session, taught)
    make_homework(session, taught, due_at=NOW + DAY, closes_at=NOW + 3 * DAY)

    assert [grade_of(session, taught, ada, at).shown for at in (0, 1)] == ["0.00", "–"]


def test_an_extension_after_the_deadline_changes_the_grade_at_once(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    hand_in(session, ada, homework, 100, late=30 * HOUR)
    assert grade_of(session, taught, ada).points == Decimal(5)

    session.add(Extension(assignment_id=homework.id, user_id=ada.id, due_at=homework.due_at + 10 * HOUR))
    session.flush()

    assert grade_of(session, taught, ada).points == Decimal(8)  # 20 hours late now


def test_a_rejudging_says_whose_grades_change_before_it_is_applied(session: Session, taught: Taught, ada: User) -> None:
    homework, untouched = make_homework(session, taught), make_homework(session, taught)
    emmy, anna = make_user(session, "emmy"), make_user(session, "anna")
    for user in (emmy, anna):
        make_member(session, taught.course, user)
    better, worse = hand_in(session, ada, homework, 40), hand_in(session, emmy, homework, 100)
    hand_in(session, anna, homework, 100)
    same = hand_in(session, anna, homework, 30)
    hand_in(session, anna, untouched, 30)
    key = f"{taught.course.slug}/{homework.slug}"
    rejudging = rejudge(session, taught.actor, Rejudge(choice=Choice(assignment=key, ids=(better, worse, same))))
    results = {better: ("accepted", 100), worse: ("wrong_answer", 25), same: ("wrong_answer", 90)}
    for judging in session.scalars(select(Judging).where(Judging.rejudging_id == rejudging.id)):
        judging.verdict, judging.score = results[judging.submission_id]
        judging.finished_at = NOW
    session.flush()

    (changes,) = list_grade_changes(session, rejudging)
    unchanged = [grade_of(session, taught, user).points for user in (ada, emmy, anna)]
    apply(session, rejudging.id, taught.actor)
    applied = [grade_of(session, taught, user).points for user in (ada, emmy, anna)]

    # 40 % to 100 % of 10 points, and 100 % to 25 %; of anna the other hand-in counts
    assert (changes.assignment, changes.is_released) == (homework.slug, False)
    whole, quarter = Decimal(10), Decimal("2.5")
    assert [(each.username, each.before, each.after) for each in changes.rises] == [("ada", Decimal(4), whole)]
    assert [(each.username, each.before, each.after) for each in changes.falls] == [("emmy", whole, quarter)]
    assert unchanged == [Decimal(4), whole, whole]
    assert applied == [whole, quarter, whole]
    assert list_grade_changes(session, rejudging) == [changes]


@pytest.mark.parametrize("is_applied", [False, True])
def test_points_are_kept_for_those_whose_grade_falls(
    session: Session, taught: Taught, ada: User, *, is_applied: bool
) -> None:
    homework = make_homework(session, taught)
    emmy = make_user(session, "emmy")
    make_member(session, taught.course, emmy)
    better, worse = hand_in(session, ada, homework, 40), hand_in(session, emmy, homework, 67)
    key = f"{taught.course.slug}/{homework.slug}"
    rejudging = rejudge(session, taught.actor, Rejudge(choice=Choice(assignment=key)))
    for judging in session.scalars(select(Judging).where(Judging.rejudging_id == rejudging.id)):
        judging.verdict, judging.score = {better: ("accepted", 100), worse: ("wrong_answer", 25)}[judging.submission_id]
        judging.finished_at = NOW
    session.flush()
    wanted = (taught.actor, taught.seat, homework, rejudging)
    if is_applied:
        apply(session, rejudging.id, taught.actor)

    kept = [keep_points(session, *wanted, "the case was unclear") for _ in range(2)]
    if not is_applied:
        apply(session, rejudging.id, taught.actor)

    assert kept == [1, 0]
    assert [grade_of(session, taught, user).points for user in (ada, emmy)] == [Decimal(10), Decimal("6.70")]
    ((decision, _),) = list_adjustments(session, homework, emmy.id)
    assert (decision.kind, decision.reason) == ("points", "the case was unclear")
    assert list_adjustments(session, homework, ada.id) == []


def test_a_cancelled_rejudging_changes_no_grades(session: Session, taught: Taught, ada: User) -> None:
    submission = hand_in(session, ada, make_homework(session, taught), 40)
    rejudging = rejudge(session, taught.actor, Rejudge(choice=Choice(ids=(submission,))))
    cancel(session, rejudging.id, taught.actor)

    with pytest.raises(Conflict):
        list_grade_changes(session, rejudging)


def test_an_applied_rejudging_changes_the_grade_at_once(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    submission = hand_in(session, ada, homework, 40)
    undecided = make_judging(session, submission, verdict="accepted", score=100, is_current=False)
    assert grade_of(session, taught, ada).points == Decimal(4)

    session.scalars(
        select(Judging).where(Judging.submission_id == submission, Judging.is_current)
    ).one().is_current = False
    session.flush()
    undecided.is_current = True
    session.flush()

    assert grade_of(session, taught, ada).points == Decimal(10)


@pytest.mark.parametrize(
    ("kind", "points", "expected"),
    [("points", "7.5", "17.50"), ("add", "-1", "15.00"), ("zero", None, "10.00"), ("excused", None, "10.00")],
)
def test_an_adjustment_of_a_problem(
    session: Session, taught: Taught, ada: User, kind: AdjustmentKind, points: str | None, expected: str
) -> None:
    homework = make_homework(session, taught, problems=2)
    hand_in(session, ada, homework, 60)  # 6 points
    hand_in(session, ada, homework, 100, problem=1)  # 10 points
    slug = decide(session, taught, ada, homework, kind, points)

    grade = grade_of(session, taught, ada)

    assert grade.shown == expected
    assert grade.most == (Decimal(10) if kind == "excused" else Decimal(20))
    assert slug


def decide(
    session: Session,
    taught: Taught,
    user: User,
    homework: Assignment,
    kind: AdjustmentKind,
    points: str | None = None,
    submission: UUID | None = None,
) -> str:
    """Adjust the first problem, and return its slug."""
    revision = next(each for each in session.info["revisions"] if each.problem_id == homework.problems[0].problem_id)
    slug = str(revision.manifest["title"])
    new = NewAdjustment.model_validate(
        {"problem": slug, "kind": kind, "points": points, "submission": submission, "reason": "a reason"}
    )
    adjust(session, taught.actor, taught.seat, homework, member_of(session, taught, user), new)
    return slug


def member_of(session: Session, taught: Taught, user: User) -> UUID:
    row = read_own_row(session, taught.seat, user.id)
    assert row is not None
    return row.member.id


def test_a_chosen_hand_in_counts_instead_of_the_best(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    hand_in(session, ada, homework, 100)
    worse = hand_in(session, ada, homework, 40)

    decide(session, taught, ada, homework, "submission", submission=worse)

    assert grade_of(session, taught, ada).points == Decimal(4)
    assert [each.id for each in list_hand_ins(session, homework, ada.id) if each.counts] == [worse]


def test_decisions_are_added_and_never_changed(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    hand_in(session, ada, homework, 50)
    decide(session, taught, ada, homework, "zero")
    slug = decide(session, taught, ada, homework, "add", "2")
    assert grade_of(session, taught, ada).points == Decimal(7)

    remove_adjustment(session, taught.actor, taught.seat, homework, member_of(session, taught, ada), slug)

    session.expire_all()
    assert grade_of(session, taught, ada).points == Decimal(5)
    kept = [each for each, _ in list_adjustments(session, homework, ada.id)]
    assert sorted(each.kind for each in kept) == ["add", "zero"]
    assert all(each.replaced_at for each in kept)


def test_nobody_adjusts_their_own_row(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    own = type(taught.actor)(user_id=ada.id, channel="api")
    new = NewAdjustment(kind="points", points=Decimal(10), reason="mine")

    with pytest.raises(OwnRow):
        adjust(session, own, taught.seat, homework, member_of(session, taught, ada), new)


def test_another_students_hand_in_can_not_be_chosen(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    emmy = make_user(session)
    make_member(session, taught.course, emmy)
    foreign = hand_in(session, emmy, homework, 100)

    with pytest.raises(Invalid, match="is no hand-in of this student"):
        decide(session, taught, ada, homework, "submission", submission=foreign)


def test_the_total_is_weighted_and_leaves_out_the_excused_and_the_lowest(
    session: Session, taught: Taught, ada: User
) -> None:
    for weight, score in (("1", 50), ("2", 80), ("1", 20), ("1", 100), ("0", 10)):
        homework = make_homework(session, taught, weight=Decimal(weight))
        hand_in(session, ada, homework, score)
    excused = NewAdjustment(kind="excused", reason="ill")
    row = read_own_row(session, taught.seat, ada.id)
    assert row is not None
    # (50 + 2 · 80 + 20 + 100) / 5
    assert row.total == Decimal(66)

    adjust(session, taught.actor, taught.seat, row.grades[3].assignment, row.member.id, excused)
    taught.course.drop_lowest = 1
    session.flush()

    # Without 100, which is excused, and 20, the lowest: (50 + 2 · 80) / 3
    after = read_own_row(session, taught.seat, ada.id)
    assert after is not None
    assert show_points(after.total) == "70.00"


def test_staff_and_members_of_other_sections_are_not_in_the_book(session: Session, taught: Taught, ada: User) -> None:
    homework = make_homework(session, taught)
    hand_in(session, taught.instructor, homework, 100)
    monday = make_user(session, "monday")
    make_member(session, taught.course, monday, section="Mon")

    assert [row.username for row in read_book(session, taught.seat).rows] == ["ada", "monday"]
    assert [row.username for row in read_book(session, taught.seat, "Mon").rows] == ["monday"]
    assert ada.username == "ada"


def test_what_is_released_is_recorded_and_a_later_change_does_not_touch_it(
    session: Session, taught: Taught, ada: User
) -> None:
    homework = make_homework(session, taught)
    hand_in(session, ada, homework, 50)
    release(session, taught.actor, homework, read_book(session, taught.seat))
    decide(session, taught, ada, homework, "points", "9")

    shown = session.scalars(select(ShownGrade)).one()

    assert (shown.points, shown.user_id) == (Decimal(5), ada.id)
    assert grade_of(session, taught, ada).points == Decimal(9)


def test_the_hand_in_that_is_marked_is_the_one_behind_the_points(session: Session, taught: Taught, ada: User) -> None:
    chance = random.Random(0)
    for number in range(12):
        homework = make_homework(session, taught, counts=("best", "last")[number % 2])
        homework.problems[0].scoring = ("partial", "accepted")[number // 2 % 2]
        if number % 3 == 0:
            session.add(Extension(assignment_id=homework.id, user_id=ada.id, due_at=homework.due_at + 9 * HOUR))
        for _ in range(5):
            hand_in(session, ada, homework, chance.choice((0, 40, 90, 100)), late=chance.randint(-20, 80) * HOUR)
        session.flush()

        marked = [each for each in list_hand_ins(session, homework, ada.id) if each.counts]

        points = Decimal(0)
        for each in marked:
            score = each.score if homework.problems[0].scoring == "partial" else 100 * (each.verdict == "accepted")
            points += Decimal(10) * Decimal(score or 0) * Decimal(each.credit or 0) / 10_000
        row = read_own_row(session, taught.seat, ada.id)
        assert row is not None
        found = next(each for each in row.grades if each.assignment.id == homework.id)
        assert (found.points or Decimal(0)) == points, (number, homework.counts)


def test_a_book_takes_10_queries_at_most(database: Database, session: Session, taught: Taught, ada: User) -> None:
    for _ in range(12):
        hand_in(session, ada, make_homework(session, taught, problems=4), 100)
    for _ in range(20):
        make_member(session, taught.course, make_user(session))
    session.flush()
    session.expire_all()
    statements: list[str] = []
    note: Callable[..., None] = lambda *given: statements.append(given[2])  # noqa: E731
    event.listen(database.engine, "before_cursor_execute", note)

    book = read_book(session, taught.seat)

    event.remove(database.engine, "before_cursor_execute", note)
    assert (len(book.rows), len(book.assignments)) == (21, 12)
    assert len(statements) <= 10, statements
