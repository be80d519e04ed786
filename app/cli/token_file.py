"""The tokens that `allclose login` keeps in the home folder, by the server's address."""

import json
from pathlib import Path

from app.errors import AllcloseError

TOKEN_FILE = Path("~/.config/allclose/tokens.json")


class TokensUnreadable(AllcloseError):
    """The file is damaged or can't be reached; the text says what to do."""


def keep(server: str, token: str) -> Path:
    """Returns the file. Raises TokensUnreadable."""
    path = _path()
    tokens = _read(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        path.write_text(json.dumps({**tokens, server: token}, indent=2))
    except OSError as error:
        raise _unreadable(path, f"can't be written ({error.strerror})") from None
    return path


def find(server: str) -> str | None:
    """Raises TokensUnreadable."""
    token = _read(_path()).get(server)
    return token if isinstance(token, str) else None


def _path() -> Path:
    try:
        return TOKEN_FILE.expanduser()
    except RuntimeError:
        raise TokensUnreadable("there is no home folder to keep tokens in: set HOME, or ALLCLOSE_TOKEN") from None


def _read(path: Path) -> dict[str, object]:
    try:
        tokens = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unreadable(path, f"can't be read ({error.strerror})") from None
    except ValueError as error:
        raise _unreadable(path, f"is damaged ({error})") from None
    if not isinstance(tokens, dict):
        raise _unreadable(path, "is damaged (it holds no object)")
    return tokens


def _unreadable(path: Path, what: str) -> TokensUnreadable:
    return TokensUnreadable(
        f"{path} {what}: mend or remove it and run `allclose login USERNAME`, or set ALLCLOSE_TOKEN"
    )
