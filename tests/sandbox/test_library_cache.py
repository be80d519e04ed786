"""The cache of compiled programs: library functions only, and students may read but not write."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import Box, BoxSpec, Ending, SandboxUnavailable
from sandbox.launcher_choice import choose_launcher
from sandbox.library_cache import ENTRY_BYTES, fill_cache, is_silent, names_in
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, make_request, run_in, value_of

JAX = BoxSpec(("jax",))
NEVER = threading.Event()
X = {"x": np.ones(8, np.float32)}
REFERENCE = """
    import jax
    import jax.numpy as jnp

    def relu(x):
        return jnp.where(x > 0, x * 3.25, 0)

    @jax.jit
    def secret_step(x):
        return jax.lax.scan(lambda carry, item: (carry + relu(item), None), 0.0, x)[0]

    def solve(x):
        doubled = jax.lax.map(lambda item: item * 2, x)
        return jnp.cumsum(doubled) + secret_step(x) + jax.jit(relu)(x)
"""


def make_launcher(folder: Path) -> BubblewrapLauncher:
    cache = folder / "cache"
    cache.mkdir()
    return BubblewrapLauncher(runtime=find_runtime(RUNTIME), cache=cache)


def fill_from(
    launcher: BubblewrapLauncher, source: str = REFERENCE, *, driver: str | None = None, eager: bool = False
) -> int:
    assert launcher.cache is not None
    with closing(launcher.launch(JAX)) as box:
        request = make_request(source, X, kind="jax", driver=driver)
        return fill_cache(launcher.cache, box, request, NEVER, eager=eager)


@pytest.fixture
def launcher(tmp_path: Path) -> BubblewrapLauncher:
    return make_launcher(tmp_path)


@pytest.fixture
def fill(launcher: BubblewrapLauncher) -> Callable[..., int]:
    return partial(fill_from, launcher)


def contents(launcher: BubblewrapLauncher) -> list[bytes]:
    assert launcher.cache is not None
    return [path.read_bytes() for path in launcher.cache.iterdir()]


def test_only_library_functions_are_kept(launcher: BubblewrapLauncher, fill: Callable[..., int]) -> None:
    assert fill() == len(contents(launcher)) > 0

    assert any(b"jit_cumsum" in content for content in contents(launcher))
    own = (b"jit_relu", b"secret_step", b"jit_solve", b"jit_scan", b"jit_while", b"jit_map", b".py", b"reference")
    assert not [name for name in own for content in contents(launcher) if name in content]


@pytest.mark.whole
def test_filling_again_adds_nothing(fill: Callable[..., int]) -> None:
    fill()

    assert fill() == 0


# Counts what is traced or compiled while it answers.
COUNTING = """
    import jax
    import jax.numpy as jnp
    from jax._src import compiler, pjit

    counts = {"traced": 0, "compiled": 0}

    def counted(module, name, what):
        function = getattr(module, name)

        def count(*arguments, **named):
            counts[what] += 1
            return function(*arguments, **named)

        setattr(module, name, count)

    counted(pjit, "_trace_for_jit", "traced")
    counted(compiler, "backend_compile_and_load", "compiled")
"""
CALLS = """
    def compute(x):
        key = jax.random.key(3)
        split, scale = jax.random.split(key), jnp.float32(2) * 3
        noise = jax.random.normal(split[0], (3, 8)) @ x + jnp.where(x > 0, x, 0)[:3]
        taken = [jnp.argmax(x), jnp.arange(4)[1:], x.at[2].set(1.5), x.sum(), noise / 3]
        return [noise, jax.nn.relu(-noise), scale, *taken]

    def solve(x):
        first = compute(x)
        return {"answer": [first, compute(x)], **counts}
