"""What a test needs of the machine, and the machine lacks."""

import os
from typing import NoReturn

import pytest


def do_without(reason: str) -> NoReturn:
    """Skip the test or module. Continuous integration has everything, so there it fails."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason, allow_module_level=True)
