"""A submission leaves nothing for the next one in the same box. A box is used a limited number of times."""

import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from app.engine.boxes import open_pool
from app.judging.verdicts import Verdict
from app.settings import read_settings
from sandbox.guest_box import GuestBox
from sandbox.interface import Aborted, BoxSpec, Launcher, Request
from sandbox.pool import Pool
from tests.hostile.arena import Remembering, open_arena
from tests.hostile.memory import find_in_memory, processes_of
from tests.sandbox.bench import make_request, run_in, value_of

# What it writes, prints, raises and returns is made from what it gets, so that each can be told from the others.
FIRST = """
    import random
    import numpy as np

    KEPT = "{kept}"

    def solve(word, numbers, is_last):
        with open("/tmp/" + word[1:] + word[:1], "w") as file:
            file.write(word)
        print(word[2:] + word[:2])
        random.seed(word), np.random.seed(numbers[:4])
        if is_last:
            raise ValueError(word[3:] + word[:3])
        return [word[::-1], numbers[::-1]]
"""
SECOND = """
    import time

    def solve(word):
        open("/tmp/ready", "w").close()
        time.sleep(600)
"""
LOOK_AGAIN_SECONDS, AWAITED_SECONDS = 0.05, 60

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into the memory and the /tmp of a box")


@needs_root
@pytest.mark.parametrize("frameworks", [("numpy",), pytest.param(("jax",), marks=pytest.mark.whole)], ids="-".join)
def test_a_used_box_holds_no_byte_of_the_student_before(launcher: Launcher, frameworks: tuple[str, ...]) -> None:
    kept, word, next_word = (secrets.token_hex(12) for _ in range(3))
    numbers = np.frombuffer(secrets.token_bytes(64), np.uint8)
    searched = [text[5:17].encode() for text in (kept, word, word[::-1])]
    searched += [part.tobytes()[20:40] for part in (numbers, numbers[::-1])]
    with closing(launcher.launch(BoxSpec(frameworks))) as box:
        assert isinstance(box, GuestBox)

        answer, failed = run_in(box, first_request(kept, word, numbers)).cases
        assert box.is_usable()
        with running(box, make_request(SECOND, {"word": next_word}, wall_seconds=600)) as pids:
            left = [find_in_memory(pid, searched) for pid in pids]
            brought = find_in_memory(pids[-1], [next_word[5:17].encode()])

    assert (value_of(answer)[0], failed.failure and failed.failure.kind) == (word[::-1], "ValueError")
    assert left == [[], [], []]
    assert brought, "the search finds what is there"


def first_request(kept: str, word: str, numbers: "np.ndarray[tuple[int], np.dtype[np.uint8]]") -> Request:
    cases = ({"word": word, "numbers": numbers, "is_last": is_last} for is_last in (False, True))
    return make_request(FIRST.format(kept=kept), *cases)


@contextmanager
def running(box: GuestBox, request: Request) -> Iterator[list[int]]:
    """Zygote, monitor and student, while that request runs, which makes the file `ready`. Then the box is gone."""
    abort = threading.Event()
    thread = threading.Thread(target=_run_until, args=(box, request, abort))
    thread.start()
    try:
        yield _await_student(box.vessel.pid)
    finally:
        abort.set()
        thread.join()


def _run_until(box: GuestBox, request: Request, abort: threading.Event) -> None:
    with suppress(Aborted):
        box.run(request, lambda _: None, abort)


def _await_student(pid: int) -> list[int]:
    deadline = time.monotonic() + AWAITED_SECONDS
    while time.monotonic() < deadline:
        pids = processes_of(pid)
        if len(pids) == 3 and [path.name for path in Path(f"/proc/{pids[-1]}/root/tmp").iterdir()] == ["ready"]:
            return pids
        time.sleep(LOOK_AGAIN_SECONDS)
    raise AssertionError("the second submission did not begin, or found files in its /tmp")


def test_the_next_student_finds_the_random_state_and_the_modules_as_the_first_did(launcher: Launcher) -> None:
    look = """
        import gc, linecache, os, random, sys
        import numpy as np

        def solve():
            seen = [sorted(sys.modules), sorted(os.environ.items()), sorted(linecache.cache), os.listdir("/tmp")]
            seen += [random.random(), float(np.random.rand()), len(gc.get_objects()) // 1000, os.getcwd(), os.umask(0)]
            return repr(seen)
    """
    numbers = np.arange(64, dtype=np.uint8)
    with closing(launcher.launch(BoxSpec(("numpy",)))) as box:
        fresh = value_of(run_in(box, make_request(look)).cases[0])

        run_in(box, first_request("kept", "abcdef", numbers))

        assert value_of(run_in(box, make_request(look)).cases[0]) == fresh


def test_times_of_what_boxes_share_are_no_letter(launcher: Launcher) -> None:
    look = """
        import os

        DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom", "/dev/zero", "/dev/tty")
        NAMES = [name for name in ("/tmp", *DEVICES) if os.path.exists(name)]

        def times():
            return {name: [os.stat(name).st_mtime_ns, os.stat(name).st_atime_ns] for name in NAMES}

        def solve(is_writing):
            before = times()
            for name in NAMES if is_writing else ():
                try:
                    os.utime(name)
                except OSError:
                    pass
            return [before, times()]
    """
    with closing(launcher.launch(BoxSpec(()))) as box:
        before, written = value_of(run_in(box, make_request(look, {"is_writing": True})).cases[0])

        _, read = value_of(run_in(box, make_request(look, {"is_writing": False})).cases[0])

    assert [name for name in written if before[name] != written[name] == read[name]] == []


@pytest.mark.parametrize(
    ("max_runs", "boxes"),
    [(1, 4), pytest.param(4, 2, marks=pytest.mark.whole), pytest.param(100, 1, marks=pytest.mark.whole)],
)
def test_a_box_is_used_as_often_as_the_settings_allow(
    launcher: Launcher, monkeypatch: pytest.MonkeyPatch, max_runs: int, boxes: int
) -> None:
    """Twice for each submission: one case runs again in another process."""
    monkeypatch.setenv("ALLCLOSE_MAX_RUNS", str(max_runs))
    remembering = Remembering(launcher)
    with closing(Pool(launcher, capacity=1, max_runs=100)) as references:
        arena = open_arena("standardise", (references, references), remembering)

    with open_pool(read_settings(), remembering, 1) as pool:
        arena = arena.moved_to(pool)
        used = []
        for _ in range(4):
            used.append(arena.settle().vessel.pid)
            assert arena.judge(arena.canary).verdict is Verdict.ACCEPTED

    assert len(set(used)) == boxes
