"""That it is really them, asked before what a stolen session or token must not do: a new password, another e-mail,
an erased account.

The password proves it. Who has none, since they sign in elsewhere, proves it by having signed in just now.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from app.accounts.model import User
from app.accounts.password import is_password
from app.accounts.rate_limit import Throttle
from app.errors import Refused

JUST_NOW = timedelta(minutes=10)


class ReauthenticationFailed(Refused):
    """A wrong password; or none to give, and signed in too long ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reauthentication:
    """`signed_in_at`: when the session that asks began; None where no browser asks. Guesses are counted."""

    password: str = field(repr=False)
    throttle: Throttle
    signed_in_at: datetime | None = None


def require_reauthentication(user: User, reauthentication: Reauthentication) -> None:
    """Raises ReauthenticationFailed, or TooOften."""
    if user.password_hash is None:
        _require_recent(reauthentication)
        return
    key = "reauthentication", str(user.id)
    reauthentication.throttle.use(*key)
    if not is_password(reauthentication.password, user.password_hash):
        raise ReauthenticationFailed("this is not your password; check it and try again")
    reauthentication.throttle.forgive(*key)


def _require_recent(reauthentication: Reauthentication) -> None:
    if reauthentication.signed_in_at is None:
        raise ReauthenticationFailed(
            "your account has no password: do this on the page /account, just after signing in"
        )
    if datetime.now(UTC) - reauthentication.signed_in_at > JUST_NOW:
        raise ReauthenticationFailed(
            "your account has no password: sign out and in again, then do this within 10 minutes"
        )
