"""Steps and queries that each have a transaction of their own, as in a request or a worker."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Executable, Select
from sqlalchemy.orm import Session

from app.database.engine import Database

Given = ParamSpec("Given")
Result = TypeVar("Result")


def commit(
    database: Database, step: Callable[Concatenate[Session, Given], Result], *given: Given.args, **named: Given.kwargs
) -> Result:
    with database.transaction() as session:
        return step(session, *given, **named)


def execute(database: Database, statement: Executable) -> None:
    with database.transaction() as session:
        session.execute(statement)


def fetch_one(database: Database, query: Select[Result]) -> Result:
    with database.transaction() as session:
        return session.scalars(query).one()


def fetch_all(database: Database, query: Select[Result]) -> list[Result]:
    with database.transaction() as session:
        return list(session.scalars(query))
