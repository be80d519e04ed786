"""The Python and the frameworks that boxes see, found by asking the runtime's own interpreter."""

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


@dataclass(frozen=True)
class Runtime:
    """`folder`: a virtual environment; `base`: the Python installation that it was made from."""

    folder: Path
    python_version: str
    base: Path
    packages: Path

    @property
    def interpreter(self) -> Path:
        return self.folder / "bin" / "python"

    @cached_property
    def mounts(self) -> tuple[Path, ...]:
        """What a box must see of the host, each at its own path, beside /usr and the libraries."""
        hops = [self.base, self.base.resolve()]
        link = self.interpreter
        while link.is_symlink():
            link = link.parent / link.readlink()
            hops.append(link.parent.parent)
        wanted = [self.folder, *hops]
        return tuple(dict.fromkeys(path for path in wanted if not path.is_relative_to("/usr") and path != Path("/")))

    @cached_property
    def image(self) -> str:
        """Names what is installed, as a digest does for an image."""
        names = sorted(path.name for path in self.packages.glob("*.dist-info"))
        digest = hashlib.sha256("\n".join([self.python_version, *names]).encode()).hexdigest()
        return f"bubblewrap:{digest[:16]}"


def find_runtime(folder: Path) -> Runtime:
    """Raises SandboxUnavailable."""
    folder = folder.absolute()
    command = [str(folder / "bin" / "python"), "-I", "-c", _QUESTION]
    try:
        said = subprocess.run(command, capture_output=True, check=True, timeout=60, env={}).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"no Python at {folder}/bin/python ({error}): make {folder}/.installed") from None
    facts = json.loads(said)
    return Runtime(folder, facts["version"], Path(facts["base"]), Path(facts["packages"]))
