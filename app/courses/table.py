"""Tables of people as CSV: read one, and find the members of its rows.

A table may come from a spreadsheet or from another system: with commas, semicolons or tabs, with a byte order mark,
with any line ends. A row belongs to the member with the same number, else the same e-mail address, else the same user
name.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.courses.model import Member
from app.database.engine import is_storable
from app.errors import Invalid

MAX_ROWS = 5000
KEYS = ("number", "email", "username")
# The columns that say whose a row is, with the words that spreadsheets and other systems have above them.
PERSON_NAMES: Mapping[str, tuple[str, ...]] = {
    "number": (
        "number",
        "student number",
        "student id",
        "id number",
        "person number",
        "matriculation number",
        "sis user id",
    ),
    "email": ("email", "e-mail", "mail", "email address", "e-mail address"),
    "username": ("username", "user name", "user", "login", "login id", "sis login id"),
    "section": ("section", "group", "groups", "sections", "tutorial"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFault:
    line: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`rows`: each line's number and its texts by column. `ignored`: the columns without a known name."""

    rows: tuple[tuple[int, Mapping[str, str]], ...]
    ignored: tuple[str, ...]


def read_table(text: str, names: Mapping[str, Sequence[str]], keys: Sequence[str] = KEYS) -> Table:
    """Read a table with columns of these names, at least one of `keys`. Raises Invalid."""
    text = text.removeprefix("\ufeff")
    if not is_storable(text):
        raise Invalid("csv", "The table has NUL or is not valid Unicode. Save it as CSV in UTF-8.")
    head = text.lstrip("\r\n").partition("\n")[0]
    lines = _read_lines(text, max(",;\t", key=head.count))
    if not lines:
        raise Invalid("csv", "The table is empty. Its first line names the columns, such as number, email or username.")
    if len(lines) - 1 > MAX_ROWS:
        raise Invalid("csv", f"The table has {len(lines) - 1} rows; the limit is {MAX_ROWS}.")
    columns, ignored = _read_columns(lines[0][1], names, keys)
    return Table(rows=tuple((number, _read_row(cells, columns)) for number, cells in lines[1:]), ignored=ignored)


def require_no_fault(faults: Sequence[RowFault]) -> None:
    """Raises Invalid."""
    if faults:
        first = faults[0]
        message = f"Nothing was changed. {len(faults)} rows are wrong; line {first.line}: {first.message}"
        raise Invalid("csv", message)


def _read_lines(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, each with its number. Raises Invalid."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                lines.append((reader.line_num, cells))
    except csv.Error as error:
        message = f"The table is not CSV in line {reader.line_num}: {error}. Check the quotation marks."
        raise Invalid("csv", message) from None
    return lines


def _read_columns(
    head: Sequence[str], names: Mapping[str, Sequence[str]], keys: Sequence[str]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the place of each known column, and the other columns' names. Raises Invalid."""
    known = {alias: name for name, aliases in names.items() for alias in aliases}
    columns: dict[str, int] = {}
    ignored = []
    for at, cell in enumerate(head):
        name = known.get(cell.lower().replace("_", " "))
        if name is None:
            ignored.append(cell[:40])
        elif name in columns:
            raise Invalid("csv", f"Two columns are the {name}: {head[columns[name]]!r} and {cell!r}. Remove one.")
        else:
            columns[name] = at
    if not columns.keys() & set(keys):
        shown, wanted = ", ".join(head)[:80], f"{', '.join(keys[:-1])} or {keys[-1]}"
        raise Invalid("csv", f"The first line is {shown!r}. It must name the columns, one of them {wanted}.")
    return columns, tuple(filter(None, ignored))


def _read_row(cells: Sequence[str], columns: Mapping[str, int]) -> Mapping[str, str]:
    found = {name: cells[at] for name, at in columns.items() if at < len(cells)}
    # An apostrophe keeps a spreadsheet from running a text as a formula: Allclose writes it so.
    return {name: text[1:] if text[:2] in ("'=", "'+", "'-", "'@") else text for name, text in found.items()}


class Finder:
    """Finds the members that the keys of a row belong to."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self._by_key = {
            key: {getattr(each, key).lower(): each for each in members if getattr(each, key)} for key in KEYS
        }

    def find(self, *keys: str) -> list[Member]:
        """Return the members with the number, address and user name, each once."""
        found = [self._by_key[name].get(key.lower()) for name, key in zip(KEYS, keys, strict=True)]
        return list({member.id: member for member in found if member is not None}.values())
