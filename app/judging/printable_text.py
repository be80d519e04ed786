"""Students' text, made safe for pages, terminals and PostgreSQL's JSONB.

A box's own text is already escaped by the stricter rule of `sandbox.process_ending`. Keys and texts in answers travel
as values, so they are escaped here.
"""

import re
from bisect import bisect_right
from io import StringIO

# Control characters (terminal escapes, NUL), bidirectional marks, line separators and lone surrogates. Tab and newline
# stay.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def lines_of(text: str) -> list[str]:
    """Return the lines as Python counts them: `str.splitlines` also ends lines at form feeds and separators."""
    return [line.removesuffix("\n") for line in StringIO(text, newline=None)]


def printable(text: str, limit: int) -> str:
    """Return at most `limit` characters and the number left out. Unprintable characters are escaped: `\\x1b`."""
    kept = spelled(text[:limit])
    if len(text) <= limit and len(kept) <= limit:
        return kept
    fitting = min(limit, len(text))
    if len(kept) > limit:
        fitting = bisect_right(range(1, fitting + 1), limit, key=lambda size: len(spelled(text[:size])))
    return f"{spelled(text[:fitting])}… ({len(text) - fitting} more characters)"


def spelled(text: str) -> str:
    """Return the text with unprintable characters escaped. The function is idempotent."""
    if not _UNPRINTABLE.search(text):
        return text
    return _UNPRINTABLE.sub(_spell, text.replace("\r\n", "\n").replace("\r", "\n"))


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
