"""The mail that tells a course's instructors that retention will delete the course, and when."""

from datetime import timedelta
from functools import partial

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.accounts.mail import Message, Outbox
from app.accounts.model import User
from app.courses.local_time import show_local
from app.courses.model import Course, Member
from app.database.engine import Database

BEFORE = timedelta(days=30)


def tell_instructors(database: Database, outbox: Outbox, base_url: str) -> None:
    """Send one mail to each instructor, once for each date. Without a mail server, do nothing."""
    if outbox.server is None:
        return
    with database.transaction() as session:
        messages = _write_messages(session, base_url)
    for message in messages:
        outbox.later(partial(outbox.deliver, message))


def _write_messages(session: Session, base_url: str) -> list[Message]:
    """Mark the courses, so that no other process tells the same."""
    is_near = (Course.keep_until < func.now() + BEFORE, Course.told_until.is_distinct_from(Course.keep_until))
    told = update(Course).where(*is_near).values(told_until=Course.keep_until).returning(Course)
    courses = {course.id: course for course in session.scalars(told)}
    is_instructor = (Member.role == "instructor", Member.left_at.is_(None), User.email.is_not(None))
    query = select(Member.course_id, User.email).join(User, User.id == Member.user_id)
    found = session.execute(query.where(Member.course_id.in_(courses), *is_instructor)).all()
    return [_write(courses[course_id], email, base_url) for course_id, email in found if email]


def _write(course: Course, email: str, base_url: str) -> Message:
    assert course.keep_until is not None
    at, home = show_local(course.keep_until, course.timezone), f"{base_url}/courses/{course.slug}"
    text = f"""{course.title} will be deleted at {at}, with all hand-ins and grades.

Export the grades before: {home}/grades
Copy the course for the next term, or choose a later date: {home}/settings
"""
    return Message(to=email, subject=f"{course.title} will be deleted", text=text)
