"""Watch calls of library functions while a solution runs, for requirements on calls."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.catalog.manifest import Manifest
from app.judging.requirements.forbids_calls import ForbidsCalls
from sandbox.guest.codec import Malformed, Tree, decode, encode
from sandbox.interface import CaseOutcome, Request

DRIVER = "from sandbox.guest.record import recording\nrun = recording({!r}, {!r})\n"
KEYS = {"answer", "calls", "is_kept"}
# As `sandbox.guest.notes` writes them: kind, name and line.
NOTE = re.compile(r"(call|code|touched) ([ -~]{1,300}) (\d{1,7})")
UNREADABLE = "a write into the judge's record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """What the student's process saw, as in `Facts`."""

    calls: Mapping[str, int] = field(default_factory=dict)
    forbidden: Mapping[str, int] = field(default_factory=dict)
    code: Mapping[str, int] = field(default_factory=dict)
    touched: Mapping[str, int] = field(default_factory=dict)


NO_CALLS = Calls()


def is_recorded(manifest: Manifest) -> bool:
    return any(requirement.is_watched for requirement in manifest.requirements)


def recorded(manifest: Manifest, request: Request) -> Request:
    """Return the request with calls watched if the problem needs it. `read_outcome` reads what was seen."""
    if not is_recorded(manifest):
        return request
    asked = [requirement for requirement in manifest.requirements if isinstance(requirement, ForbidsCalls)]
    patterns = sorted({pattern for requirement in asked for pattern in requirement.forbids_calls})
    return replace(request, driver=DRIVER.format(request.driver, patterns))


def read_outcome(manifest: Manifest, outcome: CaseOutcome) -> tuple[CaseOutcome, Calls]:
    """Return the outcome with the solution's own answer, and the calls.

    A malformed recording is returned unchanged and judged wrong.
    """
    if outcome.answer is None or not is_recorded(manifest):
        return outcome, NO_CALLS
    try:
        tree = decode(outcome.answer)
    except Malformed:
        return outcome, NO_CALLS
    if not isinstance(tree, dict) or set(tree) != KEYS or (counts := _numbers(tree["calls"])) is None:
        return outcome, NO_CALLS
    calls = _read_notes(outcome.notes, counts)
    if tree["is_kept"] is not True:
        calls = replace(calls, touched={UNREADABLE: 0, **calls.touched})
    return replace(outcome, answer=encode(tree["answer"])), calls


def _numbers(tree: Tree) -> dict[str, int] | None:
    if not isinstance(tree, dict):
        return None
    return {name: number for name, number in tree.items() if isinstance(name, str) and type(number) is int}


def _read_notes(notes: str, counts: Mapping[str, int]) -> Calls:
    """The process can write anything into its notes, so a line that is no note tells that the source did."""
    found: dict[str, dict[str, int]] = {"call": {}, "code": {}, "touched": {}}
    for line in filter(None, notes.split("\n")):
        if note := NOTE.fullmatch(line):
            found[note[1]].setdefault(note[2], int(note[3]))
        else:
            found["touched"].setdefault(UNREADABLE, 0)
    return Calls(calls=counts, forbidden=found["call"], code=found["code"], touched=found["touched"])
