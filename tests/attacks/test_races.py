"""Two requests at once, of which only one may win."""

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import httpx

from app.rejudging.model import Rejudging
from app.submissions.model import Judging
from tests.attacks.conftest import PASSWORD, SLUG, Site
from tests.factories import finish_judgings

AT_ONCE = 6


def at_once(*requests: Callable[[], httpx.Response]) -> Counter[int]:
    with ThreadPoolExecutor(len(requests)) as pool:
        waiting = [pool.submit(request) for request in requests]
        return Counter(each.result().status_code for each in waiting)


def test_creating_tokens_at_once_does_not_exceed_their_limit(site: Site) -> None:
    victim = site.user(password=PASSWORD)
    for _ in range(97):
        site.token(victim, "account:read")

    def make() -> httpx.Response:
        form = {"token_name": "more", "everything": "true", "token_password": PASSWORD}
        return victim.browser.post("/account/tokens", data=form)

    assert at_once(*[make] * AT_ONCE) == {201: 2, 409: AT_ONCE - 2}


def test_a_rejudging_is_applied_once_for_many_who_apply_it_at_once(site: Site) -> None:
    admin = site.user("admin")
    sent = site.send(site.user())
    with site.database.transaction() as session:
        finish_judgings(session, "accepted", Judging.submission_id == UUID(sent), score=100)
    made = admin.browser.post("/admin/rejudgings", data={"criteria": json.dumps({"problem": SLUG})})
    page = made.headers["location"]

    def end(action: str) -> Callable[[], httpx.Response]:
        return lambda: admin.browser.post(f"{page}/{action}")

    ended = at_once(*map(end, ["apply", "cancel"] * 3))

    assert ended[500] == 0
    with site.database.transaction() as session:
        assert session.get_one(Rejudging, UUID(page.rpartition("/")[2])).decision == "cancelled"
