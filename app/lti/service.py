"""Call learning platforms: read their public keys, and use their services with an access token."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic, time
from typing import Any
from uuid import uuid4

import httpx
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from app.errors import AllcloseError
from app.lti.fetch import AddressRule, Answer, Fetcher, PlatformAway, PlatformRefused, Request
from app.lti.model import Platform

KEYS_SECONDS = 3600.0
LEAST_KEY_BITS = 2048
# An unknown key or a failure asks the platform again after so long. An access token ends so long before its time.
ASK_AGAIN_SECONDS = 60.0
# Launches that wait for the same answer give up after so long, since they hold threads.
WAIT_SECONDS = 3.0
ASSERTION_SECONDS = 300
JSON = {"Accept": "application/json"}

Sign = Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCall:
    """A call of a platform's service. `accepts` and `sends` are media types."""

    url: str
    accepts: str
    method: str = "GET"
    sends: str = ""
    document: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What a platform answered, and when. `fault`: it did not. After `lasts` seconds it is asked again."""

    at: float
    lasts: float
    keys: Mapping[str, RSAKey] = field(default_factory=dict)
    fault: AllcloseError | None = None


class PlatformClient:
    """Asks platforms. `sign` signs the claims of a request for an access token. For all threads of a process."""

    def __init__(self, rule: AddressRule, sign: Sign) -> None:
        self.rule = rule
        self._fetch = Fetcher(rule).fetch
        self._sign = sign
        self._keys: dict[str, _Kept] = {}
        self._tokens: dict[tuple[str, ...], tuple[str, float]] = {}
        self._locks: dict[str, threading.Lock] = {}

    def find_key(self, platform: Platform, key_id: str) -> RSAKey | None:
        """Return the platform's public key with this ID. Raises PlatformAway and PlatformRefused."""
        kept = self._keys.get(platform.keys_url)
        if kept is None or monotonic() - kept.at >= (kept.lasts if key_id in kept.keys else ASK_AGAIN_SECONDS):
            kept = self._read_keys_once(platform, kept)
        if kept.fault is not None:
            raise kept.fault
        return kept.keys.get(key_id)

    def read_keys(self, platform: Platform) -> Mapping[str, RSAKey]:
        """Ask the platform for its keys now. Raises PlatformAway and PlatformRefused."""
        document = self._fetch(Request(url=platform.keys_url, headers=JSON)).document
        keys = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(keys, list):
            raise PlatformRefused(f"{platform.keys_url} has no list of keys. It should be the platform's key set.")
        found = {str(each["kid"]): key for each in keys if (key := _read_key(each)) is not None}
        if not found:
            raise PlatformRefused(f"{platform.keys_url} has no RSA key of {LEAST_KEY_BITS} bits or more with an ID.")
        return found

    def call(self, platform: Platform, scopes: Sequence[str], call: ServiceCall) -> Answer:
        """Call a service with an access token. Raises PlatformAway and PlatformRefused."""
        try:
            return self._call(platform, scopes, call)
        except PlatformRefused as fault:
            if fault.status != httpx.codes.UNAUTHORIZED:
                raise
            self._tokens.pop(_token_key(platform, scopes), None)  # it ended early
            return self._call(platform, scopes, call)

    def _call(self, platform: Platform, scopes: Sequence[str], call: ServiceCall) -> Answer:
        headers = {"Accept": call.accepts, "Authorization": f"Bearer {self._get_token(platform, scopes)}"}
        headers |= {"Content-Type": call.sends} if call.sends else {}
        return self._fetch(Request(url=call.url, method=call.method, headers=headers, document=call.document))

    def _get_token(self, platform: Platform, scopes: Sequence[str]) -> str:
        key = _token_key(platform, scopes)
        token, until = self._tokens.get(key, ("", 0.0))
        if monotonic() < until:
            return token
        now = int(time())
        claims = {"iss": platform.client_id, "sub": platform.client_id, "aud": platform.token_url}
        claims |= {"iat": now, "exp": now + ASSERTION_SECONDS, "jti": uuid4().hex}  # type: ignore[dict-item]
        form = {
            "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": self._sign(dict(claims)),
            "scope": " ".join(scopes),
        }
        answer = self._fetch(Request(url=platform.token_url, method="POST", headers=JSON, form=form)).document
        given = answer.get("access_token") if isinstance(answer, dict) else None
        if not isinstance(given, str) or not given.isascii() or not given.isprintable():
            raise PlatformRefused(f"{platform.token_url} gave no access token.")
        seconds = answer.get("expires_in", 0)
        lasts = float(seconds) if isinstance(seconds, (int, float)) else 0.0
        self._tokens[key] = given, monotonic() + max(0.0, lasts - ASK_AGAIN_SECONDS)
        return given

    def _read_keys_once(self, platform: Platform, old: _Kept | None) -> _Kept:
        """Single flight: one thread asks, and the others use its answer. Old keys hold if the platform is away."""
        lock = self._locks.setdefault(platform.keys_url, threading.Lock())
        if not lock.acquire(timeout=WAIT_SECONDS):
            raise PlatformAway(f"{platform.name} answers slowly.")
        try:
            current = self._keys.get(platform.keys_url)
            if current is not None and current is not old:
                return current
            kept = self._keys[platform.keys_url] = self._ask_for_keys(platform, old)
            return kept
        finally:
            lock.release()

    def _ask_for_keys(self, platform: Platform, old: _Kept | None) -> _Kept:
        try:
            return _Kept(at=monotonic(), lasts=KEYS_SECONDS, keys=self.read_keys(platform))
        except (PlatformAway, PlatformRefused) as fault:
            keys = old.keys if old is not None else {}
            return _Kept(at=monotonic(), lasts=ASK_AGAIN_SECONDS, keys=keys, fault=None if keys else fault)


def _token_key(platform: Platform, scopes: Sequence[str]) -> tuple[str, ...]:
    return (platform.token_url, platform.client_id, *sorted(scopes))


def _read_key(entry: Any) -> RSAKey | None:
    """Return an RSA key that is long enough. Platforms list other kinds too, which Allclose does not use."""
    if not isinstance(entry, dict) or entry.get("kty") != "RSA" or not isinstance(entry.get("kid"), str):
        return None
    try:
        key = RSAKey.import_key({name: entry[name] for name in ("kty", "n", "e")})
        return key if key.public_key.key_size >= LEAST_KEY_BITS else None
    except (JoseError, ValueError, KeyError, TypeError):
        return None
