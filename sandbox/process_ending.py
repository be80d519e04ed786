"""Turn a monitor's reports into outcomes. The monitor's facts are trusted; its texts and payloads are not."""

import os
import re
import signal
from typing import Any, get_args

from sandbox.guest import wire
from sandbox.guest.wire import CallReport, Cause
from sandbox.interface import BoxLost, CaseOutcome, Ending, Failure, RunLimits, Stage

MESSAGE_CHARACTERS = 2048
TRACEBACK_CHARACTERS = 8192
KIND_CHARACTERS = 100
# A process that was killed above this share of its memory limit counts as out of memory.
NEAR_LIMIT = 0.8
_OUT_OF_MEMORY_WORDS = (
    "RESOURCE_EXHAUSTED",
    "can't allocate memory",
    "Cannot allocate memory",
    "Unable to allocate",
    "std::bad_alloc",
    "CUDA out of memory",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "CUBLAS_STATUS_ALLOC_FAILED",
)
# The innermost line of the solution, as faulthandler writes it. The process may forge it, so it is only a hint.
_PLACE = re.compile(rb'File "solution\.py", line (\d{1,6}) in ')
_STAGES: dict[str, Stage] = {stage: stage for stage in get_args(Stage)}
_ENDING_OF_REPLY = {
    wire.ANSWER: Ending.ANSWERED,
    wire.RAISED: Ending.RAISED,
    wire.INVALID: Ending.INVALID,
    wire.UNSUPPORTED: Ending.UNSUPPORTED,
    wire.TOO_LARGE: Ending.TOO_MUCH_OUTPUT,
    wire.INPUT_CHANGED: Ending.INPUT_CHANGED,
    wire.MEMORY_SHARED: Ending.MEMORY_SHARED,
}


def read_report(facts: dict[str, Any], text: bytes, content: bytes) -> CallReport:
    """Raises BoxLost."""
    try:
        return CallReport.read(facts, text, content)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BoxLost(f"the box sent a malformed report: {error!r}") from None


def outcome_of(name: str, stage: Stage, report: CallReport, limits: RunLimits) -> CaseOutcome:
    ending, failure = _judge(stage, report, limits)
    return CaseOutcome(
        name=name,
        ending=ending,
        answer=report.content if ending is Ending.ANSWERED else None,
        failure=failure,
        text=printable(on_a_terminal(report.text.decode("utf-8", "replace")), 4 * len(report.text)),
        notes=report.notes,
        wall_seconds=report.wall_seconds,
        left_out_seconds=report.left_out_seconds,
        memory_bytes=report.memory_bytes,
    )


def _judge(stage: Stage, report: CallReport, limits: RunLimits) -> tuple[Ending, Failure | None]:
    if report.cause is Cause.REPLIED:
        return _judge_reply(report)
    if report.cause is Cause.DIED:
        return _judge_death(stage, report, limits)
    ending, kind, message = _interruption(stage, report.cause, limits)
    if report.cause is Cause.TIME and (place := _PLACE.search(report.content)):
        message += f". Hint: when it was stopped, it was at solution.py, line {int(place[1])}"
    return ending, Failure(stage=stage, kind=kind, message=message, traceback="")


def _judge_reply(report: CallReport) -> tuple[Ending, Failure | None]:
    ending = _ENDING_OF_REPLY.get(report.kind, Ending.FORGED)
    if ending is Ending.ANSWERED:
        return ending, None
    failure = _read_failure(report.content)
    if failure is None:
        return Ending.FORGED, _forgery("call")
    is_full = failure.kind == "MemoryError" or any(word in failure.message for word in _OUT_OF_MEMORY_WORDS)
    if ending is Ending.RAISED and is_full:
        ending = Ending.OUT_OF_MEMORY
    return ending, failure


def _read_failure(content: bytes) -> Failure | None:
    parts = content.decode("utf-8", "replace").split("\0")
    if len(parts) != 4 or parts[0] not in _STAGES:
        return None
    stage, kind, message, traceback = parts
    return Failure(
        stage=_STAGES[stage],
        kind=printable(kind, KIND_CHARACTERS),
        message=printable(message, MESSAGE_CHARACTERS),
        traceback=printable(traceback, TRACEBACK_CHARACTERS),
    )


def _judge_death(stage: Stage, report: CallReport, limits: RunLimits) -> tuple[Ending, Failure]:
    status = report.status or 0
    if os.WIFSIGNALED(status):
        kind = _signal_name(os.WTERMSIG(status))
        message = f"the process was ended by {kind}"
    else:
        kind = "exit"
        message = f"the process ended itself with exit code {os.waitstatus_to_exitcode(status)} before it had answered"
    is_full = kind != "exit" and report.memory_bytes > NEAR_LIMIT * limits.memory_bytes
    ending = Ending.OUT_OF_MEMORY if is_full else Ending.CRASHED
    return ending, Failure(stage=stage, kind=kind, message=message, traceback="")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _interruption(stage: Stage, cause: Cause, limits: RunLimits) -> tuple[Ending, str, str]:
    seconds = limits.load_seconds if stage == "load" else limits.wall_seconds
    what = "loading the source" if stage == "load" else "the call"
    if cause is Cause.TIME:
        return Ending.TIMED_OUT, "Timeout", f"{what} took longer than {seconds:g} s"
    if cause is Cause.MEMORY:
        mib = limits.memory_bytes // 2**20
        return Ending.OUT_OF_MEMORY, "MemoryLimit", f"{what} used more than {mib} MiB of memory"
    if cause is Cause.TEXT:
        return Ending.TOO_MUCH_OUTPUT, "TooMuchText", f"{what} printed more than 8 MiB; print less"
    if cause is Cause.ANSWER_SIZE:
        mib = limits.answer_bytes // 2**20
        return Ending.TOO_MUCH_OUTPUT, "TooLarge", f"the answer is larger than {mib} MiB"
    if cause is Cause.THREADS:
        return Ending.CRASHED, "TooManyThreads", f"{what} started too many threads"
    if cause is Cause.FILES:
        return Ending.CRASHED, "TooManyFiles", f"{what} made too many files in /tmp"
    if cause is Cause.CLOSED:
        return Ending.CRASHED, "Closed", f"{what} closed the channel on which the answer travels"
    return Ending.FORGED, "Forged", _forgery(stage).message


def _forgery(stage: Stage) -> Failure:
    message = "the program wrote to the judge's internal channel; return your answer from the function instead"
    return Failure(stage=stage, kind="Forged", message=message, traceback="")


def on_a_terminal(text: str) -> str:
    """Return what a terminal shows: after a carriage return, text is written over the line from its beginning."""
    return "\n".join(_overwritten(line.removesuffix("\r")) if "\r" in line else line for line in text.split("\n"))


def _overwritten(line: str) -> str:
    shown: list[str] = []
    width = 0
    for part in reversed(line.split("\r")):  # from the last one, so that the time is linear
        shown.append(part[width:])
        width = max(width, len(part))
    return "".join(shown)


def printable(text: str, limit: int) -> str:
    """Escape control characters, surrogates and invisible marks that reorder text. Line ends and tabs stay.

    `app.judging.printable_text` cuts text for pages and covers text from outside boxes. Neither module may import the
    other.
    """
    return "".join(
        character if character.isprintable() or character in "\n\t" else ascii(character)[1:-1]
        for character in text[:limit]
    )[:limit]
