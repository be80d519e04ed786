"""The API's operations as its OpenAPI document names them, each with the permission that it needs."""

from dataclasses import dataclass
from typing import Any

from app.accounts.model import Role
from app.accounts.permission import RULES, Permission
from app.api.openapi import build_openapi
from app.database.engine import Database
from app.settings import Settings
from app.web_process import create_app

DOCUMENT = build_openapi(create_app(Settings(), Database("postgresql+psycopg://nowhere.invalid/nothing")))
JSON = "application/json"


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One call of the API. `spec` is its object in the document."""

    method: str
    path: str
    spec: dict[str, Any]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return str(self.spec["operationId"])

    @property
    def tag(self) -> str:
        return str(self.spec["tags"][0])

    @property
    def right(self) -> Permission | None:
        """The permission that it needs; None where it needs no token."""
        scopes = [scope for way in self.spec.get("security", ()) for scope in way.get("bearer", ())]
        ways = [way for way in self.spec.get("security", ()) if way]
        assert len(scopes) == len(ways), f"{self.method} {self.path} names no right, or several"
        return Permission(scopes[0]) if scopes else None

    @property
    def is_open(self) -> bool:
        """Whether it also answers without a token."""
        return self.right is None or {} in self.spec["security"]

    def is_for(self, role: Role) -> bool:
        return self.right is None or role in RULES[self.right].roles

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
        headers: dict[str, Any] = self.spec["responses"][self.status].get("headers", {})
        return headers

    def parameters(self, place: str) -> list[dict[str, Any]]:
        return [each for each in self.spec.get("parameters", ()) if each["in"] == place]


OPERATIONS = [
    Operation(method.upper(), path, spec)
    for path, methods in DOCUMENT["paths"].items()
    for method, spec in methods.items()
]
CLOSED = [operation for operation in OPERATIONS if operation.right is not None]
