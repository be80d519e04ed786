"""Finding packages on disk."""

from pathlib import Path

from app.errors import NotFound
from app.settings import Settings


def list_folders(settings: Settings) -> list[Path]:
    """Every folder with a `problem.yaml`. Raises NotFound when there is none."""
    folders = sorted(path.parent for path in settings.problems.glob("*/problem.yaml"))
    if not folders:
        raise NotFound(f"{settings.problems} holds no problem package; name another folder with ALLCLOSE_PROBLEMS")
    return folders
