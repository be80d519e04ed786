"""Describe an error in a student's program to the student, with the student's own frames only.

The exception object is untrusted: its methods may raise, lie, or return a gigabyte.
"""

import linecache
import re
from pathlib import Path
from types import TracebackType

MESSAGE_CHARACTERS = 2000
SHOWN_CHARACTERS = 1800  # of the program's own message; leaves room for an explanation
TRACEBACK_CHARACTERS = 8000
SHOWN_FRAMES = 10  # from each end
SOURCE_NAME = "solution.py"
# The kernel's message, and that of the library under torch.distributed.
NOT_PERMITTED = ("operation not permitted", "failed to init uv loop")
# Libraries whose errors have other messages: a lock finds no /dev/shm, or a name can't be resolved.
REFUSED_LIBRARIES = ("multiprocessing", "socket", "ssl", "subprocess", "urllib")
REFUSED = (
    "the sandbox allows no other processes, no network and no changes to the system: "
    "use threads, and num_workers=0 in a DataLoader"
)
# JAX's messages name the source of each traced function (the guest wraps the student's) and of each value.
_GUEST = re.escape(str(Path(__file__).parent))
_GUEST_FUNCTION = re.compile(rf"((the )?function )?\w+ at {_GUEST}/\S+ (traced )?for jit")
_GUEST_PLACE = re.compile(rf"^.*{_GUEST}/.*\n?", re.MULTILINE)

EXITED = "the program ended itself (sys.exit, exit or quit{code}); let the function return its answer instead"
NO_INPUT = (
    "nothing is left to read on standard input. Unless the statement says otherwise, "
    "the inputs are the arguments of your function"
)
NOTEBOOK_LINE = "lines that begin with % or ! are commands of notebooks and not Python; remove them"

_name_of = type.__dict__["__name__"].__get__  # a metaclass may override __name__


def type_name(value: object) -> str:
    return str.__str__(_name_of(type(value)))[:100]


def describe(stage: str, error: BaseException, traceback: TracebackType | None) -> bytes:
    """Return the content of a failure frame."""
    frames = [frame_text(name, line) for name, line in student_frames(traceback)]
    if isinstance(error, SyntaxError):
        frames.append(_syntax_frame(error))
    message = _explained(error, message_of(error))
    if any(words in message.lower() for words in NOT_PERMITTED) or _is_refused(error, traceback):
        message = f"{message} ({REFUSED})"
    return pack(stage, type_name(error), message, _shorten(frames))


def _explained(error: BaseException, message: str) -> str:
    """Say what Python's own words mean for a solution."""
    if issubclass(type(error), SystemExit):
        return EXITED.format(code=f" with {message}" if message not in ("", "None") else "")
    if issubclass(type(error), EOFError) and message == "EOF when reading a line":
        return f"{message}: {NO_INPUT}"
    text = error.text if isinstance(error, SyntaxError) and error.filename == SOURCE_NAME else None
    return f"{message}: {NOTEBOOK_LINE}" if type(text) is str and text.lstrip()[:1] in ("%", "!") else message


def pack(stage: str, kind: str, message: str, traceback: str = "") -> bytes:
    texts = (stage, kind, message[:MESSAGE_CHARACTERS], traceback[:TRACEBACK_CHARACTERS])
    return b"\0".join(text.replace("\0", "\\0").encode("utf-8", "backslashreplace") for text in texts)


def message_of(error: BaseException) -> str:
    try:
        return _without_guest(str.__getitem__(str(error), slice(2 * SHOWN_CHARACTERS)))[:SHOWN_CHARACTERS]
    except BaseException:
        return "(its message can't be shown: str() of the exception failed)"


def _without_guest(text: str) -> str:
    """Remove places in the guest's sources, which mean nothing to a student."""
    return _GUEST_PLACE.sub("", _GUEST_FUNCTION.sub("your function", text))


def _is_refused(error: BaseException, traceback: TracebackType | None) -> bool:
    """Whether the error comes from a library whose purpose the sandbox refuses."""
    if traceback is None or not issubclass(type(error), OSError):
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    module = dict.get(traceback.tb_frame.f_globals, "__name__")
    return type(module) is str and module.partition(".")[0] in REFUSED_LIBRARIES


def frame_text(function: str, line: int) -> str:
    source = linecache.getline(SOURCE_NAME, line).strip()
    where = f'  File "{SOURCE_NAME}", line {line}, in {function}'
    return f"{where}\n    {source[:200]}" if source else where


def student_frames(traceback: TracebackType | None) -> list[tuple[str, int]]:
    found = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == SOURCE_NAME:
            found.append((code.co_name, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def _shorten(frames: list[str]) -> str:
    if len(frames) > 2 * SHOWN_FRAMES:
        hidden = f"  ... {len(frames) - 2 * SHOWN_FRAMES} more frames ..."
        frames = [*frames[:SHOWN_FRAMES], hidden, *frames[-SHOWN_FRAMES:]]
    return "\n".join(frames)


def _syntax_frame(error: SyntaxError) -> str:
    """Show the wrong place in the source. Empty if the student raised the error with other attributes."""
    line, text, offset = error.lineno, error.text, error.offset
    if error.filename != SOURCE_NAME or type(line) is not int or type(text) is not str:
        return ""
    stripped = text.rstrip()
    marker = " " * (offset - 1) + "^" if type(offset) is int and 0 < offset <= 200 else ""
    return f'  File "{SOURCE_NAME}", line {line}\n    {stripped[:200]}\n    {marker}'
