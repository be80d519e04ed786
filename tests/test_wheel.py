"""An installed wheel holds the pages that an editable install reads from docs/."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from tests.help_pages import open_help_pages
from tests.serving import NO_WORKER, serve

ROOT = Path(__file__).parent.parent
PARTS = ("app", "docs", "migrations", "sandbox")
FILES = ("allclose.py", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the wheel. It is built from a copy, so that no file of an earlier build gets in."""
    source, wheels, installed = (tmp_path_factory.mktemp(name) for name in ("source", "wheels", "installed"))
    for part in PARTS:
        shutil.copytree(ROOT / part, source / part, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for file in FILES:
        shutil.copy(ROOT / file, source)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([*pip, f"--wheel-dir={wheels}", str(source)], check=True)
    (wheel,) = wheels.iterdir()
    ZipFile(wheel).extractall(installed)
    return installed


def test_a_server_of_the_wheel_shows_every_help_page(installed: Path, tmp_path: Path) -> None:
    settings = {"PYTHONPATH": str(installed), "PYTHONSAFEPATH": "yes"}
    where = [sys.executable, "-c", "import app; print(app.__file__)"]
    served_from = subprocess.run(where, env=os.environ | settings, capture_output=True, text=True, check=True).stdout

    with serve(tmp_path, settings, options=NO_WORKER) as served, httpx.Client(base_url=served.url) as client:
        pages = open_help_pages(client)

    assert Path(served_from.strip()).is_relative_to(installed)
    assert {page.status_code for page in pages.values()} == {200}
    assert len(pages) > 3
