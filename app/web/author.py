"""The addresses of authors' pages."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends

from app.errors import NotFound


def read_verification_id(verification_id: str) -> UUID:
    try:
        return UUID(verification_id)
    except ValueError:
        raise NotFound("there is no such verification; open it from the list of your packages") from None


VerificationId = Annotated[UUID, Depends(read_verification_id)]
