"""The student's process: confines itself, loads the source, and answers one call after the other.

After `confine`, all code here is under the student's control. It guards against accidents only. Protection against
intent is outside: the monitor trusts nothing from here except the bytes of an answer.
"""

import faulthandler
import gc
import os
import random
import selectors
import signal
import sys
from typing import Any, NoReturn

from sandbox.guest import codec, convert, gpu_start, wire
from sandbox.guest.confinement import Surroundings, confine
from sandbox.guest.failure import describe, pack, student_frames, type_name
from sandbox.guest.guard import Guard, Violation
from sandbox.guest.student_program import CannotBeJudged, Program, load
from sandbox.guest.wire import ANSWERS, INPUTS, PLACE, ProcessSetup, RunTask

# C code answers it with the lines that run, also in a loop that never ends.
ASK_PLACE = signal.SIGUSR2
SEED = 0

Reply = tuple[bytes, bytes]


def live(setup: ProcessSetup, surroundings: Surroundings, token: bytes) -> NoReturn:
    """Run the forked process, with its descriptors in place, to its end."""
    try:
        faulthandler.register(ASK_PLACE, file=PLACE, all_threads=False)
        confine(setup, surroundings)
        if surroundings.gpu_memory_bytes is not None:
            gpu_start.bring_up(setup.memory_bytes, surroundings.gpu_memory_bytes)
        if "jax" in sys.modules:  # before the source, so that it is not charged for it
            sys.modules["jax"].devices()
        _begin_python()
    except BaseException as error:  # Allclose's failure: the monitor gives up the box
        _send(token, wire.RAISED, pack("load", type_name(error), str(error)))
        os._exit(1)
    _send(token, wire.PREPARED, b"")
    try:
        _answer_all(torch_device="cuda" if surroundings.has_gpu else "cpu")
    finally:
        os._exit(0)


def _begin_python() -> None:
    """Seed and reset global state: otherwise every child would continue the zygote's random sequences."""
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    text, errors = _text_stream(1), _text_stream(2)
    vars(sys).update(stdout=text, __stdout__=text, stderr=errors, __stderr__=errors)
    sys.argv = ["solution.py"]
    vars(selectors).update(DefaultSelector=selectors.PollSelector)  # for asyncio; the filter has no epoll
    random.seed(SEED)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(SEED)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(SEED)
    gc.enable()


def _text_stream(descriptor: int) -> Any:
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _answer_all(torch_device: str) -> None:
    token, content = _receive()
    task = RunTask.from_json(content)
    program, reply = _load(task)
    _send(token, *reply)
    while program is not None:
        try:
            token, inputs = _receive()
        except wire.StreamEnded:
            os.close(ANSWERS)  # at once: freeing memory takes time, and the monitor waits for the end
            return
        _send(token, *_answer(task, program, inputs, torch_device))


def _load(task: RunTask) -> tuple[Program | None, Reply]:
    try:
        return load(task), (wire.LOADED, b"")
    except CannotBeJudged as error:
        return None, (wire.INVALID, pack("load", error.kind, str(error)))
    except BaseException as error:
        return None, (_load_failure_kind(error), describe("load", error, sys.exc_info()[2]))
    finally:
        _flush()


def _load_failure_kind(error: BaseException) -> bytes:
    """INVALID for a syntax error of the source itself, but not for one from a `compile` call in it."""
    is_of_parser = isinstance(error, SyntaxError | MemoryError | RecursionError)
    return wire.INVALID if is_of_parser and not student_frames(error.__traceback__) else wire.RAISED


def _answer(task: RunTask, program: Program, inputs: bytes, torch_device: str) -> Reply:
    stage = "call"
    try:
        arguments = _restore(task, inputs, torch_device)
        guarded = {name: arguments[name] for name in task.guarded if name in arguments}
        guard = Guard(guarded, inputs, task.argument_names)
        values = program(dict(arguments))
        stage = "answer"
        guard.check_unchanged()
        return _encode(values, guard, task.limits.answer_bytes)
    except Violation as violation:
        return violation.kind, pack(stage, violation.name, str(violation))
    except BaseException as error:
        return wire.RAISED, describe(stage, error, sys.exc_info()[2])
    finally:
        _flush()


def _restore(task: RunTask, inputs: bytes, torch_device: str) -> dict[str, Any]:
    tree = codec.decode(inputs)
    assert isinstance(tree, dict)
    return {name: convert.restore(tree[name], kind, torch_device) for name, kind in task.parameters if name in tree}


def _encode(values: object, guard: Guard, answer_bytes: int) -> Reply:
    """Also waits for asynchronous results, since it needs their bytes. Raises Violation."""
    caps = codec.Caps(total_bytes=answer_bytes)
    try:
        answer, regions = convert.read(values, caps)
        guard.check_apart(regions)
        return wire.ANSWER, codec.encode(answer, caps)
    except codec.Unsupported as error:
        return wire.UNSUPPORTED, pack("answer", error.type_name, str(error))
    except codec.TooLarge as error:
        return wire.TOO_LARGE, pack("answer", "TooLarge", str(error))


def _flush() -> None:
    """Printed text belongs to this case. The streams may have been replaced by the student."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            continue


def _receive() -> tuple[bytes, bytes]:
    """Raises StreamEnded when no more calls follow."""
    token, _, size = wire.TOKENED_HEADER.unpack(wire.read_exactly(INPUTS, wire.TOKENED_HEADER.size))
    return token, wire.read_exactly(INPUTS, size)


def _send(token: bytes, kind: bytes, content: bytes) -> None:
    wire.write_all(ANSWERS, wire.TOKENED_HEADER.pack(token, kind, len(content)))
    wire.write_all(ANSWERS, content)
