"""Texts that are hard to read, colour, parse or search. Each function returns a text of about `size` characters."""

import json
import warnings
from collections.abc import Callable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from tests.catalog.packages import FILES, PROBLEM

Make = Callable[[int], str]


def repeat(piece: str, head: str = "", tail: str = "") -> Make:
    """Return a function that repeats `piece`."""
    return lambda size: head + piece * max(1, size // len(piece)) + tail


def nest(opening: str, middle: str, closing: str) -> Make:
    """Return a function that nests `opening` and `closing`."""

    def make(size: int) -> str:
        depth = max(1, size // (len(opening) + len(closing)))
        return opening * depth + middle + closing * depth

    return make


def number_lines(line: str, head: str = "") -> Make:
    """Return a function that repeats a line with its number in place of `%d`."""

    def make(size: int) -> str:
        return head + "".join(line % number for number in range(max(1, size // (len(line) + 3))))

    return make


def stairs(line: str) -> Make:
    """Return a function whose lines are indented one space deeper each."""

    def make(size: int) -> str:
        depth = max(1, int((2 * size) ** 0.5))
        return "".join(" " * level + line + "\n" for level in range(depth))

    return make


LETTERS: dict[str, Make] = {"letters": repeat("a")}
PLAIN: dict[str, Make] = {
    **LETTERS,
    "signs": repeat("<&\"'\\"),
    "ligatures": repeat("\ufdfa"),  # NFKC makes 18 characters of each
}
NAMES: dict[str, Make] = {**PLAIN, "accents": repeat("e\u0301\u0323"), "controls": repeat("\u202e\u200b")}
WORDS: dict[str, Make] = {
    **LETTERS,
    "words": number_lines("w%d "),
    "operators": repeat("a & !b | (c <-> "),
    "like": repeat("%_\\"),
    "regex": repeat("(a+)+$|"),
}
CURSORS: dict[str, Make] = {**LETTERS, "base64": repeat("eyJhIjoi"), "digits": repeat("9")}
ADDRESSES: dict[str, Make] = {**LETTERS, "dots": repeat("a.", "a@"), "at": repeat("@")}
PATHS: dict[str, Make] = {"slashes": repeat("/a", "/a"), "letters": repeat("a", "/")}
MOMENTS: dict[str, Make] = {"digits": repeat("9"), "fraction": repeat("0", "2026-01-01T00:00:00.", "Z")}
DIGITS: dict[str, Make] = {"digits": repeat("9")}

PYTHON: dict[str, Make] = {
    "lines": number_lines("x%d = 1\n"),
    "one line": repeat("x+", tail="1"),
    "parentheses": nest("(", "1", ")"),
    "open brackets": repeat("[{("),
    "minus": repeat("-", tail="1"),
    "not": repeat("not ", tail="1"),
    "lambda": repeat("lambda:", tail="1"),
    "strings": repeat("'a' "),
    "open string": repeat("\\'", '"""'),
    "f-strings": repeat("f'{'"),
    "escapes": repeat("\\x", "'"),
    "backslashes": repeat("\\\n", tail="1"),
    "digits": repeat("9", "x = "),
    "underscores": repeat("1_", "x = ", "1"),
    "stairs": stairs("if 1:"),
    "functions": number_lines("def f%d(): return f'{x!r:>{y}}'\n"),
    "decorators": repeat("@a.b\n", tail="def f(): ...\n"),
    "spaces": repeat(" \t", tail="x\n"),
    "ligatures": repeat("\ufb01", "x = "),
    "finally": stairs("try:"),
    "dots": repeat(".a", "x"),
    "carriage returns": repeat("\r"),
}
YAML: dict[str, Make] = {
    "keys": number_lines("k%d: 1\n"),
    "same key": repeat("x: 1\n"),
    "items": repeat("- 1\n", "x:\n"),
    "flow items": repeat("1, ", "x: [", "1]"),
    "open flow": repeat("[", "x: "),
    "open mappings": repeat("{a: ", "x: "),
    "dashes": repeat("- ", "x:\n  "),
    "questions": repeat("? ", "x:\n  "),
    "stairs": stairs("a:"),
    "anchors": number_lines("k%d: &a 1\n"),
    "aliases": repeat("*a, ", "a: &a [1, 1, 1, 1]\nx: [", "*a]"),
    "doubling": lambda size: (
        "a0: &a0 [1, 1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, max(2, size // 24)))
    ),
    "quoted": repeat("\\u00e9", 'x: "', '"'),
    "open quote": repeat("a\n\n", 'x: "'),
    "folded": repeat("  a\n\n", "x: >\n"),
    "plain lines": repeat(" a\n", "x: a\n"),
    "digits": repeat("9", "x: "),
    "comments": repeat("#\n"),
    "tags": repeat("!", "x: ", "<"),
    "colons": repeat(": "),
    "documents": repeat("---\n"),
    "directives": repeat("%YAML 1.2\n"),
}
MARKDOWN: dict[str, Make] = {
    "open links": repeat("["),
    "links": repeat("[a]("),
    "nested links": nest("[", "a", "](b)"),
    "images": repeat("![["),
    "emphasis": repeat("*a_ **b"),
    "stars": repeat("**a "),
    "quotes": repeat("> "),
    "lists": repeat("- "),
    "stairs": stairs("- a"),
    "ticks": lambda size: " ".join("`" * n for n in range(1, max(2, int((2 * size) ** 0.5)))),
    "fences": repeat("```python\nx\n```\n"),
    "coloured": repeat("f'{'", "```python\n", "\n```\n"),
    "json": repeat("[{", "```json\n", "\n```\n"),
    "diff": repeat("@@ -1 +1 @@\n-a\n+b\n", "```diff\n", "\n```\n"),
    "table": lambda size: (
        "|a" * (width := max(1, int(size**0.5) // 2)) + "|\n" + "|-" * width + "|\n" + ("|b" * width + "|\n") * width
    ),
    "wide table": lambda size: "|a" * (size // 4) + "|\n" + "|-" * (size // 4) + "|\n" + "|b|\n" * 9,
    "long table": repeat("|b|\n", "|" + "a|" * 40 + "\n|" + "-|" * 40 + "\n"),
    "references": number_lines("[r%d]: /u\n"),
    "same reference": repeat("[r] ", "[r]: /u\n\n"),
    "autolinks": repeat("<a@b."),
    "html": repeat("<!--a", "a"),
    "entities": repeat("&amp;&#x26;"),
    "headings": repeat("# a\n"),
    "rules": repeat("---\n"),
    "dollars": repeat("$"),
    "maths": repeat("$x^2$ "),
    "one formula": repeat("x^2 + ", "$$", "y$$"),
    "formula": nest("{", "x", "}"),
    "fractions": lambda size: "$$" + nest("\\frac{1}{", "x", "}")(size) + "$$",
    "matrix": repeat("1 & ", "$$\\begin{matrix}", "1\\end{matrix}$$"),
    "spaces": repeat(" ", "a", "b"),
    "lines": repeat("a\n"),
    "backslashes": repeat("\\"),
}
JSON: dict[str, Make] = {
    "letters": repeat("a"),
    "nested lists": nest("[", "", "]"),
    "open lists": repeat("["),
    "nested objects": nest('{"a":', "1", "}"),
    "list": repeat("1,", "[", "1]"),
    "objects": repeat("{},", "[", "{}]"),
    "keys": lambda size: json.dumps({f"k{number}": 1 for number in range(max(1, size // 10))}),
    "same key": repeat('"k":1,', "{", '"k":1}'),
    "digits": repeat("9", '{"k": ', "}"),
    "exponent": repeat("9", '{"k": 1e', "}"),
    "escapes": repeat("\\u00e9", '{"k": "', '"}'),
    "long key": repeat("k", '{"', '": 1}'),
    "spaces": repeat(" ", "{", "}"),
}
FORMS: dict[str, Make] = {
    "letters": repeat("a"),
    "fields": number_lines("k%d=1&"),
    "same field": repeat("k=1&"),
    "empty fields": repeat("&"),
    "equals": repeat("="),
    "percent": repeat("%zzz"),
    "escapes": repeat("%C3%A9a", "k="),  # a form of 1 MiB may have nearly as many
    "long name": repeat("k", "", "=1"),
}
# What stands between the boundaries of a form with files.
PARTS: dict[str, Make] = {
    "parts": number_lines('--b\r\nContent-Disposition: form-data; name="k%d"\r\n\r\n1\r\n'),
    "empty parts": repeat("--b\r\n"),
    "dashes": repeat("\r\n-", '--b\r\nContent-Disposition: form-data; name="k"\r\n\r\n'),
    "returns": repeat("\r", '--b\r\nContent-Disposition: form-data; name="k"\r\n\r\n'),
    "headers": number_lines("X-%d: 1\r\n", "--b\r\n"),
    "long header": repeat("a", "--b\r\nContent-Disposition: form-data; name="),
    "parameters": number_lines("; p%d=1", "--b\r\nContent-Disposition: form-data"),
    "quotes": repeat('\\"', '--b\r\nContent-Disposition: form-data; name="'),
}
MULTIPART = "multipart/form-data; boundary=b"

# An unknown key makes the package invalid, so that no request leaves a verification behind.
REFUSED = {**FILES, "problem.yaml": PROBLEM + "unknown: 1\n"}


def package_files(path: str, text: str) -> dict[str, str]:
    """Return the files of an invalid package, with this text in one of them."""
    return REFUSED | {path: PROBLEM + text if path == "problem.yaml" else text}


# The format of an archive has 16 bits for the length of a name.
MAX_NAME_BYTES = 65_000


def pack(files: dict[str, str]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for path, text in files.items():
            name = path.encode(errors="replace")[:MAX_NAME_BYTES].decode(errors="ignore")
            archive.writestr(name, text.encode(errors="replace"))
    return buffer.getvalue()


def pack_form(files: dict[str, str]) -> bytes:
    """Return the editor's form with these files."""
    fields = [("action", "check"), ("slug", "scaled_sum")]
    fields += [pair for path, text in files.items() for pair in (("path", path), ("text", text))]
    parts = (f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in fields)
    return ("".join(parts) + "--b--\r\n").encode(errors="replace")


def pack_upload(archive: bytes) -> bytes:
    """Return the editor's form with an uploaded file."""
    head = b'--b\r\nContent-Disposition: form-data; name="upload"; filename="a.zip"\r\n\r\n'
    return head + archive + b"\r\n--b--\r\n"


def _zip(entries: list[tuple[str, bytes]], method: int = ZIP_STORED) -> bytes:
    buffer = BytesIO()
    with warnings.catch_warnings(), ZipFile(buffer, "w", method) as archive:
        warnings.simplefilter("ignore")  # names that are given twice
        for name, content in entries:
            archive.writestr(name, content)
    return buffer.getvalue()


def _overlapping(size: int) -> bytes:
    """Return an archive whose entries all share one compressed file."""
    count, block = max(1, size // 64), b"\0" * 200_000
    one = _zip([("a", block)], ZIP_DEFLATED)
    start = one.rindex(b"PK\x01\x02")
    end = one.rindex(b"PK\x05\x06")
    entry = one[start:end]
    entries = b"".join(entry[:46] + f"{number:01x}"[-1].encode() for number in range(count))
    tail = one[end : end + 8] + 2 * min(count, 65535).to_bytes(2, "little")
    return one[:start] + entries + tail + len(entries).to_bytes(4, "little") + start.to_bytes(4, "little") + b"\0\0"


ARCHIVES: dict[str, Callable[[int], bytes]] = {
    "zeros": lambda size: _zip([("problem.yaml", b"\0" * min(100 * size, 2**27))], ZIP_DEFLATED),
    "files of zeros": lambda size: _zip(
        [(f"f{n}", b"\0" * 256_000) for n in range(max(1, min(size // 1000, 800)))], ZIP_DEFLATED
    ),
    "entries": lambda size: _zip([(f"f{number}", b"") for number in range(max(1, size // 100))]),
    "folders": lambda size: _zip([(f"f{number}/", b"") for number in range(max(1, size // 100))]),
    "long name": lambda size: _zip([("n" * min(size, 65_000), b"")] * max(1, size // 65_000)),
    "deep name": lambda size: _zip([("n/" * min(size // 2, 32_000) + "n", b"")] * max(1, size // 65_000)),
    "one name": lambda size: _zip([("problem.yaml", b"")] * max(1, size // 100)),
    "overlapping": _overlapping,
    "letters": lambda size: b"PK" + b"a" * size,
    "comment": lambda size: _zip([("problem.yaml", b"")]) + b"PK\x05\x06" * (size // 4),
}
