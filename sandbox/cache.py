"""A folder of compiled JAX programs that students' boxes may read, filled by running a reference.

Students can read each entry: name, optimised program, shapes. So only programs of library functions go in, never one
that the reference made itself, no control flow (it holds the reference's own loop bodies), and none that names a place
in a source. What is not known to be harmless stays out: it only costs time.
"""

import ast
import os
import re
import shutil
import tempfile
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from sandbox.interface import BoxSpec, Launcher, Request

ENTRY = re.compile(r"jit_(\w+)-[0-9a-f]{64}-cache")
ENTRY_BYTES = 4 * 2**20
_LIBRARY = (
    "jax/_src/lax/lax.py",
    "jax/_src/lax/slicing.py",
    "jax/_src/lax/convolution.py",
    "jax/_src/lax/linalg.py",
    "jax/_src/numpy/*.py",
    "jax/_src/nn/*.py",
    "jax/_src/random.py",
    "jax/_src/prng.py",
    "jax/_src/random/*.py",
    "flax/nnx/nn/*.py",
    "flax/linen/*.py",
)
_DEFINITION = re.compile(r"^def (\w+)\(|Primitive\(\s*['\"](\w+)['\"]", re.MULTILINE)
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

    @property
    def packages(self) -> Path:
        """Where the libraries lie whose functions may be cached."""

    def writing_to(self, folder: Path) -> Launcher:
        """Its boxes write compiled programs there. For trusted sources only."""


def fill_cache(launcher: Launcher, spec: BoxSpec, request: Request, abort: threading.Event) -> int:
    """Runs the trusted request in a box of its own; the number of entries that are new. Raises SandboxError."""
    if not isinstance(launcher, FillableLauncher) or launcher.cache is None or "jax" not in spec.frameworks:
        return 0
    with _folder_beside(launcher.cache) as folder:
        box = launcher.writing_to(folder).launch(spec)
        try:
            box.run(request, lambda _outcome: None, abort)
        finally:
            box.close()
        own = names_in(request.source) | names_in(request.driver or "")
        return sum(_keep(entry, launcher.cache) for entry in _harmless(folder, library_names(launcher.packages) - own))


@contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    """On the same file system, for the guest to write to."""
    folder = Path(tempfile.mkdtemp(prefix=".filling-", dir=target.absolute().parent))
    folder.chmod(0o777 if os.geteuid() == 0 else 0o700)  # as root, the guest is another user
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _harmless(folder: Path, allowed: frozenset[str]) -> Iterator[Path]:
    for path in folder.iterdir():
        match = ENTRY.fullmatch(path.name)
        if match and match[1] in allowed and not path.is_symlink() and path.is_file() and is_silent(path.read_bytes()):
            yield path


def is_silent(entry: bytes) -> bool:
    """Whether the program tells no place in a source that it was called from."""
    try:
        text = zlib.decompressobj().decompress(entry, ENTRY_BYTES)
    except zlib.error:
        return False
    return b".py" not in text


def _keep(entry: Path, target: Path) -> bool:
    """Appears whole or not at all: boxes may be reading the folder now."""
    final = target / entry.name
    if final.exists():
        return False
    copy = target / f".{entry.name}"
    copy.write_bytes(entry.read_bytes())
    copy.chmod(0o644)
    copy.replace(final)
    return True


@cache
def library_names(packages: Path) -> frozenset[str]:
    """Functions and primitives of the libraries, as their sources define them at the top level."""
    sources = (path.read_text() for pattern in _LIBRARY for path in packages.glob(pattern))
    found = {name for source in sources for names in _DEFINITION.findall(source) for name in names if name}
    return frozenset(found) - _NEVER


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
