"""Whether a package's reference gives the answers that its source has for the cases."""

import re
from collections.abc import Mapping
from threading import Event
from typing import Any

import numpy as np

from app.catalog.package import Package
from app.settings import Settings
from app.worker.boxes import find_cache, open_launcher, open_reference_pool
from app.worker.prepare import Draw, prepare
from sandbox.guest.codec import decode

# Answers in files are rounded.
RTOL, ATOL = 1e-4, 1e-6
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def find_disagreements(package: Package, answers: Mapping[str, Any], settings: Settings) -> list[str]:
    """A sentence for each case. Raises ReferenceFailed, BoxLost, SandboxUnavailable."""
    launcher = open_launcher(settings, cache=find_cache(settings))
    with open_reference_pool(settings, launcher) as pool:
        prepared = prepare(package, Draw(b"import", 0), pool, Event())
    given = {case.name: decode(case.expected) for case in prepared.cases}
    return [
        f"{name}: the solution gives {_short(given[name])}, the source {_short(answer)}"
        for name, answer in answers.items()
        if not agrees(given[name], answer)
    ]


def agrees(given: Any, answer: Any) -> bool:
    """As far as a text form of the answer lets anybody tell: arrays may be lists, tuples lists, numbers rounded."""
    if isinstance(answer, str) and not isinstance(given, str):
        return _agrees_as_text(str(given), answer)
    given = given.tolist() if isinstance(given, np.ndarray | np.generic) else given
    if isinstance(answer, dict) and isinstance(given, dict):
        named = {str(key): value for key, value in given.items()}
        return set(named) == set(answer) and all(agrees(named[key], answer[key]) for key in answer)
    if isinstance(answer, list | tuple) and isinstance(given, list | tuple):
        return len(given) == len(answer) and all(map(agrees, given, answer))
    if isinstance(answer, bool) or isinstance(given, bool):
        return given is answer
    if isinstance(answer, int | float) and isinstance(given, int | float):
        return bool(np.isclose(given, answer, rtol=RTOL, atol=ATOL, equal_nan=True))
    return bool(given == answer)


def _agrees_as_text(given: str, answer: str) -> bool:
    """What a program printed: the same numbers in their order, or the same words where there are none."""
    numbers, wanted = _NUMBER.findall(given), _NUMBER.findall(answer)
    if not wanted:
        return "".join(given.split()) == "".join(answer.split())
    return agrees(list(map(float, numbers)), list(map(float, wanted)))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
