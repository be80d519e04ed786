"""Read YAML with the line of every value.

It differs from PyYAML's loaders: plain words have the types of YAML 1.2 (`1e-3` is a number, `yes` and `010` are
texts), a repeated key and a tag are faults, and depth and size are limited, also after expanding aliases.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from app.catalog.fault import Conflict, Fault, Location, key_of

# Reading takes the web process 1 s per 64 KiB.
MAX_CHARACTERS = 64 * 1024
MAX_DEPTH = 32
MAX_NODES = 200_000
MAX_SHOWN = 40

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*(_[0-9]+)*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?")
_MAX_DIGITS = 64
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULLS = ("", "~", "null", "Null", "NULL")
_SPECIAL = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}
# PostgreSQL's JSON has neither NUL nor lone surrogates. The other control characters move a terminal's cursor or change
# the reading direction.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


# PyYAML counts them as line ends. Editors, Python and YAML 1.2 do not.
_SEPARATOR = re.compile("[\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML document. `content` is None if it is not a mapping. `lines` has the line of each key and item, from 1."""

    file: str
    content: dict[str, Any] | None
    lines: dict[Location, int]
    faults: tuple[Fault, ...]

    def line_of(self, location: Location) -> int:
        """Return the line of the location, or of the nearest key around it."""
        while location and location not in self.lines:
            location = location[:-1]
        return self.lines.get(location, 1)

    def fault(self, location: Location, message: str, remedy: str) -> Fault:
        return Fault(self.file, self.line_of(location), key_of(location), message, remedy)

    def located(self, conflicts: Iterable[Conflict]) -> Iterator[Fault]:
        return (self.fault(conflict.location, conflict.message, conflict.remedy) for conflict in conflicts)


def _is_nothing(_where: Location) -> bool:
    return False


def read_document(
    file: str, text: str, max_nodes: int = MAX_NODES, is_value: Callable[[Location], bool] = _is_nothing
) -> Document:
    """`is_value`: whether the mapping at a location is an input, whose keys keep their types: `{10: cat}`."""
    if len(text) > MAX_CHARACTERS:
        message = f"has {len(text)} characters, but YAML may have {MAX_CHARACTERS}"
        return Document(file, None, {}, (Fault(file, 1, "", message, "move long texts to files of their own"),))
    if found := _SEPARATOR.search(text):
        code, line = f"{ord(found[0]):04X}", text.count("\n", 0, found.start()) + 1
        message = f"contains the line separator U+{code}, which few programs show"
        remedy = f'remove it, or write "\\u{code.lower()}" in double quotes'
        return Document(file, None, {}, (Fault(file, line, "", message, remedy),))
    reading = _Reading(file, max_nodes, is_value)
    try:
        content = reading.document(_parse(text))
    except yaml.MarkedYAMLError as error:
        content = None
        reading.faults.append(_syntax_fault(file, error))
    except yaml.reader.ReaderError as error:
        content = None
        line = text.count("\n", 0, error.position) + 1
        # The stubs type it as a character; it is a number.
        message = f"contains the character U+{int(error.character):04X}, which YAML does not allow"
        reading.faults.append(Fault(file, line, "", message, "remove it"))
    except _Stop:
        content = None
    return Document(file, content, reading.lines, tuple(reading.faults))


class _Loader(yaml.SafeLoader):
    """Reads no further once brackets are nested too deeply: PyYAML compares every bracket with all that are open."""

    def fetch_flow_collection_start(self, token_class: Any) -> None:
        if self.flow_level > 2 * MAX_DEPTH:  # the reading of nodes stops before this end
            self.fetch_stream_end()
        else:
            super().fetch_flow_collection_start(token_class)


def _parse(text: str) -> Iterator[yaml.Event]:
    """Raises YAMLError, also for numbers on which PyYAML raises ValueError or OverflowError."""
    mark: Any = None  # the stubs have a class for each of two parsers
    try:
        for event in yaml.parse(text, Loader=_Loader):
            mark = event.end_mark
            yield event
    except (ValueError, OverflowError) as error:
        raise yaml.MarkedYAMLError(problem="a number after \\U or %YAML is too large", problem_mark=mark) from error


def _syntax_fault(file: str, error: yaml.MarkedYAMLError) -> Fault:
    mark = error.problem_mark or error.context_mark
    message = f"is not YAML: {error.problem or error.context}"
    if "'\\t'" in message and mark is not None:
        before = (mark.buffer or "")[mark.pointer - mark.column : mark.pointer]
        if before.strip(" "):
            remedy = "write a space in its place, or put the text in quotes"
            return Fault(file, mark.line + 1, "", f"has a tab after `{before.strip()[-MAX_SHOWN:]}`", remedy)
        return Fault(file, mark.line + 1, "", "is indented with a tab", "indent with spaces")
    remedy = (
        "check the indentation, brackets and quotes here and on the line before; put texts with `: ` or `#` in quotes"
    )
    return Fault(file, mark.line + 1 if mark else 0, "", message, remedy)


