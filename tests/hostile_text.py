"""Texts that every page must show as text, and functions that find one that was not."""

import re
from html.parser import HTMLParser

# Each kind by the way in which it would do harm.
HOSTILE = {
    "markup": "</pre></textarea></title><script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": "\"' onfocus=alert(2) autofocus x='",
    "template": "{{ 7 * 191 }}{% raw %}${7 * 191}",
    "console markup": "[bold red]red[/] [link=http://127.0.0.1/]here[/]",
    "terminal": "\x1b[2J\x1b]0;title\x07\x9b31m\x7f\x08",
    "direction": "\u202egnp.exe \u2066\u2069\u200f\u061c",
    "invisible": "\ufeff\u200b\u2028\u2029\U000e0041",
}
# These can be printed and raised, and never be stored.
UNSTORABLE = {"NUL": "before\0after", "surrogate": "\ud800 and \udfff"}
# Characters that a package's manifest may hold: the reader refuses the others.
AUTHORED = " ".join(text for kind, text in HOSTILE.items() if kind not in ("terminal", "direction", "invisible"))
LONG_LINE = "l" * 1_000_000

IN_A_LINE = " ".join(HOSTILE.values())
SAID = " ".join([*HOSTILE.values(), *UNSTORABLE.values(), LONG_LINE])

# Terminal escapes and other control characters, marks that turn text or hide, halves of characters.
HARMFUL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0041]"
)


def list_harm(text: str) -> list[str]:
    """Characters that would do harm on a page or in a terminal."""
    return [ascii(found) for found in HARMFUL.findall(text)]


def list_markup(page: str) -> list[str]:
    """List markup that no page of Allclose has: inline scripts, pictures, event handlers."""
    reader = _Reader()
    reader.feed(page)
    return reader.found + ["a template was filled"] * (str(7 * 191) in page)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attributes]
        # The preview's frame runs no scripts, and loads what its page puts into it.
        is_preview = names == ["sandbox", "title"] and attributes[0][1] == "allow-same-origin"
        is_script = tag == "script" and "src" not in names
        is_foreign = (tag in ("img", "iframe", "object") and not is_preview) or is_script
        if is_foreign or any(name.startswith("on") or name == "style" for name in names):
            self.found.append(f"<{tag} {attributes}>")
