"""The contract of every launcher's boxes, with correct and with clumsy programs."""

import threading

import ml_dtypes
import numpy as np
import pytest

from sandbox.interface import ArrayKind, CaseOutcome, Ending
from tests.examples import examples
from tests.sandbox.bench import Bench, make_request, value_of

DOUBLE = "def solve(x):\n    return x * 2\n"


def test_a_program_is_called_with_its_inputs_and_its_value_comes_back(bench: Bench) -> None:
    run = bench.run_cleanly(DOUBLE, {"x": 1}, {"x": 2.5}, {"x": "ab"})

    assert run.load_failure is None
    assert [value_of(case) for case in run.cases] == [2, 5.0, "abab"]
    assert [case.name for case in run.cases] == ["case 0", "case 1", "case 2"]


def test_an_answer_is_handed_over_as_its_case_ends_and_not_kept(bench: Bench) -> None:
    outcomes: list[CaseOutcome] = []
    with bench.box() as box:
        run = box.run(make_request(DOUBLE, {"x": 1}, {"x": 2}), outcomes.append, threading.Event())

    assert [value_of(outcome) for outcome in outcomes] == [2, 4]
    assert [(case.ending, case.answer) for case in run.cases] == [(Ending.ANSWERED, None)] * 2


@pytest.mark.parametrize(("kind", "module"), [("numpy", "numpy"), ("jax", "jax"), ("torch", "torch")])
def test_arrays_become_those_of_the_framework(bench: Bench, kind: ArrayKind, module: str) -> None:
    source = "def solve(x):\n    return {'module': type(x).__module__, 'doubled': x * 2, 'dtype': str(x.dtype)}\n"
    x = np.array([1, 2, 3], ml_dtypes.bfloat16)

    value = value_of(bench.call(source, {"x": x}, kind=kind, frameworks=(module,)))

    assert value["module"].startswith(("numpy", "jax", "torch"))
    assert value["dtype"].endswith("bfloat16")
    assert value["doubled"].tolist() == [2, 4, 6]


def test_printed_text_comes_with_the_case_that_printed_it(bench: Bench) -> None:
    source = """
        import sys
        print("loading")

        def solve(x):
            print("case", x)
            sys.stderr.write("\\x1b[31mred\\x00")
            return x
    """

    run = bench.run(source, {"x": 1}, {"x": 2})

    assert [case.text for case in run.cases] == [
        "loading\ncase 1\n\\x1b[31mred\\x00",
        "case 2\n\\x1b[31mred\\x00",
    ]


def test_an_exception_is_reported_and_the_next_case_runs(bench: Bench) -> None:
    source = """
        def divide(x):
            return 1 / x

        def solve(x):
            return divide(x)
    """

    run = bench.run(source, {"x": 0}, {"x": 2})

    first, second = run.cases
    assert first.ending is Ending.RAISED
    assert first.failure is not None
    assert (first.failure.stage, first.failure.kind) == ("call", "ZeroDivisionError")
    assert first.failure.message == "division by zero"
    assert first.failure.traceback.splitlines() == [
        '  File "solution.py", line 6, in solve',
        "    return divide(x)",
        '  File "solution.py", line 3, in divide',
        "    return 1 / x",
    ]
    assert value_of(second) == 0.5


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("raise BaseException('all')", "BaseException"),
        ("return solve()", "RecursionError"),
        ("raise type('Mine', (Exception,), {})('own')", "Mine"),
        ("import signal, os; os.kill(os.getpid(), signal.SIGINT); import time; time.sleep(1)", "KeyboardInterrupt"),
    ],
)
def test_anything_raised_is_an_exception_of_the_program(bench: Bench, statement: str, kind: str) -> None:
    outcome = bench.call(f"def solve():\n    {statement}\n")

    assert outcome.ending is Ending.RAISED
    assert outcome.failure is not None
    assert outcome.failure.kind == kind


def test_a_deep_recursion_is_shown_by_its_ends(bench: Bench) -> None:
    outcome = bench.call("def solve():\n    return solve()\n")

    assert outcome.failure is not None
    assert "more frames" in outcome.failure.traceback
    assert len(outcome.failure.traceback.splitlines()) < 60


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def solve(:\n", "invalid syntax"),
        ("x = 1\n", "the source does not define solve; define solve(a, b) at the top level"),
        ("solve = 3\n", "solve can't be called; it must be a function: solve(a, b)"),
        ("def solve(a): ...\n", "`solve` takes 1 parameter; the problem calls it with 2: a, b"),
        ("def solve(a, b, c, d): ...\n", "`solve` takes 4 parameters; the problem calls it with 2: a, b"),
        ("def solve(a, b, c, d=1): ...\n", "`solve` takes at least 3 parameters; the problem calls it with 2: a, b"),
        ("def solve(a=1): ...\n", "`solve` takes at most 1 parameter; the problem calls it with 2: a, b"),
        (
            "def solve(a, b, *, c): ...\n",
            "`solve` has keyword-only parameters without a default (c); the problem calls it with 2",
        ),
        ("x = '\ud800'\n", "not valid Python text"),
    ],
)
def test_a_source_that_cannot_be_judged_says_what_to_change(bench: Bench, source: str, message: str) -> None:
    outcome = bench.call(source, {"a": 1, "b": 2})

    assert outcome.ending is Ending.INVALID
    assert outcome.name == ""
    assert outcome.failure is not None
    assert outcome.failure.stage == "load"
    assert message in outcome.failure.message


