"""Passwords: their rules and their argon2id hashes."""

import secrets
from collections.abc import Iterable
from threading import Lock

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from zxcvbn import zxcvbn

from app.errors import Invalid

MIN_CHARACTERS = 10
MAX_BYTES = 1024
# On zxcvbn's scale from 0 to 4: guessed in fewer than 10**8 tries.
LEAST_STRENGTH = 3
# What an attacker tries first on every deployment.
_SITE = "allclose"
# zxcvbn keeps the words of one call where calls of other threads read them.
_ESTIMATING = Lock()
# zxcvbn needs time that is quadratic in the length. The rest can only make a password stronger.
ESTIMATED_CHARACTERS = 72

# OWASP's first recommendation for argon2id: 19 MiB, 2 passes, 1 lane. Many sign-ins at once fit in memory.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

# Verified for unknown user names, so that their answers take as long as those for known ones.
_DUMMY_HASH = _HASHER.hash("the password of no one")


def check_password(password: str, known: Iterable[str] = ()) -> None:
    """Raises Invalid. `known`: words that an attacker tries first, such as the user name."""
    if len(password) < MIN_CHARACTERS:
        raise Invalid("password", f"The password has {len(password)} characters. Choose at least {MIN_CHARACTERS}.")
    try:
        size = len(password.encode())
    except UnicodeEncodeError:
        raise Invalid(
            "password", "The password contains a lone surrogate, which is not a character. Remove it."
        ) from None
    if size > MAX_BYTES:
        raise Invalid("password", f"The password has {size} bytes in UTF-8. Choose at most {MAX_BYTES}.")
    start = password[:ESTIMATED_CHARACTERS]
    with _ESTIMATING:
        estimate = zxcvbn(start, user_inputs=[_SITE, *known], max_length=ESTIMATED_CHARACTERS)
    if estimate["score"] < LEAST_STRENGTH:
        reason = estimate["feedback"]["warning"] or "The password is easy to guess."
        raise Invalid("password", f"{reason} Choose a stronger one, such as three uncommon words.")


def generate_password() -> str:
    return secrets.token_urlsafe(15)


def hash_password(password: str) -> str:
    return _HASHER.hash(password)


def is_password(password: str, password_hash: str | None) -> bool:
    """Whether the password matches the hash. False without a valid hash; a missing hash takes equally long."""
    try:
        return _HASHER.verify(password_hash or _DUMMY_HASH, password) and password_hash is not None
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False


def is_outdated(password_hash: str | None) -> bool:
    """Whether the hash has other parameters than today's. Only the password can make a new hash."""
    return password_hash is not None and _HASHER.check_needs_rehash(password_hash)
