"""Watch calls of library functions while a solution runs, for requirements on calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.catalog.manifest import Manifest
from app.judging.requirements.forbids_calls import ForbidsCalls
from sandbox.guest.codec import Malformed, Tree, decode, encode
from sandbox.interface import CaseOutcome, Request

DRIVER = "from sandbox.guest.record import recording\nrun = recording({!r}, {!r})\n"
KEYS = {"answer", "calls", "forbidden"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """What the student's process saw. `counts`: by name. `forbidden`: the first line of the source that called each."""

    counts: Mapping[str, int] = field(default_factory=dict)
    forbidden: Mapping[str, int] = field(default_factory=dict)


NO_CALLS = Calls()


def is_recorded(manifest: Manifest) -> bool:
    return any(requirement.basis == "calls" for requirement in manifest.requirements)


def recorded(manifest: Manifest, request: Request) -> Request:
    """Return the request with calls watched if the problem needs it. `read_calls` splits its answers."""
    if not is_recorded(manifest):
        return request
    asked = [requirement for requirement in manifest.requirements if isinstance(requirement, ForbidsCalls)]
    patterns = sorted({pattern for requirement in asked for pattern in requirement.forbids_calls})
    return replace(request, driver=DRIVER.format(request.driver, patterns))


def read_calls(manifest: Manifest, answer: bytes) -> tuple[bytes, Calls]:
    """Return the solution's own answer and the calls. A malformed recording is returned unchanged and judged wrong."""
    if not is_recorded(manifest):
        return answer, NO_CALLS
    try:
        tree = decode(answer)
    except Malformed:
        return answer, NO_CALLS
    if not isinstance(tree, dict) or set(tree) != KEYS:
        return answer, NO_CALLS
    counts, forbidden = _numbers(tree["calls"]), _numbers(tree["forbidden"])
    if counts is None or forbidden is None:
        return answer, NO_CALLS
    return encode(tree["answer"]), Calls(counts=counts, forbidden=forbidden)


def _numbers(tree: Tree) -> dict[str, int] | None:
    if not isinstance(tree, dict):
        return None
    return {name: number for name, number in tree.items() if isinstance(name, str) and type(number) is int}


def read_outcome(manifest: Manifest, outcome: CaseOutcome) -> tuple[CaseOutcome, Calls]:
    """Apply `read_calls` to an outcome."""
    if outcome.answer is None:
        return outcome, NO_CALLS
    answer, calls = read_calls(manifest, outcome.answer)
    return replace(outcome, answer=answer), calls
