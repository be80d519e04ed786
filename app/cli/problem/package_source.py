"""Finding a package on disk by its folder, its slug, or a YAML file that holds the whole package."""

from dataclasses import dataclass
from pathlib import Path

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import MANIFEST_FILE, MAX_FILE_BYTES, read_folder
from app.catalog.package import Package, load_package, package_from_files
from app.errors import NotFound
from app.settings import Settings, read_settings

NAMED = "A package's folder, its slug, or a single YAML file."
YAML = (".yaml", ".yml")


def list_folders(settings: Settings) -> list[Path]:
    """List the folders with a `problem.yaml`. Raises NotFound if there is none."""
    folders = sorted(path.parent for path in settings.problems.glob("*/problem.yaml"))
    if not folders:
        raise NotFound(f"{settings.problems} has no problem packages; set ALLCLOSE_PROBLEMS to another folder")
    return folders


@dataclass(frozen=True, slots=True)
class PackageSource:
    """A package on disk. `path` is a YAML file if `is_single`, else a folder."""

    slug: str
    path: Path
    is_single: bool

    def load(self) -> Package:
        """Raises PackageInvalid, NotFound."""
        if not self.is_single:
            return load_package(self.path)
        return package_from_files(self.slug, {MANIFEST_FILE: self._read_file()})

    def read_readable(self) -> dict[str, bytes]:
        """Return the files that can be read, by path, unparsed. Raises PackageInvalid, NotFound for a single file."""
        return {MANIFEST_FILE: self._read_file()} if self.is_single else dict(read_folder(self.path).files)

    def read(self) -> dict[str, bytes]:
        """Return the files by path, unparsed. Raises PackageInvalid for a file that is not allowed, NotFound."""
        if self.is_single:
            return {MANIFEST_FILE: self._read_file()}
        contents = read_folder(self.path)
        if contents.faults:
            raise PackageInvalid(self.slug, contents.faults)
        return dict(contents.files)

    def _read_file(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise NotFound(f"{self.path} can't be read ({error.strerror})") from None
        if len(content) > MAX_FILE_BYTES:
            remedy = "make it smaller, or write the package as a folder"
            message = f"is larger than {MAX_FILE_BYTES} bytes"
            raise PackageInvalid(self.slug, [Fault(self.path.name, 0, "", message, remedy)])
        return content


def find_source(problem: str) -> PackageSource:
    """Find a package by its path, or by its slug in the problems folder. Raises NotFound."""
    path, settings = Path(problem), read_settings()
    if path.is_file() and path.suffix in YAML and path.name != MANIFEST_FILE:
        return PackageSource(path.stem, path, is_single=True)
    folders = [path.parent if path.name == MANIFEST_FILE else path]
    if path.name == problem:
        folders.append(settings.problems / problem)
    for folder in folders:
        if (folder / MANIFEST_FILE).is_file():
            return source_of(folder)
    if path.is_dir():
        raise NotFound(f"{path} is not a package: it has no {MANIFEST_FILE}")
    if path.exists():
        raise NotFound(f"{path} is not a package: give a folder with a {MANIFEST_FILE}, or a single YAML file (.yaml)")
    slugs = ", ".join(folder.name for folder in list_folders(settings))
    raise NotFound(f"no problem {problem!r}: give the path of a package, or one of {slugs}")


def source_of(folder: Path) -> PackageSource:
    return PackageSource(folder.resolve().name, folder, is_single=False)
