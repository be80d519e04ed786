"""The wire: what a box and its host say to each other, and the monitor and the student's process. Both ends import it.

A frame is a kind of one byte, the length of its content, and the content. Between the host and the box they follow each
other in this order:

    box   READY                   the zygote has imported the frameworks
    host  SETUP                   the zygote forks a monitor, and the monitor the student's process
    box   WAITING                 that process is confined, and waits for a source
    host  TASK                    the source, without inputs
    box   OUTCOME TEXT CONTENT    of loading; if the source has not loaded, EMPTY follows
    host  CASE                    the inputs of a case
    box   OUTCOME TEXT CONTENT    of that case; if it ended the process, EMPTY follows, otherwise the next CASE
    host  NO_CASE                 after the last case
    box   LAST                    whether the process wrote after its last answer, which was a forgery then
    box   EMPTY                   the box is empty again: SETUP may follow

The monitor passes TASK and CASE on to the student's process, and gets one of REPLIES to each. Before that, the process
says PREPARED. A token precedes each of these frames. The monitor draws one for each of them, so an answer written too
early, or twice, can't pass as the answer to the next.
"""

import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from os import read, write  # bound here and now: a student may replace os.write
from typing import Any, Literal, NamedTuple, Self, TypeAlias

SETUP, TASK, CASE, NO_CASE = b"s", b"t", b"c", b"n"
READY, WAITING, OUTCOME, TEXT, CONTENT, LAST, EMPTY = b"r", b"w", b"o", b"x", b"p", b"l", b"e"

PREPARED, LOADED, ANSWER = b"S", b"L", b"A"
# A failure's content is four texts, joined by NUL: stage, kind, message, traceback.
INVALID, RAISED, UNSUPPORTED, TOO_LARGE = b"I", b"R", b"U", b"O"
INPUT_CHANGED, MEMORY_SHARED = b"C", b"M"
FAILURES = (INVALID, RAISED, UNSUPPORTED, TOO_LARGE, INPUT_CHANGED, MEMORY_SHARED)
REPLIES = (PREPARED, LOADED, ANSWER, *FAILURES)
FAILURE_BYTES = 64 * 1024
FACTS_BYTES = 64 * 1024

HEADER = struct.Struct("<cQ")
TOKEN_BYTES = 16
TOKENED_HEADER = struct.Struct(f"<{TOKEN_BYTES}scQ")
# Descriptors: the guest's to and from the host, and those of the student's process.
FROM_HOST, TO_HOST = 0, 1
ANSWERS, INPUTS, PLACE = 3, 4, 5

MIB = 2**20
Isolation: TypeAlias = Literal["namespaces", "shared"]
IsolationDemand: TypeAlias = Literal["any", "namespaces", "shared"]
ArrayKind: TypeAlias = Literal["jax", "torch", "numpy", "value"]
InspectorStep: TypeAlias = Literal["open", "run", "batch", "leave_out", "time"]
# "call": of a forbidden function; "code": made at run time; "touched": something that could end or hide the watching.
NoteKind: TypeAlias = Literal["call", "code", "touched"]
# A line of the record of watching code, as it is written and read. `line`: of the source, or 0.
NOTE_LINE = "{kind} {name} {line}\n"
NOTE = re.compile(r"(call|code|touched) ([ -~]{1,300}) (\d{1,7})")


class StreamEnded(Exception):
    """The other side closed its end, perhaps in the middle of a frame."""


