"""Server-sent events, as far as the API sends them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """`data` is JSON of the object that the call's description names."""

    name: str
    data: str
    id: str | None = None


def read_events(lines: Iterable[str]) -> Iterator[Event]:
    """One that broke off before its blank line is none."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        elif "data" in fields:
            yield Event(name=fields.get("event", "message"), data=fields["data"], id=fields.get("id"))
            fields = {}
