"""Who people are at the provider of OpenID Connect, and their accounts here.

An account is found by issuer and subject alone. That an e-mail address is the same never makes it anybody's: whoever
could choose their address at a provider would have the account.

A provider of OpenID Connect, by the authorization code flow with PKCE: whom it says a browser belongs to.

What it says counts only as an ID token that it signed, for us, now, and for this very attempt (`nonce`).
"""

import re
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, KeySetSerialization
from joserfc.jws import JWSRegistry
from requests import RequestException, Response
from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.invitation import use_invitation
from app.accounts.model import Identity, Role, User
from app.accounts.permission import AccountSuspended
from app.accounts.rate_limit import AccountThrottles, network_of
from app.accounts.secret import new_secret
from app.accounts.sign_up import Applicant, admit
from app.accounts.user import EMAIL, ERASED, MAX_EMAIL
from app.audit import Act, Actor, record
from app.errors import AllcloseError, Conflict, NotFound, Refused
from app.settings import Settings

TIMEOUT_SECONDS = 10
LEEWAY_SECONDS = 60
KEEP_SECONDS = 300
# Signatures that need the provider's private key. Nothing shared with us, and never "none".
SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")


class ProviderAway(AllcloseError):
    """It does not answer, or not as a provider does."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} does not answer at the moment; try again in a minute, or sign in with a password")


class ProviderRefused(Refused):
    """It does not vouch for this browser, or not so that it can be believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """How the provider knows this deployment; `name` is what people read."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    name: str
    scopes: str
    redirect_uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What the browser keeps until it comes back from `url`."""

    url: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """`subject` is theirs for good at that issuer. `email` is there only where the provider has verified it."""

    issuer: str
    subject: str
    name: str = ""
    email: str | None = None


class Provider:
    def __init__(self, registration: Registration) -> None:
        self.registration = registration
        self._document: dict[str, Any] = {}
        self._read_at = 0.0

    @property
    def name(self) -> str:
        return self.registration.name

    def begin(self) -> Attempt:
        """Raises ProviderAway."""
        state, nonce, verifier = generate_token(43), generate_token(43), generate_token(64)
        with self._client() as client:
            endpoint = self._discover(client)["authorization_endpoint"]
            url, _ = client.create_authorization_url(endpoint, state=state, nonce=nonce, code_verifier=verifier)
        return Attempt(url=url, state=state, nonce=nonce, verifier=verifier)

    def finish(self, code: str, *, nonce: str, verifier: str) -> Person:
        """Raises ProviderAway, and ProviderRefused for a code or an ID token that is not right."""
        try:
            return self._finish(code, nonce, verifier)
        except OAuthError as error:
            raise ProviderRefused(f"{self.name} did not accept the sign-in ({error.error}); begin it again") from error
        except (JoseError, KeyError) as error:
            raise ProviderRefused(f"{self.name} sent an ID token that is not valid; begin again") from error
        except (RequestException, ValueError, TypeError) as error:
            raise ProviderAway(self.name) from error

    def _finish(self, code: str, nonce: str, verifier: str) -> Person:
        with self._client() as client:
            document = self._discover(client)
            client.token_endpoint_auth_method = self._client_authentication(document)
            token = client.fetch_token(
                document["token_endpoint"],
                grant_type="authorization_code",
                code=code,
                code_verifier=verifier,
                redirect_uri=self.registration.redirect_uri,
            )
            keys = _read_keys(client.get(document["jwks_uri"], withhold_token=True))
            claims = self._read_id_token(token, keys, nonce)
            return self._describe(claims, lambda: _read(client.get(document["userinfo_endpoint"])))

    def _client(self) -> OAuth2Session:
        return OAuth2Session(
            self.registration.client_id,
            self.registration.client_secret,
            scope=self.registration.scopes,
            redirect_uri=self.registration.redirect_uri,
            code_challenge_method="S256",
            default_timeout=TIMEOUT_SECONDS,
        )

    def _discover(self, client: OAuth2Session) -> dict[str, Any]:
        """Kept for some minutes, so that who only looks at the sign-in page asks nothing of the provider."""
        if time.monotonic() - self._read_at < KEEP_SECONDS and self._document:
            return self._document
        url = self.registration.issuer.rstrip("/") + "/.well-known/openid-configuration"
        try:
            document = _read(client.get(url, withhold_token=True))
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                document[name]
        except (RequestException, ValueError, KeyError, TypeError) as error:
            raise ProviderAway(self.name) from error
        if document.get("issuer") != self.registration.issuer:
            raise ProviderAway(self.name)
        self._document, self._read_at = document, time.monotonic()
        return document

    def _client_authentication(self, document: dict[str, Any]) -> str:
        if self.registration.client_secret is None:
            return "none"
        methods = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return "client_secret_basic" if "client_secret_basic" in methods else "client_secret_post"

    def _read_id_token(self, token: dict[str, Any], keys: KeySet, nonce: str) -> dict[str, Any]:
        """Raises JoseError."""
        registry = JWSRegistry(algorithms=list(SIGNATURES), strict_check_header=False)
        read = jwt.decode(token["id_token"], keys, registry=registry)
        expected = {"iss": {"essential": True, "value": self.registration.issuer}}
        expected["aud"] = {"essential": True, "value": self.registration.client_id}
        params = {"nonce": nonce, "client_id": self.registration.client_id, "access_token": token.get("access_token")}
        claims = CodeIDToken(read.claims, read.header, expected, params)
        claims.validate(leeway=LEEWAY_SECONDS)
        return dict(claims)

    def _describe(self, claims: dict[str, Any], ask: Callable[[], dict[str, Any]]) -> Person:
        """`ask` reads what the provider tells at its other endpoint, where the ID token holds no name."""
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= 255:
            raise ValueError("a subject is a text of up to 255 characters")
        if "preferred_username" not in claims and "userinfo_endpoint" in self._document:
            told = ask()
            claims = {**told, **claims} if told.get("sub") == subject else claims
        email = claims.get("email") if claims.get("email_verified") is True else None
        name = claims.get("preferred_username") or claims.get("nickname") or email or claims.get("name") or ""
        return Person(issuer=claims["iss"], subject=subject, name=str(name), email=str(email) if email else None)


