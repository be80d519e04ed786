"""A real Chromium, and what it complains about."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from app.accounts.session import start_session
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.lacking import do_without

MISSING = "needs Chromium to drive the pages: apt-get install chromium (or set CHROMIUM to its path)"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 30_000


def find_chromium() -> str:
    """Skips the test where there is none; in continuous integration that is a failure."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        do_without(MISSING)
    return path


@contextmanager
def chromium() -> Iterator[Browser]:
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visitor:
    """One page of a fresh profile. `complaints`: errors on the console, violations of the policy, broken scripts."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)

    def sign_up(self, username: str) -> None:
        self._enter("/sign-up", username, "Sign up")

    def sign_in(self, username: str) -> None:
        self._enter("/sign-in", username, "Sign in")

    def _enter(self, path: str, username: str, button: str) -> None:
        self.open(path)
        self.page.get_by_label("User name").fill(username)
        self.page.get_by_label("Password").fill("correct horse battery")
        self.page.get_by_role("button", name=button, exact=True).click()
        self.page.get_by_role("button", name="Sign out").wait_for()


def visit(context: BrowserContext, address: str) -> Visitor:
    context.set_default_timeout(PATIENCE_MS)
    visitor = Visitor(context.new_page(), address)
    visitor.page.on("console", lambda said: _note(visitor, said.type, said.text))
    visitor.page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
    return visitor


def visit_as(username: str, context: BrowserContext, address: str, database: Database) -> Visitor:
    """Return a visitor who is signed in as a new student, who has no password, without the sign-up page."""
    with database.transaction() as session:
        secret = start_session(session, make_user(session, username).id)
    context.add_cookies([{"name": COOKIE, "value": secret, "url": address}])
    return visit(context, address)


def _note(visitor: Visitor, kind: str, text: str) -> None:
    if kind in ("error", "warning"):
        visitor.complaints.append(text)
