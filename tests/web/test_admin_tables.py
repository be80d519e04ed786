"""The tables of admins' pages at the widths of a laptop, a tablet and a phone."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect

from app.accounts.invitation import Invite, invite
from app.accounts.session import start_session
from app.audit import Act, Actor, record
from app.database.engine import Database
from app.rejudging.choice import Choice
from app.rejudging.create import Rejudge, rejudge
from app.web.cookie import COOKIE
from tests.factories import make_judging, make_problem, make_submission, make_user, make_worker

pytestmark = pytest.mark.browser

LISTS = ("audit", "problems", "users", "invitations", "queue", "submissions", "rejudgings")
LONG_NAME = "a-name-of-thirty-two-characters-"
LONG_EMAIL = "a.very.long.address@department.university.example.edu"
HIDDEN = "[...document.querySelectorAll('.stacks')].map(table => table.parentElement)\
    .filter(frame => frame.scrollWidth > frame.clientWidth).map(frame => frame.ariaLabel)"
SHADES = "getComputedStyle(document.querySelector('.table-frame')).backgroundAttachment"


@pytest.fixture
def page(app: FastAPI, address: str, browser: Browser, database: Database) -> Iterator[Page]:  # noqa: ARG001
    """A page of an admin, where every name is as long as allowed."""
    with database.transaction() as session:
        grace, ada = make_user(session, "grace", role="admin"), make_user(session, LONG_NAME)
        ada.email = LONG_EMAIL
        cookie = start_session(session, grace.id)
        actor = Actor(user_id=ada.id, channel="page", address="2001:db8:85a3:1234:5678:8a2e:370:7334")
        record(session, actor, Act(action="user.reset_link_made", target=ada.id, after={"expires_at": "soon"}))
        record(session, actor, Act(action="token.created", target=uuid4()))
        invite(session, actor, Invite(role="author", email=LONG_EMAIL, note="a colleague", days=7))
        revision = make_problem(session, "gradient_accumulation_in_a_step", title="Gradient accumulation in one step")
        for _ in range(3):
            submission = make_submission(session, ada, revision)
            make_judging(session, submission.id, state="done", verdict="time_limit_exceeded", score=0)
        make_worker(session, "cpu", "rejudge-cpu", name="gpu-machine.department.example.edu")
        rejudge(
            session, actor, Rejudge(choice=Choice(problem="gradient_accumulation_in_a_step"), note="a long note " * 9)
        )
    with browser.new_context() as context:
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": address}])
        page = context.new_page()
        page.goto(f"{address}/admin")
        yield page


def open_at(page: Page, name: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{page.url.partition('/admin')[0]}/admin/{name}")


@pytest.mark.whole
@pytest.mark.parametrize("width", [1280, 768, 390])
def test_nothing_of_a_list_is_out_of_sight(page: Page, width: int) -> None:
    for name in LISTS:
        open_at(page, name, width)

        assert page.evaluate("document.querySelectorAll('.stacks').length") > 0
        assert page.evaluate(HIDDEN) == []


@pytest.mark.whole
def test_a_verdict_is_one_line_beside_a_long_title(page: Page) -> None:
    open_at(page, "submissions", 1024)

    link = page.get_by_role("link", name="Time limit exceeded").first

    assert link.evaluate("link => link.offsetHeight < 2 * parseFloat(getComputedStyle(link).fontSize)")


def test_on_a_phone_a_row_is_lines_that_say_what_they_are(page: Page) -> None:
    open_at(page, "users", 390)

    row = page.get_by_role("region", name="Users").locator("tr").filter(has_text=LONG_NAME)
    label = row.locator("[data-label='Submissions']")
    expect(label).to_have_css("display", "block")
    assert label.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Submissions: "'


@pytest.mark.whole
def test_a_table_that_scrolls_shows_it_and_the_keyboard_scrolls_it(page: Page) -> None:
    open_at(page, "storage", 360)
    frame = page.get_by_role("region").first

    assert frame.get_attribute("aria-label")
    assert page.evaluate(SHADES) == "local, local, scroll, scroll, scroll"
    assert frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    frame.focus()
    page.keyboard.press("ArrowRight")
    expect(frame.locator("th").first).not_to_be_in_viewport(ratio=1)


@pytest.mark.whole
def test_the_audit_log_names_whom_it_is_about(page: Page) -> None:
    open_at(page, "audit?action=user.reset_link_made", 1280)

    row = page.get_by_role("row").filter(has_text="user.reset_link_made")
    expect(row.get_by_role("link", name=LONG_NAME)).to_have_count(2)
    identifier = row.locator("a[title^='user ']")
    assert (
        (identifier.get_attribute("title") or "")
        .removeprefix("user ")
        .startswith((identifier.text_content() or "").split()[-1].rstrip("…"))
    )
