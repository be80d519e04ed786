"""Passwords: what is allowed, and their argon2id hashes."""

import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.errors import Invalid

MIN_CHARACTERS = 10
MAX_BYTES = 1024

# OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. A burst of sign-ins fits in memory.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

# Verified for user names that don't exist, so that their answers take as long as real ones'.
_NOBODY = _HASHER.hash("the password of no one")


def check_password(password: str) -> None:
    """Raises Invalid with the length and the limit."""
    if len(password) < MIN_CHARACTERS:
        raise Invalid("password", f"the password has {len(password)} characters; choose at least {MIN_CHARACTERS}")
    try:
        size = len(password.encode())
    except UnicodeEncodeError:
        raise Invalid("password", "the password holds a lone surrogate, which is no character; leave it out") from None
    if size > MAX_BYTES:
        raise Invalid("password", f"the password has {size} bytes in UTF-8; choose at most {MAX_BYTES}")


def generate_password() -> str:
    return secrets.token_urlsafe(15)


def hash_password(password: str) -> str:
    return _HASHER.hash(password)


def is_password(password: str, password_hash: str | None) -> bool:
    """Takes equally long without a hash, and is False then, as for a stored text that is no hash."""
    try:
        return _HASHER.verify(password_hash or _NOBODY, password) and password_hash is not None
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False


def is_outdated(password_hash: str | None) -> bool:
    """Whether the hash was made with other parameters than today's; only its password can make a new one."""
    return password_hash is not None and _HASHER.check_needs_rehash(password_hash)
