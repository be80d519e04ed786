"""The inspector's driver: answers the host's messages. The first one in a process brings its program."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from sandbox.guest.codec import Malformed, decode
from sandbox.guest.inspection.executable import Opened
from sandbox.guest.inspection.graph import Refused

_opened: dict[bytes, Opened | Refused] = {}
# The program that was sent last, and its signature.
_latest: list[tuple[Any, bytes]] = []


def run(_solution: Callable[..., object], inputs: dict[str, Any]) -> object:
    """Raises Refused, and XLA's errors."""
    task = inputs["task"]
    if task["step"] == "none":
        return None
    opened = _open(task)
    if task["step"] == "open":
        return opened.evidence
    if task["step"] == "leave_out":
        return opened.left_out(task["inputs"], task["wanted"])
    return opened.run(task["inputs"])


def _open(task: dict[str, Any]) -> Opened:
    if task["exported"] is not None:
        _latest[:] = [(task["signature"], task["exported"].tobytes())]
    signature, exported = _latest[0]
    key = sha256(repr(signature).encode() + exported).digest()
    if key not in _opened:
        try:
            _opened[key] = Opened(decode(exported), signature)
        except Malformed:
            _opened[key] = Refused("the export is malformed")
        except Refused as refused:
            _opened[key] = refused
    found = _opened[key]
    if isinstance(found, Refused):
        raise Refused(str(found))
    return found
