"""Idempotency keys: a client that sends a request again with the same key gets the result of the first one."""

from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from sqlalchemy import Select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.errors import Conflict, Invalid

KEY_CHARACTERS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """A key and the digest of the rest of the request. Raises Invalid."""

    text: str
    digest: str

    def __post_init__(self) -> None:
        if not (0 < len(self.text) <= KEY_CHARACTERS and self.text.isascii() and self.text.isprintable()):
            message = f"an idempotency key is 1 to {KEY_CHARACTERS} printable ASCII characters, such as a UUID"
            raise Invalid("idempotency_key", message)

    @classmethod
    def parse(cls, text: str | None, digest: str) -> Self | None:
        """Return the key, or None for a request without one. Raises Invalid."""
        return None if text is None else cls(text=text, digest=digest)


class IdempotentRow(Protocol):
    """A row that a request with a key created."""

    @property
    def request_digest(self) -> str | None: ...


R = TypeVar("R", bound=IdempotentRow)


def find_original(
    session: Session, of_user: Select[R], column: InstrumentedAttribute[str | None], key: IdempotencyKey
) -> R | None:
    """Return the user's row with this key. Raises Conflict if a different request created it."""
    original = session.scalars(of_user.where(column == key.text)).one_or_none()
    if original is not None and original.request_digest != key.digest:
        raise Conflict("this idempotency key was used for a different request; use a new key for each request")
    return original
