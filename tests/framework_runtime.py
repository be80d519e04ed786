"""Runs a test module with the boxes' Python, the only one that has jax, flax, optax and torch."""

import os
import subprocess
from pathlib import Path

from tests.lacking import do_without

ROOT = Path(__file__).parent.parent
PYTHON = Path(os.environ.get("ALLCLOSE_RUNTIME", ROOT / ".runtime")) / "bin" / "python"


def run_in_runtime(module: str, folder: Path) -> None:
    """`python -m module folder`, to the end. Skips without a runtime, except in continuous integration."""
    if not PYTHON.exists():
        do_without(f"{PYTHON} is missing: `make test` installs the frameworks that boxes see")
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "JAX_PLATFORMS": "cpu", "HOME": str(folder)}
    command = [str(PYTHON), "-m", module, str(folder)]
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
