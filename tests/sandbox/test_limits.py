"""Programs that take too much of something: each ends at its limit, and the box stays good."""

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
        "import time; time.sleep(1000)",
        "import re; re.match(r'(a+)+$', 'a' * 100 + 'b')",
        "list(zip(iter(int, 1)))",
        "9 ** 9 ** 9",
        "import threading; threading.Lock().acquire(); threading.Event().wait()",
        f"{BLOCK_SIGNALS}; sum(iter(int, 1))",
        "import os; os.read(4, 1)",
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
        "import signal; signal.signal(signal.SIGUSR2, lambda *_: None)",
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


def test_the_time_that_its_own_threads_take_is_charged(bench: Bench) -> None:
    outcome = bench.call(CROWDED, {"seconds": 1.5})

    assert outcome.wall_seconds >= 0.95 * value_of(outcome)


def test_no_limit_is_stretched_by_a_programs_own_threads(bench: Bench) -> None:
    outcome = bench.call(CROWDED, {"seconds": 1.5}, wall_seconds=1)

    assert outcome.ending is Ending.TIMED_OUT


GREEDY = {
    "python, slowly": (
        "import time\ndef solve():\n  kept = []\n  while True:\n    kept.append(bytearray(2**22)); time.sleep(0.002)\n",
        (),
    ),
    "python, at once": ("def solve():\n  return len(b'x' * 2**31)\n", ()),
    "numpy": ("import numpy as np\ndef solve():\n  return [np.ones(2**27) for _ in range(9)] and 1\n", ("numpy",)),
    "numpy, far too much": ("import numpy as np\ndef solve():\n  return np.ones(2**50)\n", ("numpy",)),
    "mmap": (
        "import mmap\ndef solve():\n  m = mmap.mmap(-1, 2**30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "  for n in range(0, 2**30, 4096): m[n] = 1\n",
        (),
    ),
    "eight threads": (
        "import threading\ndef take(): return bytearray(2**28)\ndef solve():\n"
        "  kept = []\n  threads = [threading.Thread(target=lambda: kept.append(take())) for _ in range(8)]\n"
        "  [t.start() for t in threads]; [t.join() for t in threads]\n  return len(kept)\n",
        (),
    ),
    "jax": ("import jax.numpy as jnp\ndef solve():\n  return jnp.ones(2**29).sum()\n", ("jax",)),
    "torch": ("import torch\ndef solve():\n  return torch.ones(2**29).sum()\n", ("torch",)),
}
GREEDY_QUICK = ("python, slowly", "numpy", "mmap")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in GREEDY_QUICK else pytest.mark.whole) for name in GREEDY]
)
def test_memory_over_the_limit_is_out_of_memory(bench: Bench, name: str) -> None:
    source, frameworks = GREEDY[name]

    run = bench.run_cleanly(source, frameworks=frameworks, memory_bytes=256 * MIB)

    assert run.cases[0].ending is Ending.OUT_OF_MEMORY


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


@pytest.mark.parametrize(
    "statement",
    [
        "while True: print('x' * 1000)",
        "while True: os.write(1, b'x' * 65536)",
        "while True: os.write(2, b'no line end')",
        "print('x' * 10**8)",
    ],
)
def test_endless_text_ends_the_case(bench: Bench, statement: str) -> None:
    run = bench.run_cleanly(f"import os\ndef solve():\n    {statement}\n")

    assert run.cases[0].ending is Ending.TOO_MUCH_OUTPUT
    assert 63 * 1024 < len(run.cases[0].text) <= 64 * 1024
    assert "bytes left out" in run.cases[0].text


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


def test_an_answer_over_the_limit_is_too_much_output(bench: Bench) -> None:
    source = "import numpy as np\ndef solve():\n    return np.zeros(2**20)\n"

    outcome = bench.call(source, frameworks=("numpy",), answer_bytes=MIB)

    assert outcome.ending is Ending.TOO_MUCH_OUTPUT


def test_large_inputs_and_answers_pass(bench: Bench) -> None:
    x = np.arange(2**22, dtype=np.float64)

    outcome = bench.call("def solve(x):\n    return x\n", {"x": x}, kind="numpy", frameworks=("numpy",))

    np.testing.assert_array_equal(value_of(outcome), x)


def test_inputs_that_are_never_read_do_not_hang(bench: Bench) -> None:
    source = "import os\nos.close(4)\ndef solve(x): ...\n"

    outcome = bench.call(source, {"x": np.zeros(2**21)})

    assert outcome.ending is Ending.CRASHED


def test_as_many_threads_as_xla_wants_are_permitted(bench: Bench) -> None:
    source = """
        import threading

        def solve():
            started = threading.Barrier(41)
            for _ in range(40):
                threading.Thread(target=started.wait).start()
            started.wait()
            return threading.active_count() >= 1
    """

    assert value_of(bench.call(source)) is True


def test_descriptors_run_out_for_the_program_only(bench: Bench) -> None:
    source = "import os\ndef solve(x):\n    return [os.open('/dev/null', 0) for _ in range(x)]\n"

    run = bench.run(source, {"x": 10_000}, {"x": 0})

    assert run.cases[0].failure is not None
    assert run.cases[0].failure.kind == "OSError"
    assert run.cases[1].ending is Ending.ANSWERED


@pytest.mark.parametrize(
    "statement",
    [
        "open('/tmp/large', 'wb').write(b'x' * 10**9)",
        "[open(f'/tmp/{n}', 'wb').write(b'x' * 2**20) for n in range(200)]",
        "os.truncate('/tmp/sparse', 2**40) if open('/tmp/sparse', 'w') else 0",
    ],
)
def test_the_disk_is_small(bench: Bench, statement: str) -> None:
    run = bench.run_cleanly(f"import os\ndef solve():\n    {statement}\n")

    assert run.cases[0].failure is not None
    assert run.cases[0].failure.kind == "OSError"


def test_processor_time_of_many_threads_does_not_pass_one_core(bench: Bench) -> None:
    source = "import os\ndef solve():\n    return len(os.sched_getaffinity(0))\n"

    assert value_of(bench.call(source)) == 1
