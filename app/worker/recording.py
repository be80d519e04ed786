"""Count calls of library functions while a solution runs, for requirements on calls."""

from collections.abc import Mapping
from dataclasses import replace

from app.catalog.manifest import Manifest
from sandbox.guest.codec import Malformed, decode, encode
from sandbox.interface import CaseOutcome, Request

DRIVER = "from sandbox.guest.record import recording\nrun = recording({!r})\n"

Calls = Mapping[str, int]
NO_CALLS: Calls = {}


def is_recorded(manifest: Manifest) -> bool:
    return any(requirement.basis == "calls" for requirement in manifest.requirements)


def recorded(manifest: Manifest, request: Request) -> Request:
    """Return the request with calls counted if the problem needs it. `read_calls` splits its answers."""
    return replace(request, driver=DRIVER.format(request.driver)) if is_recorded(manifest) else request


def read_calls(manifest: Manifest, answer: bytes) -> tuple[bytes, Calls]:
    """Return the solution's own answer and the counts. A malformed recording is returned unchanged and judged wrong."""
    if not is_recorded(manifest):
        return answer, NO_CALLS
    try:
        tree = decode(answer)
    except Malformed:
        return answer, NO_CALLS
    if not isinstance(tree, dict) or set(tree) != {"answer", "calls"} or not isinstance(tree["calls"], dict):
        return answer, NO_CALLS
    counts = {name: count for name, count in tree["calls"].items() if isinstance(name, str) and type(count) is int}
    return encode(tree["answer"]), counts


def read_outcome(manifest: Manifest, outcome: CaseOutcome) -> tuple[CaseOutcome, Calls]:
    """Apply `read_calls` to an outcome."""
    if outcome.answer is None:
        return outcome, NO_CALLS
    answer, calls = read_calls(manifest, outcome.answer)
    return replace(outcome, answer=answer), calls
