"""Exporting a function in the student's box: for shapes and static values, never for an input."""

import numpy as np
import pytest

from sandbox.interface import Ending
from tests.sandbox.bench import Bench, value_of
from tests.sandbox.inspecting import ask, export, programs

pytestmark = pytest.mark.parametrize("launcher", ["bubblewrap-namespaces"], indirect=True)
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_arguments_and_answers_of_exported_functions_keep_their_structure(bench: Bench) -> None:
    source = """
        import collections
        import jax, jax.numpy as jnp
        Pair = collections.namedtuple("Pair", "left right")

        def solve(which, x, parts, scale, axis):
            return {
                "static": lambda: x.sum(axis),
                "pytrees": lambda: {"a": [parts["a"] * 2, parts["b"][0]], "c": (None, parts["b"][1])},
                "named": lambda: Pair(left=x, right=x + 1),
                "weak": lambda: x.astype(jnp.bfloat16) * scale,
                "integers": lambda: (x > 1).astype(jnp.int8),
                "inner": lambda: jax.jit(lambda v: v + 1)(x),
                "plain": lambda: [1.5, x[0, 0]],
            }[which]()
    """
    parts = {"a": np.ones(3, np.float32), "b": [np.int32(4) + np.zeros(2, np.int32), 2]}
    names = ["static", "pytrees", "named", "weak", "integers", "inner", "plain"]
    inputs = [{"which": name, "x": X, "parts": parts, "scale": 0.5, "axis": 1} for name in names]

    found = programs(bench, source, *inputs, static=("which", "axis"))
    answers = [value_of(outcome) for outcome in ask(bench, *(one.message("run") for one in found))]

    static, pytrees, named, weak, integers, inner, plain = answers
    assert static.tolist() == [3.0, 12.0]
    assert list(pytrees) == ["a", "c"]
    assert pytrees["a"][0].tolist() == [2, 2, 2]
    assert pytrees["a"][1].dtype == np.int32
    assert pytrees["c"][0] is None
    assert pytrees["c"][1] == 2
    assert named["right"].tolist() == (X + 1).tolist()
    assert weak.dtype.name == "bfloat16"
    assert integers.dtype == np.int8
    assert inner.tolist() == (X + 1).tolist()
    assert [float(one) for one in plain] == [1.5, 0.0]


def test_linear_algebra_and_composites_run_as_they_are_meant(bench: Bench) -> None:
    source = """
        import jax, jax.numpy as jnp

        def solve(x):
            a = x.T @ x + 3 * jnp.eye(3)
            u, s, v = jnp.linalg.svd(x, full_matrices=False)
            q, r = jnp.linalg.qr(a)
            w, z = jnp.linalg.eigh(a)
            c = jnp.linalg.cholesky(a)
            return {
                "a": a, "inverse": jnp.linalg.inv(a) @ a @ a, "qr": q @ r, "eigh": (z * w) @ z.T, "cholesky": c @ c.T,
                "svd": (u * s) @ v, "erf": jax.scipy.special.erf(x), "top": jax.lax.top_k(x, 2)[0],
            }
    """
    (one,) = programs(bench, source, {"x": X})

    opened, ran = ask(bench, one.message("open"), one.message("run"))

    found = value_of(ran)
    for name in ("inverse", "qr", "eigh", "cholesky"):
        np.testing.assert_allclose(found[name], found["a"], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(found["svd"], X, atol=1e-4)
    np.testing.assert_allclose(found["erf"][0, 1], 0.8427008, rtol=1e-5)
    assert found["top"].tolist() == [[2, 1], [5, 4]]
    assert "composite" not in value_of(opened)["operations"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return None", "returns no array"),
        ("return jax.random.key(0)", "random key"),
        ("return 'text'", "type str"),
        ("return x if x.sum() > 0 else -x", "boolean"),
        ("return float(x[0, 0])", "float"),
        ("return x + np.random.default_rng(0).normal(size=(2**18, 2, 3)).astype(np.float32)", "MiB, more than 4"),
        ("return jax.pure_callback(lambda v: v, x, x)", "host_callbacks"),
    ],
)
def test_a_function_that_can_not_be_exported_says_why(bench: Bench, body: str, words: str) -> None:
    source = f"import jax, numpy as np\n\ndef solve(x):\n    {body}\n"

    (outcome,) = export(bench, source, {"x": X})

    assert outcome.ending is Ending.RAISED
    assert outcome.failure is not None
    assert words in outcome.failure.message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return x if x.sum() > 0 else -x", "while tracing your function. This"),
        (
            "return jax.jit(lambda v: v if v.sum() > 0 else -v)(x)",
            "while tracing the function <lambda> at solution.py:4",
        ),
        ("raise ValueError(f'here:\\n{sys._getframe(1).f_code.co_filename}:1\\nand there')", "here:\nand there"),
    ],
)
def test_messages_name_places_in_the_students_file_and_none_in_ours(bench: Bench, body: str, words: str) -> None:
    source = f"import jax, sys\n\ndef solve(x):\n    {body}\n"

    (outcome,) = export(bench, source, {"x": X})

    assert outcome.failure is not None
    assert words in outcome.failure.message
    assert "guest" not in outcome.failure.message
