"""Signing in by password, for the page and for the API.

Guessing is slowed by argon2 and limited per address and user name.
"""

from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.password import is_password
from app.accounts.throttle import Throttle
from app.accounts.user import find_user
from app.errors import AllcloseError

ATTEMPTS = 10
WINDOW = timedelta(minutes=5)
MAX_USERNAME_KEY = 64


class SignInFailed(AllcloseError):
    """Unknown user name, wrong password or deactivated account; never says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """What a person typed, and the network address that it came from."""

    username: str
    password: str = field(repr=False)
    address: str


def sign_in_throttle() -> Throttle:
    return Throttle(ATTEMPTS, WINDOW, "attempts to sign in with this user name")


def sign_in(session: Session, throttle: Throttle, attempt: SignIn) -> User:
    """Raises SignInFailed, or TooOften after ATTEMPTS failures. A success forgives the failures before it."""
    key = attempt.address, attempt.username.strip().lower()[:MAX_USERNAME_KEY]
    throttle.use(*key)
    user = authenticate(session, attempt.username, attempt.password)
    throttle.forgive(*key)
    return user


def authenticate(session: Session, username: str, password: str) -> User:
    """Raises SignInFailed. Takes as long for unknown names as for known ones."""
    user = find_user(session, username)
    if not is_password(password, user.password_hash if user else None) or user is None or not user.is_active:
        raise SignInFailed("the user name or the password is wrong; check both and try again")
    return user
