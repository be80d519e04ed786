"""Secrets that are shown once and stored as SHA-256 only.

They have 256 random bits, so a plain hash can't be reversed. Passwords, which people choose, get argon2 instead.
"""

import hashlib
import re
import secrets

_RANDOM = re.compile(r"[\w-]{43}", re.ASCII)  # 256 bits in base64


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def is_well_formed(secret: str, prefix: str = "") -> bool:
    """Whether `new_secret` can have made it. Any other text is unknown without asking the database."""
    return secret.startswith(prefix) and _RANDOM.fullmatch(secret, len(prefix)) is not None


def digest(secret: str) -> bytes:
    # A header or cookie can contain text that UTF-8 can't express. Such a secret is unknown.
    return hashlib.sha256(secret.encode(errors="replace")).digest()
