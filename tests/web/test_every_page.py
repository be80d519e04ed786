"""Every page in a real browser, as a stranger, student, author, assistant and admin see it: light and wide, dark and
narrow.

Nothing that axe-core finds, no complaint of the browser or of the content policy, no request to elsewhere,
no page wider than the screen, nothing that moves once it is drawn.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User, digest
from app.accounts.permission import signed_in
from app.accounts.session import start_session
from app.audit import COMMAND
from app.catalog.model import IS_CURRENT, Problem, Revision, SolveCount
from app.catalog.package import load_package
from app.catalog.publish import publish
from app.courses.model import Assignment, Extension, Member
from app.database.engine import Database
from app.grading.model import Comment, RegradeRequest
from app.judging.report import AnswerFault
from app.judging.verdicts import Verdict
from app.learning.bookmark import add_bookmark
from app.learning.discussion import PostText, answer, ask
from app.learning.moderation import report_post
from app.learning.note import SaveNote, save_note
from app.learning.shared_solution import share
from app.lti.model import Deployment, Platform, PlatformCourse, PlatformMember, Score
from app.rejudging.choice import Choice
from app.rejudging.create import Rejudge, rejudge
from app.similarity.model import SimilarityCheck, SimilarPair
from app.submissions.model import Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from app.web.visit import COOKIE
from tests.factories import make_assignment, make_course, make_judging, make_member, make_submission, make_user
from tests.web.browser import Visitor, visit
from tests.web.judged import all_right, answered, as_wordy, failed, judge, make_wordy_package, wordy_results

pytestmark = pytest.mark.browser

REAL = Path(__file__).parents[2] / "problems" / "microbatched_grads"

# Identifiers in braces are those of `scene`. A new page gets a line here.
FOR_ANYONE = (
    "/",
    "/problems",
    "/tracks",
    "/tracks/basics",
    "/problems/scaled_sum",
    "/problems/microbatched_grads",
    "/problems?q=scalled&order=least_solved",
    "/sign-in",
    "/sign-up",
    "/forgot-password",
    "/invitations/unknown",
    "/problems/scaled",
    "/help",
    "/help/authors",
    "/help/lti",
    "/help/problem-format",
    "/help/api",
    "/help/calls",
    "/help/rights",
    "/about",
    "/privacy",
)
FOR_STUDENTS = (
    "/",
    "/problems",
    "/problems?q=nothing+fits&tag=jax",
    "/tracks",
    "/tracks/basics",
    "/problems/scaled_sum",
    "/problems/scaled_sum/solution",
    "/problems/microbatched_grads/solution",
    "/problems/microbatched_grads/quiz",
    "/submissions",
    "/submissions/{accepted}",
    "/submissions/{wrong}",
    "/submissions/{broken}",
    "/submissions/{waiting}",
    "/submissions/{wordy}",
    "/problems/wordy",
    "/submissions/{wrong}/diff?old={accepted}",
    "/problems/scaled_sum/leaderboard",
    "/problems/scaled_sum/questions",
    "/questions/{question}",
    "/posts/{question}/edit",
    "/posts/{reported}/report",
    "/problems/scaled_sum/solutions",
    "/problems/wordy/solutions",
    "/solutions/{accepted}",
    "/me",
    "/account",
    "/courses",
    "/courses/join",
    "/courses/taken",
    "/courses/taken/assignments/homework",
    "/courses/join?code=q3xw8n5vty",
    "/courses/claim/secret",
    "/problems/scaled_sum?assignment=none",
)
FOR_AUTHORS = (
    "/author",
    "/author/problems/scaled_sum",
    "/author/problems/scaled_sum/diff?old=1&new=1",
    "/author/edit?problem=scaled_sum",
    "/author/reports",
    "/questions/{question}",
    "/courses",
    "/courses/new",
    "/courses/taught",
    "/courses/taught/settings",
    "/courses/taught/platforms",
    "/courses/taught/members",
    "/courses/taught/members/{member}",
    "/courses/taught/members/roster",
    "/courses/taught/assignments/new",
    "/courses/taught/assignments/homework",
    "/courses/taught/assignments/homework/edit",
    "/courses/taught/assignments/homework/extensions",
    "/courses/taught/assignments/homework/rejudgings",
    "/courses/taught/assignments/homework/rejudgings/{rejudged}",
    "/courses/taught/assignments/new?kind=exam",
    "/courses/taught/assignments/midterm",
    "/courses/taught/assignments/midterm/extensions",
    "/courses/taught/assignments/midterm/sittings",
    "/similarity?assignment=taught/homework",
    "/similarity/{check}",
    "/similarity/{check}/pairs/1",
    "/courses/taught/grades",
    "/courses/taught/grades/homework/{graded}",
)
# An assistant who takes another course: its exam closes the solutions of all problems.
FOR_ASSISTANTS = (
    "/courses",
    "/courses/examined",
    "/courses/examined/assignments/midterm",
    "/courses/taught",
    "/courses/taught/members",
    "/courses/taught/members/{member}",
    "/courses/taught/assignments/homework",
    "/courses/taught/assignments/homework/extensions",
    "/courses/taught/assignments/midterm",
    "/courses/taught/assignments/midterm/sittings",
    "/courses/taught/grades",
    "/courses/taught/grades/homework/{graded}",
)
FOR_ADMINS: tuple[str, ...] = (
    "/similarity?problem=scaled_sum",
    "/admin",
    "/admin/submissions",
    "/admin/submissions?user=nobody",
    "/admin/problems",
    "/admin/settings",
    "/admin/storage",
    "/admin/audit",
    "/submissions/{wrong}",
    "/admin/queue",
    "/admin/judge-errors",
    "/admin/rejudgings",
    "/admin/rejudgings/new?problem=scaled_sum",
    "/admin/rejudgings/{rejudging}",
    "/admin/invitations",
    "/admin/platforms",
    "/admin/platforms/{platform}",
    "/admin/users",
    "/admin/users?q=nobody",
    "/admin/users/{ada}",
)

# The users who look, by the names of `scene`.
LOOKS = (
    (None, FOR_ANYONE),
    ("ada", FOR_STUDENTS),
    ("emmy", FOR_AUTHORS),
    ("alan", FOR_ASSISTANTS),
    ("grace", FOR_ADMINS),
)

GREEDY = AnswerFault(category="memory limit exceeded", message="the memory limit of 256 MiB was exceeded")
NOT_FOUND = "Failed to load resource: the server responded with a status of 404 (Not Found)"
FORBIDDEN = "Failed to load resource: the server responded with a status of 403 (Forbidden)"
EXPECTED = {
    "/problems/scaled": (NOT_FOUND,),
    "/invitations/unknown": (FORBIDDEN,),
    "/problems/wordy/solutions": (FORBIDDEN,),  # while ada can hand it in
}
WIDTHS = (1440, 390, 768, 1024, 1180, 1280, 2560, 3840, 360)
# The widths at which axe-core looks at the pages of a course too.
COURSE_WIDTHS = (1440, 1024, 390)
MOST_MOVED = 0.02  # of the screen; what people call good ends at 0.1
MOVED = """() => new Promise(resolve => {
    let sum = 0;
    new PerformanceObserver(list => { for (const entry of list.getEntries()) sum += entry.value; })
        .observe({type: "layout-shift", buffered: true});
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})"""

# Lists of which more than the padding is out of sight, and the widths at which nothing may be.
STACKED = (390, 768, 1280)
HIDDEN = """[...document.querySelectorAll(".stacks")].map(table => table.parentElement)
    .filter(frame => frame.scrollWidth > frame.clientWidth + 8).map(frame => frame.ariaLabel)"""

# Elements that the keyboard can reach without a visible focus.
UNMARKED = """() => {
    const look = (place, part) => (({outline, boxShadow, borderColor, background}) =>
        [outline, boxShadow, borderColor, background].join())(getComputedStyle(place, part));
    const looks = place => [look(place), look(place, "::after"), look(place.parentElement)].join();
    const reach = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
    return [...reach].filter(place => {
        if (place.disabled || place.type === "hidden" || place.closest(".cm-editor, .skip")) return false;
        if (!place.checkVisibility({visibilityProperty: true})) return false;
        document.activeElement?.blur();
        const before = looks(place);
        place.focus({focusVisible: true, preventScroll: true});
        return place === document.activeElement && looks(place) === before;
    }).map(place => place.outerHTML.slice(0, 120));
}"""


@dataclass
class Scene:
    """Users who can sign in, ada's submissions by name, ada herself and a rejudging."""

    secrets: dict[str, str]
    submissions: dict[str, str] = field(default_factory=dict)


