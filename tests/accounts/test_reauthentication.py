"""Reauthentication: by password, or by a recent sign-in for users without a password."""

from datetime import UTC, datetime, timedelta

import pytest

from app.accounts.model import User
from app.accounts.password import hash_password
from app.accounts.reauthentication import JUST_NOW, Reauthentication, ReauthenticationFailed, require_reauthentication
from app.limits import Limits, RateLimitReached

KNOWN = User(username="ada", password_hash=hash_password("correct horse"))
ELSEWHERE = User(username="grace", password_hash=None)


def reauthenticate(password: str = "", age: timedelta | None = None) -> Reauthentication:
    signed_in_at = None if age is None else datetime.now(UTC) - age
    return Reauthentication(password=password, limit=Limits().reauthentications, signed_in_at=signed_in_at)


def test_the_password_proves_it_however_long_ago_one_signed_in() -> None:
    require_reauthentication(KNOWN, reauthenticate("correct horse", timedelta(days=20)))
    require_reauthentication(KNOWN, reauthenticate("correct horse"))


def test_a_sign_in_of_just_now_is_no_password() -> None:
    with pytest.raises(ReauthenticationFailed, match="not your password"):
        require_reauthentication(KNOWN, reauthenticate("wrong horse", timedelta()))


def test_without_a_password_a_sign_in_of_just_now_proves_it() -> None:
    require_reauthentication(ELSEWHERE, reauthenticate(age=timedelta(minutes=1)))

    with pytest.raises(ReauthenticationFailed, match="Sign out and in again"):
        require_reauthentication(ELSEWHERE, reauthenticate(age=JUST_NOW + timedelta(seconds=1)))
    with pytest.raises(ReauthenticationFailed, match="/account"):
        require_reauthentication(ELSEWHERE, reauthenticate("anything"))


def test_wrong_passwords_are_counted_until_a_right_one_comes() -> None:
    limit = Limits().reauthentications
    wrong, right = (
        Reauthentication(password="wrong", limit=limit),
        Reauthentication(password="correct horse", limit=limit),
    )
    for _ in range(2):
        for _ in range(9):
            with pytest.raises(ReauthenticationFailed):
                require_reauthentication(KNOWN, wrong)
        require_reauthentication(KNOWN, right)
    for _ in range(10):
        with pytest.raises(ReauthenticationFailed):
            require_reauthentication(KNOWN, wrong)

    with pytest.raises(RateLimitReached, match="wrong passwords for this account"):
        require_reauthentication(KNOWN, right)
