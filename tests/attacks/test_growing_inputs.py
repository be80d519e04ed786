"""The work for a request grows at most as its input: for each parameter of each route, and for several kinds of text.

The routes and their parameters come from the application, so a new parameter is covered at once. Work is counted and
not timed: calls of functions, SQL statements, and bytes of the answer. With `-m whole -s`, the test prints the rows of
docs/reliability.md.
"""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.params import Form
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter
from sqlalchemy import event

from app.database.engine import Database
from app.settings import Settings
from app.web.visit import COOKIE
from tests.application import open_application
from tests.catalog.packages import FILES
from tests.catalog.test_archive import packed
from tests.factories import make_user
from tests.large.address import fill_in
from tests.large.fill import fill, sign_in_as

FACTOR = 16
IN_HEAD, IN_BODY = 768, 12_000  # the characters of the smaller text; the larger one is below the limit
MOST_STATEMENTS = 60  # of any request, whatever its size
LEAST_BYTES = 1_000  # a shorter answer may become an error message
# Every 11th input in turn is sent, so that each place gets one of the texts, or two; the quick run sends a few.
EVERY, QUICK_EVERY = 11, 500
LEFT_OUT = re.compile(r"/events$|/oidc|^/account/identities$")  # they never end, or ask another server
TEXTS = ("a", "x = 1\n", "f(x, ", "[{(", "ab cd ", "- - ", "**a_ `$", "/a\\", "9", "\"a',", "k: 1, ", "%é\u202e<&")


@dataclass(frozen=True, slots=True, eq=False)
class GrowingInput:
    """A place of a request where a text grows. `usual`: the other fields of the body."""

    method: str
    path: str
    place: str
    name: str
    text: str
    usual: Mapping[str, Any] = field(repr=False)
    is_form: bool

    def __str__(self) -> str:
        return f"`{self.method} {self.path}`, {self.place} {self.name}: `{self.text!r}`"

    def request(self, client: TestClient, url: str, factor: int) -> Callable[[], httpx.Response]:
        characters = factor * (IN_HEAD if self.place in ("path", "query", "header") else IN_BODY)
        text = (self.text * characters)[:characters]
        short = quote(text, safe="")[:characters].rstrip("%")
        target, body, more = url, dict(self.usual), dict[str, Any]()
        if self.place == "path":
            target = re.sub(r"{[^}]*}", "1", re.sub(rf"{{{self.name}[^}}]*}}", short, self.path))
        elif self.place == "query":
            target = f"{url}?{self.name}={short}"
        elif self.place == "header":
            more = {"headers": {self.name: short}}
        elif self.place == "file":
            more = {"content": packed({**FILES, self.name: text}.items())}
        elif self.place == "body":
            more = {"content": text.encode()}
        else:
            body[self.name] = text if self.place == "field" else text.split(" ") if " " in text else list(text)
        if body and "content" not in more:
            more["data" if self.is_form else "json"] = body
        return partial(client.request, self.method, target, **more)


class Work(NamedTuple):
    calls: int
    statements: int
    answer_bytes: int


class Meter:
    """Measures the work of one request at a time."""

    calls = statements = 0

    def count_call(self, _frame: FrameType, what: str, _: object) -> None:
        self.calls += what in ("call", "c_call")

    def count_statement(self, *_: object) -> None:
        self.statements += 1

    def measure(self, send: Callable[[], httpx.Response]) -> Work:
        self.calls = self.statements = 0
        answer = send()
        assert answer.status_code < 500, answer.text
        return Work(self.calls, self.statements, len(answer.content))


@contextmanager
def counting(database: Database) -> Iterator[Meter]:
    """Count the calls in the threads that start in this block, and the database's statements."""
    meter = Meter()
    event.listen(database.engine, "before_cursor_execute", meter.count_statement)
    threading.setprofile(meter.count_call)
    yield meter
    threading.setprofile(None)