class Cause(StrEnum):
    """The reason why a load or a call ended."""

    REPLIED = "replied"
    TIME = "time"
    MEMORY = "memory"
    THREADS = "threads"
    FILES = "files"
    TEXT = "text"
    ANSWER_SIZE = "answer_size"
    FORGED = "forged"
    DIED = "died"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The argument of a box's first process. `isolation` "any": namespaces where the host permits them.

    `cores`: for students. `gpu_memory_bytes`: of the box's GPU, if it has one. `optimizations`: see
    `jax_compilation.PARTS`.
    """

    frameworks: tuple[str, ...]
    isolation: IsolationDemand
    cores: tuple[int, ...]
    uid: int
    gpu_memory_bytes: int | None = None
    optimizations: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        given = json.loads(text)
        return cls(**given | {key: tuple(given[key]) for key in ("frameworks", "cores", "optimizations")})


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestFacts:
    """The content of READY: what a box says of itself. `missing`: optional frameworks that are not installed."""

    isolation: Isolation
    versions: Mapping[str, str]
    python: str
    device: Literal["cpu", "gpu"]
    missing: tuple[str, ...] = ()

    def to_json(self) -> bytes:
        return _to_json(self, GuestFacts)

    @classmethod
    def read(cls, facts: dict[str, Any], **more: Any) -> Self:
        """`more`: what a subclass adds."""
        return cls(
            isolation="namespaces" if facts["isolation"] == "namespaces" else "shared",
            versions=dict(facts["versions"]),
            python=str(facts["python"]),
            device="gpu" if facts["device"] == "gpu" else "cpu",
            missing=tuple(map(str, facts["missing"])),
            **more,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSetup:
    """The content of SETUP: the properties that a student's process is created with, before its source is known.

    `memory_bytes`: the limit of a case. `cpu_seconds`: a backstop, the most CPU time on each core.
    """

    memory_bytes: int
    cpu_seconds: int

    def to_json(self) -> bytes:
        return _to_json(self, ProcessSetup)

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """`wall_seconds`, `answer_bytes` and `text_bytes` (kept stdout and stderr) apply to each case."""

    wall_seconds: float
    memory_bytes: int
    load_seconds: float = 20
    answer_bytes: int = 64 * MIB
    text_bytes: int = 64 * 1024


# Before a request, no code of the student runs, and no text is kept.
NO_REQUEST = RunLimits(wall_seconds=0, load_seconds=0, memory_bytes=0, answer_bytes=0, text_bytes=0)


def max_bytes(kind: bytes, limits: RunLimits = NO_REQUEST) -> int:
    """Return the size of the largest content that the host accepts in a frame."""
    sizes = {
        READY: FACTS_BYTES,
        OUTCOME: FACTS_BYTES,
        TEXT: limits.text_bytes,
        CONTENT: max(limits.answer_bytes, FAILURE_BYTES),
        LAST: 1,
    }
    return sizes.get(kind, 0)


class Parameter(NamedTuple):
    """`kind`: the array type that this argument's arrays are converted to; "value" leaves them as decoded."""

    name: str
    kind: ArrayKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTask:
    """The content of TASK: one source to call with cases, which follow one by one. `parameters`: in call order.

    With a driver (`def run(solution, inputs) -> values`) the driver is called instead, and its values are the answer.
    `guarded`: parameters that the program must not change in place and whose memory it must not return. `signature`:
    the names of the arguments that a driver passes to the solution, or None if only the driver knows. `definitions`:
    other functions that the source must define, and methods such as `Norm.forward`, with the names of their arguments.
    A case gives all `parameters`, or some of them if its driver says so.
    """

    source: str
    entry_point: str
    driver: str | None
    parameters: tuple[Parameter, ...]
    limits: RunLimits
    guarded: tuple[str, ...] = ()
    signature: tuple[str, ...] | None = None
    definitions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def to_json(self) -> bytes:
        return _to_json(self, RunTask)

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        given: dict[str, Any] = json.loads(text)
        read = {
            "parameters": tuple(Parameter(*each) for each in given["parameters"]),
            "limits": RunLimits(**given["limits"]),
            "guarded": tuple(given["guarded"]),
            "signature": None if given["signature"] is None else tuple(given["signature"]),
            "definitions": tuple((name, tuple(arguments)) for name, arguments in given["definitions"]),
        }
        return cls(**given | read)

    @property
    def arguments(self) -> tuple[str, ...] | None:
        """The names of the solution's arguments, or None if only the driver knows."""
        return tuple(name for name, _ in self.parameters) if self.driver is None else self.signature

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The names of all arguments that students know."""
        return (*(self.arguments or ()), *(each for _, arguments in self.definitions for each in arguments))

    @property
    def call(self) -> str:
        """The call as a student would write it: `scale(x, factor)`."""
        return self.entry_point if self.arguments is None else f"{self.entry_point}({', '.join(self.arguments)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReport:
    """How a load or a call ended: the facts in OUTCOME, and the two frames that follow it.

    `kind` and `content`: the reply's; after a time limit, `content` has the lines that ran, which the process may have
    forged. `status`: the wait status, when the process died by itself. `left_out_seconds`: in which other processes had
    the cores, or everything was frozen (see charged_time.py). `wall_seconds` exclude the first. `notes`: the record of
    watching code, all since the process began. `text`: what the program has printed.
    """

    cause: Cause
    kind: bytes
    status: int | None
    wall_seconds: float
    left_out_seconds: float
    memory_bytes: int
    notes: str
    text: bytes
    content: bytes

    def frames(self) -> Iterator[tuple[bytes, bytes]]:
        facts = asdict(self)
        text, content = facts.pop("text"), facts.pop("content")
        yield OUTCOME, json.dumps(facts, default=_plain).encode()
        yield TEXT, text
        yield CONTENT, content

    @classmethod
    def read(cls, facts: dict[str, Any], text: bytes, content: bytes) -> Self:
        """Raises KeyError, ValueError, TypeError or AttributeError for facts of another form."""
        return cls(
            cause=Cause(facts["cause"]),
            kind=bytes.fromhex(facts["kind"]),
            status=None if facts["status"] is None else int(facts["status"]),
            wall_seconds=float(facts["wall_seconds"]),
            left_out_seconds=float(facts["left_out_seconds"]),
            memory_bytes=int(facts["memory_bytes"]),
            notes=str(facts["notes"]),
            text=text,
            content=content,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectorMessage:
    """What an inspector gets as the only input of a case, MESSAGE. It answers with plain values.

    `exported` and `signature`: the program; None for that of the message before. `inputs`: of the run; of each run of a
    "batch", encoded. `most`: the seconds and bytes that a batch may take. `left_out`: the kind of the loop to leave out
    a step of, its length, and its rank among the matching loops.
    """

    step: InspectorStep
    exported: Any = None
    signature: Any = None
    inputs: Any = None
    most: Any = None
    left_out: Any = None

    def to_tree(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


MESSAGE = "message"


def read_exactly(descriptor: int, size: int) -> bytes:
    """Blocks. Raises StreamEnded."""
    parts = []
    while size:
        part = read(descriptor, min(size, 2**20))
        if not part:
            raise StreamEnded
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_all(descriptor: int, data: bytes) -> None:
    """Blocks."""
    rest = memoryview(data)
    while rest:
        rest = rest[write(descriptor, rest) :]


def read_frame(descriptor: int) -> tuple[bytes, bytes]:
    """Read kind and content from a trusted sender. Blocks. Raises StreamEnded."""
    kind, size = HEADER.unpack(read_exactly(descriptor, HEADER.size))
    return kind, read_exactly(descriptor, size)


def write_frame(descriptor: int, kind: bytes, content: bytes = b"") -> None:
    write_all(descriptor, HEADER.pack(kind, len(content)))
    write_all(descriptor, content)


def _to_json(value: Any, shape: type) -> bytes:
    """Write the fields of `shape`. A subclass may have more, which stay at its end of the wire."""
    return json.dumps({field.name: getattr(value, field.name) for field in fields(shape)}, default=_plain).encode()


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else asdict(value)
