"""Keys that senders choose: a request that is sent again under the same one is the first one again."""

from dataclasses import dataclass
from typing import Protocol, Self, TypeVar
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.accounts.model import User
from app.errors import Conflict, Invalid

KEY_CHARACTERS = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """`digest`: of all else that is asked for. Raises Invalid."""

    text: str
    digest: str

    def __post_init__(self) -> None:
        if not (0 < len(self.text) <= KEY_CHARACTERS and self.text.isascii() and self.text.isprintable()):
            message = f"an idempotency key is 1 to {KEY_CHARACTERS} printable ASCII characters, such as a UUID"
            raise Invalid("idempotency_key", message)

    @classmethod
    def of(cls, text: str | None, digest: str) -> Self | None:
        """None for a request without a key. Raises Invalid."""
        return None if text is None else cls(text=text, digest=digest)


class Keyed(Protocol):
    """A row that a request with a key has made."""

    @property
    def request_digest(self) -> str | None: ...


R = TypeVar("R", bound=Keyed)


def lock_sender(session: Session, user_id: UUID) -> None:
    """What one user sends goes one after the other, so that no two find the same key unused."""
    session.execute(select(User.id).where(User.id == user_id).with_for_update(key_share=True))


def find_earlier(session: Session, theirs: Select[R], keys: InstrumentedAttribute[str | None], key: Key) -> R | None:
    """Of what the sender has sent, that with this key. Raises Conflict where another request made it."""
    earlier = session.scalars(theirs.where(keys == key.text)).one_or_none()
    if earlier is not None and earlier.request_digest != key.digest:
        raise Conflict("this idempotency key was used for another request; use a new key for a new one")
    return earlier
