"""A file that nobody but its owner reads, and that has its name once it is complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from app.errors import AllcloseError


class FileNotWritten(AllcloseError):
    """There is a file of that name, or none can be made."""


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Written beside its place until the block is through; killed before that, it leaves `….partial`.

    Raises FileNotWritten.
    """
    if path.is_dir():
        raise FileNotWritten(f"{path} is a folder; name a file in it")
    if path.exists():
        raise FileNotWritten(f"{path} is there already; name another file, or remove it first")
    partial = path.with_name(f"{path.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        target = os.fdopen(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
    except OSError as error:
        raise FileNotWritten(f"{path} can't be written ({error.strerror}); choose another folder") from None
    try:
        with target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        partial.rename(path)
    except OSError as error:
        raise FileNotWritten(f"{path} could not be written to its end ({error.strerror})") from None
    finally:
        partial.unlink(missing_ok=True)
