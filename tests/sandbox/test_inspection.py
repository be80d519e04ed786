"""Evidence read from a program: its loops, the parts that the answer depends on, and parts that only seem to."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from sandbox.guest.codec import decode, encode
from sandbox.guest.wire import MESSAGE
from tests.sandbox.bench import Bench, make_request, run_in, value_of
from tests.sandbox.inspecting import ENTRY, ask, programs

pytestmark = pytest.mark.parametrize("launcher", ["bubblewrap-namespaces"], indirect=True)
STEPS = 8
X = (np.arange(64) % 13 / 13 - 0.4).astype(np.float32)
INPUTS: dict[str, Any] = {"w": 1.5, "x": X, "y": X[::-1].copy()}
SOURCE = f"""
import jax, jax.numpy as jnp
from jax import lax
N = {STEPS}

def grad(w, x, y):
    return jax.grad(lambda w: jnp.sum((w * x - y) ** 2))(w)

def parts(x, y, *shape):
    return x.reshape(*(shape or (N,)), -1), y.reshape(*(shape or (N,)), -1)

def add(w):
    return lambda total, xy: (total + grad(w, *xy), None)

def scan(w, x, y):
    return lax.scan(add(w), 0.0, parts(x, y))[0]

def checkpointed_scan(w, x, y):
    return lax.scan(jax.checkpoint(add(w)), 0.0, parts(x, y))[0]

def fori(w, x, y):
    size = x.size // N
    def step(i, total):
        cut = lambda v: lax.dynamic_slice(v, (i * size,), (size,))
        return total + grad(w, cut(x), cut(y))
    return lax.fori_loop(0, N, step, 0.0)

def counting_while(w, x, y):
    xs, ys = parts(x, y)
    step = lambda s: (s[0] + 1, s[1] + grad(w, xs[s[0]], ys[s[0]]))
    return lax.while_loop(lambda s: s[0] < N, step, (0, 0.0))[1]

def searching_while(w, x, y):
    step = lambda s: (s[0] - 1.0, s[1] + jnp.sum(x * y) * s[0])
    return lax.while_loop(lambda s: s[0] > w, step, (8.0, 0.0))[1]

