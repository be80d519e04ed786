"""The monitor: a process per request, forked from the zygote. It reads the request, has it answered, and exits.

All that it read dies with it, so the next submission can't find source, inputs or answers in inherited memory. The host
sends a case's inputs when the case before has ended, and after the student's process was forked.
"""

import json
import os
import sys
import traceback
from dataclasses import replace
from typing import NoReturn

from sandbox.guest import frames
from sandbox.guest.confinement import Surroundings
from sandbox.guest.fork import fork_student
from sandbox.guest.gauge import BoxGauge, Gauge
from sandbox.guest.isolation import enter_namespaces
from sandbox.guest.reply import Cause
from sandbox.guest.task import Setup, Task
from sandbox.guest.watch import Ended, HostGone, Watch

_REPLIES_TO_LOADING = (frames.LOADED, frames.INVALID, frames.RAISED)
_REPLIES_TO_CASES = (frames.ANSWER, *(kind for kind in frames.FAILURES if kind != frames.INVALID))


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
    except (HostGone, frames.StreamEnded, BrokenPipeError):
        pass
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _serve(surroundings: Surroundings) -> None:
    _, content = frames.read_frame(frames.FROM_HOST)
    setup = Setup.from_json(content)
    if surroundings.isolation == "namespaces":
        enter_namespaces(gpu=surroundings.has_gpu)
    token = os.urandom(frames.TOKEN_BYTES)
    child = fork_student(setup, surroundings, token)
    thread_limit = surroundings.thread_limit
    gauge = BoxGauge(child.pid, thread_limit) if surroundings.has_gpu else Gauge(child.pid)
    watch = Watch(child, gauge, thread_limit=thread_limit, cores=len(surroundings.cores))
    try:
        _prepare(watch, token, surroundings.preparation_seconds(setup))
        frames.write_frame(frames.TO_HOST, b"W")
        kind, content = frames.read_frame(frames.FROM_HOST)  # a spare waits here; it has run nothing yet
        if kind == b"S":
            _run(watch, surroundings, content)
    finally:
        watch.leave()


def _prepare(watch: Watch, token: bytes, seconds: float) -> None:
    ended = watch.await_preparation(token, seconds)
    if ended.kind != frames.PREPARED:
        raise NotPrepared(ended)


def _run(watch: Watch, surroundings: Surroundings, content: bytes) -> None:
    if watch.is_dead():
        raise NotPrepared("the spare process is dead")
    task = Task.from_json(content)
    watch.limits = surroundings.watched(task.limits)
    if _load(watch, task, content):
        _answer_cases(watch, task)


def _load(watch: Watch, task: Task, content: bytes) -> bool:
    ended = _strict(watch.ask(b"L", content, task.limits.load_seconds), _REPLIES_TO_LOADING)
    if ended.kind != frames.LOADED:
        _report(ended)
        return False
    watch.put_back(ended.text)
    frames.write_frame(frames.TO_HOST, b"L", json.dumps({"load_seconds": ended.wall_seconds}).encode())
    return True


def _answer_cases(watch: Watch, task: Task) -> None:
    """Answer one case after the other, until the host says that none follows, or a case ends the process."""
    while True:
        watch.wait_for_host()
        kind, inputs = frames.read_frame(frames.FROM_HOST)
        if kind == b"E":
            frames.write_frame(frames.TO_HOST, b"E", b"forged" if watch.farewell() else b"")
            return
        ended = _strict(watch.ask(b"C", inputs, task.limits.wall_seconds), _REPLIES_TO_CASES)
        _report(ended)
        if ended.cause is not Cause.REPLIED:
            return


def _strict(ended: Ended, kinds: tuple[bytes, ...]) -> Ended:
    """Treat a well-formed reply to another command as forged."""
    if ended.cause is Cause.REPLIED and ended.kind not in kinds:
        return replace(ended, cause=Cause.FORGED, kind=b"", content=b"")
    return ended


def _report(ended: Ended) -> None:
    facts = {
        "cause": ended.cause,
        "kind": ended.kind.decode("ascii"),
        "status": ended.status,
        "wall_seconds": ended.wall_seconds,
        "left_out_seconds": ended.left_out_seconds,
        "memory_bytes": ended.memory_bytes,
        "notes": ended.notes.decode("ascii", "replace"),
    }
    frames.write_frame(frames.TO_HOST, b"O", json.dumps(facts).encode())
    frames.write_frame(frames.TO_HOST, b"T", ended.text)
    frames.write_frame(frames.TO_HOST, b"P", ended.content)
