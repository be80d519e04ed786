"""A cache of compiled JAX programs that students' boxes may read, filled by running solutions in trusted boxes.

Students can read each entry: its optimised program and shapes. So the cache holds programs of library functions only.
It excludes programs that the reference defines, control flow (which holds the reference's own loop bodies), and
programs that name a place in a source. A program that is not known to be harmless stays out, which costs time only.
"""

import ast
import re
import threading
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol, runtime_checkable

from sandbox.guest import codec
from sandbox.interface import Box, CaseOutcome, OnCase, Request

HARVEST = "from sandbox.guest.compiled import harvesting\nrun = harvesting({!r}, eager={!r})\n"
ENTRY_BYTES = 4 * 2**20
_KEY = re.compile(r"[0-9a-f]{64}")
# Functions that run code passed to them, and names that people commonly give to their own functions.
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
class CachingLauncher(Protocol):
    """A launcher whose boxes read compiled programs from `cache`."""

    @property
    def image(self) -> str:
        """Identifies the libraries that compile."""

    @property
    def cache(self) -> Path | None: ...

    @property
    def optimizations(self) -> tuple[str, ...]: ...


def fill_cache(
    cache: Path,
    box: Box,
    request: Request,
    abort: threading.Event,
    on_case: OnCase = lambda _: None,
    *,
    eager: bool = False,
) -> int:
    """Run the trusted request in the box and keep its harmless programs. Return the number of new entries.

    `on_case` hears how each case ended. `eager`: loops and jitted functions run step by step. Raises SandboxError.
    """
    own = names_in(request.source) | names_in(request.driver or "")
    kept = list[str]()

    def keep(outcome: CaseOutcome) -> None:
        on_case(outcome)
        if outcome.answer is not None:
            entries = _harmless(codec.decode(outcome.answer), own, cache)
            kept.extend(name for name, content in entries if _keep(cache / name, content))

    box.run(replace(request, driver=HARVEST.format(request.driver, eager)), keep, abort)
    return len(kept)


def _harmless(compiled: Any, own: Set[str], cache: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the file name and content of each entry that students may read, a program before its calls."""
    programs: Mapping[str, Any] = compiled.get("programs", {})
    calls = {key: bytes(entry) for key, entry in compiled.get("calls", {}).items() if _KEY.fullmatch(key)}
    called = {key: _program_of(entry) for key, entry in calls.items()}
    names, refused = compiled.get("names", {}), _NEVER | own
    kept = set[str]()
    for key, program in programs.items():
        is_librarys = (key in names and names[key] not in refused) or key in called.values()
        if _KEY.fullmatch(key) and is_librarys and is_silent(content := bytes(program)):
            kept.add(key)
            yield f"program-{key}", content
    for key, entry in calls.items():
        if called[key] in kept or (cache / f"program-{called[key]}").exists():
            yield f"call-{key}", entry


def _program_of(entry: bytes) -> str:
    fields: Any = codec.decode(entry)
    return str(fields["program"])


def is_silent(program: bytes) -> bool:
    """Whether the program names no place in a source."""
    return len(program) <= ENTRY_BYTES and b".py" not in program


def _keep(final: Path, content: bytes) -> bool:
    """Write the entry atomically, since boxes may be reading the folder."""
    if final.exists():
        return False
    copy = final.with_name(f".{final.name}.{token_hex(4)}")
    copy.write_bytes(content)
    copy.chmod(0o644)
    copy.replace(final)
    return True


def names_in(source: str) -> set[str]:
    """Return all names that the source binds or spells: a compiled program of such a name may be the source's own."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found
