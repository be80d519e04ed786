"""Whom the server runs as: ourselves, or as root an unprivileged uid of its own."""

import os
import pwd
import sys
from dataclasses import dataclass
from pathlib import Path

# Not an account's by default, below 65536 (containers map no more), and not the uid that boxes use.
SERVER_UID = 54_320
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2
NO_CAPABILITY = -1


@dataclass(frozen=True, slots=True)
class Account:
    """`uid` None: we are not root, and PostgreSQL runs as we do."""

    uid: int | None

    def command(self, arguments: list[str], folders: tuple[Path, ...]) -> list[str]:
        """What to execute so that `arguments` run as this account, with the way to `folders` open."""
        if self.uid is None:
            return arguments
        capability = _choose_capability(Path(arguments[0]), folders)
        launcher = str(Path(__file__).with_name("unprivileged.py"))
        return [sys.executable, "-I", "-S", launcher, str(self.uid), str(capability), *arguments]

    def take(self, path: Path) -> None:
        """Make this account the owner of `path`, which is ours, and of all that is below it."""
        if self.uid is None:
            return
        for each in (path, *path.rglob("*")):
            os.lchown(each, self.uid, self.uid)


def server_account() -> Account:
    return Account(SERVER_UID if os.geteuid() == 0 else None)


def named_account() -> Account:
    """For `initdb`, which refuses a uid without a name."""
    if os.geteuid() != 0:
        return Account(None)
    uids = sorted((account.pw_name != "nobody", account.pw_uid) for account in pwd.getpwall() if account.pw_uid != 0)
    return Account(uids[0][1] if uids else SERVER_UID)


def _choose_capability(program: Path, folders: tuple[Path, ...]) -> int:
    """The least that opens the way. Programs installed under a umask of 077 may only be run by root or the larger one.

    Containers often have only the larger one.
    """
    if all(map(_is_open_to_all, (program, *folders))):
        return NO_CAPABILITY
    enough = (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE) if program.stat().st_mode & 0o001 else (CAP_DAC_OVERRIDE,)
    status = Path("/proc/self/status").read_text()
    permitted = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapPrm:"))
    return next((capability for capability in enough if permitted >> capability & 1), NO_CAPABILITY)


def _is_open_to_all(path: Path) -> bool:
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents))
