"""Programs that change their arguments or share memory with them, and the messages about it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from sandbox.interface import ArrayKind, CaseOutcome, Ending
from tests.sandbox.bench import Bench, value_of
from tests.sandbox.conftest import ONE_QUICKLY

pytestmark = ONE_QUICKLY
ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


def call(bench: Bench, body: str, inputs: Mapping[str, Any], kind: ArrayKind = "numpy", **changes: Any) -> CaseOutcome:
    """Runs a program of this body, all of whose parameters are guarded."""
    source = f"import numpy as np\n\ndef solve({', '.join(inputs)}):\n    {body}\n"
    framework = "numpy" if kind == "value" else kind
    return bench.call(source, inputs, kind=kind, frameworks=(framework,), **{"guarded": tuple(inputs)} | changes)


def told(outcome: CaseOutcome) -> str:
    assert outcome.answer is None
    assert outcome.failure is not None
    return outcome.failure.message


@pytest.mark.parametrize(
    ("kind", "body", "remedy"),
    [
        ("numpy", "x += 1; return x.sum()", "x = x.copy()"),
        ("numpy", "x.sort(axis=0); x[:] = x[::-1]; return 0", "x = x.copy()"),
        pytest.param("numpy", "x.shape = (3, 2); return 0", "x = x.copy()", marks=pytest.mark.whole),
        ("torch", "x.mul_(2); return x.sum()", "x = x.clone()"),
        pytest.param("torch", "x.data = x.data + 1; return 0", "x = x.clone()", marks=pytest.mark.whole),
    ],
)
def test_an_array_changed_in_place_is_named_with_a_remedy(
    bench: Bench, kind: ArrayKind, body: str, remedy: str
) -> None:
    outcome = call(bench, body, {"scale": 2.0, "x": ROWS.copy()}, kind)

    assert outcome.ending is Ending.INPUT_CHANGED
    assert told(outcome) == f"your function changed x in place; work on a copy: {remedy}"


@pytest.mark.parametrize(
    "body",
    ["x.pop()", "x[0] = None", "x[1]['w'] += 1", "x[1]['w'] = x[1]['w'] + 1", "x[1]['new'] = 0", "del x[1]['w']"],
)
def test_a_container_changed_in_place_is_found_at_any_depth(bench: Bench, body: str) -> None:
    outcome = call(bench, f"{body}; return 0", {"x": [1, {"w": ROWS}]}, "value")

    assert outcome.ending is Ending.INPUT_CHANGED
    assert told(outcome) == "your function changed x in place; work on a copy: x = copy.deepcopy(x)"


@pytest.mark.parametrize(
    ("kind", "answer", "place"),
    [
        ("numpy", "x", ""),
        ("numpy", "x[:, ::-1]", ""),
        ("numpy", "{'all': [1, x[0]]}", " at all/1"),
        ("torch", "x", ""),
        ("torch", "x.float().contiguous()", ""),
        ("torch", "{'all': (x.detach().T,)}", " at all/0"),
        ("torch", "__import__('torch').nn.Parameter(x)", ""),
    ],
)
def test_an_answer_that_is_part_of_an_input_is_named_with_a_remedy(
    bench: Bench, kind: ArrayKind, answer: str, place: str
) -> None:
    outcome = call(bench, f"return {answer}", {"x": ROWS}, kind)

    assert outcome.ending is Ending.MEMORY_SHARED
    assert told(outcome).startswith(f"your output{place} shares memory with x, so a change to one changes the other; ")
    assert told(outcome).endswith(f"return a copy: x.{'copy' if kind == 'numpy' else 'clone'}()")


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("numpy", "x.copy()"),
        ("numpy", "x[0, 1]"),
        ("numpy", "x[:0]"),
        ("torch", "x.clone()"),
        ("torch", "x.requires_grad_().sum().detach()"),
        ("jax", "x"),
    ],
)
def test_honest_answers_pass(bench: Bench, kind: ArrayKind, answer: str) -> None:
    assert call(bench, f"return {answer}", {"x": ROWS}, kind).ending is Ending.ANSWERED


def test_not_a_number_is_not_taken_for_a_change(bench: Bench) -> None:
    inputs = {"x": [float("nan"), np.full(2, np.nan, np.float32)]}

    assert call(bench, "return 1", inputs, "value").ending is Ending.ANSWERED


def test_an_unguarded_input_may_be_changed_and_returned(bench: Bench) -> None:
    outcome = call(bench, "x += y; return x", {"x": ROWS.copy(), "y": ROWS}, guarded=("y",))

    assert value_of(outcome).tolist() == (ROWS + ROWS).tolist()


def test_a_driver_that_takes_its_inputs_apart_changes_none(bench: Bench) -> None:
    driver = "def run(solution, inputs):\n    return solution(inputs.pop('x'))\n"

    assert call(bench, "return x.sum()", {"x": ROWS}, driver=driver).ending is Ending.ANSWERED


def test_a_change_to_a_view_that_the_driver_passes_on_is_found(bench: Bench) -> None:
    driver = "def run(solution, inputs):\n    rows = inputs['x'][:1]\n    solution(rows)\n    return 1\n"

    assert call(bench, "x[:] = 0", {"x": ROWS + 1}, driver=driver).ending is Ending.INPUT_CHANGED


def test_the_next_case_runs_in_the_same_process(bench: Bench) -> None:
    source = "calls = []\ndef solve(x):\n    calls.append(1)\n    x += len(calls) == 1\n    return len(calls)\n"

    run = bench.run(source, {"x": ROWS.copy()}, {"x": ROWS}, kind="numpy", frameworks=("numpy",), guarded=("x",))

    assert [case.ending for case in run.cases] == [Ending.INPUT_CHANGED, Ending.ANSWERED]
    assert value_of(run.cases[1]) == 2


def test_an_argument_built_by_the_driver_is_named_by_its_case_input(bench: Bench) -> None:
    source = "def solve(data):\n    data[0][0] += 1\n    return 0\n"
    driver = "def run(solution, inputs):\n    return solution([inputs['x']])\n"

    outcome = bench.call(
        source,
        {"x": ROWS.copy()},
        kind="numpy",
        frameworks=("numpy",),
        guarded=("x",),
        driver=driver,
        signature=("data",),
    )

    assert outcome.ending is Ending.INPUT_CHANGED
    assert told(outcome) == (
        "your function changed the case input x, from which an argument is built, in place; work on a copy: ….copy()"
    )
