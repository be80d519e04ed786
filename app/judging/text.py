"""Text that students wrote, made fit for a page, a terminal and PostgreSQL's JSONB.

What comes out of a box was spelled there already, by a stricter rule (`sandbox.outcome`, which may not be imported
here); names of keys and texts in answers, which travel as values, were not.
"""

import re

# Control characters (terminal escapes, NUL), marks that turn the direction of text, line separators, and lone
# surrogates. Tab and newline stay.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str, limit: int) -> str:
    """At most `limit` characters of the text, and how many were left out. What can't be printed is spelled: `\\x1b`."""
    kept = spelled(text[:limit])
    left_out = len(text) - limit + max(len(kept) - limit, 0)
    return kept if left_out <= 0 and len(kept) <= limit else f"{kept[:limit]}… ({left_out} more characters)"


def spelled(text: str) -> str:
    """All of the text, with what can't be printed spelled. `spelled` of what it gave is the same again."""
    return _UNPRINTABLE.sub(_spell, text.replace("\r\n", "\n").replace("\r", "\n"))


def _spell(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
