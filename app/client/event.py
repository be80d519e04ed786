"""Server-sent events, as the API sends them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event. `data` is JSON; the operation's description says of which object."""

    name: str
    data: str
    id: str | None = None


def read_events(lines: Iterable[str]) -> Iterator[Event]:
    """Parse events. An event without its final blank line is incomplete and dropped."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        elif "data" in fields:
            yield Event(name=fields.get("event", "message"), data=fields["data"], id=fields.get("id"))
            fields = {}
