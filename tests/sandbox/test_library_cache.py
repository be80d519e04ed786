"""The cache of compiled programs: library functions only, and students may read but not write."""

import os
import threading
import zlib
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import BoxSpec, Ending, Launcher, Request, SandboxUnavailable
from sandbox.launcher_choice import choose_launcher
from sandbox.library_cache import (
    ENTRY,
    ENTRY_BYTES,
    MOST_CALLS,
    fill_cache,
    fill_with_calls,
    grant_library_calls,
    is_silent,
    names_in,
    read_library_calls,
)
from sandbox.runtime import find_runtime
from tests.sandbox.bench import RUNTIME, make_request, run_in, value_of

JAX = BoxSpec(("jax",))
NEVER = threading.Event()
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
        return jnp.sort(doubled) + secret_step(x) + jax.jit(relu)(x)
"""


@pytest.fixture
def launcher(tmp_path: Path) -> BubblewrapLauncher:
    cache = tmp_path / "cache"
    cache.mkdir()
    return BubblewrapLauncher(runtime=find_runtime(RUNTIME), cache=cache)


@pytest.fixture
def fill(launcher: BubblewrapLauncher) -> Callable[[], int]:
    def run() -> int:
        filled = fill_cache(launcher, JAX, reference(), NEVER)
        assert filled is not None
        return filled.entries

    return run


def reference() -> Request:
    return make_request(REFERENCE, {"x": np.ones(8, np.float32)}, kind="jax")


def names_of(folder: Path) -> set[str]:
    return {match[1] for path in folder.iterdir() if (match := ENTRY.fullmatch(path.name))}


def test_only_library_functions_are_kept(launcher: BubblewrapLauncher, fill: Callable[[], int]) -> None:
    assert fill() > 0
    assert launcher.cache is not None

    names = names_of(launcher.cache)
    assert "sort" in names
    assert names.isdisjoint({"relu", "secret_step", "solve", "scan", "while", "while_loop", "map"})
    assert {path.name for path in launcher.cache.parent.iterdir()} == {"cache"}
    assert len(list(launcher.cache.iterdir())) == len(
        [path for path in launcher.cache.iterdir() if "jit_" in path.name]
    )


def test_no_entry_tells_where_it_was_called_from(launcher: BubblewrapLauncher, fill: Callable[[], int]) -> None:
    fill()

    assert launcher.cache is not None
    assert all(is_silent(path.read_bytes()) for path in launcher.cache.iterdir())


@pytest.mark.whole
def test_filling_again_adds_nothing(fill: Callable[[], int]) -> None:
    fill()

    assert fill() == 0


def test_a_students_box_reads_entries_and_can_write_none(launcher: BubblewrapLauncher, fill: Callable[[], int]) -> None:
    fill()
    source = f"""
{dedent(REFERENCE)}
import logging, os

def hits(x):
    seen = []
    handler = logging.Handler()
    handler.emit = lambda record: seen.append(record.getMessage())
    logging.getLogger("jax._src.compiler").addHandler(handler)
    logging.getLogger("jax._src.compiler").setLevel(logging.DEBUG)
    logging.getLogger("jax._src.compiler").propagate = False
    jnp.sort(x)
    try:
        open("/cache/jit_mine-x-cache", "w")
    except OSError as error:
        return [type(error).__name__, sum("cache hit" in line for line in seen)]
"""

    box = launcher.launch(JAX)
    request = replace(make_request(source, {"x": np.ones(8, np.float32)}, kind="jax"), entry_point="hits")
    outcome = run_in(box, request).cases[0]
    box.close()

    assert outcome.ending is Ending.ANSWERED, outcome
    refusal, hits = value_of(outcome)
    assert refusal in ("OSError", "PermissionError")
    assert hits > 0
    assert outcome.text == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's boxes are another user")
def test_the_folder_is_readable_for_boxes_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    launcher = choose_launcher("auto", RUNTIME, cache_folder=tmp_path / "data" / "cache")
    os.umask(before)

    box = launcher.launch(BoxSpec(()))
    listed = run_in(box, make_request("import os\ndef solve():\n    return os.listdir('/cache')\n")).cases[0]
    box.close()

    assert value_of(listed) == []


def test_a_box_without_jax_fills_nothing(launcher: BubblewrapLauncher) -> None:
    assert fill_cache(launcher, BoxSpec(("numpy",)), reference(), NEVER) is None


def test_names_that_a_source_binds_or_spells_are_its_own() -> None:
    source = "class A:\n    def b(self): c = 1\nd = e = lambda: 0\nd.__name__ = 'multiply'\nfor f in []: pass\n"

    assert names_in(source) == {"A", "b", "c", "d", "e", "multiply", "f"}


@pytest.mark.parametrize(
    ("entry", "is_kept"),
    [
        (zlib.compress(b"a program"), True),
        (zlib.compress(b"called in reference.py"), False),
        (zlib.compress(bytes(ENTRY_BYTES) + b"called in reference.py"), False),
        (zlib.compress(b"a program") + b"called in reference.py", False),
        (zlib.compress(b"a program")[:-5], False),
        (b"another format", False),
    ],
    ids=["silent", "a place", "a place far behind", "a place after it", "torn", "no zlib"],
)
def test_an_entry_that_can_not_be_read_whole_is_not_kept(entry: bytes, is_kept: bool) -> None:
    assert is_silent(entry) is is_kept


def test_a_cache_that_cannot_be_made_is_said_with_the_setting_that_moves_it() -> None:
    with pytest.raises(SandboxUnavailable, match=r"/dev/null/data/cache can't be created .* set ALLCLOSE_DATA"):
        choose_launcher("bubblewrap", RUNTIME, cache_folder=Path("/dev/null/data/cache"))


SORTING = """
    import jax.numpy as jnp

    def solve(x):
        return jnp.sort(x) + jnp.cumsum(x)