@pytest.fixture
def scene(database: Database, address: str, tmp_path: Path) -> Scene:  # noqa: ARG001
    """After the application has published its problem."""
    with database.transaction() as session:
        publish(session, load_package(REAL))
        publish(session, make_wordy_package())
        ada, emmy = make_user(session, "ada"), make_user(session, "emmy", role="author")
        alan, grace = make_user(session, "alan"), make_user(session, "grace", role="admin")
        add_bookmark(session, ada.id, "wordy")
        save_note(session, SaveNote(user_id=ada.id, slug="scaled_sum", text="word" * 100, base=None))
        for problem in session.scalars(select(Problem)):
            session.add(SolveCount(problem_id=problem.id, submissions=98_765, students=12_345, solved=12_344))
        secrets = {user.username: start_session(session, user.id) for user in (ada, emmy, alan, grace)}
        ada_id = ada.id
        member, graded = make_courses(session, ada, emmy, alan)
        check, platform = make_check(session), session.scalars(select(Platform.id)).one()
    made = Scene(secrets, {"ada": str(ada_id), "member": str(member), "graded": str(graded), "check": str(check)})
    made.submissions["platform"] = str(platform)
    shape = np.arange(60, dtype=np.float32).reshape(4, 15)
    fault = AnswerFault(
        category="runtime error",
        exception="NameError",
        message="name 'totl' is not defined",
        traceback='  File "solution.py", line 3, in scaled_sum\n    return totl * scale',
    )
    wrong = answered(0, {"some/long/path": shape}, {"some/long/path": shape + 1}, text="word" * 200)
    for name, slug, results in (
        ("accepted", "scaled_sum", all_right()),
        ("wrong", "scaled_sum", (wrong, *all_right()[1:])),
        ("broken", "scaled_sum", tuple(failed(at, Verdict.RUNTIME_ERROR, fault, text="said") for at in range(3))),
        ("greedy", "wordy", as_wordy(*(failed(at, Verdict.MEMORY_LIMIT_EXCEEDED, GREEDY) for at in range(3)))),
        ("wordy", "wordy", wordy_results()),
        ("waiting", "scaled_sum", None),
    ):
        with database.transaction() as session:
            source = f"{name} = '{'long ' * 100}'\n"
            request = Submit(user_id=ada_id, slug=slug, source=source, mode="submit")
            made.submissions[name] = str(submit(session, request, SubmitLimits(max_pending=9)).id)
        if results is not None:
            judge(database, *results)
    with database.transaction() as session:
        asker, helper = (signed_in(session.query(User).filter_by(username=name).one()) for name in ("ada", "emmy"))
        share(session, asker, UUID(made.submissions["accepted"]))
        text = f"Why {'long' * 60}?\n\n```python\nx = {'1 + ' * 60}1\n```\n\n$x_1$"
        question = ask(session, asker, "scaled_sum", PostText(title="word" * 30, body=text))
        spoiler = answer(session, helper, question, PostText(body=text, is_spoiler=True))
        report_post(session, asker, spoiler, "word" * 40)
        made.submissions |= {"question": str(question), "reported": str(spoiler)}
    with database.transaction() as session:
        again = Rejudge(choice=Choice(problem="scaled_sum"), note="a long word: " + "word" * 40)
        made.submissions["rejudging"] = str(rejudge(session, COMMAND, again).id)
        of_homework = Rejudge(choice=Choice(assignment="taught/homework"), note="word" * 40)
        made.submissions["rejudged"] = str(rejudge(session, COMMAND, of_homework).id)
    return made


