"""The pages about Allclose itself: help, guides, about, and privacy. Everyone can read them."""

from dataclasses import dataclass
from functools import cache
from typing import get_args

from fastapi import APIRouter, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.permission import EVERYBODY, RULES
from app.catalog.markdown import Guide, render_guide
from app.catalog.parameter import Framework
from app.courses.role import COURSE_ROLES, COURSE_RULES
from app.errors import NotFound
from app.judging.verdicts import Verdict
from app.limits import SOURCE_BYTES
from app.policy import read_policy
from app.queue.model import WorkerRow
from app.web.pages.lti import LAUNCH
from app.web.pages.single_sign_on import ATTEMPT
from app.web.render import HERE
from app.web.visit import BROWSER, SESSION, CurrentVisit
from app.web.wording import Words, words_for

router = APIRouter()
# The pages of the documentation that the site shows: their files and titles.
GUIDES = {
    "courses": ("courses.md", "Run a course"),
    "your-courses": ("your-courses.md", "Your courses"),
    "lti": ("lti.md", "Connect a learning platform"),
    "authors": ("authoring.md", "Authors' guide"),
    "problem-format": ("problem-format.md", "All keys and files of a problem"),
    "api": ("api.md", "REST in ten calls"),
}
TITLES = {name: title for name, (_, title) in GUIDES.items()} | {
    "calls": "All calls of the REST API",
    "rights": "Roles and permissions",
}
# A function that should return its input times two, and gets the verdict.
EXAMPLES: dict[Verdict, tuple[str, str]] = {
    Verdict.ACCEPTED: ("def double(x):\n    return 2 * x", "Every value is within the tolerance."),
    Verdict.WRONG_ANSWER: ("def double(x):\n    return x + 2", "The values are only right for x = 2."),
    Verdict.REQUIREMENT_NOT_MET: (
        "def double(x):\n    return np.multiply(x, 2)",
        "The values are right, but this problem forbids the call.",
    ),
    Verdict.RUNTIME_ERROR: ("def double(x):\n    return 2 * y", "The name y does not exist."),
    Verdict.TIME_LIMIT_EXCEEDED: (
        "def double(x):\n    while True:\n        pass",
        "The function never returns.",
    ),
    Verdict.MEMORY_LIMIT_EXCEEDED: (
        "def double(x):\n    return np.ones((10**6, 10**6)) @ x",
        "The matrix would need 8 TB.",
    ),
    Verdict.OUTPUT_LIMIT_EXCEEDED: (
        "def double(x):\n    while True:\n        print(x)",
        "The function prints without an end.",
    ),
    Verdict.INVALID_SUBMISSION: ("def dubble(x):\n    return 2 * x", "The problem asks for double."),
}


@dataclass(frozen=True, slots=True)
class VerdictHelp:
    words: Words
    source: str
    explanation: str


@router.get("/help")
def show_help(visit: CurrentVisit) -> Response:
    with visit.transaction() as session:
        context = {
            "policy": read_policy(session),
            "versions": list_versions(session),
            "verdicts": list_verdicts(),
            "source_kib": SOURCE_BYTES // 1024,
            "titles": TITLES,
        }
    return visit.render("help.html", context)


@router.get("/about")
def show_about(visit: CurrentVisit) -> Response:
    return visit.render("about.html", {})


@router.get("/privacy")
def show_privacy(visit: CurrentVisit) -> Response:
    with visit.transaction() as session:
        policy = read_policy(session)
    cookies = {"session": SESSION, "browser": BROWSER, "attempt": ATTEMPT, "launch": LAUNCH}
    return visit.render("privacy.html", {"policy": policy, "cookies": cookies})


@router.get("/help/rights")
def show_rights(visit: CurrentVisit) -> Response:
    return visit.render(
        "rights.html",
        {
            "rules": RULES,
            "roles": EVERYBODY,
            "course_rules": COURSE_RULES,
            "course_roles": COURSE_ROLES,
            "titles": TITLES,
        },
    )


@router.get("/help/calls")
def show_calls(visit: CurrentVisit) -> Response:
    return visit.render("calls.html", {})


@router.get("/help/{name}")
def show_guide(visit: CurrentVisit, name: str) -> Response:
    """Show a page of the documentation. Raises NotFound."""
    if name not in GUIDES:
        raise NotFound(f"There is no help page {name[:40]!r}. See /help.")
    return visit.render("guide.html", {"guide": read_guide(name), "titles": TITLES})


@cache
def read_guide(name: str) -> Guide:
    """Read and render a page of docs/. An installed wheel has these pages as files in app/web/docs."""
    text = (HERE / "docs" / GUIDES[name][0]).read_text()
    return render_guide(text, {file: (f"/help/{other}", title) for other, (file, title) in GUIDES.items()})


def list_verdicts() -> list[VerdictHelp]:
    """Return each verdict that a submission can get by itself, with a source that gets it."""
    return [VerdictHelp(words_for(verdict), source, why) for verdict, (source, why) in EXAMPLES.items()]


def list_versions(session: Session) -> list[tuple[str, tuple[str, ...]]]:
    """Return the versions of the frameworks in the workers' boxes: one each, or several while workers differ."""
    found = session.scalars(select(WorkerRow.versions)).all()
    versions = {name: {str(each[name]) for each in found if name in each} for name in get_args(Framework)}
    return [(name, tuple(sorted(numbers))) for name, numbers in versions.items() if numbers]