def list_inputs(app: FastAPI) -> Iterator[GrowingInput]:
    for context in iter_route_contexts(app.routes):
        dependant = getattr(context.original_route, "dependant", None)
        assert isinstance(dependant, Dependant), f"{context.path} is no route of FastAPI: its inputs are unknown"
        path, parts = context.path or "", list(list_parts(dependant))
        fields = dict(pair for part in parts for pair in list_fields(part.body_params))
        usual = {name: value for name, kind in fields.items() if (value := make_value(name, kind)) is not None}
        is_form = any(isinstance(each.field_info, Form) for part in parts for each in part.body_params)
        if not LEFT_OUT.search(path):
            for method in sorted(context.methods or ()):
                for place, name in list_places(method, path, parts):
                    yield from (GrowingInput(method, path, place, name, text, usual, is_form) for text in TEXTS)


def list_places(method: str, path: str, parts: list[Dependant]) -> Iterator[tuple[str, str]]:
    """Yield each place of a request where a text can grow, and its name."""
    yield from (("path", name) for name in re.findall(r"{(\w+)", path))
    yield from (("query", name) for part in parts for name, _ in list_fields(part.query_params))
    yield from (("header", each.alias) for part in parts for each in part.header_params)
    yield from (("query", "unknown"), ("header", "User-Agent"))
    if method != "GET":
        yield "body", "whole"
        for name, _ in (pair for part in parts for pair in list_fields(part.body_params)):
            yield from (("field", name), ("items", name))
    if (method, path) == ("PUT", "/api/v1/problems/{slug}"):
        yield from (("file", name) for name in ("problem.yaml", "statement.md", "reference.py"))


def list_parts(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from list_parts(each)


def list_fields(parameters: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the name and the type of each parameter, and of the fields of those that are models."""
    for each in parameters:
        kind = each.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from ((info.alias or name, info.annotation) for name, info in kind.model_fields.items())
        else:
            yield each.alias, kind


def make_value(name: str, kind: Any) -> Any:
    """Return a value of the type; None leaves the field out."""
    schema = TypeAdapter(kind).json_schema()
    schema = next((each for each in schema.get("anyOf", ()) if each.get("type") != "null"), schema)
    values = {"string": f"{name} 1", "integer": schema.get("minimum", 1), "boolean": True}
    return schema["enum"][0] if "enum" in schema else values.get(schema.get("type", ""))


def sign_in(client: TestClient, database: Database, path: str, number: int) -> str:
    """Sign in as a new admin, since a request may erase an account. Return the path with identifiers of rows."""
    with database.transaction() as session:
        make_user(session, f"user-new-{number}", role="admin")
        who = sign_in_as(session, f"user-new-{number}")
        client.headers.update({"Authorization": f"Bearer {who.token}", "Cookie": f"{COOKIE}={who.cookie}"})
        return fill_in(session, path, who.username)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("every", [QUICK_EVERY, pytest.param(EVERY, marks=pytest.mark.whole)])
def test_no_input_costs_more_than_in_proportion_to_its_size(database: Database, settings: Settings, every: int) -> None:
    fill(database, 1000)
    app, costs = open_application(settings, database), dict[GrowingInput, tuple[Work, Work]]()
    with counting(database) as meter, TestClient(app, follow_redirects=False) as client:
        for number, each in enumerate(list(list_inputs(app))[::every]):
            url = sign_in(client, database, each.path, number)
            costs[each] = meter.measure(each.request(client, url, 1)), meter.measure(each.request(client, url, FACTOR))
    dearest: dict[str, tuple[int, str]] = {}
    for each, (_, large) in costs.items():
        row = f"| {each} | {large.calls:,} | {large.statements} | {large.answer_bytes:,} |"
        dearest[each.path] = max((large.calls, row), dearest.get(each.path, (0, "")))
    print(*(row for _, row in sorted(dearest.values(), reverse=True)[:10]), sep="\n")
    assert "\n".join(f"{each}: {work}" for each, work in costs.items() if grows_too_much(*work)) == ""


def grows_too_much(small: Work, large: Work) -> bool:
    many_calls = large.calls > FACTOR * small.calls
    many_bytes = large.answer_bytes > FACTOR * max(small.answer_bytes, LEAST_BYTES)
    return many_calls or many_bytes or large.statements > MOST_STATEMENTS