def make_courses(session: Session, student: User, teacher: User, assistant: User) -> tuple[UUID, UUID]:
    """Make a course that `student` takes, an exam that `assistant` can begin, and a draft that the others teach.

    Return a pending member of the draft, and the student's place in it.
    """
    text = "# Welcome\n\n" + "word " * 200
    taken = make_course(session, "taken", title="Word" * 25, description=text, join_code="q3xw8n5vty")
    make_member(session, taken, student)
    link: dict[str, Any] = {"claim_hash": digest("secret"), "claim_until": datetime.now(UTC) + timedelta(days=1)}
    make_member(session, taken, name="word" * 30, number="3", **link)
    current = select(Problem.slug, Revision).join(Revision, IS_CURRENT)
    revisions = {row.slug: row.Revision for row in session.execute(current)}
    released = {"attempts": 3, "released_at": datetime.now(UTC)}
    given = make_assignment(session, taken, revisions["wordy"], slug="homework", title="Word" * 25, **released)
    commented = make_submission(session, student, revisions["wordy"])
    commented.assignment_id = given.id
    make_judging(session, commented.id, verdict="wrong_answer", score=40)
    session.add(Comment(submission_id=commented.id, line=1, text="word" * 100, author_id=teacher.id))
    session.add(RegradeRequest(assignment_id=given.id, user_id=student.id, text="word" * 100))
    taught = make_course(session, "taught", state="draft", join_code="k7m2pqx4wd")
    make_member(session, taught, teacher, "instructor")
    make_member(session, taught, assistant, "assistant")
    exam = {"slug": "midterm", "kind": "exam", "minutes": 60, "password": "plum", "networks": ["192.0.2.0/24"]}
    examined = make_course(session, "examined")
    make_member(session, examined, assistant)
    make_assignment(session, examined, revisions["wordy"], **exam, title="Word" * 25)
    make_assignment(session, taught, revisions["scaled_sum"], **exam, title="Midterm")
    homework = make_assignment(session, taught, revisions["scaled_sum"], slug="homework", title="Homework 1")
    session.add(Extension(assignment_id=homework.id, section="Mon", due_at=homework.due_at, reason="word" * 40))
    graded = make_member(
        session, taught, student, name="word" * 30, number="1", email=f"{'word' * 20}@example.org", section="Mon"
    )
    handed_in = make_submission(session, student, revisions["scaled_sum"])
    handed_in.assignment_id = homework.id
    make_judging(session, handed_in.id, verdict="wrong_answer", score=40)
    session.add(Comment(submission_id=handed_in.id, line=1, text="word" * 100, author_id=teacher.id))
    session.add(RegradeRequest(assignment_id=homework.id, user_id=student.id, text="word" * 100))
    link_platform(session, homework, graded)
    pending = make_member(session, taught, name="Pending Person", number="2", section="Tue")
    return pending.id, graded.id


