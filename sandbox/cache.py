"""A folder of compiled JAX programs that students' boxes may read, filled by running a reference.

Students can read each entry: name, optimised program, shapes. So only programs of library functions go in, never one
that the reference made itself, no control flow (it holds the reference's own loop bodies), and none that names a place
in a source. What is not known to be harmless stays out: it only costs time.
"""

import ast
import re
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol, runtime_checkable

from sandbox.guest import codec
from sandbox.interface import BoxSpec, CaseOutcome, Launcher, Request

DRIVER = "from sandbox.guest.compiled import harvesting\nrun = harvesting({!r})\n"
ENTRY = re.compile(r"jit_(\w+)-[0-9a-f]{64}-cache")
ENTRY_BYTES = 4 * 2**20
# These run what they are given, or are names that anybody gives to a function.
_NEVER = frozenset(
    """
    scan while while_loop cond switch map fori_loop associative_scan custom_jvp custom_vjp custom_jvp_call
    custom_vjp_call custom_root custom_linear_solve pjit jit closed_call core_call checkpoint remat vmap pmap grad
    value_and_grad reduce reduce_window reduce_and_scale select_and_scatter vectorize apply_along_axis apply_over_axes
    piecewise fromfunction frompyfunc composite pure_callback io_callback call apply init update step loss solve train
    main run fn fun func f g h body wrapper wrapped
    """.split()  # noqa: SIM905
)


@runtime_checkable
class FillableLauncher(Protocol):
    """A launcher whose boxes read compiled programs from `cache`."""

    @property
    def image(self) -> str:
        """Names the libraries that compile: what others compiled is of no use to them."""

    @property
    def cache(self) -> Path | None: ...

    def filling(self) -> Launcher:
        """Its boxes keep what they compile. For trusted sources only."""


@dataclass(frozen=True, slots=True)
class Filled:
    """`entries`: how many are new. `calls`: the library calls that were made (`sandbox.guest.library_programs`)."""

    entries: int
    calls: frozenset[bytes]


def fill_cache(launcher: Launcher, spec: BoxSpec, request: Request, abort: threading.Event) -> Filled:
    """Runs the trusted request in a box of its own. Raises SandboxError."""
    if not isinstance(launcher, FillableLauncher) or launcher.cache is None or "jax" not in spec.frameworks:
        return Filled(0, frozenset())
    target, own = launcher.cache, names_in(request.source) | names_in(request.driver or "")
    kept, calls = 0, frozenset[bytes]()

    def keep(outcome: CaseOutcome) -> None:
        nonlocal kept, calls
        if outcome.answer is not None:
            compiled: Any = codec.decode(outcome.answer)
            kept += sum(_keep(name, entry, target) for name, entry in _harmless(compiled, own))
            calls = frozenset(map(bytes, compiled["calls"]))

    box = launcher.filling().launch(spec)
    try:
        box.run(replace(request, driver=DRIVER.format(request.driver)), keep, abort)
    finally:
        box.close()
    return Filled(kept, calls)


def _harmless(compiled: Any, own: set[str]) -> Iterator[tuple[str, bytes]]:
    allowed = frozenset(compiled["library"]) - _NEVER - own
    for name, content in compiled["entries"].items():
        entry, match = bytes(content), ENTRY.fullmatch(name)
        if match and match[1] in allowed and is_silent(entry):
            yield name, entry


def is_silent(entry: bytes) -> bool:
    """Whether the program tells no place in a source that it was called from. One that can't be read whole may."""
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(entry, ENTRY_BYTES)
    except zlib.error:
        return False
    return reader.eof and not reader.unused_data and b".py" not in text


def _keep(name: str, entry: bytes, target: Path) -> bool:
    """Appears whole or not at all: boxes may be reading the folder now."""
    final = target / name
    if final.exists():
        return False
    copy = target / f".{name}.{token_hex(4)}"
    copy.write_bytes(entry)
    copy.chmod(0o644)
    copy.replace(final)
    return True


def names_in(source: str) -> set[str]:
    """Everything that the source binds or spells: a compiled program of that name may be its own."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found
