"""Secrets that are shown once and kept as their SHA-256 only.

They have 256 random bits, so a plain hash can't be searched; passwords, which people choose, get argon2 instead.
"""

import hashlib
import secrets


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> bytes:
    # A header or cookie can hold what UTF-8 can't express; such a secret is simply unknown.
    return hashlib.sha256(secret.encode(errors="replace")).digest()