"""
# Sends what it likes in place of what it called.
LYING = """
    import sandbox.guest.library_programs as library_programs
    from sandbox.guest import codec

    def array(*shape):
        return (("array", shape, "float32", False, False), ())

    def primitive(name, parameters, *operands):
        return codec.encode(("primitive", name, parameters, list(operands)))

    library_programs.Recorder.calls = property(lambda _: {WISHES}, lambda *_: None)

    def solve(x):
        return x
"""


def wishes_of(launcher: Launcher, source: str) -> frozenset[bytes]:
    return read_library_calls(launcher, JAX, make_request(source, {"x": np.ones(8, np.float32)}, kind="jax"), NEVER)


def granted_of(launcher: Launcher, wishes: Collection[bytes]) -> Collection[bytes]:
    return grant_library_calls(launcher, JAX, wishes, NEVER)


def test_library_calls_of_a_student_are_learned(launcher: BubblewrapLauncher) -> None:
    wishes = wishes_of(launcher, SORTING)

    granted = granted_of(launcher, wishes)

    assert granted
    assert set(granted) <= wishes
    assert launcher.cache is not None
    assert names_of(launcher.cache) == set()
    fill_with_calls(launcher, JAX, granted, NEVER)
    assert {"sort", "cumsum"} <= names_of(launcher.cache)


@pytest.mark.parametrize(
    "wish",
    [
        pytest.param('primitive("neg", {}, array(4096, 4096))', id="a large array"),
        pytest.param(
            'primitive("broadcast_in_dim", '
            '{"shape": (2**20, 8), "broadcast_dimensions": (1,), "sharding": None}, array(8))',
            id="a large answer",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            'primitive("broadcast_in_dim", {"shape": ({"number": ("int64", 2**23)},), "broadcast_dimensions": (),'
            ' "sharding": None}, array())',
            id="a large answer by numbers of NumPy",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            'primitive("dot_general", {"dimension_numbers": (((1,), (0,)), ((), ())), "precision": None,'
            ' "preferred_element_type": {"dtype": "float32"}, "out_sharding": None}, array(4096, 1), array(1, 4096))',
            id="a product that is large",
            marks=pytest.mark.whole,
        ),
        pytest.param(
            'primitive("neg", {}, (("array", (8,), "(1000,1000)f4", False, False), ()))',
            id="arrays as elements",
            marks=pytest.mark.whole,
        ),
        pytest.param('primitive("while", {}, array(8))', id="a loop", marks=pytest.mark.whole),
        pytest.param('primitive("ffi_call", {}, array(8))', id="a foreign function"),
        pytest.param('primitive("infeed", {}, array(8))', id="a wait for ever", marks=pytest.mark.whole),
        pytest.param("__import__('pickle').dumps(print)", id="a pickle", marks=pytest.mark.whole),
        pytest.param('b"x" * 100_000', id="a long text", marks=pytest.mark.whole),
    ],
)
def test_a_wish_that_could_hurt_is_not_granted_and_a_fair_one_is(launcher: BubblewrapLauncher, wish: str) -> None:
    wishes = wishes_of(launcher, LYING.replace("WISHES", f'{wish}, primitive("neg", {{}}, array(8))'))
    assert len(wishes) == 2

    assert len(granted_of(launcher, wishes)) == 1


@pytest.mark.whole
def test_of_one_student_only_so_many_wishes_are_granted(launcher: BubblewrapLauncher) -> None:
    many = f'*(primitive("neg", {{}}, array(n)) for n in range(1, {2 * MOST_CALLS}))'
    wishes = wishes_of(launcher, LYING.replace("WISHES", many))
    assert len(wishes) > MOST_CALLS

    assert len(granted_of(launcher, wishes)) == MOST_CALLS


def test_from_a_process_that_ends_itself_nothing_is_learned(launcher: BubblewrapLauncher) -> None:
    assert wishes_of(launcher, "import os\ndef solve(x):\n    os._exit(1)\n") == frozenset()
