"""Reading the file that somebody wants judged."""

import io
import tokenize
from pathlib import Path

from app.errors import AllcloseError
from app.submissions.limit import SOURCE_BYTES


class SourceUnreadable(AllcloseError):
    """The file is no Python source that a submission could be."""


def read_source(file: Path) -> str:
    """As Python reads it: byte order mark, encoding cookie and line ends are honest. Raises SourceUnreadable."""
    try:
        content = file.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        source = content.decode(encoding)
        size = len(source.encode())
    except OSError as error:
        raise SourceUnreadable(f"{file} can't be read ({error.strerror})") from None
    except (SyntaxError, LookupError, UnicodeError) as error:
        raise SourceUnreadable(f"{file} can't be read as Python source ({error}); save it as UTF-8") from None
    if size > SOURCE_BYTES:
        raise SourceUnreadable(
            f"{file} has {size} bytes as UTF-8; at most {SOURCE_BYTES} (256 KiB) may be submitted: shorten it"
        )
    return source
