"""The tables of courses, their members, assignments and extensions."""

from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID, uuid4

from sqlalchemy import (
    ARRAY,
    CheckConstraint,
    ForeignKey,
    Index,
    Numeric,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.accounts.model import User
from app.catalog.model import Problem, Revision
from app.database.engine import Base

CourseState = Literal["draft", "open", "archived"]
CourseRole = Literal["student", "assistant", "instructor"]
Counts = Literal["best", "last"]
Scoring = Literal["partial", "accepted"]
AssignmentKind = Literal["homework", "exam"]
Shows = Literal["all", "samples", "nothing"]


class Course(Base):
    """A course, whose dates are shown in `timezone`, a name such as Europe/Berlin.

    Only staff see a draft. An archived course can be read, and takes nothing new. `join_code` works until `join_until`.
    `drop_lowest`: so many assignments, those with the lowest percent, do not count. `keep_until`: retention then
    deletes the course with everything in it; None: never. `told_until`: the date of which its instructors had a mail.
    """

    __tablename__ = "courses"
    __table_args__ = (
        CheckConstraint("state IN ('draft', 'open', 'archived')", name="state"),
        CheckConstraint("drop_lowest >= 0", name="drop_lowest"),
        Index("ix_courses_keep_until", "keep_until"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    description: Mapped[str] = mapped_column(default="", server_default="")
    timezone: Mapped[str]
    state: Mapped[CourseState] = mapped_column(Text, default="draft", server_default="draft")
    join_code: Mapped[str | None] = mapped_column(unique=True)
    join_until: Mapped[datetime | None]
    drop_lowest: Mapped[int] = mapped_column(default=0, server_default="0")
    keep_until: Mapped[datetime | None]
    told_until: Mapped[datetime | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Member(Base):
    """A person in a course. One without `user_id` is pending: on the roster, and not yet an account.

    - `name`, `number`, `email`, `username`: what the roster says. The account may have another name and address.
    - `claim_hash`: the SHA-256 of the personal link's secret, which works until `claim_until`.
    - `left_at`: removed. A removed member's work and grades stay.
    - `time_factor`: how much longer than others the person has in exams, such as 1.5.
    """

    __tablename__ = "members"
    __table_args__ = (
        CheckConstraint("role IN ('student', 'assistant', 'instructor')", name="role"),
        CheckConstraint("user_id IS NOT NULL OR role = 'student'", name="pending_is_student"),
        CheckConstraint("(claim_hash IS NULL) = (claim_until IS NULL)", name="claim_ends"),
        CheckConstraint("time_factor BETWEEN 1 AND 3", name="time_factor"),
        Index("uq_members_user_id", "course_id", "user_id", unique=True),
        Index("uq_members_number", "course_id", "number", unique=True, postgresql_where=text("number <> ''")),
        Index("uq_members_email", "course_id", text("lower(email)"), unique=True, postgresql_where=text("email <> ''")),
        Index("ix_members_pending_email", text("lower(email)"), postgresql_where=text("user_id IS NULL")),
        Index("ix_members_user_id", "user_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    course_id: Mapped[UUID] = mapped_column(ForeignKey(Course.id, ondelete="CASCADE"))
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"))
    role: Mapped[CourseRole] = mapped_column(Text, default="student", server_default="student")
    name: Mapped[str] = mapped_column(default="", server_default="")
    number: Mapped[str] = mapped_column(default="", server_default="")
    email: Mapped[str] = mapped_column(default="", server_default="")
    username: Mapped[str] = mapped_column(default="", server_default="")
    section: Mapped[str] = mapped_column(default="", server_default="")
    time_factor: Mapped[Decimal] = mapped_column(Numeric(3, 2), default=Decimal(1), server_default="1")
    claim_hash: Mapped[bytes | None] = mapped_column(unique=True)
    claim_until: Mapped[datetime | None]
    joined_at: Mapped[datetime | None]
    left_at: Mapped[datetime | None]


class Assignment(Base):
    """Problems that students hand in until a date, and how late work counts.

    - `late_steps`: the credit of late work, as `[{"hours": 24, "percent": 80}]`: until 24 h late, 80 %. The last step
      holds until it closes.
    - `grace_seconds`: not counted as late, at `due_at`, at each step and at `closes_at`.
    - `counts`: the best hand-in of a problem, or the last one. `attempts` for each problem; None: any number.
    - `weight`: of the assignment among all of the course. `released_at`: from when on students see their points.
    - `shows`: what students see of a hand-in's results until `shows_at`; None: until the points are released.
    - `shows_hints`: whether students get hints, also of known mistakes, while it is open for them.
    - `minutes`, `password`, `networks`, `seb_keys`, `hands_in_draft`, `notice`: of an exam, see `sitting.py`. Students
      begin it from `opens_at` to `closes_at`, which is `due_at` too.
    """

    __tablename__ = "assignments"
    __table_args__ = (
        UniqueConstraint("course_id", "slug"),
        CheckConstraint("opens_at < due_at AND due_at <= closes_at", name="dates"),
        CheckConstraint("grace_seconds BETWEEN 0 AND 300", name="grace"),
        CheckConstraint("counts IN ('best', 'last')", name="counts"),
        CheckConstraint("attempts > 0", name="attempts"),
        CheckConstraint("weight >= 0", name="weight"),
        CheckConstraint("shows IN ('all', 'samples', 'nothing')", name="shows"),
        CheckConstraint("shows <> 'all' OR shows_at IS NULL", name="shows_at"),
        CheckConstraint("kind IN ('homework', 'exam')", name="kind"),
        CheckConstraint("(kind = 'exam') = (minutes IS NOT NULL)", name="exams_have_minutes"),
        CheckConstraint("minutes > 0", name="minutes"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    course_id: Mapped[UUID] = mapped_column(ForeignKey(Course.id, ondelete="CASCADE"))
    slug: Mapped[str]
    title: Mapped[str]
    text: Mapped[str] = mapped_column(default="", server_default="")
    opens_at: Mapped[datetime]
    due_at: Mapped[datetime]
    closes_at: Mapped[datetime]
    grace_seconds: Mapped[int] = mapped_column(default=60, server_default="60")
    late_steps: Mapped[list[dict[str, int]]] = mapped_column(JSONB, default=list, server_default="[]")
    counts: Mapped[Counts] = mapped_column(Text, default="best", server_default="best")
    attempts: Mapped[int | None]
    weight: Mapped[Decimal] = mapped_column(Numeric(7, 2), default=Decimal(1), server_default="1")
    released_at: Mapped[datetime | None]
    shows: Mapped[Shows] = mapped_column(Text, default="all", server_default="all")
    shows_at: Mapped[datetime | None]
    shows_hints: Mapped[bool] = mapped_column(default=True, server_default=true())
    kind: Mapped[AssignmentKind] = mapped_column(Text, default="homework", server_default="homework")
    minutes: Mapped[int | None]
    password: Mapped[str] = mapped_column(default="", server_default="")
    networks: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default="{}")
    seb_keys: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default="{}")
    hands_in_draft: Mapped[bool] = mapped_column(default=True, server_default=true())
    notice: Mapped[str] = mapped_column(default="", server_default="")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    problems: Mapped[list["AssignmentProblem"]] = relationship(
        lazy="selectin", order_by="AssignmentProblem.position", cascade="all, delete-orphan", passive_deletes=True
    )


class AssignmentProblem(Base):
    """`scoring`: `partial` points by the share of cases, or all points for an accepted submission and else none.

    `revision_id`: what an exam judges by, from its first beginning on. None: the problem's current revision.
    """

    __tablename__ = "assignment_problems"
    __table_args__ = (
        CheckConstraint("scoring IN ('partial', 'accepted')", name="scoring"),
        CheckConstraint("points >= 0", name="points"),
    )

    assignment_id: Mapped[UUID] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"), primary_key=True)
    problem_id: Mapped[UUID] = mapped_column(ForeignKey(Problem.id), primary_key=True, index=True)
    position: Mapped[int]
    points: Mapped[Decimal] = mapped_column(Numeric(7, 2))
    scoring: Mapped[Scoring] = mapped_column(Text, default="partial", server_default="partial")
    revision_id: Mapped[UUID | None] = mapped_column(ForeignKey(Revision.id))


class Extension(Base):
    """Other dates or more attempts, for one user or for a section with its later members. None: as the assignment.

    Of all that apply to a student, the latest `due_at` and `closes_at` and the earliest `opens_at` hold. Extra attempts
    and minutes add up.
    """

    __tablename__ = "extensions"
    __table_args__ = (
        CheckConstraint("num_nonnulls(user_id, section) = 1", name="whose"),
        CheckConstraint("extra_attempts >= 0", name="extra_attempts"),
        CheckConstraint("extra_minutes >= 0", name="extra_minutes"),
        Index("uq_extensions_user_id", "assignment_id", "user_id", unique=True),
        Index("uq_extensions_section", "assignment_id", "section", unique=True),
        Index("ix_extensions_user_id", "user_id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    assignment_id: Mapped[UUID] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"))
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"))
    section: Mapped[str | None]
    opens_at: Mapped[datetime | None]
    due_at: Mapped[datetime | None]
    closes_at: Mapped[datetime | None]
    extra_attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    extra_minutes: Mapped[int] = mapped_column(default=0, server_default="0")
    reason: Mapped[str] = mapped_column(default="", server_default="")
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Sitting(Base):
    """A student's exam, from its beginning. Its end is computed, see `find_sitting_window` in `deadlines.py`.

    - `credential_id`: the session or token in which it goes on. None: in the one that continues it next.
    - `addresses`: from where it was begun, and then each further one from where its pages were opened.
    - `ended_at`: the student or staff ended it before its time.
    - `is_settled`: it is over, and its last drafts are handed in.
    """

    __tablename__ = "sittings"
    __table_args__ = (
        Index("ix_sittings_user_id", "user_id"),
        Index("ix_sittings_unsettled", "user_id", postgresql_where=text("NOT is_settled")),
    )

    assignment_id: Mapped[UUID] = mapped_column(ForeignKey(Assignment.id, ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    ended_at: Mapped[datetime | None]
    addresses: Mapped[list[str]] = mapped_column(ARRAY(Text))
    credential_id: Mapped[UUID | None]
    is_settled: Mapped[bool] = mapped_column(default=False, server_default=false())
