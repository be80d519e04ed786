"""The inputs of every route that can grow, as requests of a chosen size.

The routes and their parameters come from the application, so a new route is in the plan at once. A parameter with a new
name is an error until FIELDS or PATH_PARAMETERS says what it gets.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.params import Form
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel

from app.api.body_limit import MAX_BODY_BYTES, MAX_FORM_BYTES, MAX_UNKNOWN_BYTES
from app.catalog import source, yaml_document
from app.catalog.archive import MAX_UPLOAD_BYTES
from app.catalog.folder import MAX_FILE_BYTES
from app.cli.server import MAX_HEAD_BYTES
from benchmarks import growing_text as grown
from benchmarks.growing_text import Make
from tests.large.fill import PROBLEM_SLUG

FACTOR = 8
LEAST_BYTES = 512
PASSWORD = "copper lantern meadow 7"
JSON_TYPE, FORM_TYPE = "application/json", "application/x-www-form-urlencoded"
T = TypeVar("T")
# A body that the server does not read.
ANY_TYPE = "text/plain"

# Routes that are left out, and the reasons.
LEFT_OUT = {
    "GET /sign-in/oidc": "asks another server",
    "GET /sign-in/oidc/callback": "asks another server",
    "POST /account/identities": "asks another server",
}


class UnknownInput(Exception):
    """The plan does not know a parameter. The message says what to add."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A request to send. `is_visitor`: without the session and the token of the admin who asks."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_visitor: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    method: str
    path: str
    dependant: Dependant = field(repr=False)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """An input of a route. `build` takes the route's address and a size in characters. `most_bytes` is its limit."""

    route: Route
    what: str
    most_bytes: int
    build: Callable[[str, int], Wire] = field(repr=False)

    def list_sizes(self) -> list[int]:
        """Return sizes that grow by FACTOR up to nearly the limit, since that costs most, and one beyond it."""
        sizes = [self.most_bytes * 15 // 16]
        while sizes[0] >= LEAST_BYTES * FACTOR:
            sizes.insert(0, sizes[0] // FACTOR)
        return [*sizes, self.most_bytes * 9 // 8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What a parameter of this name gets. `usual` is its value while others grow; None leaves it out.

    `items` is an item of a list that grows.
    """

    usual: Any = None
    kinds: Mapping[str, Make] = field(default_factory=lambda: grown.LETTERS)
    items: Any = None


_new_names = count(1)
_TEXT = Field(kinds=grown.PLAIN)
_WORDS = Field(kinds=grown.WORDS)
_NUMBER = Field(kinds=grown.DIGITS)
_CHOICE = Field()
_PASSWORD = Field(usual=PASSWORD, kinds=grown.NAMES)
_PATH = Field(kinds=grown.PATHS)
_MOMENT = Field(kinds=grown.MOMENTS)

FIELDS: dict[str, Field] = {
    # accounts
    "username": Field(usual=lambda: f"grown-{next(_new_names)}", kinds=grown.NAMES),
    "account": Field(usual="nothing-like-it", kinds=grown.NAMES),
    **dict.fromkeys(("password", "current", "new", "email_password", "token_password"), _PASSWORD),
    "erase_username": Field(usual="nothing-like-it", kinds=grown.NAMES),
    "erase_password": Field(usual="wrong", kinds=grown.NAMES),
    "email": Field(kinds=grown.ADDRESSES),
    "invitation": _TEXT,
    "name": Field(usual="laptop", kinds=grown.PLAIN),
    "token_name": Field(usual="laptop", kinds=grown.PLAIN),
    "scopes": Field(kinds=grown.LETTERS, items="read"),
    "note": _TEXT,
    "role": Field(usual="student"),
    "issuer": _TEXT,
    **dict.fromkeys(("next", "after", "file"), _PATH),
    **dict.fromkeys(
        ("days", "expires_in_days", "number", "limit", "wait", "live", "progress", "line", "revision"), _NUMBER
    ),
    **dict.fromkeys(("maxwidth", "maxheight"), _NUMBER),
    **dict.fromkeys(("is_active", "is_ranked", "everything", "sure", "seen", "done", "saved", "act"), _CHOICE),
    # the catalogue and lessons
    "q": _WORDS,
    **dict.fromkeys(("tag", "difficulty", "track", "framework", "state", "by", "order", "view", "only"), _CHOICE),
    "bookmarked": _CHOICE,
    "cursor": Field(kinds=grown.CURSORS),
    **dict.fromkeys(("question", "choice"), Field(usual=0, kinds=grown.DIGITS)),
    **dict.fromkeys(("show_me", "completed"), Field(usual=True)),
    "availability": Field(usual="listed", kinds=grown.PLAIN),
    # shared solutions, discussions and notes
    "text": Field(usual="a note", kinds=grown.PLAIN),
    "url": Field(usual=f"http://127.0.0.1/problems/{PROBLEM_SLUG}", kinds=grown.PLAIN),
    **dict.fromkeys(("title", "reason"), Field(usual="a question", kinds=grown.PLAIN)),
    "body": Field(usual=lambda: f"text {next(_new_names)}", kinds=grown.PLAIN),
    "decision": Field(usual="dismiss"),
    **dict.fromkeys(("is_spoiler", "is_shared"), _CHOICE),
    # submissions
    "source": Field(usual=f"def {PROBLEM_SLUG}(): ...\n", kinds=grown.PYTHON),
    "inputs": Field(kinds=grown.YAML),
    "ids": Field(kinds=grown.LETTERS, items="00000000-0000-0000-0000-000000000000"),
    "mode": Field(usual="sample"),
    "attempt": Field(usual=lambda: f"attempt-{next(_new_names)}"),
    **dict.fromkeys(("old", "from", "base", "submission", "verification"), _CHOICE),
    "pick": Field(items="00000000-0000-0000-0000-000000000000"),
    **dict.fromkeys(("problem", "user", "digest", "cause", "kind", "actor", "about", "target"), _TEXT),
    **dict.fromkeys(("verdict", "action", "channel", "format", "everyone", "only_changed"), _CHOICE),
    **dict.fromkeys(("since", "until"), _MOMENT),
    # administration
    "chosen": Field(usual={"user": "user-1"}, items="00000000-0000-0000-0000-000000000000"),
    "criteria": Field(usual='{"user": "user-1"}', kinds=grown.JSON),
    "onto": Field(usual="own"),
    "value": _TEXT,
    "announcement": _TEXT,
    **dict.fromkeys(
        (
            "sign_up",
            "discussions",
            "shared_solutions",
            "visitor_runs",
            "first_steps",
            "publish",
            "replace",
            "confirm_removal",
        ),
        _CHOICE,
    ),
    **dict.fromkeys(
        ("max_pending", "requests_per_minute", "judging_seconds_per_hour", "submissions_per_hour"), _NUMBER
    ),
    **dict.fromkeys(("submitted_mib_per_hour", "max_queue_minutes"), _NUMBER),
    **dict.fromkeys(("keep_submissions_days", "keep_verifications_days", "keep_ended_days"), _NUMBER),
    # headers
    "Idempotency-Key": Field(usual=lambda: f"key-{next(_new_names)}"),
    **dict.fromkeys(
        ("If-Match", "If-None-Match"), Field(kinds={"letters": grown.repeat("a"), "tags": grown.repeat('"a",')})
    ),
    "Last-Event-ID": _NUMBER,
}
# The values of path parameters stand in tests/large/address.py. Each parameter also grows.
# Fields that must stay wrong, or the request would end the account that asks.
WRONG = {"DELETE /api/v1/me": {"password": "wrong"}}
# Parameters that these routes read from the request themselves.
READ_BY_HAND = {"GET /admin/rejudgings/new": ("problem", "user", "cause", "since", "revision")}
# Routes that read an archive, YAML or a form with files from the request.
PACKAGES = {"PUT /api/v1/problems/{slug}"}
PACKAGE_FORMS = {"POST /author/edit", "POST /author/upload", "POST /author/check"}
# Of these, the routes that get files of growing text. /author/check does a part of what /author/edit does with them.
READ_FILES = {"PUT /api/v1/problems/{slug}", "POST /author/edit"}
# Routes whose bodies are also of kinds that only a parser sees. Elsewhere they are of IN_BODIES.
PARSERS = {"POST /sign-in", "POST /problems/{slug}/note", "PUT /api/v1/problems/{slug}/note", "POST /api/v1/tokens"}
# What is left of a parsed body for the route's model.
IN_BODIES = {"fields", "same field", "list", "objects", "keys", "parts"}
# Headers that the application or its server reads at any route. `parts` grows in number.
HEADERS: dict[str, Mapping[str, Make]] = {
    "Cookie": {"cookies": grown.number_lines("c%d=1; "), "one": grown.repeat("a", "allclose_session=")},
    "Authorization": {"letters": grown.repeat("a", "Bearer alc_"), "spaces": grown.repeat(" ", "Bearer", "a")},
    "User-Agent": {"letters": grown.repeat("a"), "browsers": grown.repeat("Edg Chrome/ Firefo")},
    "Accept-Language": {"languages": grown.repeat("de-DE;q=0.5,"), "dashes": grown.repeat("a-")},
    "Accept": {"types": grown.repeat("text/html;q=0.1,")},
    "Accept-Encoding": {"encodings": grown.repeat("gzip;q=0,")},
    "Origin": {"letters": grown.repeat("a", "http://"), "brackets": grown.repeat("[", "http://")},
    "Referer": {"slashes": grown.repeat("/", "http://a")},
    "X-Request-ID": {"letters": grown.repeat("a")},
    "X-Forwarded-For": {"addresses": grown.repeat("10.0.0.1, ")},
    "If-None-Match": {"tags": grown.repeat('"a",')},
    "Range": {"ranges": grown.repeat("0-1,", "bytes=")},
}
# A page, a list, a file, and what monitoring asks for.
HEADERS_AT = ("GET /problems", "GET /api/v1/problems", "GET /healthz", "GET /static/{name:path}", "POST /sign-in")


def list_routes(app: FastAPI) -> list[Route]:
    routes = []
    for context in iter_route_contexts(app.routes):
        dependant = getattr(context.original_route, "dependant", None)
        if not isinstance(dependant, Dependant):
            raise UnknownInput(
                f"{context.path} is not a route of FastAPI: benchmarks/input_plan.py can't list its inputs"
            )
        path = context.path or ""
        routes += [Route(method=each, path=path, dependant=dependant) for each in sorted(context.methods or ())]
    return routes


def list_probes(route: Route) -> list[Probe]:
    """Return the inputs of a route. Raises UnknownInput."""
    return [] if str(route) in LEFT_OUT else [*_heads(route), *_bodies(route)]


def _heads(route: Route) -> Iterator[Probe]:
    """Yield the inputs in the address and the headers."""

    def probe(what: str, build: Callable[[str, int], Wire]) -> Probe:
        return Probe(route=route, what=what, most_bytes=MAX_HEAD_BYTES, build=build)

    usual = _usual_body(route)
    for name in re.findall(r"\{(\w+)", route.path):
        for kind, make in {"letters": grown.repeat("a"), "escapes": grown.repeat("%C3%A9")}.items():
            yield probe(f"path {name}: {kind}", _with_path(route, name, make))
    for kind, make in {"names": grown.number_lines("k%d=1&"), "empty": grown.repeat("&")}.items():
        yield probe(f"query: {kind}", _with_query(route, make, usual))
    names = [*_names(route.dependant, "query_params"), *READ_BY_HAND.get(str(route), ())]
    for name in dict.fromkeys(names):
        known = _find(route, name)
        for kind, make in known.kinds.items():
            yield probe(f"query {name}: {kind}", _with_parameter(route, name, make, usual))
        if known.items is not None:
            item = f"{name}={quote_plus(str(known.items))}&"
            yield probe(f"query {name}: items", _with_query(route, grown.repeat(item), usual))
    headers = {name: _find(route, name).kinds for name in _names(route.dependant, "header_params")}
    for name, kinds in {**headers, **(HEADERS if str(route) in HEADERS_AT else {})}.items():
        for kind, make in kinds.items():
            yield probe(f"header {name}: {kind}", _with_header(route, name, make, usual))
    yield probe("headers: number", _with_many_headers(route, usual))


def _bodies(route: Route) -> Iterator[Probe]:
    """Yield the inputs in the body."""
    if route.method == "GET":
        return

    def probe(what: str, build: Callable[[str, int], Wire], most_bytes: int = MAX_BODY_BYTES) -> Probe:
        return Probe(route=route, what=what, most_bytes=most_bytes, build=build)

    def send(make: Make, kind: str, *, is_visitor: bool = False) -> Callable[[str, int], Wire]:
        def build(url: str, size: int) -> Wire:
            body = make(size).encode(errors="replace")
            return Wire(
                method=route.method, target=url, headers={"Content-Type": kind}, body=body, is_visitor=is_visitor
            )

        return build

    if str(route) in PACKAGES | PACKAGE_FORMS:
        yield from _packages(route)
        return
    names, is_form = [*_names(route.dependant, "body_params")], _is_form(route)
    media = FORM_TYPE if is_form else JSON_TYPE if names else ANY_TYPE
    visitor = f"body without signing in: {'fields' if is_form else 'letters'}"
    yield probe(
        visitor,
        send((grown.FORMS["fields"] if is_form else grown.repeat("a")), media, is_visitor=True),
        MAX_UNKNOWN_BYTES,
    )
    if not names:
        yield probe("body: letters", send(grown.repeat("a"), media))
        return
    is_read = IN_BODIES.__contains__ if str(route) not in PARSERS else lambda _: True
    for kind in filter(is_read, bodies := grown.FORMS if is_form else grown.JSON):
        yield probe(f"body: {kind}", send(bodies[kind], media))
    for kind in filter(is_read, grown.PARTS if is_form else ()):
        yield probe(f"body parts: {kind}", send(_closed(grown.PARTS[kind]), grown.MULTIPART))
    for name in dict.fromkeys(names):
        known = _find(route, name)
        for kind, make in known.kinds.items():
            yield probe(f"{name}: {kind}", _with_field(route, name, make))
        if known.items is not None:
            yield probe(f"{name}: items", _with_items(route, name, known.items))


def _packages(route: Route) -> Iterator[Probe]:
    is_form = str(route) in PACKAGE_FORMS
    most = MAX_FORM_BYTES if is_form else MAX_UPLOAD_BYTES

    def probe(what: str, make: Callable[[int], bytes], kind: str, most_bytes: int = most) -> Probe:
        def build(url: str, size: int) -> Wire:
            return Wire(method=route.method, target=url, headers={"Content-Type": kind}, body=make(size))

        return Probe(route=route, what=what, most_bytes=most_bytes, build=build)

    def put(make: Make, path: str) -> Callable[[int], bytes]:
        wrap = grown.pack_form if is_form else grown.pack
        return lambda size: wrap(grown.package_files(path, make(size)))

    media = grown.MULTIPART if is_form else "application/zip"
    if str(route) in READ_FILES:
        texts = (
            ("problem.yaml", grown.YAML, yaml_document.MAX_CHARACTERS),
            ("statement.md", grown.MARKDOWN, MAX_FILE_BYTES),
            ("reference.py", grown.PYTHON, source.MAX_CHARACTERS),
        )
        for path, kinds, most_characters in texts:
            for kind, make in kinds.items():
                yield probe(f"{path}: {kind}", put(make, path), media, most_characters)
        for what, files in _MANY_FILES.items():
            yield probe(f"files: {what}", _chain(files, grown.pack_form if is_form else grown.pack), media)
    if is_form:
        for kind, make in grown.PARTS.items():
            yield probe(f"body parts: {kind}", _chain(_closed(make), str.encode), grown.MULTIPART)
    if not is_form or str(route) == "POST /author/upload":
        for kind, pack in grown.ARCHIVES.items():
            yield probe(f"archive: {kind}", _chain(pack, grown.pack_upload) if is_form else pack, media)


_MANY_FILES: dict[str, Callable[[int], dict[str, str]]] = {
    "number": lambda size: {f"f{number}.py": "x = 1\n" for number in range(size // 100)},
    "whole size": lambda size: {
        f"f{number}.py": "x = 1\n" * (min(size, 240_000) // 6) for number in range(max(1, size // 240_000))
    },
    "submissions": lambda size: {
        **grown.REFUSED,
        **{f"submissions/accepted/s{number}.py": "x = 1\n" for number in range(size // 100)},
    },
    "long paths": lambda size: {"p" * size + ".py": ""},
}


def _chain(make: Callable[[int], T], wrap: Callable[[T], bytes]) -> Callable[[int], bytes]:
    return lambda size: wrap(make(size))


def _closed(make: Make) -> Make:
    return lambda size: make(size) + "\r\n--b--\r\n"


def _with_path(route: Route, name: str, make: Make) -> Callable[[str, int], Wire]:
    def build(_url: str, size: int) -> Wire:
        # The other parameters are any text: the long one is read first, or none is.
        target = re.sub(rf"\{{{name}[^}}]*\}}", lambda _: make(size), route.path)
        return _usual(route, re.sub(r"\{[^}]*\}", "1", target))

    return build


def _with_query(route: Route, make: Make, usual: Callable[[], tuple[str, bytes]]) -> Callable[[str, int], Wire]:
    return lambda url, size: _usual(route, f"{url}?{make(size)}", usual)


def _with_parameter(
    route: Route, name: str, make: Make, usual: Callable[[], tuple[str, bytes]]
) -> Callable[[str, int], Wire]:
    return lambda url, size: _usual(route, f"{url}?{name}={_cut(make, size)}", usual)


def _cut(make: Make, size: int) -> str:
    """Return an escaped text that takes `size` bytes in an address."""
    return quote(make(size)[:size], safe="")[:size].rstrip("%")


def _with_header(
    route: Route, name: str, make: Make, usual: Callable[[], tuple[str, bytes]]
) -> Callable[[str, int], Wire]:
    return lambda url, size: _usual(route, url, usual, {name: make(size).strip()})


def _with_many_headers(route: Route, usual: Callable[[], tuple[str, bytes]]) -> Callable[[str, int], Wire]:
    return lambda url, size: _usual(route, url, usual, {f"X-{number}": "1" for number in range(size // 10)})


def _usual(
    route: Route,
    target: str,
    body: Callable[[], tuple[str, bytes]] = lambda: (ANY_TYPE, b""),
    headers: Mapping[str, str] | None = None,
) -> Wire:
    media, content = body()
    typed = {"Content-Type": media} if content else {}
    return Wire(method=route.method, target=target, headers={**typed, **(headers or {})}, body=content)


def _with_field(route: Route, name: str, make: Make) -> Callable[[str, int], Wire]:
    return lambda url, size: _filled(route, url, {name: make(size)})


def _with_items(route: Route, name: str, item: object) -> Callable[[str, int], Wire]:
    def build(url: str, size: int) -> Wire:
        items = [item] * max(1, size // (len(str(item)) + 4))
        return _filled(route, url, {name: {"ids": items} if name == "chosen" else items})

    return build


def _filled(route: Route, url: str, values: Mapping[str, Any]) -> Wire:
    media, body = _encode(route, {**_usual_values(route), **values})
    return Wire(method=route.method, target=url, headers={"Content-Type": media}, body=body)


def _usual_body(route: Route) -> Callable[[], tuple[str, bytes]]:
    return lambda: _encode(route, _usual_values(route))


def _usual_values(route: Route) -> dict[str, Any]:
    values = {name: _find(route, name).usual for name in _names(route.dependant, "body_params")}
    chosen = {name: value() if callable(value) else value for name, value in values.items() if value is not None}
    return chosen | WRONG.get(str(route), {})


def _encode(route: Route, values: Mapping[str, Any]) -> tuple[str, bytes]:
    if not values:
        return ANY_TYPE, b""
    if not _is_form(route):
        return JSON_TYPE, json.dumps(values).encode()
    pairs = [(name, each) for name, value in values.items() for each in (value if isinstance(value, list) else [value])]
    encoded = (f"{name}={quote_plus(str(value), errors='replace')}" for name, value in pairs)
    return FORM_TYPE, "&".join(encoded).encode()


def _is_form(route: Route) -> bool:
    return any(isinstance(each.field_info, Form) for part in _parts(route.dependant) for each in part.body_params)


def _parts(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from _parts(each)


def _names(dependant: Dependant, where: str) -> Iterator[str]:
    """Yield the names of the parameters, and of the fields of those that are models."""
    for part in _parts(dependant):
        for each in getattr(part, where):
            kind = each.field_info.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from (info.alias or name for name, info in kind.model_fields.items())
            else:
                yield each.alias


def _find(route: Route, name: str) -> Field:
    if name not in FIELDS:
        raise UnknownInput(
            f"{route} has the parameter {name!r}: say in FIELDS of benchmarks/input_plan.py which texts it gets"
        )
    return FIELDS[name]


def find_unread(routes: Sequence[Route]) -> list[str]:
    """Return the names in LEFT_OUT, PACKAGES and the other tables that no route has."""
    known = {str(route) for route in routes}
    named = {*LEFT_OUT, *WRONG, *READ_BY_HAND, *PACKAGES, *PACKAGE_FORMS, *PARSERS, *HEADERS_AT}
    return sorted(named - known)
