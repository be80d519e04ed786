"""`make screenshots`: write screenshots of the main pages to docs/screenshots, light, dark and phone-sized.

They come from a real server and a student who has tried and solved a few of the repository's problems.
"""

import base64
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize

from app.settings import ROOT
from tests.serving import Served, Student, serve
from tests.web.browser import chromium

FOLDER = ROOT / "docs" / "screenshots"
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


LOOKS = (
    Look(name="light", scheme="light", width=1440, height=900),
    Look(name="dark", scheme="dark", width=1440, height=900),
    Look(name="phone", scheme="light", width=390, height=844),
)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "data") as served:
        take_all(served, "ada", FOLDER)


def take_all(served: Served, name: str, folder: Path) -> None:
    student = served.sign_up(name)
    paths = _solve_some(student)
    with chromium() as browser:
        for look in LOOKS:
            with _signed_in(browser, served.url, name, look) as page:
                for shot, path in paths.items():
                    page.goto(served.url + path, wait_until="networkidle")
                    _wait_until_judged(page)
                    _write(page, folder / f"{shot}-{look.name}.webp")


def _solve_some(student: Student) -> dict[str, str]:
    """Submit solutions and return the paths of the pages, by the screenshot's name."""
    sent = {(slug, known): student.submit(slug, _source(slug, known))["id"] for slug, known in SUBMITTED}
    curves, matrix = sent[SUBMITTED[4]], sent[SUBMITTED[2]]
    accepted = sent[SUBMITTED[3]]
    return {
        "front": "/",
        "problems": "/problems",
        "track": "/tracks/training",
        "problem": f"/problems/multisteps_schedule?from={curves}",
        "wrong-answer": f"/submissions/{matrix}",
        "accepted": f"/submissions/{accepted}",
        "walkthrough": "/problems/multisteps_fit/solution",
        "quiz": "/problems/multisteps_fit/quiz",
        "history": "/submissions",
        "difference": f"/submissions/{accepted}/diff?old={matrix}",
        "statistics": "/me",
        "not-found": "/problems/multistep_fits",
    }


def _source(slug: str, known: str) -> str:
    folder = ROOT / "problems" / slug / "submissions"
    file = folder / f"{known}.py"
    return (file if file.exists() else min((folder / known).glob("*.py"))).read_text()


@contextmanager
def _signed_in(browser: Browser, url: str, name: str, look: Look) -> Iterator[Page]:
    size = ViewportSize(width=look.width, height=look.height)
    with browser.new_context(viewport=size, color_scheme=look.scheme, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(f"{url}/sign-in")
        page.get_by_label("User name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
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
