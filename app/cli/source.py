"""Reading the source file to judge."""

import io
import tokenize
from pathlib import Path

from app.catalog.source import NOTEBOOK
from app.errors import AllcloseError
from app.limits import SOURCE_BYTES


class SourceUnreadable(AllcloseError):
    """The file can't be submitted."""


def read_source(file: Path) -> str:
    """Decode the file as Python does, with its byte order mark and encoding cookie. Raises SourceUnreadable."""
    if file.suffix == ".ipynb":
        raise SourceUnreadable(f"{file} {NOTEBOOK}.")
    try:
        content = file.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        source = content.decode(encoding)
        check_size(str(file), source)
    except OSError as error:
        raise SourceUnreadable(f"{file} can't be read ({error.strerror})") from None
    except (SyntaxError, LookupError, UnicodeError) as error:
        raise SourceUnreadable(f"{file} can't be read as Python source ({error}); save it as UTF-8") from None
    return source


def read_text(file: Path) -> str:
    """Raises SourceUnreadable."""
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise SourceUnreadable(f"{file} can't be read ({error.strerror})") from None
    except UnicodeError as error:
        raise SourceUnreadable(f"{file} is not UTF-8 ({error}); save it as UTF-8") from None


def check_size(name: str, source: str) -> None:
    """Raises SourceUnreadable, and UnicodeEncodeError if the source can't be UTF-8."""
    size = len(source.encode())
    if size > SOURCE_BYTES:
        raise SourceUnreadable(
            f"{name} has {size} bytes as UTF-8; the limit is {SOURCE_BYTES} (256 KiB). Remove large literals."
        )
