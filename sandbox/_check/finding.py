"""What was found out about a host, and the command that mends it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["fine", "weak", "optional", "missing"]
Part: TypeAlias = Literal["machine", "docker", "bubblewrap", "gpu", "service"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`level`: "fine" is there; "weak" works, and a wall is thinner; "optional" lacks, and these settings do without;
    "missing" lacks, and nothing is judged. `remedy`: a command, or what to do; may be empty.
    """

    part: Part
    name: str
    level: Level
    text: str
    remedy: str = ""


def examine(part: Part, look: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """All that `look` finds. A fault in it is a finding too, so that the rest of the host is still told about."""
    try:
        yield from look()
    except Exception as error:
        text = f"can't be examined ({type(error).__name__}: {error})"
        yield Finding(part=part, name=part, level="missing", text=text, remedy="report it: this is a fault of Allclose")


def needless(findings: Iterable[Finding]) -> list[Finding]:
    """The same, of a part that these settings do without."""
    return [replace(found, level="optional") if found.level == "missing" else found for found in findings]


def lacks(findings: Iterable[Finding]) -> bool:
    return any(found.level == "missing" for found in findings)
