"""The Python installation and frameworks that boxes see, found by asking the runtime's own interpreter."""

import hashlib
import json
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sandbox.interface import SandboxUnavailable

_QUESTION = """
import json, sys, sysconfig
facts = {"version": sys.version.split()[0], "base": sys.base_prefix, "packages": sysconfig.get_path("purelib")}
print(json.dumps(facts))
"""

_OWN_IN_BOX = ("/tmp", "/proc", "/dev", "/cache", "/allclose")


@dataclass(frozen=True)
class Runtime:
    """`folder`: a virtual environment. `base`: the Python installation that it was created from."""

    folder: Path
    python_version: str
    base: Path
    packages: Path

    @property
    def interpreter(self) -> Path:
        return self.folder / "bin" / "python"

    @cached_property
    def base_mounts(self) -> tuple[Path, ...]:
        """Return the paths of the Python installation outside /usr, which a box must see at the same place.

        Raises SandboxUnavailable when such a path lies in a folder that each box has its own version of.
        """
        hops = [self.base, self.base.resolve()]
        link = self.interpreter
        while link.is_symlink():
            link = link.parent / link.readlink()
            if not link.is_relative_to(self.folder):
                hops.append(link.parent.parent)
        mounts = tuple(dict.fromkeys(path for path in hops if not path.is_relative_to("/usr") and path != Path("/")))
        for path in mounts:
            if any(path.is_relative_to(own) for own in _OWN_IN_BOX):
                text = f"Python is installed at {path}, but each box has its own {path.parents[-2]}: "
                raise SandboxUnavailable(text + f"install Python elsewhere and create {self.folder} again with it")
        return mounts

    @cached_property
    def image(self) -> str:
        """Identify the installed packages, as a digest identifies an image."""
        names = sorted(path.name for path in self.packages.glob("*.dist-info"))
        digest = hashlib.sha256("\n".join([self.python_version, *names]).encode()).hexdigest()
        return f"bubblewrap:{digest[:16]}"


def find_runtime(folder: Path) -> Runtime:
    """Raises SandboxUnavailable."""
    folder = folder.absolute()
    command = [str(folder / "bin" / "python"), "-I", "-c", _QUESTION]
    try:
        output = subprocess.run(command, capture_output=True, check=True, timeout=60, env={}).stdout
    except (OSError, subprocess.SubprocessError) as error:
        remedy = "correct or unset ALLCLOSE_RUNTIME, or run `make .runtime/.installed`"
        raise SandboxUnavailable(f"no Python at {folder}/bin/python ({error}): {remedy}") from None
    facts = json.loads(output)
    return Runtime(folder, facts["version"], Path(facts["base"]), Path(facts["packages"]))
