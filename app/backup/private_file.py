"""A file that only its owner can read, and that gets its name when it is complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from app.errors import AllcloseError


class FileNotWritten(AllcloseError):
    """The file already exists or can't be written."""


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Write `….partial`, and rename it when the block ends. A killed process leaves `….partial`.

    Raises FileNotWritten.
    """
    if path.is_dir():
        raise FileNotWritten(f"{path} is a folder. Name a file in it.")
    if path.exists():
        raise FileNotWritten(f"{path} already exists. Name another file, or remove it first.")
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        target = os.fdopen(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
    except OSError as error:
        raise FileNotWritten(f"{path} can't be written ({error.strerror}). Choose another folder.") from None
    try:
        with target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        partial.rename(path)
    except OSError as error:
        raise FileNotWritten(f"{path} could not be written completely ({error.strerror}).") from None
    finally:
        partial.unlink(missing_ok=True)
