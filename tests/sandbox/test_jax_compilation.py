"""Compilation in a student's process: each part can be disabled, and answers stay the same."""

import sys
from collections.abc import Iterator
from contextlib import closing
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.environment import OPTIMIZATIONS
from sandbox.guest import jax_compilation
from sandbox.guest.jax_compilation import PARTS
from sandbox.interface import BoxSpec, Request
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, make_request, run_in, value_of

X = {"x": np.linspace(-2, 2, 64, dtype=np.float32).reshape(8, 8)}
WORK = """
    import jax
    import jax.numpy as jnp

    def loss(w, x):
        return jnp.mean(jax.nn.softmax(jnp.tanh(x @ w)) ** 2) + jnp.linalg.norm(w)

    def solve(x):
        w = jax.random.normal(jax.random.key(0), (8, 8))
        step = jax.jit(lambda w: w - 0.1 * jax.grad(loss)(w, x))
        looped = jax.lax.scan(lambda w, _: (step(w), jnp.sum(w)), w, None, length=20)
        large = x.sum() + jnp.ones(70000)
        return {"looped": looped, "eager": jax.grad(loss)(w, x), "sorted": jnp.sort(x, axis=0), "large": large}
"""
COUNTING = """
    import jax
    from jax._src import compiler

    compiled = []
    compile_program = compiler.backend_compile_and_load

    def counting(*arguments, **named):
        compiled.append(1)
        return compile_program(*arguments, **named)

    compiler.backend_compile_and_load = counting
"""
CLOSURES = f"""{COUNTING}
    def make(scale):
        return jax.jit(lambda x: x * scale)

    def solve(x):
        for scale in (2.0, 2.0, 2.0, 3.0):
            jax.block_until_ready(make(scale)(x))
        return len(compiled)
"""


def answer(request: Request, *optimizations: str) -> Any:
    launcher = BubblewrapLauncher(runtime=find_runtime(RUNTIME), optimizations=optimizations)
    with closing(launcher.launch(BoxSpec(("jax",)))) as box:
        return value_of(run_in(box, request).cases[0])


def leaves(tree: Any) -> Iterator[np.ndarray]:
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list | tuple):
        for item in tree:
            yield from leaves(item)
    else:
        yield np.asarray(tree)


@pytest.fixture(scope="module")
def plain() -> list[np.ndarray]:
    return list(leaves(answer(make_request(WORK, X, kind="jax"))))


@pytest.mark.whole
@pytest.mark.parametrize("part", ["mlir_context", "executables"])
def test_answers_are_the_same_bits(plain: list[np.ndarray], part: str) -> None:
    found = list(leaves(answer(make_request(WORK, X, kind="jax"), part)))

    assert len(found) == len(plain) > 4
    assert all(np.array_equal(one, other) for one, other in zip(found, plain, strict=True))


@pytest.mark.whole
@pytest.mark.parametrize("parts", [("compile_options",), OPTIMIZATIONS], ids=["compile_options", "all"])
def test_cheap_compilation_differs_by_rounding_only(plain: list[np.ndarray], parts: tuple[str, ...]) -> None:
    found = list(leaves(answer(make_request(WORK, X, kind="jax"), *parts)))

    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-6, atol=1e-6)


def test_the_same_program_of_another_closure_is_not_compiled_again() -> None:
    request = make_request(CLOSURES, X, kind="jax")

    assert int(answer(request)) - int(answer(request, "executables")) == 2


def test_no_program_is_compiled_for_the_inputs_of_a_case() -> None:
    request = make_request(f"{COUNTING}\n    def solve(x):\n        return len(compiled)\n", X, kind="jax")

    assert int(answer(request)) == 0


def test_another_version_of_jax_works_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    other = ModuleType("jax")
    other.__version__ = "99.0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jax", other)

    assert not jax_compilation.is_tested()
    jax_compilation.install(PARTS)  # finds nothing to replace, and does not look for it