"""


def test_calls_in_the_cache_are_neither_traced_nor_compiled(
    launcher: BubblewrapLauncher, fill: Callable[..., int]
) -> None:
    def answer() -> Any:
        with closing(launcher.launch(JAX)) as box:
            return value_of(run_in(box, make_request(COUNTING + CALLS, X, kind="jax")).cases[0])

    cold = answer()
    fill("    import jax\n    import jax.numpy as jnp\n    counts = {}\n" + CALLS)
    warm = answer()

    assert cold["compiled"] > 15
    assert (warm["traced"], warm["compiled"]) == (0, 0)
    for one, other in zip(
        [*cold["answer"][0], *warm["answer"][1]], [*warm["answer"][0], *cold["answer"][1]], strict=True
    ):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_calls_inside_of_loops_are_in_the_cache_for_solutions_without_them(
    launcher: BubblewrapLauncher, fill: Callable[..., int]
) -> None:
    looped = """
    import jax
    import jax.numpy as jnp

    @jax.jit
    def solve(x):
        total = jax.lax.fori_loop(0, 3, lambda i, sum: sum + jnp.tanh(x[i]), jnp.float32(0))
        return jax.lax.scan(lambda carry, item: (carry * item, carry), total, x)[0]
"""
    unrolled = """
    def solve(x):
        total = jnp.float32(0)
        for i in range(3):
            total = total + jnp.tanh(x[i])
        for i in range(len(x)):
            total = total * x[i]
        return {"answer": total, **counts}
"""
    fill(looped, eager=True)

    with closing(launcher.launch(JAX)) as box:
        outcome = run_in(box, make_request(COUNTING + unrolled, X, kind="jax")).cases[0]

    assert value_of(outcome)["compiled"] == 0


PLAIN_CALLS = """
    import jax
    import jax.numpy as jnp
    from types import MethodType

    def solve(x):
        jax.random.normal(jax.random.key(0))
        jax.jit(jnp.mean)(x), jax.jit(MethodType(jnp.full, (8,)))(x[0])
        jnp.log(jax.device_put(x, jax.devices()[0])), jnp.add(2, 3), jnp.mean(x, dtype="float64")
        return [jnp.log(x), jnp.float32(1) * 3, x * 2]
"""
WIDE_DRIVER = """
import jax
jax.config.update("jax_enable_x64", True)

def run(solution, inputs):
    return solution(**inputs)
"""


@pytest.fixture(scope="module")
def box_with_plain_calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    launcher = make_launcher(tmp_path_factory.mktemp("plain"))
    fill_from(launcher, PLAIN_CALLS, driver=WIDE_DRIVER)
    fill_from(launcher, PLAIN_CALLS)
    with closing(launcher.launch(JAX)) as box:
        yield box


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("jax.config.update('jax_enable_x64', True) or str((jnp.float64(1) * 3).dtype)", "float64"),
        (
            "[jnp.log(-x), debug_nans(True), raised(lambda: jnp.log(-x))][2]",
            "FloatingPointError",
        ),
        ("str(jax.jit(jnp.log).lower(x).compile()(x).shape)", "(8,)"),
        ("float(jax.jit(wraps(jnp.log.__wrapped__)(lambda y: y + 41))(x)[0])", 42.0),
        ("float(jax.grad(lambda y: jnp.log(y).sum())(x)[0])", 1.0),
        ("float(jax.vmap(jnp.log)(x)[0])", 0.0),
        ("float(jax.jit(shifted)(x)[0])", 7.0),
        ("float(jnp.linalg.eigvalsh(jnp.outer(x, x))[-1].round(3))", 8.0),
        ("raised(lambda: jnp.log(deleted(jnp.ones(8))))", "RuntimeError"),
        ("raised(lambda: jax.random.normal(deleted(jax.random.key(0))))", "RuntimeError"),
        ("'argument path is y' in told(lambda: jnp.multiply(x, 2**40))", True),
        ("'Finished tracing log' in told(lambda: jnp.log(x), jax.log_compiles())", True),
        ("raised(lambda: x * 2, jax.transfer_guard('disallow'))", "JaxRuntimeError"),
        ("'float64 requested in mean is not available' in told(lambda: jnp.mean(x, dtype='float64'))", True),
        ("str(jnp.add(2, 3).dtype)", "int32"),
        ("type(jnp.log(jax.device_put(x, spread())).sharding).__name__", "NamedSharding"),
        ("float(jax.jit(named_mean)(x)[0])", 8.0),
        ("str(jax.jit(MethodType(jnp.full, (3,)))(x[0]).shape)", "(3,)"),
    ],
)
def test_a_call_that_is_not_the_plain_one_is_made_as_without_the_cache(
    box_with_plain_calls: Box, code: str, expected: object
) -> None:
    source = f"""
    import io
    import jax
    import jax.numpy as jnp
    from contextlib import nullcontext, redirect_stderr
    from functools import wraps, partial
    from types import MethodType

    debug_nans = partial(jax.config.update, 'jax_debug_nans')

    def raised(function, context=nullcontext()):
        try:
            with context:
                return str(function())
        except Exception as error:
            return type(error).__name__

    def told(function, context=nullcontext()):
        with redirect_stderr(io.StringIO()) as text, context:
            try:
                function()
            except Exception as error:
                return str(error)
        return text.getvalue()

    shifted = wraps(jnp.log)(jax.custom_jvp(lambda y: jnp.log(y) + 7))
    shifted.defjvp(lambda primals, tangents: (primals[0], tangents[0]))

    named_mean = wraps(jnp.mean)(jax.custom_jvp(lambda y: y + 7))
    named_mean.defjvp(lambda primals, tangents: (primals[0], tangents[0]))

    def deleted(array):
        array.delete()
        return array

    def spread():
        return jax.NamedSharding(jax.make_mesh((1,), ("i",)), jax.P("i"))

    def solve(x):
        return {code}