def link_platform(session: Session, homework: Assignment, graded: Member) -> None:
    """A learning platform, which refuses the student's score."""
    facts = dict.fromkeys(("issuer", "web_address", "login_url", "token_url", "keys_url"), "https://lms.example.org/")
    platform = Platform(name="word" * 15, client_id="word" * 30, **facts)
    session.add(platform)
    session.flush()
    session.add(Deployment(platform_id=platform.id, deployment_id="word" * 30))
    linked = PlatformCourse(platform_id=platform.id, deployment_id="word" * 30, context_id="1", title="word" * 30)
    linked.course_id, linked.line_items_url, linked.members_url = homework.course_id, "https://x", "https://x"
    session.add(linked)
    session.flush()
    session.add(PlatformMember(lti_course_id=linked.id, subject="1", member_id=graded.id, is_learner=True))
    session.flush()
    session.add(Score(lti_course_id=linked.id, assignment_id=homework.id, subject="1", error="word " * 60))


def make_check(session: Session) -> UUID:
    """A comparison of the homework that `make_courses` made: ada's hand-in and a staff member's are similar."""
    handed_in = session.scalars(select(Submission).join(Assignment).where(Assignment.title == "Homework 1")).one()
    other = make_submission(session, make_user(session), session.get_one(Revision, handed_in.revision_id))
    handed_in.source = other.source = "def scaled_sum(x, scale):\n    return x.sum() * scale\n" + "# long " * 40
    check = SimilarityCheck(problem_id=handed_in.problem_id, assignment_id=handed_in.assignment_id, compared="all")
    check.outcome, check.finished_at = "done", datetime.now(UTC)
    check.programs, check.median_lines, check.histogram, check.unread = 300, 2, [*range(50)], [other.id]
    session.add(check)
    session.flush()
    pair = {"check_id": check.id, "number": 1, "similarity": 95.5, "blocks": [[1, 2, 1, 2]], "note": "word" * 40}
    session.add(SimilarPair(left_id=handed_in.id, right_id=other.id, dismissed_at=check.finished_at, **pair))
    return check.id


