"""Zygotes keep their memory in huge pages, so that a fork copies few entries."""

import platform
import subprocess
import sys

import pytest

HELD = """
import re
from pathlib import Path
from sandbox.guest.system_calls import use_huge_pages

held = bytearray(b"x" * 2**24)
use_huge_pages()
print(re.search(r"AnonHugePages: +(\\d+)", Path("/proc/self/smaps_rollup").read_text())[1])
assert held == b"x" * 2**24
"""


def test_memory_moves_into_huge_pages() -> None:
    if tuple(int(part) for part in platform.release().split(".")[:2]) < (6, 1):
        pytest.skip("Linux before 6.1 moves no memory into huge pages")

    kibibytes = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True).stdout

    assert int(kibibytes) >= 2**13
