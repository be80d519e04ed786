"""The tables of learning platforms: their deployments, courses and persons, launches that have begun, and scores."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    ARRAY,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Numeric,
    Text,
    UniqueConstraint,
    false,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.model import User
from app.courses.model import Assignment, Course, Member
from app.database.engine import Base


class Platform(Base):
    """A learning platform that may send its users. One issuer can stand for many: `client_id` tells them apart.

    - `web_address`: where its pages are, which show the button of a launch in a frame.
    - `may_create_courses`: its instructors may create courses here.
    - `paused_until`: it did not answer, so no score is sent until then.
    """

    __tablename__ = "lti_platforms"
    __table_args__ = (UniqueConstraint("issuer", "client_id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str]
    issuer: Mapped[str]
    client_id: Mapped[str]
    web_address: Mapped[str]
    login_url: Mapped[str]
    token_url: Mapped[str]
    keys_url: Mapped[str]
    may_create_courses: Mapped[bool] = mapped_column(default=False, server_default=false())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    paused_until: Mapped[datetime | None]


class Deployment(Base):
    """A place in a platform where Allclose was installed. Launches from it work once an admin has approved it."""

    __tablename__ = "lti_deployments"

    platform_id: Mapped[UUID] = mapped_column(ForeignKey(Platform.id, ondelete="CASCADE"), primary_key=True)
    deployment_id: Mapped[str] = mapped_column(primary_key=True)
    first_seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    approved_at: Mapped[datetime | None]


class PlatformCourse(Base):
    """A course in a platform that an instructor linked with one here.

    - `members_url`, `line_items_url`, `scopes`: its services, as the last launch named them.
    - `looks_at`: when the grades are next compared with the scores that were sent.
    """

    __tablename__ = "lti_courses"
    __table_args__ = (
        UniqueConstraint("platform_id", "deployment_id", "context_id"),
        ForeignKeyConstraint(
            ["platform_id", "deployment_id"],
            [Deployment.platform_id, Deployment.deployment_id],
            name="fk_lti_courses_platform_id_lti_deployments",
            ondelete="CASCADE",
        ),
        Index("ix_lti_courses_looks_at", "looks_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    platform_id: Mapped[UUID]
    deployment_id: Mapped[str]
    context_id: Mapped[str]
    title: Mapped[str]
    course_id: Mapped[UUID] = mapped_column(ForeignKey(Course.id, ondelete="CASCADE"), index=True)
    members_url: Mapped[str | None]
    line_items_url: Mapped[str | None]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text), default=list, server_default="{}")
    linked_at: Mapped[datetime] = mapped_column(server_default=func.now())
    looks_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PlatformPerson(Base):
    """The account of a person of a platform. `subject` never changes there; names and e-mail addresses may."""

    __tablename__ = "lti_persons"

    platform_id: Mapped[UUID] = mapped_column(ForeignKey(Platform.id, ondelete="CASCADE"), primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PlatformMember(Base):
    """A member who came from a platform's course. `is_learner`: as a student there, so scores are taken."""

    __tablename__ = "lti_members"

    lti_course_id: Mapped[UUID] = mapped_column(ForeignKey(PlatformCourse.id, ondelete="CASCADE"), primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    member_id: Mapped[UUID] = mapped_column(ForeignKey(Member.id, ondelete="CASCADE"), index=True)
    is_learner: Mapped[bool]


class LaunchAttempt(Base):
    """A launch that has begun in one browser, whose cookie holds `nonce`. `state_hash` finds it.

    `launch`: what the platform signed. It is set once, so a token works once.
    """

    __tablename__ = "lti_attempts"
    __table_args__ = (Index("ix_lti_attempts_expires_at", "expires_at"),)

    state_hash: Mapped[bytes] = mapped_column(primary_key=True)
    nonce: Mapped[str]
    platform_id: Mapped[UUID] = mapped_column(ForeignKey(Platform.id, ondelete="CASCADE"), index=True)
    launch: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    expires_at: Mapped[datetime]


class LineItem(Base):
    """An assignment's column in the grade book of a platform's course. `url`: where scores go, once it is known.

    `resource_link_id`: the activity there that opens the assignment.
    """

    __tablename__ = "lti_line_items"

    lti_course_id: Mapped[UUID] = mapped_column(ForeignKey(PlatformCourse.id, ondelete="CASCADE"), primary_key=True)
    assignment_id: Mapped[UUID] = mapped_column(
        ForeignKey(Assignment.id, ondelete="CASCADE"), primary_key=True, index=True
    )
    resource_link_id: Mapped[str | None]
    url: Mapped[str | None]


class Score(Base):
    """A student's score in a platform.

    - `points`, `most`: what is sent, or was taken last; None before the first. `is_taken`: the platform has it.
    - `timestamp`: of this score. The platform takes only a later one than before, so a repeated score counts once.
    - `taken_at`: when the platform last took a score; None: never.
    - `tries` of this score; `next_try_at`: None if there is nothing to do.
    - `error`: why the platform did not take it, or what to correct by hand there.
    """

    __tablename__ = "lti_scores"
    __table_args__ = (
        ForeignKeyConstraint(
            ["lti_course_id", "subject"],
            [PlatformMember.lti_course_id, PlatformMember.subject],
            name="fk_lti_scores_lti_course_id_lti_members",
            ondelete="CASCADE",
        ),
        CheckConstraint("num_nulls(points, most, timestamp) IN (0, 3)", name="points"),
        Index("ix_lti_scores_next_try_at", "next_try_at"),
    )

    lti_course_id: Mapped[UUID] = mapped_column(primary_key=True)
    assignment_id: Mapped[UUID] = mapped_column(
        ForeignKey(Assignment.id, ondelete="CASCADE"), primary_key=True, index=True
    )
    subject: Mapped[str] = mapped_column(primary_key=True)
    points: Mapped[Decimal | None] = mapped_column(Numeric(10, 2))
    most: Mapped[Decimal | None] = mapped_column(Numeric(10, 2))
    timestamp: Mapped[datetime | None]
    is_taken: Mapped[bool] = mapped_column(default=False, server_default=false())
    taken_at: Mapped[datetime | None]
    tries: Mapped[int] = mapped_column(default=0, server_default="0")
    next_try_at: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(default="", server_default="")
