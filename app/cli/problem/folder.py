"""Finding packages on disk."""

from pathlib import Path

from app.errors import NotFound
from app.settings import Settings, read_settings


def list_folders(settings: Settings) -> list[Path]:
    """Every folder with a `problem.yaml`. Raises NotFound when there is none."""
    folders = sorted(path.parent for path in settings.problems.glob("*/problem.yaml"))
    if not folders:
        raise NotFound(f"{settings.problems} holds no problem package; name another folder with ALLCLOSE_PROBLEMS")
    return folders


def find_folder(problem: str) -> Path:
    """A path to a package, or the slug of one in the settings' folder. Raises NotFound."""
    if (Path(problem) / "problem.yaml").is_file():
        return Path(problem)
    known = list_folders(read_settings())
    for folder in known:
        if folder.name == problem:
            return folder
    slugs = ", ".join(folder.name for folder in known)
    raise NotFound(f"no problem {problem!r}: give the path of a package, or one of {slugs}")
