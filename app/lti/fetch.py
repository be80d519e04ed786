"""Requests from this server to the addresses of learning platforms.

An admin types them, and a platform's signed messages name more. So a request goes to HTTPS only, follows no redirect,
and ends after some seconds and some bytes. It connects to an address that was checked, so a host name that changes its
address meanwhile gains nothing. A private address is allowed only if the operator lists its host.
"""

import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address, ip_network
from typing import Any

import httpx

from app.errors import AllcloseError, Refused
from app.judging.printable_text import printable
from app.settings import LOOPBACK

TIMEOUT_SECONDS = 10.0
MAX_BYTES = 1024 * 1024
MAX_EXCERPT = 200
MAX_PAUSE_SECONDS = 3600
# IPv6 addresses that stand for any IPv4 address, also a private one (RFC 6052, 8215, 3056, 4380).
TRANSLATED = tuple(map(ip_network, ("64:ff9b::/32", "2002::/16", "2001::/32")))


class PlatformAway(AllcloseError):
    """The platform does not answer, or not now. `retry_after`: how long it asked to wait.

    `stops_all`: it would not answer other requests either.
    """

    def __init__(self, message: str, retry_after: timedelta = timedelta(0), *, stops_all: bool = True) -> None:
        super().__init__(message)
        self.retry_after, self.stops_all = retry_after, stops_all


class PlatformRefused(Refused):
    """The platform answered, and not with what was asked for."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class AddressRefused(PlatformRefused):
    """Allclose sends no request to this address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressRule:
    """The hosts that requests may go to. `private_hosts` may have private addresses, and `is_local` allows loopback.

    `is_local`: Allclose itself has an address on the loopback interface, so this is a trial on one machine.
    """

    private_hosts: frozenset[str]
    is_local: bool

    def check(self, url: str) -> None:
        """Raises AddressRefused for an address that can't be right, without looking its host up."""
        try:
            parsed = httpx.URL(url)
        except httpx.InvalidURL:
            raise AddressRefused(f"{url[:80]!r} is no address. Write one that begins with https://.") from None
        if parsed.scheme != "https" and not (self.is_local and parsed.host in LOOPBACK):
            raise AddressRefused(f"{url[:80]!r} does not begin with https://.")
        if not parsed.host or parsed.userinfo:
            raise AddressRefused(f"{url[:80]!r} has no host, or has a password in it.")

    def resolve(self, url: httpx.URL) -> list[str]:
        """Return the addresses of the host. Raises AddressRefused, and PlatformAway if there is none."""
        self.check(str(url))
        try:
            found = socket.getaddrinfo(url.host, url.port or 443, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise PlatformAway(f"The host {url.host} is not known here. Check its name.") from None
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        if not all(self._allows(url.host, address) for address in addresses):
            remedy = "If this is right, the operator adds the host to ALLCLOSE_LTI_PRIVATE_HOSTS."
            raise AddressRefused(f"The host {url.host} has a private address. {remedy}")
        return addresses

    def _allows(self, host: str, address: str) -> bool:
        found = ip_address(address)
        found = getattr(found, "ipv4_mapped", None) or found
        is_public = found.is_global and not found.is_multicast and not any(found in each for each in TRANSLATED)
        return is_public or host in self.private_hosts or (self.is_local and host in LOOPBACK)


class _CheckedTransport(httpx.HTTPTransport):
    """Connects to an address that was checked, and asks for the certificate of the host."""

    def __init__(self, rule: AddressRule) -> None:
        super().__init__(trust_env=False)
        self._rule = rule

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        request.extensions = {**request.extensions, "sni_hostname": url.host}
        *others, last = self._rule.resolve(url)
        for address in others:
            request.url = url.copy_with(host=address)
            try:
                return super().handle_request(request)
            except httpx.ConnectError:
                continue
        request.url = url.copy_with(host=last)
        return super().handle_request(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request with a form or a JSON document, or with neither."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str]
    form: Mapping[str, str] | None = None
    document: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`document`: the JSON, or None. `next_url`: the next page."""

    document: Any
    next_url: str | None


class Fetcher:
    """Sends requests by the rule, for all threads of a process."""

    def __init__(self, rule: AddressRule) -> None:
        self.rule = rule
        self._client: httpx.Client | None = None

    def fetch(self, request: Request) -> Answer:
        """Raises PlatformAway for what may work later, and PlatformRefused for any other failure."""
        self.rule.check(request.url)
        if self._client is None:  # made late, since reading the certificates takes a tenth of a second
            self._client = httpx.Client(transport=_CheckedTransport(self.rule), timeout=TIMEOUT_SECONDS)
        headers = {**request.headers, "Accept-Encoding": "identity", "User-Agent": "Allclose"}
        body = {"data": request.form, "json": request.document}
        try:
            with self._client.stream(request.method, request.url, headers=headers, **body) as answer:  # type: ignore[arg-type]
                content = _read_body(answer)
        except httpx.HTTPError as error:
            raise PlatformAway(f"{httpx.URL(request.url).host} does not answer: {_describe(error)}.") from None
        return _judge(answer, content)


def _read_body(answer: httpx.Response) -> bytes:
    """Raises PlatformRefused for a long answer, and PlatformAway for a slow one."""
    until, parts, size = time.monotonic() + TIMEOUT_SECONDS, list[bytes](), 0
    for part in answer.iter_raw():
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise PlatformRefused(f"{answer.request.headers['host']} sent more than {MAX_BYTES} bytes.")
        if time.monotonic() > until:
            raise PlatformAway(f"{answer.request.headers['host']} sent its answer too slowly.")
    return b"".join(parts)


def _judge(answer: httpx.Response, content: bytes) -> Answer:
    """Raises PlatformAway for what may work later, and PlatformRefused for any other failure."""
    status = answer.status_code
    said = f"{answer.request.headers['host']} answered {status}"
    if status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR:
        raise PlatformAway(f"{said}.", _read_pause(answer), stops_all=status == httpx.codes.TOO_MANY_REQUESTS)
    if answer.has_redirect_location:
        raise PlatformRefused(f"{said}, a redirect. Enter the address that it leads to.", status)
    if not answer.is_success:
        excerpt = printable(content.decode(errors="replace").strip(), MAX_EXCERPT)
        raise PlatformRefused(f"{said}: {excerpt}" if excerpt else f"{said}.", status)
    try:
        document = httpx.Response(200, content=content).json() if content.strip() else None
    except (ValueError, RecursionError):
        raise PlatformRefused(f"{said}, and not with JSON.", status) from None
    return Answer(document=document, next_url=answer.links.get("next", {}).get("url"))


def _read_pause(answer: httpx.Response) -> timedelta:
    text = answer.headers.get("retry-after", "")
    return timedelta(seconds=min(int(text), MAX_PAUSE_SECONDS)) if text.isdecimal() else timedelta(0)


def _describe(error: httpx.HTTPError) -> str:
    if isinstance(error, httpx.TimeoutException):
        return f"it took longer than {TIMEOUT_SECONDS:g} s"
    return printable(str(error), MAX_EXCERPT) or type(error).__name__


def origins_of(urls: Iterable[str]) -> list[str]:
    """Return the origins of addresses, each once, as a content policy names them."""
    parsed = [httpx.URL(url) for url in urls]
    return list(dict.fromkeys(f"{url.scheme}://{url.netloc.decode('ascii')}" for url in parsed))
