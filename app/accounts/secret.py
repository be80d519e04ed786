"""Secrets that are shown once and kept as their SHA-256 only.

They have 256 random bits, so a plain hash can't be searched; passwords, which people choose, get argon2 instead.
"""

import hashlib
import re
import secrets

_RANDOM = re.compile(r"[\w-]{43}", re.ASCII)  # 256 bits in base64


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def is_well_formed(secret: str, prefix: str = "") -> bool:
    """Whether `new_secret` can have made it. What is not is unknown, and the database need not be asked."""
    return secret.startswith(prefix) and _RANDOM.fullmatch(secret, len(prefix)) is not None


def digest(secret: str) -> bytes:
    # A header or cookie can hold what UTF-8 can't express; such a secret is simply unknown.
    return hashlib.sha256(secret.encode(errors="replace")).digest()
