"""Findings about a host, each with a command that fixes it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["fine", "weak", "optional", "missing"]
Part: TypeAlias = Literal["machine", "docker", "bubblewrap", "gpu", "service"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFinding:
    """One fact about the host. `remedy`: a command or an instruction; may be empty.

    `level`: "fine" works. "weak" works with less isolation. "optional" does not work, and these settings do not need
    it. "missing" does not work, and without it nothing can be judged.
    """

    part: Part
    name: str
    level: Level
    text: str
    remedy: str = ""


def examine(part: Part, look: Callable[[], Iterable[HostFinding]]) -> Iterator[HostFinding]:
    """Yield all that `look` finds. An exception in it becomes a finding, so that the other checks still run."""
    try:
        yield from look()
    except Exception as error:
        text = f"the check failed ({type(error).__name__}: {error})"
        yield HostFinding(
            part=part, name=part, level="missing", text=text, remedy="report this: it is a bug in Allclose"
        )


def needless(findings: Iterable[HostFinding]) -> list[HostFinding]:
    """Turn missing into optional, for a part that these settings do not need."""
    return [replace(found, level="optional") if found.level == "missing" else found for found in findings]


def lacks(findings: Iterable[HostFinding]) -> bool:
    return any(found.level == "missing" for found in findings)