def find_provider(settings: Settings) -> Provider | None:
    """None where none is configured."""
    if settings.oidc_issuer is None or settings.oidc_client_id is None:
        return None
    registration = Registration(
        issuer=settings.oidc_issuer,
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret,
        name=settings.oidc_name,
        scopes=settings.oidc_scopes,
        redirect_uri=f"{settings.base_url}/sign-in/oidc/callback",
    )
    return Provider(registration)


def _read_keys(answer: Response) -> KeySet:
    """Raises JoseError, too."""
    return KeySet.import_key_set(cast(KeySetSerialization, _read(answer)))


def _read(answer: Response) -> dict[str, Any]:
    """Raises RequestException and ValueError."""
    answer.raise_for_status()
    document = answer.json()
    if not isinstance(document, dict):
        raise ValueError("a JSON object was expected")
    return document


MAX_NAME = 32
TRIES = 20


def sign_in_person(session: Session, throttles: AccountThrottles, person: Person, applicant: Applicant) -> User:
    """The person's account, made at their first sign-in where the sign-up mode allows it.

    Raises AccountSuspended, TooOften, and what `admit` does.
    """
    user = session.scalar(select(User).join(Identity, Identity.user_id == User.id).where(_is(person)))
    if user is None:
        return _join(session, throttles, person, applicant)
    if not user.is_active:
        raise AccountSuspended
    return user


def link_identity(session: Session, actor: Actor, user: User, person: Person) -> None:
    """From now on the person signs in as this user, too. Raises Conflict where they do so as somebody else."""
    made = insert(Identity).values(issuer=person.issuer, subject=person.subject, user_id=user.id)
    is_new = session.scalar(made.on_conflict_do_nothing().returning(Identity.user_id)) is not None
    if is_new:
        actor = Actor(user_id=user.id, channel=actor.channel, address=actor.address)
        record(session, actor, Act(action="identity.linked", target=user.id, after={"issuer": person.issuer}))
    elif session.scalar(select(Identity.user_id).where(_is(person))) != user.id:
        raise Conflict("this identity signs in to another account already; take it off there first")


def unlink_identity(session: Session, actor: Actor, user: User, issuer: str) -> None:
    """All of the user's at that issuer. Raises NotFound, and Refused where nothing would be left to sign in with."""
    session.get_one(User, user.id, with_for_update=True)
    identities = list_identities(session, user.id)
    leaving = [identity for identity in identities if identity.issuer == issuer]
    if not leaving:
        raise NotFound("your account has no such identity")
    if user.password_hash is None and len(leaving) == len(identities):
        raise Refused("this is your only way to sign in; choose a password first")
    for identity in leaving:
        session.delete(identity)
    record(session, actor, Act(action="identity.removed", target=user.id, before={"issuer": issuer}))


def list_identities(session: Session, user_id: UUID) -> Sequence[Identity]:
    return session.scalars(
        select(Identity).where(Identity.user_id == user_id).order_by(Identity.created_at, Identity.subject)
    ).all()


def suggest_name(person: Person) -> str:
    """A user name like the one that they have there."""
    plain = unicodedata.normalize("NFKD", person.name.partition("@")[0]).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-_")[:MAX_NAME]
    return name if len(name) >= 3 and not name.startswith(ERASED) else "user"


def _join(session: Session, throttles: AccountThrottles, person: Person, applicant: Applicant) -> User:
    invitation = admit(session, applicant)
    if invitation is None:
        throttles.sign_ups.use(network_of(applicant.address))
    user = _make_user(session, person, invitation.role if invitation else "student")
    if invitation is not None:
        use_invitation(session, applicant.actor, invitation, user)
    link_identity(session, applicant.actor, user, person)
    return user


def _make_user(session: Session, person: Person, role: Role) -> User:
    email = person.email if person.email and EMAIL.fullmatch(person.email) and len(person.email) <= MAX_EMAIL else None
    for name in _candidates(suggest_name(person)):
        values = {"username": name, "email": email, "role": role, "password_hash": None}
        made = insert(User).values(values).on_conflict_do_nothing(index_elements=[User.username]).returning(User)
        if (user := session.scalar(made)) is not None:
            return user
    raise Conflict("no user name like yours is free; ask an admin for an account")


def _candidates(name: str) -> list[str]:
    numbered = [f"{name[: MAX_NAME - 3]}-{number}" for number in range(2, TRIES)]
    chance = re.sub(r"[^a-z0-9]", "", new_secret().lower())[:8]
    return [name, *numbered, f"{name[: MAX_NAME - 9]}-{chance}"]


def _is(person: Person) -> ColumnElement[bool]:
    return and_(Identity.issuer == person.issuer, Identity.subject == person.subject)
