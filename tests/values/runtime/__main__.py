"""Converts each value, and writes what became of it.

One message of the codec: {name: {"message": bytes of the value}}, or {"refused": class, "because": text} for a value
that can't cross.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from sandbox.guest.codec import TooLarge, Tree, Unsupported, encode
from sandbox.guest.convert import plain
from tests.values.runtime import endless_values, given_values, jax_values, lying_values, plain_values, torch_values
from tests.values.runtime.returned import RETURNED

MODULES = (endless_values, given_values, jax_values, lying_values, plain_values, torch_values)


def convert(make: Callable[[], object]) -> Tree:
    value = make()
    try:
        return {"message": encode(plain(value))}
    except (Unsupported, TooLarge) as refusal:
        return {"refused": type(refusal).__name__, "because": str(refusal)}


(Path(sys.argv[1]) / "converted").write_bytes(encode({name: convert(make) for name, make in RETURNED.items()}))
