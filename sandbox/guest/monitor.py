"""The monitor: a process per request, forked from the zygote. It reads the request, has it answered, and exits.

All that it read dies with it, so the next submission can't find source, inputs or answers in inherited memory. The host
sends a case's inputs when the case before has ended, and after the student's process was forked.
"""

import fcntl
import os
import sys
import traceback
from dataclasses import replace
from typing import NoReturn

from sandbox.guest import student, wire
from sandbox.guest.confinement import Surroundings
from sandbox.guest.gauge import BoxGauge, Gauge
from sandbox.guest.isolation import enter_namespaces
from sandbox.guest.watch import Child, HostGone, Watch
from sandbox.guest.wire import ANSWERS, FROM_HOST, INPUTS, PLACE, TO_HOST, CallReport, Cause, ProcessSetup, RunTask

# No descriptor of the student's process has a number so high.
_HIGH = 64
_REPLIES_TO_LOADING = (wire.LOADED, wire.INVALID, wire.RAISED)
_REPLIES_TO_CASES = (wire.ANSWER, *(kind for kind in wire.FAILURES if kind != wire.INVALID))


class NotPrepared(Exception):
    """The student's process could not be confined, or died before it got a source. It is Allclose's failure and ends
    the box.
    """


def live(surroundings: Surroundings) -> NoReturn:
    """Run the forked process to its end. The exit status says whether the box may be reused."""
    status = 1
    try:
        os.sched_setaffinity(0, surroundings.all_cores)  # so as not to wait behind the student
        _serve(surroundings)
        status = 0
    except (HostGone, wire.StreamEnded, BrokenPipeError):
        pass
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _serve(surroundings: Surroundings) -> None:
    _, content = wire.read_frame(FROM_HOST)
    setup = ProcessSetup.from_json(content)
    if surroundings.isolation == "namespaces":
        enter_namespaces(gpu=surroundings.has_gpu)
    token = os.urandom(wire.TOKEN_BYTES)
    child = _fork_student(setup, surroundings, token)
    thread_limit = surroundings.thread_limit
    gauge = BoxGauge(child.pid, thread_limit) if surroundings.has_gpu else Gauge(child.pid)
    watch = Watch(child, gauge, thread_limit=thread_limit, cores=len(surroundings.cores))
    try:
        _prepare(watch, token, surroundings.preparation_seconds)
        wire.write_frame(TO_HOST, wire.WAITING)
        _, content = wire.read_frame(FROM_HOST)
        _run(watch, surroundings, content)
    finally:
        watch.leave()


def _prepare(watch: Watch, token: bytes, seconds: float) -> None:
    report = watch.await_preparation(token, seconds)
    if report.kind != wire.PREPARED:
        raise NotPrepared(report)


def _run(watch: Watch, surroundings: Surroundings, content: bytes) -> None:
    task = RunTask.from_json(content)
    watch.limits = surroundings.watched(task.limits)
    if _load(watch, task, content):
        _answer_cases(watch, task)


def _load(watch: Watch, task: RunTask, content: bytes) -> bool:
    report = _strict(watch.ask(wire.TASK, content, task.limits.load_seconds), _REPLIES_TO_LOADING)
    has_loaded = report.kind == wire.LOADED
    if has_loaded:  # what was printed is shown with the first case
        watch.put_back(report.text)
        report = replace(report, text=b"")
    _send(report)
    return has_loaded


def _answer_cases(watch: Watch, task: RunTask) -> None:
    """Answer one case after the other, until the host says that none follows, or a case ends the process."""
    while True:
        watch.wait_for_host()
        kind, inputs = wire.read_frame(FROM_HOST)
        if kind == wire.NO_CASE:
            wire.write_frame(TO_HOST, wire.LAST, b"!" if watch.farewell() else b"")
            return
        report = _strict(watch.ask(wire.CASE, inputs, task.limits.wall_seconds), _REPLIES_TO_CASES)
        _send(report)
        if report.cause is not Cause.REPLIED:
            return


def _strict(report: CallReport, kinds: tuple[bytes, ...]) -> CallReport:
    """Treat a well-formed reply to another command as forged."""
    if report.cause is Cause.REPLIED and report.kind not in kinds:
        return replace(report, cause=Cause.FORGED, kind=b"", content=b"")
    return report


def _send(report: CallReport) -> None:
    for kind, content in report.frames():
        wire.write_frame(TO_HOST, kind, content)


def _fork_student(setup: ProcessSetup, surroundings: Surroundings, token: bytes) -> Child:
    """Fork the student's process with its six descriptors: an empty stdin, text twice, answers, inputs, notes.

    The notes are the record of watching code (`sandbox.guest.notes`) or, after a time limit, the lines that run.
    """
    inputs, answers, text, place = os.pipe(), os.pipe(), os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_student(setup, surroundings, token, (text[1], answers[1], inputs[0], place[1]))
    for end in (inputs[0], answers[1], text[1], place[1]):
        os.close(end)
    for end in (inputs[1], answers[0], text[0], place[0]):
        os.set_blocking(end, False)
    return Child(pid=pid, inputs=inputs[1], answers=answers[0], text=text[0], place=place[0])


def _become_student(setup: ProcessSetup, surroundings: Surroundings, token: bytes, ends: tuple[int, ...]) -> NoReturn:
    try:
        _place_descriptors(*ends)
        student.live(setup, surroundings, token)
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
