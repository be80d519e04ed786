"""Path parameters of pages. A malformed name or id is a 404 without a database query."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends

from app.api.request_state import in_loop
from app.catalog.manifest import is_slug
from app.errors import NotFound, ProblemNotFound
from app.lti.platform import PlatformNotFound


def read_slug(slug: str) -> str:
    """Raises ProblemNotFound."""
    if not is_slug(slug):
        raise ProblemNotFound(slug)
    return slug


def read_submission_id(submission_id: str) -> UUID:
    return _read_id(submission_id, NotFound("this submission does not exist; open it from your history"))


def read_invitation_id(invitation_id: str) -> UUID:
    return _read_id(invitation_id, NotFound("this invitation does not exist; see /admin/invitations"))


def _read_id(text: str, missing: NotFound) -> UUID:
    """Raises `missing`."""
    try:
        return UUID(text)
    except ValueError:
        raise missing from None


Slug = Annotated[str, Depends(in_loop(read_slug))]
SubmissionId = Annotated[UUID, Depends(in_loop(read_submission_id))]
InvitationId = Annotated[UUID, Depends(read_invitation_id)]


def read_verification_id(verification_id: str) -> UUID:
    return _read_id(verification_id, NotFound("this verification does not exist; open it from your list of packages"))


VerificationId = Annotated[UUID, Depends(read_verification_id)]


def read_question_id(question_id: str) -> UUID:
    return _read_post_id(question_id)


def read_post_id(post_id: str) -> UUID:
    return _read_post_id(post_id)


def _read_post_id(text: str) -> UUID:
    return _read_id(text, NotFound("this question or answer does not exist; open it from the problem's page"))


QuestionId = Annotated[UUID, Depends(read_question_id)]
PostId = Annotated[UUID, Depends(read_post_id)]


def read_member_id(member_id: str) -> UUID:
    return _read_id(member_id, NotFound("this member does not exist; open it from the course's list of members"))


MemberId = Annotated[UUID, Depends(read_member_id)]


def read_check_id(check_id: str) -> UUID:
    return _read_id(check_id, NotFound("this similarity check does not exist; open it from its assignment's page"))


CheckId = Annotated[UUID, Depends(read_check_id)]


def read_platform_id(platform_id: str) -> UUID:
    return _read_id(platform_id, PlatformNotFound())


PlatformId = Annotated[UUID, Depends(read_platform_id)]


def read_linked_id(linked_id: str) -> UUID:
    missing = "this link does not exist; open it from the course's page of learning platforms"
    return _read_id(linked_id, NotFound(missing))


LinkedId = Annotated[UUID, Depends(read_linked_id)]
