"""Deep linking: an instructor chooses in the platform what an activity opens, and the choice goes back signed.

The link names the assignment by an ID in `custom`, not by an address, so a copy of the activity in another course of
the platform can't open an assignment here that is not its own.
"""

import time
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.courses.model import Assignment, Course
from app.errors import Refused
from app.lti.fetch import AddressRule
from app.lti.launch import CLAIM, LAUNCH_PATH, SERVICE_CLAIM, Launch
from app.lti.line_item import describe_line_item
from app.lti.model import Platform

ANSWER_SECONDS = 300
_DEEP_LINKING = f"{SERVICE_CLAIM}lti-dl/claim/"


def require_instructor(launch: Launch, rule: AddressRule) -> str:
    """Return the address to which the choice goes. Raises Refused, and AddressRefused."""
    if launch.deep_linking is None or launch.role != "instructor":
        raise Refused("Only instructors of a course in the learning platform choose what a link opens.")
    rule.check(launch.deep_linking.return_url)
    return launch.deep_linking.return_url


def describe_choice(
    platform: Platform, launch: Launch, base_url: str, course: Course, assignment: Assignment | None
) -> dict[str, Any]:
    """Return the claims of the answer: a link to the assignment, or to the course's page."""
    now = int(time.time())
    item = _describe_item(base_url, course, assignment)
    data = launch.deep_linking.data if launch.deep_linking else None
    return {
        "iss": platform.client_id,
        "aud": platform.issuer,
        "iat": now,
        "exp": now + ANSWER_SECONDS,
        "nonce": uuid4().hex,
        f"{CLAIM}deployment_id": launch.deployment_id,
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": "1.3.0",
        f"{_DEEP_LINKING}content_items": [item],
        **({f"{_DEEP_LINKING}data": data} if data is not None else {}),
    }


def list_assignments_of(session: Session, course: Course) -> list[Assignment]:
    query = select(Assignment).where(Assignment.course_id == course.id)
    return list(session.scalars(query.order_by(Assignment.due_at, Assignment.created_at)))


def _describe_item(base_url: str, course: Course, assignment: Assignment | None) -> dict[str, Any]:
    item: dict[str, Any] = {"type": "ltiResourceLink", "url": f"{base_url}{LAUNCH_PATH}", "title": course.title}
    if assignment is None:
        return item
    custom = {"assignment": str(assignment.id)}
    return {**item, "title": assignment.title, "custom": custom, "lineItem": describe_line_item(assignment)}
