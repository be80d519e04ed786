"""Programs that write to the answer channel. Only a program's return value counts, when it was asked for."""

import pytest

from sandbox.interface import Ending
from tests.sandbox.bench import Bench, make_request, run_in, value_of

# Finds the token of the question in the caller's frame, as a determined program can.
STEAL = """
import os, struct, sys, threading, time

def steal():
    frame = sys._getframe()
    while frame and "token" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["token"]

def frame(kind, content, size=None):
    return struct.pack("<16scQ", steal(), kind, len(content) if size is None else size) + content

def tell(data):
    os.write(3, data)
"""
FIVE = "b'ACV1i' + (5).to_bytes(8, 'little')"


@pytest.mark.parametrize(
    "statement",
    [
        "os.write(3, b'x')",
        pytest.param("os.write(3, b'\\0' * 1000)", marks=pytest.mark.whole),
        "os.write(3, struct.pack('<16scQ', b'0' * 16, b'A', 2) + b'ok')",
        f"tell(frame(b'A', {FIVE}))",
        pytest.param(f"tell(frame(b'A', {FIVE}) * 2)", marks=pytest.mark.whole),
        pytest.param("tell(frame(b'L', b''))", marks=pytest.mark.whole),
        pytest.param("tell(frame(b'S', b''))", marks=pytest.mark.whole),
        pytest.param("tell(frame(b'?', b''))", marks=pytest.mark.whole),
        "tell(frame(b'R', b'call\\0Fine'))",
        pytest.param("tell(frame(b'R', b'verdict\\0Accepted\\0really\\0'))", marks=pytest.mark.whole),
        pytest.param("tell(frame(b'R', b'', 2**40))", marks=pytest.mark.whole),
    ],
)
def test_a_program_that_writes_an_answer_itself_has_forged_it(bench: Bench, statement: str) -> None:
    request = make_request(f"{STEAL}\ndef solve(x):\n    {statement}\n    return x\n", {"x": 1})

    with bench.box() as box:
        run = run_in(box, request)
        is_usable = box.is_usable()

    assert run.cases[-1].ending is Ending.FORGED
    assert not is_usable


def test_a_second_answer_is_not_taken_for_the_next_case(bench: Bench) -> None:
    run = bench.run(
        f"{STEAL}\ndef solve(x):\n    tell(frame(b'A', {FIVE}))\n    return x\n", {"x": 1}, {"x": 5}, {"x": 5}
    )

    assert Ending.FORGED in [case.ending for case in run.cases]
    assert len(run.cases) < 3


@pytest.mark.parametrize("statement", [f"tell(frame(b'A', {FIVE}))", "tell(frame(b'L', b''))", "os.write(3, b'hello')"])
def test_speaking_while_loading_is_forging(bench: Bench, statement: str) -> None:
    run = bench.run(f"{STEAL}\n{statement}\ndef solve(x):\n    return x\n", {"x": 1})

    assert (run.load_failure or run.cases[-1]).ending is Ending.FORGED


def test_a_frame_that_announces_two_gigabytes_is_not_waited_for(bench: Bench) -> None:
    source = f"{STEAL}\ndef solve():\n    tell(frame(b'A', b'', 2**31))\n    time.sleep(1000)\n"

    assert bench.run(source).cases[0].ending is Ending.TOO_MUCH_OUTPUT


def test_an_exit_after_a_forged_answer_is_worth_what_the_bytes_are_worth(bench: Bench) -> None:
    """The one forgery that succeeds: it claims only a value that the program could have returned."""
    outcome = bench.call(f"{STEAL}\ndef solve():\n    tell(frame(b'A', {FIVE}))\n    os._exit(0)\n")

    assert value_of(outcome) == 5
