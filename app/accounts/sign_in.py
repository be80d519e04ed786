"""Signing in by password, for the page and for the API.

Guessing is slowed by argon2 and limited: attempts per address and user name, and failures per address.
"""

from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.network import network_of
from app.accounts.password import hash_password, is_outdated, is_password
from app.accounts.throttle import AccountThrottles
from app.accounts.user import find_user
from app.accounts.viewer import AccountSuspended
from app.errors import AllcloseError

MAX_USERNAME_KEY = 64


class SignInFailed(AllcloseError):
    """Unknown user name or wrong password; never says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """What a person typed, and the network address that it came from."""

    username: str
    password: str = field(repr=False)
    address: str


def sign_in(session: Session, throttles: AccountThrottles, attempt: SignIn) -> User:
    """Raises SignInFailed, AccountSuspended, or TooOften after many failures. A success forgives its name."""
    network = network_of(attempt.address)
    key = network, attempt.username.strip().lower()[:MAX_USERNAME_KEY]
    throttles.guesses.check(network)
    throttles.names.use(*key)
    try:
        user = authenticate(session, attempt.username, attempt.password)
    except SignInFailed:
        throttles.guesses.use(network)
        raise
    throttles.names.forgive(*key)
    return user


def authenticate(session: Session, username: str, password: str) -> User:
    """Raises SignInFailed, which takes as long for unknown names as for known ones, also suspended ones; and
    AccountSuspended, after the right password only."""
    user = find_user(session, username)
    if not is_password(password, user.password_hash if user else None) or user is None:
        raise SignInFailed("the user name or the password is wrong; check both and try again")
    if not user.is_active:
        raise AccountSuspended
    if is_outdated(user.password_hash):
        user.password_hash = hash_password(password)
    return user
