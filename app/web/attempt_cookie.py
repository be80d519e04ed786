"""What a browser keeps while it is away at the provider: signed, for ten minutes, and of use to this browser only."""

from dataclasses import asdict, dataclass
from typing import TypeVar

from fastapi import Response
from itsdangerous import BadSignature, URLSafeTimedSerializer

from app.policy.key import get_key
from app.settings import Settings
from app.web.visit import Visit

COOKIE = "allclose_attempt"
LIFETIME_SECONDS = 600
_PURPOSE = "single sign-on"

Answer = TypeVar("Answer", bound=Response)


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """`link_to`: the id of the user who wants the identity for their account; None: to sign in."""

    state: str
    nonce: str
    verifier: str
    next: str
    invitation: str | None = None
    link_to: str | None = None


def keep_errand(visit: Visit, response: Answer, errand: Errand) -> Answer:
    settings: Settings = visit.request.app.state.settings
    response.set_cookie(
        _name(settings),
        _signer(visit).dumps(asdict(errand)),
        max_age=LIFETIME_SECONDS,
        httponly=True,
        samesite="lax",
        secure=settings.has_https,
    )
    return response


def read_errand(visit: Visit) -> Errand | None:
    """None where there is none, or none of ours, or one that is too old."""
    kept = visit.request.cookies.get(_name(visit.request.app.state.settings), "")
    try:
        return Errand(**_signer(visit).loads(kept, max_age=LIFETIME_SECONDS))
    except BadSignature:
        return None


def forget_errand(visit: Visit, response: Answer) -> Answer:
    settings: Settings = visit.request.app.state.settings
    response.delete_cookie(_name(settings), httponly=True, samesite="lax", secure=settings.has_https)
    return response


def _name(settings: Settings) -> str:
    return f"__Host-{COOKIE}" if settings.has_https else COOKIE


def _signer(visit: Visit) -> URLSafeTimedSerializer:
    with visit.transaction() as session:
        return URLSafeTimedSerializer(get_key(session, _PURPOSE), salt=_PURPOSE)
