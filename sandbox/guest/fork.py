"""Fork the student's process with its five descriptors: an empty stdin, text twice, answers, inputs."""

import fcntl
import os
import traceback
from dataclasses import dataclass
from typing import NoReturn

from sandbox.guest.confinement import Surroundings
from sandbox.guest.student import ANSWERS, INPUTS, live
from sandbox.guest.task import Setup

PIPE_BYTES = 2**20
_HIGH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A student's process, and the monitor's non-blocking ends of its pipes."""

    pid: int
    inputs: int
    answers: int
    text: int


def fork_student(setup: Setup, surroundings: Surroundings, token: bytes) -> Child:
    inputs, answers, text = os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_student(setup, surroundings, token, (text[1], answers[1], inputs[0]))
    for end in (inputs[0], answers[1], text[1]):
        os.close(end)
    for end in (inputs[1], answers[0], text[0]):
        os.set_blocking(end, False)
    _widen(inputs[1])
    _widen(answers[0])
    return Child(pid=pid, inputs=inputs[1], answers=answers[0], text=text[0])


def _become_student(setup: Setup, surroundings: Surroundings, token: bytes, ends: tuple[int, int, int]) -> NoReturn:
    try:
        _place_descriptors(*ends)
        live(setup, surroundings, token)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _place_descriptors(text: int, answers: int, inputs: int) -> None:
    """Move the descriptors out of each other's way, then to their places, and close everything else."""
    nothing = os.open("/dev/null", os.O_RDONLY)
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, _HIGH) for end in (nothing, text, answers, inputs)]
    for end, places in zip(ends, ((0,), (1, 2), (ANSWERS,), (INPUTS,)), strict=True):
        for place in places:
            os.dup2(end, place)
    os.closerange(max(ANSWERS, INPUTS) + 1, 2**20)


def _widen(pipe: int) -> None:
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:  # over this user's limit on the host; a smaller pipe is only slower
        return