@pytest.mark.parametrize(
    ("name", "paths"),
    [pytest.param(name, paths, id=name or "anyone", marks=pytest.mark.whole) for name, paths in LOOKS],
)
def test_every_page_is_fit_for_everyone(
    browser: Browser, address: str, scene: Scene, name: str | None, paths: tuple[str, ...]
) -> None:
    secret = scene.secrets[name] if name else None

    complaints = look_at_pages(browser, address, secret, [path.format(**scene.submissions) for path in paths])

    assert list(complaints) == []


@pytest.mark.whole
@pytest.mark.parametrize("width", [390, pytest.param(960, marks=pytest.mark.whole)])
def test_each_pane_of_a_narrow_problem_page_has_the_heading(
    browser: Browser, address: str, scene: Scene, width: int
) -> None:
    with browser.new_context(viewport={"width": width, "height": 844}) as context:
        context.add_cookies([{"name": COOKIE, "value": scene.secrets["ada"], "url": address}])
        visitor = visit(context, address)
        visitor.open("/problems/scaled_sum")
        for pane in ("Problem", "Code", "Result"):
            visitor.page.get_by_label("Parts of this page").get_by_role("link", name=pane).click()

            expect(visitor.page.get_by_role("heading", level=1)).to_have_text("Scaled sum")
            assert list(list_violations(visitor)) == [], pane


def look_at_pages(browser: Browser, address: str, secret: str | None, paths: Iterable[str]) -> Iterator[str]:
    with browser.new_context(timezone_id="Asia/Kolkata") as context:
        if secret is not None:
            context.add_cookies([{"name": COOKIE, "value": secret, "url": address}])
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        visitor = visit(context, address)
        for path in paths:
            for complaint in look_at(visitor, path):
                yield f"{path}: {complaint}"
        yield from (url for url in asked if not url.startswith((address, "data:")))


def look_at(visitor: Visitor, path: str) -> Iterator[str]:
    page = visitor.page
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    visitor.complaints.clear()
    visitor.open(path)
    if (moved := page.evaluate(MOVED)) > MOST_MOVED:
        yield f"moves by {moved:.3f}"
    yield from (f"light and wide: {found}" for found in list_violations(visitor))
    yield from (f"focus does not show: {place}" for place in page.evaluate(UNMARKED))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        if (needed := page.evaluate("document.documentElement.scrollWidth")) > width:
            yield f"needs {needed} pixels of {width}"
        if width in STACKED:
            yield from (f"hides a part of {table} at {width} pixels" for table in page.evaluate(HIDDEN))
        if width in COURSE_WIDTHS and path.startswith("/courses"):
            yield from (f"at {width} pixels: {found}" for found in list_violations(visitor))
    page.emulate_media(color_scheme="dark")
    yield from (f"dark and narrow: {found}" for found in list_violations(visitor))
    yield from (complaint for complaint in visitor.complaints if complaint not in EXPECTED.get(path, ()))


def list_violations(visitor: Visitor) -> Iterator[str]:
    for violation in Axe().run(visitor.page).response["violations"]:
        places = ", ".join(str(node["target"]) for node in violation["nodes"][:5])
        yield f"{violation['id']}: {violation['help']} at {places}"
