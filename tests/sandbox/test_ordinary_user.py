"""Repeat the tests as an ordinary user when they run as root, since the boxes are built differently then."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.ordinary_user import PROJECT


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter: pytest's folders belong to one user, up to their root."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.mark.whole
@pytest.mark.timeout(900)
@pytest.mark.skipif(os.geteuid() != 0, reason="this is an ordinary user already")
def test_the_suite_passes_for_an_ordinary_user(open_folder: Path) -> None:
    program = (
        "import sys, pytest; from tests.sandbox.ordinary_user import become_ordinary; become_ordinary();"
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    names = ("contract", "leftovers", "limits", "lost_box", "syscalls", "walls")
    files = [*(f"tests/sandbox/test_{name}.py" for name in names), "tests/hostile/test_hostile.py"]
    chosen = "not torch and (outliving or not test_hostile)"
    arguments = [*files, "-q", "-x", "-k", chosen, "-p", "no:cacheprovider"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TMPDIR": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program, *arguments, f"--basetemp={open_folder / 'pytest'}"]

    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
