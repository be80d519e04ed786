"""The files of a folder that is imported. Links are passed over, so that nothing outside it is read."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.catalog.importing.imported import ImportRefused

MAX_FILES = 5_000


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """`paths` are relative, in order, with `/` between their parts."""

    root: Path
    paths: tuple[str, ...]

    def has(self, path: str) -> bool:
        return path in self.paths

    def under(self, folder: str) -> list[str]:
        return [path for path in self.paths if path.startswith(f"{folder}/")]

    def size(self, path: str) -> int:
        return (self.root / path).stat().st_size

    def text(self, path: str) -> str:
        """Raises ImportRefused."""
        try:
            return (self.root / path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except OSError as error:
            raise ImportRefused(f"{path} can't be read ({error.strerror})") from None
        except UnicodeDecodeError:
            raise ImportRefused(f"{path} is not UTF-8: save it so") from None


def open_folder(root: Path) -> SourceFolder:
    """Raises ImportRefused."""
    if not root.is_dir():
        raise ImportRefused(f"{root} is no folder; unpack an archive first")
    paths = tuple(sorted(_walk(root, "")))
    if len(paths) > MAX_FILES:
        raise ImportRefused(f"{root} holds more than {MAX_FILES} files: name the folder of one problem")
    return SourceFolder(root, paths)


def _walk(folder: Path, prefix: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith((".", "__pycache__")) or entry.is_symlink():
                continue
            if entry.is_dir():
                yield from _walk(Path(entry.path), f"{prefix}{entry.name}/")
            elif entry.is_file():
                yield prefix + entry.name