def nested(w, x, y):
    outer = lambda total, xy: (lax.scan(add(w), total, xy)[0], None)
    return lax.scan(outer, 0.0, parts(x, y, 2, N // 2))[0]

def cond(w, x, y):
    return lax.cond(w > 0, lambda: jnp.sum(x * w), lambda: jnp.sum(y - w))

def vmapped(w, x, y):
    return jax.vmap(lambda a, b: grad(w, a, b))(*parts(x, y)).sum()

def unrolled(w, x, y):
    total = 0.0
    for a, b in zip(*parts(x, y)):
        total += grad(w, a, b)
    return total

def unrolled_calls(w, x, y):
    inner = jax.jit(grad)
    total = 0.0
    for a, b in zip(*parts(x, y)):
        total += inner(w, a, b)
    return total

def dead(w, x, y):
    scan(w, x, y)
    return unrolled(w, x, y)

def all_in_the_first_step(w, x, y):
    step = lambda total, i: (total + jnp.where(i == 0, grad(w, x, y), 0.0), None)
    return lax.scan(step, 0.0, jnp.arange(N))[0]

def all_in_each_step(w, x, y):
    return lax.scan(lambda total, _: (total + grad(w, x, y) / N, None), 0.0, None, length=N)[0]

def all_in_each_step_by_slices(w, x, y):
    def step(total, i):
        cut = lambda v: jnp.concatenate([lax.dynamic_slice(v, ((i * 0 + k) * 8,), (8,)) for k in range(N)])
        return total + grad(w, cut(x), cut(y)) / N, None
    return lax.scan(step, 0.0, jnp.arange(N))[0]

def used_outside(w, x, y):
    return scan(w, x, y) + 1e-3 * jnp.sum(x)

def solve(which, w, x, y):
    return globals()[which](w, x, y)
"""
NAMES = [name for name in re.findall(r"^def (\w+)\(w, x, y\):$", SOURCE, re.MULTILINE) if name != "grad"]
WANTED = {"cond": ("cond", None, 0), "searching_while": ("while", None, 0), "nested": ("scan", STEPS // 2, 0)}

Seen = Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="session")
def seen(bench: Bench) -> Seen:
    """The evidence of each function, its answer, and its answers without steps of the required loops."""
    found = programs(bench, SOURCE, *({"which": name} | INPUTS for name in NAMES), static=("which",))
    messages = [
        one.message(step, WANTED.get(name, ("scan", STEPS, 0)))
        for name, one in zip(NAMES, found, strict=True)
        for step in ("open", "run", "leave_out")
    ]
    answers = [value_of(outcome) for outcome in ask(bench, *messages, wall_seconds=60)]
    return {
        name: {"evidence": answers[3 * n], "answer": float(answers[3 * n + 1]), "left_out": dict(answers[3 * n + 2])}
        for n, name in enumerate(NAMES)
    }


def changes(one: Mapping[str, Any], index: int = 0) -> list[bool]:
    """Return whether the answer changes without the first and without the last step."""
    return [not np.isclose(float(answer[0]), one["answer"], rtol=1e-3) for answer in one["left_out"][index]]


@pytest.mark.parametrize("name", ["scan", "checkpointed_scan", "fori", "counting_while"])
def test_a_loop_that_does_the_work_is_found_with_its_steps(seen: Seen, name: str) -> None:
    (loop,) = seen[name]["evidence"]["loops"]

    assert loop["length"] == loop["steps"] == STEPS
    assert loop["takes_part"]
    assert set(loop["fed_by"]) == {"w", "x", "y"}
    assert loop["bypassed_by"] == ()
    assert set(loop["whole"]) == {"w"}
    assert loop["share"] > 0.9
    assert seen[name]["evidence"]["copies"] == 1
    assert changes(seen[name]) == [True, True]


def test_the_same_work_costs_the_same_in_every_form_of_a_loop(seen: Seen) -> None:
    forms = ("scan", "checkpointed_scan", "fori", "counting_while", "unrolled", "vmapped")
    flops = {seen[name]["evidence"]["flops"] for name in forms}

    assert max(flops) <= 1.1 * min(flops)


def test_each_end_of_a_loop_can_be_left_out(seen: Seen) -> None:
    first, last = (float(answer[0]) for answer in seen["fori"]["left_out"][0])
    residuals = INPUTS["w"] * X - INPUTS["y"]
    by_step = (2 * residuals * X).reshape(STEPS, -1).sum(1)

    np.testing.assert_allclose(seen["fori"]["answer"], by_step.sum(), rtol=1e-4)
    np.testing.assert_allclose([first, last], [by_step[1:].sum(), by_step[:-1].sum()], rtol=1e-4)


def test_a_program_without_a_step_is_compiled_with_the_options_of_the_whole_one(bench: Bench) -> None:
    """Otherwise a longer compilation could also move an answer that the step does not change."""
    driver = """
from jax._src import compiler
from sandbox.guest.inspection import run as inspect

given, make = [], compiler.get_compile_options

def remembering(**named):
    given.append(make(**named))
    return given[-1]

compiler.get_compile_options = remembering

def run(solution, inputs):
    inspect(solution, inputs)
    return [repr(one.env_option_overrides) for one in given]
"""
    (one,) = programs(bench, SOURCE, {"which": "scan"} | INPUTS, static=("which",))
    with bench.box("jax") as box:
        (outcome,) = run_in(box, make_request(ENTRY, one.message("leave_out", ("scan", STEPS, 0)), driver=driver)).cases

    whole, *changed = value_of(outcome)
    assert changed == [whole, whole]


def test_loops_in_loops_multiply(seen: Seen) -> None:
    outer, inner = seen["nested"]["evidence"]["loops"]

    assert (outer["length"], outer["steps"]) == (2, 2)
    assert (inner["length"], inner["steps"]) == (4, STEPS)
    assert set(inner["whole"]) == {"w"}
    assert changes(seen["nested"], index=1) == [True, True]


def test_a_loop_that_asks_values_when_to_stop_has_no_length(seen: Seen) -> None:
    (loop,) = seen["searching_while"]["evidence"]["loops"]

    assert loop["length"] is None
    assert loop["takes_part"]
    assert changes(seen["searching_while"]) == [True]


def test_a_choice_is_found_and_can_be_made_for_good(seen: Seen) -> None:
    evidence = seen["cond"]["evidence"]

    assert [one["branches"] for one in evidence["branches"]] == [2]
    assert set(evidence["branches"][0]["fed_by"]) == {"w", "x", "y"}
    assert evidence["branches"][0]["bypassed_by"] == ()
    assert sorted(changes(seen["cond"])) == [False, True]


@pytest.mark.parametrize("name", ["unrolled", "unrolled_calls"])
def test_an_unrolled_loop_shows_as_copies_of_its_body(seen: Seen, name: str) -> None:
    assert seen[name]["evidence"]["loops"] == []
    assert seen[name]["evidence"]["copies"] == STEPS


def test_vmap_shows_as_an_axis_with_neither_loop_nor_copies(seen: Seen) -> None:
    evidence = seen["vmapped"]["evidence"]

    assert evidence["loops"] == []
    assert evidence["copies"] == 1
    assert STEPS in evidence["axes"]


def test_a_loop_that_nothing_depends_on_takes_no_part(seen: Seen) -> None:
    assert not any(loop["takes_part"] for loop in seen["dead"]["evidence"]["loops"])
    assert seen["dead"]["left_out"] == {}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("all_in_the_first_step", [True, False]),
        ("all_in_each_step", [True, True]),
        ("all_in_each_step_by_slices", [True, True]),
    ],
)
def test_a_step_that_does_the_work_of_all_reads_the_whole(seen: Seen, name: str, changed: list[bool]) -> None:
    (loop,) = seen[name]["evidence"]["loops"]

    assert changes(seen[name]) == changed
    assert {"x", "y"} <= set(loop["whole"])


def test_a_parameter_that_is_used_outside_passes_the_loop_by(seen: Seen) -> None:
    (loop,) = seen["used_outside"]["evidence"]["loops"]

    assert loop["bypassed_by"] == ("x",)


def test_memory_and_arithmetic_tell_a_loop_from_its_copies(seen: Seen) -> None:
    once, copied = (seen[name]["evidence"] for name in ("scan", "all_in_each_step"))

    assert 0 < once["temporary_bytes"] < copied["temporary_bytes"]
    assert copied["flops"] > 5 * once["flops"]


@pytest.mark.parametrize(("seconds", "most_bytes", "answered"), [(10.0, 2**20, 2), (-1.0, 2**20, 1), (10.0, 20, 1)])
def test_a_batch_ends_at_a_failure_or_when_time_or_bytes_are_used_up(
    bench: Bench, seconds: float, most_bytes: int, answered: int
) -> None:
    (one,) = programs(
        bench, "import jax.numpy as jnp\ndef solve(x):\n    return x.sum()", {"x": np.ones(3, np.float32)}
    )
    right = np.frombuffer(encode({"x": np.arange(3, dtype=np.float32)}), np.uint8)
    wrong = np.frombuffer(encode({"x": np.ones(4, np.float32)}), np.uint8)
    message = one.message("batch")
    message[MESSAGE] |= {"inputs": [right, right, wrong, right], "most": (seconds, most_bytes)}

    (outcome,) = ask(bench, message)

    answers: Any = decode(outcome.answer or b"")
    assert [float(decode(answer)) for answer in answers] == [3] * answered  # type: ignore[arg-type]
