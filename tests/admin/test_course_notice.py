"""Instructors get a mail 30 days before their course is deleted, once for each date."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.accounts.mail import Outbox
from app.accounts.model import User
from app.admin.course_notice import tell_instructors
from app.courses.model import Course
from app.database.engine import Database
from tests.accounts.mail_server import Post, open_post
from tests.factories import make_course, make_member, make_user

NOW = datetime.now(UTC)
DAY = timedelta(days=1)
HOME = "https://judge.example"


@pytest.fixture
def post() -> Iterator[Post]:
    with open_post() as post:
        yield post


def make_writer(session: Session, name: str) -> User:
    user = make_user(session, name)
    user.email = f"{name}@example.org"
    return user


@pytest.fixture
def course(database: Database) -> Course:
    with database.transaction() as session:
        course = make_course(session, "ending", title="Deep learning", keep_until=NOW + 29 * DAY)
        make_course(session, keep_until=NOW + 31 * DAY)
        make_member(session, course, make_writer(session, "boss"), "instructor")
        make_member(session, course, make_user(session), "instructor")
        make_member(session, course, make_writer(session, "helper"), "assistant")
        make_member(session, course, make_writer(session, "gone"), "instructor", left_at=NOW)
    return course


def tell(database: Database, post: Post) -> None:
    outbox = Outbox(post.server())
    tell_instructors(database, outbox, HOME)
    outbox.close()


def test_instructors_of_a_course_that_ends_get_one_mail(database: Database, post: Post, course: Course) -> None:
    for _ in range(2):
        tell(database, post)

    (mail,) = post.inbox.mails
    text = mail.get_payload(decode=True)
    assert (mail["To"], mail["Subject"]) == ("boss@example.org", "Deep learning will be deleted")
    assert isinstance(text, bytes)
    assert f"{NOW + 29 * DAY:%Y-%m-%d}" in text.decode()
    assert f"{HOME}/courses/{course.slug}/settings" in text.decode()


def test_another_date_is_told_again(database: Database, post: Post, course: Course) -> None:
    tell(database, post)
    with database.transaction() as session:
        session.execute(update(Course).where(Course.id == course.id).values(keep_until=NOW + 28 * DAY))

    tell(database, post)

    assert len(post.inbox.mails) == 2


def test_without_a_mail_server_the_mail_waits_for_one(database: Database, post: Post, course: Course) -> None:
    tell_instructors(database, Outbox(None), HOME)

    with database.transaction() as session:
        assert session.scalars(select(Course.told_until).where(Course.id == course.id)).one() is None
    tell(database, post)
    assert len(post.inbox.mails) == 1
