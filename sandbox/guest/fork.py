"""Fork the student's process with its six descriptors: an empty stdin, text twice, answers, inputs, notes.

The notes are the record of watching code (`sandbox.guest.notes`) or, after a time limit, the lines that run.
"""

import fcntl
import os
import traceback
from dataclasses import dataclass
from typing import NoReturn

from sandbox.guest.confinement import Surroundings
from sandbox.guest.student import live
from sandbox.guest.wire import ANSWERS, INPUTS, PLACE, ProcessSetup

PIPE_BYTES = 2**20
_HIGH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A student's process, and the monitor's non-blocking ends of its pipes."""

    pid: int
    inputs: int
    answers: int
    text: int
    place: int


def fork_student(setup: ProcessSetup, surroundings: Surroundings, token: bytes) -> Child:
    inputs, answers, text, place = os.pipe(), os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_student(setup, surroundings, token, (text[1], answers[1], inputs[0], place[1]))
    for end in (inputs[0], answers[1], text[1], place[1]):
        os.close(end)
    for end in (inputs[1], answers[0], text[0], place[0]):
        os.set_blocking(end, False)
    _widen(inputs[1])
    _widen(answers[0])
    return Child(pid=pid, inputs=inputs[1], answers=answers[0], text=text[0], place=place[0])


def _become_student(setup: ProcessSetup, surroundings: Surroundings, token: bytes, ends: tuple[int, ...]) -> NoReturn:
    try:
        _place_descriptors(*ends)
        live(setup, surroundings, token)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _place_descriptors(text: int, answers: int, inputs: int, place: int) -> None:
    """Move the descriptors out of each other's way, then to their places, and close everything else."""
    nothing = os.open("/dev/null", os.O_RDONLY)
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, _HIGH) for end in (nothing, text, answers, inputs, place)]
    for end, numbers in zip(ends, ((0,), (1, 2), (ANSWERS,), (INPUTS,), (PLACE,)), strict=True):
        for number in numbers:
            os.dup2(end, number)
    os.closerange(max(ANSWERS, INPUTS, PLACE) + 1, 2**20)


def _widen(pipe: int) -> None:
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:  # over this user's limit on the host; a smaller pipe is only slower
        return