"""

    outcome = run_in(box_with_plain_calls, make_request(source, X, kind="jax")).cases[0]

    assert outcome.ending is Ending.ANSWERED, outcome
    assert value_of(outcome) == expected


@pytest.mark.parametrize("kind", ["call", "program"])
def test_a_file_that_was_not_written_to_its_end_is_as_no_file(
    launcher: BubblewrapLauncher, fill: Callable[..., int], kind: str
) -> None:
    fill(PLAIN_CALLS)
    assert launcher.cache is not None
    for path in launcher.cache.glob(f"{kind}-*"):
        os.truncate(path, path.stat().st_size // 2)

    with closing(launcher.launch(JAX)) as box:
        outcome = run_in(box, make_request(PLAIN_CALLS, X, kind="jax")).cases[0]

    assert outcome.ending is Ending.ANSWERED, outcome


def test_a_students_box_can_not_write_into_the_cache(launcher: BubblewrapLauncher) -> None:
    source = """
    def solve(x):
        try:
            open("/cache/program-mine", "w")
        except OSError as error:
            return type(error).__name__
"""

    with closing(launcher.launch(JAX)) as box:
        outcome = run_in(box, make_request(source, X, kind="jax")).cases[0]

    assert value_of(outcome) in ("OSError", "PermissionError")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's boxes are another user")
def test_the_folder_is_readable_for_boxes_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    launcher = choose_launcher("auto", RUNTIME, cache_folder=tmp_path / "data" / "cache")
    os.umask(before)

    box = launcher.launch(BoxSpec(()))
    listed = run_in(box, make_request("import os\ndef solve():\n    return os.listdir('/cache')\n")).cases[0]
    box.close()

    assert value_of(listed) == []


def test_names_that_a_source_binds_or_spells_are_its_own() -> None:
    source = "class A:\n    def b(self): c = 1\nd = e = lambda: 0\nd.__name__ = 'multiply'\nfor f in []: pass\n"

    assert names_in(source) == {"A", "b", "c", "d", "e", "multiply", "f"}


@pytest.mark.parametrize(
    ("program", "is_kept"),
    [(b"a program", True), (b"called in reference.py", False), (bytes(ENTRY_BYTES + 1), False)],
    ids=["silent", "a place", "large"],
)
def test_a_program_that_names_a_place_or_is_large_is_not_kept(program: bytes, is_kept: bool) -> None:
    assert is_silent(program) is is_kept


def test_a_cache_that_cannot_be_made_is_said_with_the_setting_that_moves_it() -> None:
    with pytest.raises(SandboxUnavailable, match=r"/dev/null/data/cache can't be created .* set ALLCLOSE_DATA"):
        choose_launcher("bubblewrap", RUNTIME, cache_folder=Path("/dev/null/data/cache"))
