"""Refuses unknown query parameters. A misspelt filter would otherwise be ignored and let everything through."""

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice

from fastapi import Request
from fastapi.dependencies.models import Dependant
from pydantic import BaseModel

from app.errors import Invalid, all_of
from app.validation import MAX_LENGTH_SHOWN

# Comparing every unknown name with the known ones would take longer than the call itself.
MAX_NAMED = 5


async def refuse_unknown_names(request: Request) -> None:
    """A dependency of the REST API. It is async because a thread would cost more than the work. Raises Invalid."""
    if request.query_params:
        known = sorted(set(_list_names(request.scope["route"].dependant)))
        unknown = (name for name in request.query_params if name not in known)
        if found := [_unknown(name, known) for name in islice(unknown, MAX_NAMED)]:
            raise all_of(found)


def _list_names(dependant: Dependant) -> Iterator[str]:
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (info.alias or name for name, info in kind.model_fields.items())
        else:
            yield field.alias
    for each in dependant.dependencies:
        yield from _list_names(each)


def _unknown(name: str, known: list[str]) -> Invalid:
    shown = name if len(name) <= MAX_LENGTH_SHOWN else name[:MAX_LENGTH_SHOWN] + "…"
    if not known:
        return Invalid(shown, f"Unknown query parameter {shown!r}. This call has no query parameters.")
    nearest = get_close_matches(name[:MAX_LENGTH_SHOWN], known, n=1)
    guess = f" Did you mean {nearest[0]}?" if nearest else ""
    return Invalid(shown, f"Unknown query parameter {shown!r}.{guess} Allowed: {', '.join(known)}.")
