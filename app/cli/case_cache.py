"""A cache of the reference's answers for `allclose judge`, in the user's cache folder.

Running the reference takes 0.7 s for `pairwise_distances` and 3.3 s for `microbatched_grads` on a busy machine.

A file holds all cases of one draw of a package, after a line with their SHA-256. Its name is a digest of everything
that the answers depend on. A damaged file, or one that other users can access, counts as missing.
"""

import hashlib
import json
import os
import platform
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from pydantic import ConfigDict, TypeAdapter, ValidationError

from app.catalog.folder import digest
from app.catalog.package import Package
from app.engine.prepare import PreparedCase
from app.settings import ROOT
from sandbox.library_cache import CachingLauncher

# After a day the hidden inputs are drawn anew, so that a solution meets other inputs.
MAX_SECONDS = 24 * 60 * 60
MAX_FILES = 50
MAX_BYTES = 256 * 2**20

_JSON = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", ser_json_inf_nan="constants")
_CASES: TypeAdapter[tuple[PreparedCase, ...]] = TypeAdapter(tuple[PreparedCase, ...], config=_JSON)


class CaseCache:
    """The cache entry of one key (`key_of`)."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder, self._file = folder, folder / key

    def find(self) -> tuple[PreparedCase, ...] | None:
        try:
            with self._file.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.geteuid() or status.st_mode & 0o077 or _is_old(status):
                    return None
                first_line, content = file.readline(), file.read()
            return _CASES.validate_json(content) if first_line == _first_line(content) else None
        except (OSError, ValidationError):
            return None

    def store(self, cases: tuple[PreparedCase, ...]) -> None:
        """Write the file atomically. Without room for it, nothing is written and nothing is raised."""
        content = _CASES.dump_json(cases)
        if len(content) > MAX_BYTES:
            return
        copy = self._file.with_name(f".{self._file.name}.{token_hex(4)}")
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._make_room(len(content))
            copy.touch(mode=0o600)
            copy.write_bytes(_first_line(content) + content)
            copy.replace(self._file)

    def _make_room(self, size: int) -> None:
        """Delete the oldest files."""
        room = MAX_BYTES - size
        newest_first = sorted(_status_of(self._folder.iterdir()), key=lambda pair: -pair[1].st_mtime)
        for count, (path, status) in enumerate(newest_first, 1):
            room -= status.st_size
            if count >= MAX_FILES or room < 0 or _is_old(status):
                path.unlink(missing_ok=True)


def key_of(package: Package, seed: str | None, launcher: CachingLauncher, optimizations: Iterable[str]) -> str:
    """Return the cache key. `seed` is None for a random draw. The processor counts because it affects rounding."""
    facts = [digest(package.files), seed, launcher.image, sorted(optimizations), _processor(), _own_sources()]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _processor() -> list[str]:
    wanted = ("model name", "flags", "CPU implementer", "CPU part", "Features")
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
        return [platform.machine(), *(line for line in lines if line.startswith(wanted))]
    return [platform.machine(), platform.processor()]


def _own_sources() -> list[tuple[str, int, int]]:
    """Return the path, size and time of each source file that the answers depend on."""
    files = sorted(
        path
        for folder in ("app/catalog", "app/judging", "app/engine", "sandbox")
        for path in (ROOT / folder).rglob("*.py")
    )
    return [(str(path), status.st_size, status.st_mtime_ns) for path, status in _status_of(files)]


def _status_of(paths: Iterable[Path]) -> list[tuple[Path, os.stat_result]]:
    found: list[tuple[Path, os.stat_result]] = []
    for path in paths:
        with suppress(OSError):
            found.append((path, path.stat()))
    return found


def _is_old(status: os.stat_result) -> bool:
    return time.time() - status.st_mtime > MAX_SECONDS


def _first_line(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode() + b"\n"
