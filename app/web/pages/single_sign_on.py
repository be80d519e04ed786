"""OpenID Connect: sign-in at the provider, and linking of the provider's identity to an account.

The state of an attempt is in a signed cookie for 10 minutes, so only the same browser can finish it. Linking must start
from a form on our pages and finish in the same account. So other sites can't trick a user into linking.
"""

import hmac
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from itsdangerous import BadSignature, URLSafeTimedSerializer
from pydantic import BaseModel

from app.accounts.sign_up import Applicant
from app.accounts.signing_key import get_key
from app.accounts.single_sign_on import (
    Attempt,
    Person,
    Provider,
    ProviderAway,
    ProviderRefused,
    link_identity,
    sign_in_person,
    unlink_identity,
)
from app.api.request_state import find_provider, get_limits
from app.audit import Actor
from app.courses.member import claim_by_email
from app.errors import AllcloseError, Conflict, NotFound, Refused
from app.limits import RateLimitReached
from app.web.pages.sign_in import SignInForm, sign_in_page
from app.web.visit import (
    Answer,
    Cookie,
    CurrentVisit,
    Visit,
    arrive,
    limit_address,
    local_path,
    read_address,
    require_own_origin,
    see_other,
)

COOKIE = "allclose_attempt"
ATTEMPT = Cookie(name=COOKIE, lifetime=timedelta(minutes=10))
_PURPOSE = "single sign-on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """The state of an attempt. `link_to` is the id of the user who links the identity, or None for a sign-in."""

    state: str
    nonce: str
    verifier: str
    next: str
    invitation: str | None = None
    link_to: str | None = None


def keep_errand(visit: Visit, response: Answer, errand: Errand) -> Answer:
    return ATTEMPT.keep(visit.request, response, _signer(visit).dumps(asdict(errand)))


def read_errand(visit: Visit) -> Errand | None:
    """Return the state, or None if it is missing, forged or too old."""
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


router = APIRouter()
ACCOUNT = "/account"


class ProviderAnswer(BaseModel):
    """The provider's response in the callback's query."""

    code: str = ""
    state: str = ""
    error: str = ""
    iss: str | None = None


class IssuerForm(BaseModel):
    issuer: str = ""


@router.get("/sign-in/oidc", dependencies=[Depends(limit_address)])
def begin_sign_in(visit: CurrentVisit, next: str = "/", invitation: str | None = None) -> Response:
    try:
        attempt = get_provider(visit).begin()
    except ProviderAway as fault:
        return sign_in_page(visit, SignInForm(next=next), error=str(fault), status=503)
    errand = Errand(**_secrets(attempt), next=local_path(next), invitation=invitation)
    return keep_errand(visit, see_other(attempt.url), errand)


@router.post("/account/identities", dependencies=[Depends(require_own_origin), Depends(limit_address)])
def begin_link(visit: CurrentVisit) -> Response:
    """Start linking. A header redirects, because the content policy forbids forms that end at another site."""
    if visit.viewer is None:
        return see_other("/sign-in?next=" + ACCOUNT)
    provider = get_provider(visit)
    try:
        attempt = provider.begin()
    except ProviderAway as fault:
        return visit.render("leaving.html", {"address": None, "provider": provider, "fault": str(fault)}, 503)
    errand = Errand(**_secrets(attempt), next=ACCOUNT, link_to=visit.viewer.id.hex)
    page = visit.render("leaving.html", {"address": attempt.url, "provider": provider, "fault": None})
    page.headers["Refresh"] = f"0;url={attempt.url}"
    return keep_errand(visit, page, errand)


@router.post("/account/identities/remove", dependencies=[Depends(require_own_origin)])
def remove_identity(visit: CurrentVisit, form: Annotated[IssuerForm, Form()]) -> Response:
    if visit.viewer is None:
        return see_other("/sign-in?next=" + ACCOUNT)
    with visit.transaction() as session:
        unlink_identity(session, visit.actor, visit.viewer.user, form.issuer)
    return see_other(ACCOUNT)


@router.get("/sign-in/oidc/callback", dependencies=[Depends(limit_address)])
def end_attempt(visit: CurrentVisit, answer: Annotated[ProviderAnswer, Depends()]) -> Response:
    """Finish an attempt. The cookie is deleted in any case."""
    errand = read_errand(visit)
    try:
        response = _end(visit, _checked(errand, answer, get_provider(visit)), answer.code)
    except ProviderAway as fault:
        response = _failed(visit, errand, fault, 503)
    except RateLimitReached as fault:
        response = _failed(visit, errand, fault, 429)
    except (Refused, Conflict) as fault:
        response = _failed(visit, errand, fault, 403)
    return forget_errand(visit, response)


def get_provider(visit: Visit) -> Provider:
    """Raises NotFound."""
    provider = find_provider(visit.request)
    if provider is None:
        raise NotFound("single sign-on is not configured; sign in with a password at /sign-in")
    return provider


def _secrets(attempt: Attempt) -> dict[str, str]:
    return {name: value for name, value in asdict(attempt).items() if name != "url"}


def _checked(errand: Errand | None, answer: ProviderAnswer, provider: Provider) -> Errand:
    """Raises ProviderRefused."""
    if errand is None or not hmac.compare_digest(errand.state.encode(), answer.state.encode(errors="replace")):
        raise ProviderRefused("this sign-in was started in another window or too long ago; start again here")
    if answer.iss is not None and answer.iss != provider.registration.issuer:
        raise ProviderRefused("this response came from another provider; start again here")
    if answer.error == "access_denied":
        raise ProviderRefused("you declined, so you were not signed in; nothing changed")
    if answer.error or not answer.code:
        raise ProviderRefused(f"{provider.name} did not sign you in; start again or ask an admin")
    return errand


def _end(visit: Visit, errand: Errand, code: str) -> Response:
    person = get_provider(visit).finish(code, nonce=errand.nonce, verifier=errand.verifier)
    if errand.link_to is not None:
        return _link(visit, errand, person)
    applicant = Applicant(channel="page", address=read_address(visit.request), invitation=errand.invitation)
    with visit.transaction() as session:
        user = sign_in_person(session, get_limits(visit.request), person, applicant)
        if person.email is not None:
            claim_by_email(session, Actor(user_id=user.id, channel="page"), user, person.email)
        return arrive(visit, session, user, errand.next)


def _link(visit: Visit, errand: Errand, person: Person) -> Response:
    if visit.viewer is None or visit.viewer.id.hex != errand.link_to:
        raise ProviderRefused("you were signed out in the meantime; sign in and link the account again")
    with visit.transaction() as session:
        link_identity(session, visit.actor, visit.viewer.user, person)
    return see_other(ACCOUNT)


def _failed(visit: Visit, errand: Errand | None, fault: AllcloseError, status: int) -> Response:
    return sign_in_page(visit, SignInForm(next=errand.next if errand else "/"), error=str(fault), status=status)
