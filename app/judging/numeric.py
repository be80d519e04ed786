"""NumPy, imported on first use.

The web process reads the checkers' options from the modules that check, but has no NumPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["np"]


class _NumpyLater:
    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module("numpy"), name)
        setattr(self, name, value)
        return value


if TYPE_CHECKING:
    import numpy as np
else:
    np = _NumpyLater()
