"""The mutation operators, on sources of one or two lines."""

from textwrap import dedent
from threading import Event

import pytest

from app.verification.mutation.mutants import Mutant, list_mutants, sample_mutants
from app.verification.mutation.operators import OPERATORS
from sandbox.interface import Aborted

FILE = "reference.py"


def mutants_of(body: str, family: str | None = None) -> list[str]:
    """Return the changed lines of the mutants of `solve(x, y)`, by one operator or all."""
    source = "def solve(x, y):\n" + "".join(f"    {line}\n" for line in dedent(body).strip().splitlines())
    changes = list_mutants(source, "solve", FILE)
    chosen = [change for change in changes if family in (None, change.operator.name)]
    return [added(change) for change in chosen]


def added(change: Mutant) -> str:
    lines = change.diff.splitlines()[2:]
    return "; ".join(line[1:].strip() for line in lines if line.startswith("+"))


@pytest.mark.parametrize(
    ("family", "body", "expected"),
    [
        ("constant", "return x * 2", {"return x * 3", "return x * 1"}),
        ("constant", "return x * 0.5", {"return x * 0.55", "return x * 0.0"}),
        ("constant", "return f(x, exact=True)", {"return f(x, exact=False)"}),
        ("arithmetic", "return x - y", {"return x + y"}),
        ("arithmetic", "return x @ y", {"return x * y"}),
        ("arithmetic", "x += y", {"x -= y", "x = y"}),
        ("arithmetic", "return -x", {"return x"}),
        ("operand left out", "return (x - y) ** 2", {"return (x) ** 2", "return (y) ** 2", "return (x - y)"}),
        ("comparison", "return x if x < y else y", {"return x if x <= y else y", "return x if x >= y else y"}),
        ("comparison", "return x if y is None else y", {"return x if y is not None else y"}),
        ("and, or, not", "return x and y", {"return x or y", "return x", "return y"}),
        ("and, or, not", "return not x", {"return x"}),
        (
            "condition",
            "return x if y else 0",
            {"return x if not (y) else 0", "return x if True else 0", "return x if False else 0"},
        ),
        ("statement left out", "y.append(x)", {"pass"}),
        ("statement left out", "x = x + 1\nz = x", {"pass"}),
        ("arguments", "return f(x, y)", {"return f(y, x)"}),
        ("arguments", "return f(x, axis=0)", {"return f(x)"}),
        ("function", "return x.sum()", {"return x.mean()", "return x.max()"}),
        ("function", "return jnp.mean(x)", {"return jnp.sum(x)", "return jnp.max(x)"}),
        ("axis", "return x.sum(axis=1)", {"return x.sum(axis=0)", "return x.sum(axis=None)"}),
        (
            "axis",
            "return x.sum(axis=0, keepdims=True)",
            {
                "return x.sum(axis=1, keepdims=True)",
                "return x.sum(axis=-1, keepdims=True)",
                "return x.sum(axis=None, keepdims=True)",
                "return x.sum(axis=0, keepdims=False)",
            },
        ),
        ("off by one", "return range(y)", {"return range(y - 1)", "return range(y + 1)", "return range(1, y)"}),
        ("off by one", "return x[1:]", {"return x[2:]", "return x[:]"}),
        ("off by one", "return x[y]", {"return x[y - 1]"}),
        ("training step", "x.zero_grad()", {"pass"}),
        ("training step", "return x.astype(np.float32)", {"return x"}),
        ("training step", "x.step()", {"pass"}),
        ("training step", "clip_grad_norm_(x, 1.0)", {"pass"}),
        ("training step", "return lax.stop_gradient(x + y)", {"return (x + y)"}),
        ("training step", "return x.detach()", {"return x"}),
        ("transpose left out", "return x.T @ y", {"return x @ y"}),
        ("transpose left out", "return jnp.transpose(x)", {"return x"}),
        ("variable", "return x", {"return y"}),
    ],
)
def test_a_family_makes_these_mutants(family: str, body: str, expected: set[str]) -> None:
    assert set(mutants_of(body, family)) == expected


@pytest.mark.parametrize(
    "body",
    [
        '"""Sum of 2 numbers."""',
        "import numpy as np",
        "assert x == 1",
        'raise ValueError(f"{x + 1}")',
        "result: tuple[int, 2] = None",
        "return None  # x + 1",
    ],
)
def test_code_that_computes_nothing_has_no_mutants(body: str) -> None:
    assert mutants_of(body) == []


def test_defaults_of_the_entry_point_are_never_used_and_have_no_mutants() -> None:
    source = "def step(x, rate=2):\n    return x\n\ndef solve(x, count=1):\n    return step(x)\n"

    lines = {change.line for change in list_mutants(source, "solve", FILE)}

    assert lines == {1}


def test_the_same_program_is_one_mutant() -> None:
    found = mutants_of("return x[0:2]")

    assert len(found) == len(set(found))
    assert found.count("return x[1:2]") == 1


def test_every_mutant_is_valid_python() -> None:
    for change in list_mutants("def solve(x, y):\n    return f(*x, a=y)[..., 1:]\n", "solve", FILE):
        compile(change.source, FILE, "exec")


def test_a_mutant_knows_its_line_and_keeps_the_layout_of_the_rest() -> None:
    source = "def solve(x, y):\n    # a comment\n    z = x\n    return z + y   # another\n"

    (change,) = [change for change in list_mutants(source, "solve", FILE) if change.operator.name == "arithmetic"]

    assert change.line == 4
    assert change.source == source.replace("z + y", "z - y")
    assert change.diff.startswith(f"--- {FILE}\n+++ {FILE}\n@@")


def test_a_source_that_is_nested_too_deeply_has_none() -> None:
    assert list_mutants(f"def solve(x, y):\n    return {'-' * 1500}x\n", "solve", FILE) == ()


def test_a_long_source_has_some_mutants_and_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def solve(x, y):\n" + "    x = x + 1\n" * 20
    every = list_mutants(source, "solve", FILE)
    monkeypatch.setattr("app.verification.mutation.mutants.WRITTEN", 10 * len(source))

    some = list_mutants(source, "solve", FILE)

    assert 0 < len(some) <= 10 < len(every)
    assert {change.source for change in some} <= {change.source for change in every}


def test_listing_ends_when_it_is_told_to() -> None:
    abort = Event()
    abort.set()

    with pytest.raises(Aborted):
        list_mutants("def solve(x, y):\n    return x + y\n", "solve", FILE, abort)


def test_a_sample_is_the_same_each_time_and_shows_every_family() -> None:
    source = "def solve(x, y):\n    z = 1 + 2 + 3 + 4 + 5 + 6\n    x.zero_grad()\n    return z if x < y else y.sum()\n"
    changes = list_mutants(source, "solve", FILE)

    sample = sample_mutants(changes, 8, seed=1)

    assert sample == sample_mutants(changes, 8, seed=1)
    assert sample != sample_mutants(changes, 8, seed=2)
    assert {change.operator.name for change in sample} == {change.operator.name for change in changes}
    assert len(sample_mutants(changes, 1000, seed=1)) == len(changes)


def test_every_family_has_a_name_of_its_own_and_a_remedy() -> None:
    assert len({operator.name for operator in OPERATORS}) == len(OPERATORS)
    assert all(operator.remedy.startswith("add ") for operator in OPERATORS)
