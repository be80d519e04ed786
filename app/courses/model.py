"""The tables of courses and their members."""

from datetime import datetime
from typing import Literal
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, func, text
from sqlalchemy.orm import Mapped, mapped_column

from app.accounts.model import User
from app.database.engine import Base

CourseState = Literal["draft", "open", "archived"]
CourseRole = Literal["student", "assistant", "instructor"]


class Course(Base):
    """A course, whose dates are shown in `timezone`, a name such as Europe/Berlin.

    Only staff see a draft. An archived course can be read, and takes nothing new. `join_code` works until `join_until`.
    """

    __tablename__ = "courses"
    __table_args__ = (CheckConstraint("state IN ('draft', 'open', 'archived')", name="state"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    slug: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    description: Mapped[str] = mapped_column(default="", server_default="")
    timezone: Mapped[str]
    state: Mapped[CourseState] = mapped_column(Text, default="draft", server_default="draft")
    join_code: Mapped[str | None] = mapped_column(unique=True)
    join_until: Mapped[datetime | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey(User.id))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Member(Base):
    """A person in a course. One without `user_id` is pending: on the roster, and not yet an account.

    - `name`, `number`, `email`, `username`: what the roster says. The account may have another name and address.
    - `claim_hash`: the SHA-256 of the personal link's secret, which works until `claim_until`.
    - `left_at`: removed. A removed member's work and grades stay.
    """

    __tablename__ = "members"
    __table_args__ = (
        CheckConstraint("role IN ('student', 'assistant', 'instructor')", name="role"),
        CheckConstraint("user_id IS NOT NULL OR role = 'student'", name="pending_is_student"),
        CheckConstraint("(claim_hash IS NULL) = (claim_until IS NULL)", name="claim_ends"),
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
    claim_hash: Mapped[bytes | None] = mapped_column(unique=True)
    claim_until: Mapped[datetime | None]
    joined_at: Mapped[datetime | None]
    left_at: Mapped[datetime | None]
