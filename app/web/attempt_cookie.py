"""What a browser keeps while it is away at the provider: signed, for ten minutes, and of use to this browser only."""

from dataclasses import asdict, dataclass
from datetime import timedelta

from itsdangerous import BadSignature, URLSafeTimedSerializer

from app.policy.key import get_key
from app.web.cookie import Answer, Cookie
from app.web.visit import Visit

COOKIE = "allclose_attempt"
ATTEMPT = Cookie(name=COOKIE, lifetime=timedelta(minutes=10))
_PURPOSE = "single sign-on"


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
    return ATTEMPT.keep(visit.request, response, _signer(visit).dumps(asdict(errand)))


def read_errand(visit: Visit) -> Errand | None:
    """None where there is none, or none of ours, or one that is too old."""
    try:
        kept = _signer(visit).loads(ATTEMPT.read(visit.request), max_age=int(ATTEMPT.lifetime.total_seconds()))
    except BadSignature:
        return None
    return Errand(**kept)


def forget_errand(visit: Visit, response: Answer) -> Answer:
    return ATTEMPT.forget(visit.request, response)


def _signer(visit: Visit) -> URLSafeTimedSerializer:
    with visit.transaction() as session:
        return URLSafeTimedSerializer(get_key(session, _PURPOSE), salt=_PURPOSE)
