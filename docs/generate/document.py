"""The OpenAPI document of this version of Allclose, and its operations."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.accounts.permission import Permission
from app.api.openapi import build_openapi
from app.database.engine import Database
from app.settings import Settings
from app.web_process import create_app

Document = dict[str, Any]
JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of the API. `spec` is its object in the document."""

    method: str
    path: str
    spec: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.spec["operationId"])

    @property
    def tag(self) -> str:
        return str(self.spec["tags"][0])

    @property
    def permission(self) -> Permission | None:
        scopes = [scope for way in self.spec.get("security", ()) for scope in way.get("bearer", ())]
        return Permission(scopes[0]) if scopes else None

    @property
    def is_open(self) -> bool:
        """Whether it also answers without a token."""
        security = self.spec.get("security", ())
        return not security or {} in security

    @property
    def body(self) -> dict[str, Any]:
        """The request's body by media type."""
        content: dict[str, Any] = self.spec.get("requestBody", {}).get("content", {})
        return content

    @property
    def status(self) -> str:
        """The status of the successful answer."""
        return next(str(status) for status in self.spec["responses"] if status < "300")

    @property
    def answer(self) -> dict[str, Any]:
        """The successful answer by media type; empty where it has no body."""
        content: dict[str, Any] = self.spec["responses"][self.status].get("content", {})
        return content

    @property
    def headers(self) -> dict[str, Any]:
        """The headers that are particular to the successful answer."""
        headers: dict[str, Any] = self.spec["responses"][self.status].get("headers", {})
        return {name: header for name, header in headers.items() if name != "ETag" and "$ref" not in header}

    @property
    def errors(self) -> list[int]:
        return [int(status) for status in self.spec["responses"] if status >= "400"]

    def parameters(self, place: str) -> list[dict[str, Any]]:
        return [each for each in self.spec.get("parameters", ()) if each["in"] == place]


@cache
def read_document() -> Document:
    """Return the document, built once. Nothing connects to the database."""
    return build_openapi(create_app(Settings(), Database("postgresql+psycopg://nowhere.invalid/nothing")))


def list_operations(document: Document, tag: str | None = None) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        for method, spec in methods.items():
            operation = Operation(method.upper(), path, spec)
            if tag in (None, operation.tag):
                yield operation


def model_of(schema: dict[str, Any]) -> str:
    """Return the name of the model that the schema refers to."""
    return str(schema["$ref"]).rpartition("/")[2]
