"""A cache of compiled JAX programs that students' boxes may read, filled by running solutions in trusted boxes.

Students can read each entry: its name, optimised program and shapes. So the cache holds programs of library functions
only. It excludes programs that the reference defines, control flow (which holds the reference's own loop bodies), and
programs that name a place in a source. A program that is not known to be harmless stays out, which costs time only.
"""

import ast
import re
import threading
import zlib
from collections.abc import Collection, Iterator, Set
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol, runtime_checkable

import numpy as np

from sandbox.guest import codec
from sandbox.interface import BoxSpec, CaseInput, CaseOutcome, Launcher, OnCase, Parameter, Request, RunLimits

HARVEST = "from sandbox.guest.compiled import harvesting\nrun = harvesting({!r})\n"
RECORD = "from sandbox.guest.compiled import recording\nrun = recording({!r})\n"
GRANT = "from sandbox.guest.compiled import granting\nrun = granting()\n"
ENTRY = re.compile(r"jit_(\w+)-[0-9a-f]{64}-cache")
ENTRY_BYTES = 4 * 2**20
# Library calls learned from one student's solution.
MOST_CALLS = 128
CALLS_CAPS = codec.Caps(total_bytes=2 * 2**20)
CALLS_LIMITS = RunLimits(wall_seconds=120, memory_bytes=2 * 2**30)
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
class FillableLauncher(Protocol):
    """A launcher whose boxes read compiled programs from `cache`."""

    @property
    def image(self) -> str:
        """Identifies the libraries that compile. Programs compiled by other versions are useless."""

    @property
    def cache(self) -> Path | None: ...

    @property
    def optimizations(self) -> tuple[str, ...]: ...

    def filling(self) -> Launcher:
        """Return a launcher whose boxes keep what they compile. For trusted sources only."""


@dataclass(frozen=True, slots=True)
class CacheFill:
    """`entries`: the number of new entries. `calls`: the library calls that were made
    (`sandbox.guest.library_programs`).
    """

    entries: int
    calls: frozenset[bytes]


def fill_cache(
    launcher: Launcher,
    spec: BoxSpec,
    request: Request,
    abort: threading.Event,
    on_case: OnCase = lambda _: None,
) -> CacheFill | None:
    """Run the trusted request in a box and keep its harmless programs. Raises SandboxError.

    Returns None if there is no cache to fill or no case was answered. `on_case` hears how each case ended.
    """
    own = names_in(request.source) | names_in(request.driver or "")
    return _fill(launcher, spec, replace(request, driver=HARVEST.format(request.driver)), own, abort, on_case)


def read_library_calls(launcher: Launcher, spec: BoxSpec, request: Request, abort: threading.Event) -> frozenset[bytes]:
    """Run a student's source and return the library calls that it reports. The result is untrusted. Raises
    SandboxError.
    """
    limits = replace(request.limits, answer_bytes=CALLS_CAPS.total_bytes)
    found = frozenset[bytes]()

    def keep(outcome: CaseOutcome) -> None:
        nonlocal found
        with suppress(codec.Malformed):
            answer = codec.decode(outcome.answer or b"", CALLS_CAPS)
            calls = answer if isinstance(answer, list) else []
            found = frozenset(call.tobytes() for call in calls if isinstance(call, np.ndarray))

    with closing(launcher.launch(spec)) as box:
        box.run(replace(request, driver=RECORD.format(request.driver), limits=limits), keep, abort)
    return found


def grant_library_calls(
    launcher: Launcher, spec: BoxSpec, calls: Collection[bytes], abort: threading.Event
) -> frozenset[bytes]:
    """Return those calls that may be made for every student. Nothing is kept. Raises SandboxError."""
    filled = _fill(launcher, spec, _granting(calls), None, abort)
    return filled.calls if filled else frozenset()


def fill_with_calls(
    launcher: Launcher, spec: BoxSpec, calls: Collection[bytes], abort: threading.Event
) -> CacheFill | None:
    """Make these library calls in a trusted box and keep what they compile. Raises SandboxError."""
    return _fill(launcher, spec, _granting(calls), frozenset(), abort)


def _granting(calls: Collection[bytes]) -> Request:
    sent: list[Any] = [np.frombuffer(call, np.uint8) for call in sorted(calls)[:MOST_CALLS]]
    return Request(
        source="def program():\n    pass\n",
        entry_point="program",
        driver=GRANT,
        parameters=(Parameter("calls", "value"),),
        cases=(CaseInput("calls", codec.encode({"calls": sent})),),
        limits=CALLS_LIMITS,
    )


def _fill(
    launcher: Launcher,
    spec: BoxSpec,
    request: Request,
    own: Set[str] | None,
    abort: threading.Event,
    on_case: OnCase = lambda _: None,
) -> CacheFill | None:
    """Run the request in a box of its own. `own`: names of programs not to keep; None keeps no program."""
    if not isinstance(launcher, FillableLauncher) or launcher.cache is None or "jax" not in spec.frameworks:
        return None
    target = launcher.cache
    filled: CacheFill | None = None

    def keep(outcome: CaseOutcome) -> None:
        nonlocal filled
        on_case(outcome)
        if outcome.answer is not None:
            compiled: Any = codec.decode(outcome.answer)
            entries = () if own is None else _harmless(compiled, own)
            kept = sum(_keep(name, entry, target) for name, entry in entries)
            before = filled.entries if filled else 0
            filled = CacheFill(before + kept, frozenset(map(bytes, compiled["calls"])))

    with closing(launcher.filling().launch(spec)) as box:
        box.run(request, keep, abort)
    return filled


def _harmless(compiled: Any, own: Set[str]) -> Iterator[tuple[str, bytes]]:
    allowed = frozenset(compiled["library"]) - _NEVER - own
    for name, content in compiled["entries"].items():
        entry, match = bytes(content), ENTRY.fullmatch(name)
        if match and match[1] in allowed and is_silent(entry):
            yield name, entry


def is_silent(entry: bytes) -> bool:
    """Whether the program names no place in a source. An entry that can't be fully read counts as naming one."""
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(entry, ENTRY_BYTES)
    except zlib.error:
        return False
    return reader.eof and not reader.unused_data and b".py" not in text


def _keep(name: str, entry: bytes, target: Path) -> bool:
    """Write the entry atomically, since boxes may be reading the folder."""
    final = target / name
    if final.exists():
        return False
    copy = target / f".{name}.{token_hex(4)}"
    copy.write_bytes(entry)
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