class _Stop(Exception):
    """Reading ends here; the fault is recorded."""


@dataclass(slots=True)
class _Reading:
    file: str
    max_nodes: int
    is_value: Callable[[Location], bool]
    lines: dict[Location, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)
    nodes: int = 0

    def document(self, events: Iterator[yaml.Event]) -> dict[str, Any] | None:
        content: Any = None
        found = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                found += 1
                if found > 1:
                    self.stop(event, (), "has a second document", "remove the line `---` and what follows")
                content = self.node(next(events), events, ())
        if isinstance(content, dict):
            return content
        remedy = "write one mapping: `title: …`, `summary: …` and so on"
        self.faults.append(
            Fault(self.file, 1, "", "is empty" if content is None else "is not a mapping of keys", remedy)
        )
        return None

    def node(self, event: yaml.Event, events: Iterator[yaml.Event], where: Location) -> Any:
        self.lines.setdefault(where, _line(event))
        self.count(event, 1, where)
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, where)
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag not in (None, "!"):
            self.note(event, where, f"has the tag {event.tag}", "remove it: tags are not supported")
        before = self.nodes
        value = self.value(event, events, where)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            self.anchors[event.anchor] = (value, self.nodes - before + 1)
        return value

    def value(self, event: yaml.Event, events: Iterator[yaml.Event], where: Location) -> Any:
        if len(where) > MAX_DEPTH:
            self.stop(event, where, f"is nested deeper than {MAX_DEPTH} levels", "make it flatter")
        if isinstance(event, yaml.MappingStartEvent):
            return self.mapping(events, where)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(events, where)
        assert isinstance(event, yaml.ScalarEvent)  # no other event begins a value
        return self.scalar(event, where)

    def mapping(self, events: Iterator[yaml.Event], where: Location) -> dict[Any, Any]:
        content: dict[Any, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self.key(event, where)
            if key in content:
                first = self.lines[(*where, key)]
                remedy = "remove one of the two"
                self.note(event, (*where, key), f"is given twice, first in line {first}", remedy)
            self.lines.setdefault((*where, key), _line(event))
            content[key] = self.node(next(events), events, (*where, key))
        return content

    def key(self, event: yaml.Event, where: Location) -> Any:
        if not isinstance(event, yaml.ScalarEvent):
            self.stop(event, where, "has a key that is not a word", "put texts that begin with { [ * & in quotes")
        self.count(event, 1, where)
        if event.value == "<<" and event.style is None:
            remedy = "write its keys out; an alias such as `*name` may repeat a whole value"
            self.stop(event, (*where, "<<"), "is YAML's merge key, which is not supported", remedy)
        text = self.printable(event, where)
        return _typed(text) if event.style is None and self.is_value(where) else text

    def sequence(self, events: Iterator[yaml.Event], where: Location) -> list[Any]:
        content: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            content.append(self.node(event, events, (*where, len(content))))
        return content

    def scalar(self, event: yaml.ScalarEvent, where: Location) -> Any:
        text = self.printable(event, where)
        return _typed(text) if event.style is None else text

    def printable(self, event: yaml.ScalarEvent, where: Location) -> str:
        if found := _UNPRINTABLE.search(event.value):
            message = f"contains the character U+{ord(found[0]):04X}"
            self.note(event, where, message, "remove it")
        return str(event.value)

    def alias(self, event: yaml.AliasEvent, where: Location) -> Any:
        anchor = event.anchor or ""
        if anchor not in self.anchors:
            remedy = f"write `&{anchor}` before an earlier value"
            self.stop(event, where, f"refers to *{anchor}, which is not defined before it", remedy)
        value, nodes = self.anchors[anchor]
        self.count(event, nodes, where)
        return value

    def count(self, event: yaml.Event, nodes: int, where: Location) -> None:
        self.nodes += nodes
        if self.nodes > self.max_nodes:
            self.stop(
                event, where, f"brings the file over {self.max_nodes} values", "draw large inputs, or use cases.py"
            )

    def note(self, event: yaml.Event, where: Location, message: str, remedy: str) -> None:
        self.faults.append(Fault(self.file, _line(event), key_of(where), message, remedy))

    def stop(self, event: yaml.Event, where: Location, message: str, remedy: str) -> NoReturn:
        self.note(event, where, message, remedy)
        raise _Stop


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def is_text(word: str) -> bool:
    """Whether a plain word is a text, and no number, true, false or null."""
    return isinstance(_typed(word), str)


def _typed(text: str) -> Any:
    """Return the value of a plain word by YAML 1.2's core schema; integers may group digits with `_`.

    A number that is too large (1e999) stays a text, which is a fault if the key needs a number.
    """
    if text in _NULLS:
        return None
    if text in _WORDS:
        return _WORDS[text]
    if text.lower() in _SPECIAL:
        return _SPECIAL[text.lower()]
    if len(text) > _MAX_DIGITS:
        return text
    if _INT.fullmatch(text):
        return int(text, 0)
    return float(text) if _FLOAT.fullmatch(text) and math.isfinite(float(text)) else text
