"""Who sits at the server's machine, by their name there."""

import getpass
import os

MAX_NAME = 64


def read_operator() -> str:
    """Whoever became root by sudo is named by who they were before. The environment says so: no proof, but a trace."""
    return "".join(filter(str.isprintable, os.environ.get("SUDO_USER") or _user()))[:MAX_NAME]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a number that the machine has no name for, as in many containers
        return f"user {os.getuid()}"
