"""Names in addresses. What can't name anything is not found, before the database is asked."""

import re
from typing import Annotated
from uuid import UUID

from fastapi import Depends

from app.errors import NotFound

SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def read_slug(slug: str) -> str:
    if not SLUG.fullmatch(slug):
        raise NotFound("there is no such problem; choose one from the list")
    return slug


def read_submission_id(submission_id: str) -> UUID:
    try:
        return UUID(submission_id)
    except ValueError:
        raise NotFound("there is no such submission; open it from your history") from None


Slug = Annotated[str, Depends(read_slug)]
SubmissionId = Annotated[UUID, Depends(read_submission_id)]
