"""NumPy, imported when it is first used.

The web process reads what authors may write about checkers, from the modules that do the checking, and has no NumPy.
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
