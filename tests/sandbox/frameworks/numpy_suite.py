"""NumPy's own tests, which its wheel ships, by pytest. Both come as an input: boxes have neither."""

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy.fft
import numpy.lib
import numpy.linalg
import numpy.random

FOLDER = Path("/tmp/suite")
# The `w+` maps of files are shared writable memory, which no student gets.
CHOSEN = ["-m", "not slow", "-k", "not memmap_readwrite"]
QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys", "-W", "ignore", "--no-header"]


class Count:
    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.passed += report.when == "call" and report.outcome == "passed"
        if report.failed:
            self.failed.append(f"{report.nodeid}: {report.longrepr}"[-1000:])


def solve(suite: bytes, modules: list[str]) -> dict[str, Any]:
    zipfile.ZipFile(io.BytesIO(suite)).extractall(FOLDER)
    sys.path.append(str(FOLDER))
    for package in (numpy._core, numpy.fft, numpy.lib, numpy.linalg, numpy.random):
        package.__path__.append(str(FOLDER / package.__name__.replace(".", "/")))
    import pytest

    count = Count()
    files = [str(FOLDER / "numpy" / module) for module in modules]
    code = pytest.main([*QUIET, *CHOSEN, "--import-mode=importlib", *files], plugins=[count])
    return {"code": int(code), "passed": count.passed, "failed": count.failed}
