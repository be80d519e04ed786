"""The API's operations as its OpenAPI document names them, each with the right that it needs."""

from dataclasses import dataclass
from typing import Any

from app.accounts.model import Role
from app.accounts.permission import RULES, Permission
from docs.generate.document import read_document

DOCUMENT = read_document()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`right` is None for an operation that needs no token; `is_open`: it also answers without one."""

    name: str
    method: str
    path: str
    right: Permission | None
    is_open: bool

    def __str__(self) -> str:
        return self.name

    def is_for(self, role: Role) -> bool:
        return self.right is None or role in RULES[self.right].roles


def read_operation(path: str, method: str, said: dict[str, Any]) -> Operation:
    security = said.get("security", [])
    scopes = [scope for way in security for scope in way.get("bearer", ())]
    assert len(scopes) == len([way for way in security if way]), f"{method} {path} names no right, or several"
    return Operation(
        name=str(said["operationId"]),
        method=method.upper(),
        path=path,
        right=Permission(scopes[0]) if scopes else None,
        is_open=not scopes or {} in security,
    )


OPERATIONS = [
    read_operation(path, method, said)
    for path, methods in DOCUMENT["paths"].items()
    for method, said in methods.items()
]
CLOSED = [operation for operation in OPERATIONS if operation.right is not None]
