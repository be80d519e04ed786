"""Single sign-on by OpenID Connect: the authorization code flow with PKCE, and the accounts of its identities.

An account is found by issuer and subject alone, never by e-mail: a person who can choose their e-mail address at the
provider would otherwise get another user's account. Only an ID token counts that the provider signed, for this
deployment, now, and for this attempt (`nonce`).
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
from app.accounts.model import Identity, Role, User, new_secret
from app.accounts.permission import AccountSuspended
from app.accounts.sign_up import Applicant, admit
from app.accounts.user import EMAIL, ERASED, MAX_EMAIL
from app.audit import Act, Actor, record
from app.errors import AllcloseError, Conflict, NotFound, Refused
from app.limits import Limits, network_of
from app.settings import Settings

TIMEOUT_SECONDS = 10
LEEWAY_SECONDS = 60
KEEP_SECONDS = 300
# Signatures that need the provider's private key: no shared secret, and never "none".
SIGNATURES = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")
MAX_NAME = 32
TRIES = 20


class ProviderAway(AllcloseError):
    """The provider does not answer, or not in the protocol."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} does not answer. Try again in 1 minute, or sign in with a password.")


class ProviderRefused(Refused):
    """The provider refused the sign-in, or its ID token is not valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """This deployment's registration at the provider. `name` is the provider's name on pages."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    name: str
    scopes: str
    redirect_uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A sign-in that has begun. The browser keeps it until it comes back from `url`."""

    url: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person at the provider. Their `subject` is permanent. `email` is None unless the provider verified it."""

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
        """Return the person. Raises ProviderAway, and ProviderRefused for a wrong code or ID token."""
        try:
            return self._finish(code, nonce, verifier)
        except OAuthError as error:
            raise ProviderRefused(f"{self.name} refused the sign-in ({error.error}). Sign in again.") from error
        except (JoseError, KeyError) as error:
            raise ProviderRefused(f"{self.name} sent an invalid ID token. Sign in again.") from error
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
        """Return the provider's configuration, cached so that the sign-in page sends no request to the provider."""
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
        """`ask` reads the provider's userinfo endpoint, for an ID token without a name."""
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= 255:
            raise ValueError("a subject has 1 to 255 characters")
        if "preferred_username" not in claims and "userinfo_endpoint" in self._document:
            told = ask()
            claims = {**told, **claims} if told.get("sub") == subject else claims
        email = claims.get("email") if claims.get("email_verified") is True else None
        name = claims.get("preferred_username") or claims.get("nickname") or email or claims.get("name") or ""
        return Person(issuer=claims["iss"], subject=subject, name=str(name), email=str(email) if email else None)


def find_provider(settings: Settings) -> Provider | None:
    """Return the configured provider, or None."""
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
    """Raises JoseError, RequestException and ValueError."""
    return KeySet.import_key_set(cast(KeySetSerialization, _read(answer)))


def _read(answer: Response) -> dict[str, Any]:
    """Raises RequestException and ValueError."""
    answer.raise_for_status()
    document = answer.json()
    if not isinstance(document, dict):
        raise ValueError("expected a JSON object")
    return document


def sign_in_person(session: Session, limits: Limits, person: Person, applicant: Applicant) -> User:
    """Return the person's account. The first sign-in makes it, if the sign-up mode allows it.

    Raises AccountSuspended and RateLimitReached, and as `admit` does.
    """
    user = session.scalar(select(User).join(Identity, Identity.user_id == User.id).where(_is(person)))
    if user is None:
        return _join(session, limits, person, applicant)
    if not user.is_active:
        raise AccountSuspended
    return user


def link_identity(session: Session, actor: Actor, user: User, person: Person) -> None:
    """Let the person sign in as this user. Raises Conflict if the identity belongs to another account."""
    made = insert(Identity).values(issuer=person.issuer, subject=person.subject, user_id=user.id)
    is_new = session.scalar(made.on_conflict_do_nothing().returning(Identity.user_id)) is not None
    if is_new:
        actor = Actor(user_id=user.id, channel=actor.channel, address=actor.address)
        record(session, actor, Act(action="identity.linked", target=user.id, after={"issuer": person.issuer}))
    elif session.scalar(select(Identity.user_id).where(_is(person))) != user.id:
        raise Conflict("This identity is linked to another account. Unlink it in that account first.")


def unlink_identity(session: Session, actor: Actor, user: User, issuer: str) -> None:
    """Remove the user's identities at the issuer. Raises NotFound, and Refused if they are the only way to sign in."""
    session.get_one(User, user.id, with_for_update=True)
    identities = list_identities(session, user.id)
    leaving = [identity for identity in identities if identity.issuer == issuer]
    if not leaving:
        raise NotFound("Your account has no such identity.")
    if user.password_hash is None and len(leaving) == len(identities):
        raise Refused("This is your only way to sign in. Choose a password first.")
    for identity in leaving:
        session.delete(identity)
    record(session, actor, Act(action="identity.removed", target=user.id, before={"issuer": issuer}))


def list_identities(session: Session, user_id: UUID) -> Sequence[Identity]:
    return session.scalars(
        select(Identity).where(Identity.user_id == user_id).order_by(Identity.created_at, Identity.subject)
    ).all()


def suggest_name(wanted: str) -> str:
    """Return a valid user name that resembles the person's name elsewhere."""
    plain = unicodedata.normalize("NFKD", wanted.partition("@")[0]).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9_-]+", "-", plain).strip("-_")[:MAX_NAME]
    return name if len(name) >= 3 and not name.startswith(ERASED) else "user"


def _join(session: Session, limits: Limits, person: Person, applicant: Applicant) -> User:
    invitation = admit(session, applicant)
    if invitation is None:
        limits.new_accounts.use(network_of(applicant.address))
    user = make_account(session, person.name, person.email, invitation.role if invitation else "student")
    if invitation is not None:
        use_invitation(session, applicant.actor, invitation, user)
    link_identity(session, applicant.actor, user, person)
    return user


def make_account(session: Session, wanted: str, email: str | None, role: Role) -> User:
    """Make an account without a password, with a user name that resembles `wanted`. Raises Conflict."""
    email = email if email and EMAIL.fullmatch(email) and len(email) <= MAX_EMAIL else None
    for name in _candidates(suggest_name(wanted)):
        values = {"username": name, "email": email, "role": role, "password_hash": None}
        made = insert(User).values(values).on_conflict_do_nothing(index_elements=[User.username]).returning(User)
        if (user := session.scalar(made)) is not None:
            return user
    raise Conflict("All user names similar to yours are taken. Ask an admin for an account.")


def _candidates(name: str) -> list[str]:
    numbered = [f"{name[: MAX_NAME - 3]}-{number}" for number in range(2, TRIES)]
    chance = re.sub(r"[^a-z0-9]", "", new_secret().lower())[:8]
    return [name, *numbered, f"{name[: MAX_NAME - 9]}-{chance}"]


def _is(person: Person) -> ColumnElement[bool]:
    return and_(Identity.issuer == person.issuer, Identity.subject == person.subject)
