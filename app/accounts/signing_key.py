"""The deployment's signing keys: the same in every process, and unknown elsewhere."""

import secrets

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.policy import ServerKey

KEY_BYTES = 32


def get_key(session: Session, name: str) -> bytes:
    """Return the key, which the first call makes. Concurrent first calls get the same key."""
    made = insert(ServerKey).values(name=name, key=secrets.token_bytes(KEY_BYTES))
    session.execute(made.on_conflict_do_nothing())
    return session.get_one(ServerKey, name).key
