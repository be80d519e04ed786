"""Reauthentication before changes that a stolen session or token must not make: password, e-mail, erasure, tokens.

The user gives the password. A user without one, who has single sign-on only, must have signed in just now.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from app.accounts.model import User
from app.accounts.password import is_password
from app.errors import Refused
from app.limits import RateLimit

JUST_NOW = timedelta(minutes=10)


class ReauthenticationFailed(Refused):
    """The password is wrong; or the account has none, and the user signed in too long ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reauthentication:
    """The user's evidence. `signed_in_at`: when the session began; None for a token. `limit` counts guesses."""

    password: str = field(repr=False)
    limit: RateLimit
    signed_in_at: datetime | None = None


def require_reauthentication(user: User, reauthentication: Reauthentication) -> None:
    """Raises ReauthenticationFailed and RateLimitReached."""
    if user.password_hash is None:
        _require_recent(reauthentication)
        return
    key = "reauthentication", str(user.id)
    reauthentication.limit.use(*key)
    if not is_password(reauthentication.password, user.password_hash):
        raise ReauthenticationFailed("This is not your password. Check it and try again.")
    reauthentication.limit.forgive(*key)


def _require_recent(reauthentication: Reauthentication) -> None:
    if reauthentication.signed_in_at is None:
        raise ReauthenticationFailed(
            "Your account has no password. Do this on the page /account, just after signing in."
        )
    if datetime.now(UTC) - reauthentication.signed_in_at > JUST_NOW:
        raise ReauthenticationFailed(
            "Your account has no password. Sign out and in again, then do this within 10 minutes."
        )
