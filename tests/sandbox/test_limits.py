"""The limits of time, memory and output. `tests/hostile/submissions/exhausting` has the ways to break them."""

import os
import re
from contextlib import ExitStack

import numpy as np
import pytest

from sandbox.interface import MIB, Ending
from tests.sandbox.bench import Bench, value_of
from tests.sandbox.busy import busy

BLOCK_SIGNALS = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))"


@pytest.mark.parametrize(
    "statement",
    [
        "while True: pass",
        "import threading; threading.Event().wait()",
        "list(zip(iter(int, 1)))",
        f"{BLOCK_SIGNALS}; sum(iter(int, 1))",
    ],
)
def test_a_call_that_takes_too_long_is_timed_out(bench: Bench, statement: str) -> None:
    source = f"def solve(x):\n    if x:\n        {statement}\n    return x\n"
    hint = "" if BLOCK_SIGNALS in statement else ". Hint: when it was stopped, it was at solution.py, line 3"
    messages: list[str] = []

    while len(messages) < 3 and (not messages or hint not in messages[-1]):  # a busy machine may find the line too late
        run = bench.run_cleanly(source, {"x": 0}, {"x": 1}, wall_seconds=0.5)
        assert [case.ending for case in run.cases] == [Ending.ANSWERED, Ending.TIMED_OUT]
        assert run.cases[1].wall_seconds >= 0.5
        assert run.cases[1].failure is not None
        messages.append(run.cases[1].failure.message)

    assert messages[-1] == f"the call took longer than 0.5 s{hint}"


def test_the_innermost_line_of_the_solution_is_named(bench: Bench) -> None:
    source = "import time\ndef inner():\n    time.sleep(9)\ndef solve():\n    inner()\n"

    outcome = bench.call(source, wall_seconds=0.3)

    assert outcome.failure is not None
    assert outcome.failure.message.endswith("it was at solution.py, line 3")


@pytest.mark.parametrize(
    "statement",
    [
        "import os; os.write(5, b'File \"solution.py\", line 77 in fake\\n' * 1500)",
        "import signal; signal.signal(signal.SIGUSR2, signal.SIG_DFL)",
        "import os; os.close(5)",
        "import faulthandler; faulthandler.unregister(12)",
    ],
)
def test_a_program_that_spoils_the_hint_gets_none_and_is_timed_out(bench: Bench, statement: str) -> None:
    run = bench.run_cleanly(f"def solve():\n    {statement}\n    while True: pass\n", {}, wall_seconds=0.3)

    (outcome,) = run.cases
    assert outcome.ending is Ending.TIMED_OUT
    assert outcome.failure is not None
    assert "line 77" not in outcome.failure.message


WORK = """
import threading, time

def work():
    while time.thread_time() < 0.7: pass

def in_its_first_thread():
    work()

def in_another_thread():
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""


@pytest.mark.parametrize("where", [pytest.param("in_its_first_thread", marks=pytest.mark.whole), "in_another_thread"])
def test_the_time_that_others_take_is_not_charged(bench: Bench, where: str) -> None:
    with ExitStack() as others:
        for core in os.sched_getaffinity(0):
            others.enter_context(busy(core))
        outcome = bench.call(f"{WORK}\ndef solve():\n    {where}()\n", wall_seconds=1.5)

    assert outcome.ending is Ending.ANSWERED, outcome.failure
    assert 0.6 < outcome.wall_seconds <= 1.5
    assert outcome.left_out_seconds > 0.2


# Until the process has had its core for so long, of which its first thread gets a fourth.
CROWDED = """
import hashlib, threading, time

def spin():
    hashlib.pbkdf2_hmac("sha256", b"password", b"salt", 10**9)

def solve(seconds):
    started = time.process_time()
    for _ in range(3):
        threading.Thread(target=spin, daemon=True).start()
    while time.process_time() - started < seconds: pass
    return time.process_time() - started
"""


@pytest.mark.whole
def test_the_time_that_its_own_threads_take_is_charged(bench: Bench) -> None:
    outcome = bench.call(CROWDED, {"seconds": 1.5})

    assert outcome.wall_seconds >= 0.95 * value_of(outcome)


def test_no_limit_is_stretched_by_a_programs_own_threads(bench: Bench) -> None:
    outcome = bench.call(CROWDED, {"seconds": 1.5}, wall_seconds=1)

    assert outcome.ending is Ending.TIMED_OUT


def test_memory_taken_while_loading_counts_too(bench: Bench) -> None:
    outcome = bench.call("kept = bytearray(2**29)\ndef solve(): ...\n", memory_bytes=256 * MIB)

    assert outcome.name == ""
    assert outcome.ending is Ending.OUT_OF_MEMORY


def test_peak_memory_is_that_of_the_case_above_the_start(bench: Bench) -> None:
    source = """
        import time
        import numpy as np

        def solve(mib):
            taken = np.ones(mib * 2**20, np.uint8)
            time.sleep(0.05)
            return int(taken[0])
    """

    large, small = bench.run(source, {"mib": 200}, {"mib": 1}, frameworks=("numpy",)).cases

    assert 200 * MIB <= large.memory_bytes < 230 * MIB
    assert small.memory_bytes < 30 * MIB


def test_of_a_long_text_the_beginning_and_the_end_are_kept_and_the_answer_stands(bench: Bench) -> None:
    outcome = bench.call("def solve():\n    print('begin' + 'é' * 500_000 + 'end')\n    return 1\n")

    assert value_of(outcome) == 1
    assert len(outcome.text.encode()) <= 64 * 1024
    head, left_out, end = re.split(r"\n… ([0-9,]+) bytes left out …\n", outcome.text)
    assert (head.strip("é"), end.strip("é")) == ("begin", "end\n")
    assert len((head + end).encode()) + int(left_out.replace(",", "")) == len("beginend\n") + 2 * 500_000


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (" 10 %|#   |\r 55 %|##  |\r100 %|####|\n", "100 %|####|\n"),
        ("abcdef\rxy\nz\r\n", "xycdef\nz\n"),
        ("one\r\ntwo\r", "one\ntwo"),
        ("\r" * 60_000 + "end", "end"),
    ],
)
def test_a_carriage_return_writes_over_the_line_as_on_a_terminal(bench: Bench, printed: str, shown: str) -> None:
    outcome = bench.call(f"def solve():\n    print({printed!r}, end='')\n    return 1\n")

    assert outcome.text == shown


def test_large_inputs_and_answers_pass(bench: Bench) -> None:
    x = np.arange(2**22, dtype=np.float64)

    outcome = bench.call("def solve(x):\n    return x\n", {"x": x}, kind="numpy", frameworks=("numpy",))

    np.testing.assert_array_equal(value_of(outcome), x)


def test_processor_time_of_many_threads_does_not_pass_one_core(bench: Bench) -> None:
    source = "import os\ndef solve():\n    return len(os.sched_getaffinity(0))\n"

    assert value_of(bench.call(source)) == 1