def test_a_last_word_is_heard_however_soon_the_process_ends(bench: Bench) -> None:
    """JAX has many threads, which end before the first one's message is read."""
    endings = {bench.call("x = 1\n", frameworks=("jax",)).ending for _ in range(examples(40))}

    assert endings == {Ending.INVALID}


DRIVER = "def run(solution, inputs):\n    return solution(inputs['a'] + inputs['b'], 3, 4)\n"


def test_a_function_for_a_driver_is_held_to_what_the_driver_calls_it_with(bench: Bench) -> None:
    source, signature = "def solve(a, b): ...\n", ("model", "data", "lr")

    outcome = bench.call(source, {"a": 1, "b": 2}, driver=DRIVER, signature=signature)

    assert outcome.ending is Ending.INVALID
    assert outcome.failure is not None
    assert "`solve` takes 2 parameters; the problem calls it with 3: model, data, lr" in outcome.failure.message


@pytest.mark.parametrize("mark", ["\f", "\u2028", "\x85", "\x1c", "\v"])
def test_lines_are_those_of_python(bench: Bench, mark: str) -> None:
    """torch.jit.script reads a function's source by `inspect`, as this does."""
    source = (
        f"import inspect\n# {mark} {mark}\n{'' if mark.isprintable() else '#'}{mark}\n\ndef helper():\n    return 1\n"
    )
    source += "def solve(fails):\n    return 1 / 0 if fails else inspect.getsource(helper)\n"

    failed, read = bench.run(source, {"fails": True}, {"fails": False}).cases

    assert failed.failure is not None
    assert failed.failure.traceback == (
        '  File "solution.py", line 8, in solve\n    return 1 / 0 if fails else inspect.getsource(helper)'
    )
    assert value_of(read) == "def helper():\n    return 1\n"


def test_a_syntax_error_is_shown_where_it_is(bench: Bench) -> None:
    outcome = bench.call("x = 1\ny = = 2\n")

    assert outcome.failure is not None
    assert outcome.failure.kind == "SyntaxError"
    assert outcome.failure.traceback.splitlines() == ['  File "solution.py", line 2', "    y = = 2", "        ^"]


def test_a_module_that_fails_to_load_concerns_every_case(bench: Bench) -> None:
    run = bench.run_cleanly(f"raise SystemExit\n{DOUBLE}", {"x": 1}, {"x": 2})

    assert run.cases == ()
    assert run.load_failure is not None
    assert run.load_failure.ending is Ending.RAISED
    assert run.load_failure.failure is not None
    assert (run.load_failure.failure.stage, run.load_failure.failure.kind) == ("load", "SystemExit")


def test_a_value_of_no_known_type_is_named_with_its_place(bench: Bench) -> None:
    outcome = bench.call("class Thing: pass\ndef solve():\n    return {'a': [1, Thing()]}\n")

    assert outcome.ending is Ending.UNSUPPORTED
    assert outcome.failure is not None
    assert outcome.failure.stage == "answer"
    assert outcome.failure.message.startswith("Thing at a/1 can't be returned")


def test_an_error_that_shows_only_when_the_value_is_read_belongs_to_the_answer(bench: Bench) -> None:
    source = """
        import jax

        def solve():
            return jax.jit(lambda: jax.pure_callback(lambda: 1 / 0, jax.ShapeDtypeStruct((), "float32")))()
    """

    outcome = bench.call(source, frameworks=("jax",))

    assert outcome.ending is Ending.RAISED


@pytest.mark.parametrize(
    "setup",
    [
        "threading.Thread(target=time.sleep, args=(1000,)).start()",
        "atexit.register(time.sleep, 1000)",
        "sys.stdout = None; sys.stderr = 7",
        "os.close(0); os.close(1); os.close(2)",
        "os.write = os.read = None",
        "sys.modules.clear()",
        "sys.setrecursionlimit(50)",
    ],
)
def test_a_program_that_leaves_its_process_in_disorder_still_answers(bench: Bench, setup: str) -> None:
    source = f"import atexit, os, sys, threading, time\n{setup}\ndef solve(x):\n    return x + 1\n"

    run = bench.run(source, {"x": 1}, {"x": 2})

    assert [value_of(case) for case in run.cases] == [2, 3]


def test_ready_says_what_a_verdict_rests_on(bench: Bench) -> None:
    with bench.box("numpy") as box:
        assert box.ready.isolation in ("namespaces", "shared")
        assert box.ready.versions["numpy"] == np.__version__
        assert box.ready.python.count(".") == 2
        assert box.ready.device == "cpu"
        assert box.ready.image


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        (
            "def solve(): exit(3)",
            "SystemExit",
            "the program ended itself (sys.exit, exit or quit with 3); let the function",
        ),
        ("def solve(): input()", "EOFError", "the inputs are the arguments of your function"),
        (
            "async def solve(): return 1",
            "CannotBeJudged",
            "solve is an `async def`, which the judge can't call; write `def",
        ),
        ("async def solve(): yield 1", "CannotBeJudged", "solve is an `async def`"),
        (
            "%matplotlib inline\ndef solve(): return 1",
            "SyntaxError",
            "are commands of notebooks and not Python; remove them",
        ),
        ("!pip install x", "SyntaxError", "are commands of notebooks"),
    ],
)
def test_a_failure_says_what_it_means_for_a_solution(bench: Bench, source: str, kind: str, words: str) -> None:
    outcome = bench.call(source + "\n")

    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert words in outcome.failure.message
    assert "sandbox" not in outcome.text
