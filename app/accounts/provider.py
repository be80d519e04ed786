"""A provider of OpenID Connect, by the authorization code flow with PKCE: whom it says a browser belongs to.

What it says counts only as an ID token that it signed, for us, now, and for this very attempt (`nonce`).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, KeySetSerialization
from joserfc.jws import JWSRegistry
from requests import RequestException, Response

from app.errors import AllcloseError, Refused
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
