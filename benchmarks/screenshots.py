"""`make screenshots`: write screenshots to build/screenshots, at three widths, light and dark.

Those in `SHOWN` are in README.md and docs/, and replace the ones in docs/screenshots.

They come from a real server, a student who has tried and solved a few of the repository's problems, and its admin.
"""

import base64
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize

from app.settings import ROOT
from tests.serving import ADMIN, Served, Student, serve
from tests.web.browser import chromium

FOLDER = ROOT / "build" / "screenshots"
DOCS = ROOT / "docs" / "screenshots"
SHOWN = ("problem-light.webp", "wrong-answer-light.webp")
QUALITY = 86
PASSWORD = "correct horse battery"
SUBMITTED = (
    ("microbatched_grads", "accepted"),
    ("train_with_accumulation", "wrong_answer/drops_the_last_window"),
    ("multisteps_fit", "wrong_answer/lr_over_k"),
    ("multisteps_fit", "accepted"),
    ("multisteps_schedule", "wrong_answer/boundaries_in_micro_steps"),
)
PATIENCE_MS = 300_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    name: str
    scheme: Literal["light", "dark"]
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Viewer:
    name: str
    password: str


WINDOWS = {"": (1440, 900), "tablet-": (1024, 768), "phone-": (390, 844)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = tuple(
    Look(name=f"{window}{scheme}", scheme=scheme, width=width, height=height)
    for window, (width, height) in WINDOWS.items()
    for scheme in SCHEMES
)
# In braces are submissions of `_solve_some`.
FOR_STUDENTS = {
    "front": "/",
    "problems": "/problems",
    "problem": "/problems/multisteps_schedule?from={curves}",
    "wrong-answer": "/submissions/{matrix}",
    "walkthrough": "/problems/multisteps_fit/solution",
    "history": "/submissions",
    "statistics": "/me",
}
FOR_ADMINS = {"admin": "/admin", "admin-submissions": "/admin/submissions", "admin-settings": "/admin/settings"}


def main() -> None:
    settings = {"ALLCLOSE_PROBLEMS": str(ROOT / "problems")}
    FOLDER.parent.mkdir(exist_ok=True)
    with replacing(FOLDER) as folder, tempfile.TemporaryDirectory() as data, serve(Path(data), settings) as served:
        take_all(served, "ada", folder)
    for name in SHOWN:
        shutil.copy(FOLDER / name, DOCS)


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Yield a new folder, which takes the place of the old one at the end. After a failure the old one stays."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".screenshots-") as aside:
        new, old = Path(aside) / "new", Path(aside) / "old"
        new.mkdir()
        yield new
        if folder.exists():
            folder.rename(old)
        new.rename(folder)


def take_all(served: Served, name: str, folder: Path) -> None:
    shown = ADMIN.search(served.text)
    assert shown, "the password is printed at the first start only"
    paths = _solve_some(served.sign_up(name))
    with chromium() as browser:
        for look in LOOKS:
            take(browser, served.url, Viewer(name, PASSWORD), look, paths, folder)
            take(browser, served.url, Viewer("admin", shown[1]), look, FOR_ADMINS, folder)


def take(browser: Browser, url: str, viewer: Viewer, look: Look, paths: Mapping[str, str], folder: Path) -> None:
    with _signed_in(browser, url, viewer, look) as page:
        for shot, path in paths.items():
            page.goto(url + path, wait_until="networkidle")
            _wait_until_judged(page)
            page.evaluate("document.fonts.ready")
            _write(page, folder / f"{shot}-{look.name}.webp")


def _solve_some(student: Student) -> dict[str, str]:
    """Submit solutions and return the paths of the pages, by the screenshot's name."""
    sent = {(slug, known): student.submit(slug, _source(slug, known))["id"] for slug, known in SUBMITTED}
    ids = {"curves": sent[SUBMITTED[4]], "matrix": sent[SUBMITTED[2]]}
    return {shot: path.format(**ids) for shot, path in FOR_STUDENTS.items()}


def _source(slug: str, known: str) -> str:
    folder = ROOT / "problems" / slug / "submissions"
    file = folder / f"{known}.py"
    return (file if file.exists() else min((folder / known).glob("*.py"))).read_text()


@contextmanager
def _signed_in(browser: Browser, url: str, viewer: Viewer, look: Look) -> Iterator[Page]:
    size = ViewportSize(width=look.width, height=look.height)
    with browser.new_context(viewport=size, color_scheme=look.scheme, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(f"{url}/sign-in")
        page.get_by_label("User name").fill(viewer.name)
        page.get_by_label("Password").fill(viewer.password)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="Sign out").wait_for()
        yield page


def _wait_until_judged(page: Page) -> None:
    """Wait for the final result, including a pending hint, on pages that show a result."""
    if page.locator("[data-live]:not([data-live=''])").count():
        page.locator("[data-final]").wait_for(state="attached", timeout=PATIENCE_MS)  # on a phone it is not visible


def _write(page: Page, path: Path) -> None:
    """Write the window's content as WebP, which takes a quarter of the size of PNG."""
    shot = page.context.new_cdp_session(page).send(
        "Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "captureBeyondViewport": False}
    )
    path.write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
