"""Two requests at once, of which only one may win."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import httpx
from sqlalchemy import func, select, update

from app.accounts.model import User
from app.accounts.password_reset import make_reset_link
from app.submissions.model import Judging, Submission
from tests.attacks.conftest import PASSWORD, SLUG, SOURCE, Site

AT_ONCE = 6


def at_once(*requests: Callable[[], httpx.Response]) -> Counter[int]:
    with ThreadPoolExecutor(len(requests)) as pool:
        waiting = [pool.submit(request) for request in requests]
        return Counter(each.result().status_code for each in waiting)


def test_an_invitation_lets_one_in_of_many_who_come_at_once(site: Site) -> None:
    secret = site.user("admin").token.post("/invitations", json={"role": "author"}).json()["invitation"]

    def come(number: int) -> Callable[[], httpx.Response]:
        new = {"username": f"guest-{number}", "password": PASSWORD, "invitation": secret}
        return lambda: site.client().post("/users", json=new)

    assert at_once(*map(come, range(AT_ONCE))) == {201: 1, 403: AT_ONCE - 1}
    with site.database.transaction() as session:
        assert session.scalar(select(func.count()).where(User.username.startswith("guest-"))) == 1


def test_a_reset_link_works_once_for_many_who_use_it_at_once(site: Site) -> None:
    victim = site.user(password=PASSWORD)
    with site.database.transaction() as session:
        token = make_reset_link(session, session.get_one(User, victim.id), "").rpartition("/")[2]

    def use(number: int) -> Callable[[], httpx.Response]:
        new = {"password": f"another long word {number}"}
        return lambda: site.client().put(f"/password-resets/{token}", json=new)

    assert at_once(*map(use, range(AT_ONCE))) == {204: 1, 403: AT_ONCE - 1}


def test_an_admin_stays_when_all_demote_each_other_at_once(site: Site) -> None:
    admins = [site.user("admin") for _ in range(4)]
    with site.database.transaction() as session:
        others = select(User).where(User.role == "admin", User.id.not_in([admin.id for admin in admins]))
        for user in session.scalars(others):
            user.role = "student"

    def demote(number: int) -> Callable[[], httpx.Response]:
        actor, target = admins[number], admins[(number + 1) % len(admins)]
        return lambda: actor.token.patch(f"/users/{target.id}", json={"role": "student"})

    at_once(*map(demote, range(len(admins))))

    with site.database.transaction() as session:
        left = session.scalars(select(User.id).where(User.role == "admin", User.is_active)).all()
    assert left


def test_one_key_makes_one_submission_however_often_it_is_sent_at_once(site: Site) -> None:
    victim = site.user()

    def send() -> httpx.Response:
        headers = {"Idempotency-Key": "the same"}
        return victim.token.post(f"/problems/{SLUG}/submissions", json={"source": SOURCE}, headers=headers)

    assert at_once(*[send] * AT_ONCE) == {202: AT_ONCE}
    with site.database.transaction() as session:
        assert session.scalar(select(func.count()).where(Submission.user_id == victim.id)) == 1


def test_sending_at_once_does_not_exceed_the_limit_of_unfinished_submissions(site: Site) -> None:
    victim = site.user()

    def send() -> httpx.Response:
        return victim.token.post(f"/problems/{SLUG}/submissions", json={"source": SOURCE})

    assert at_once(*[send] * 30)[202] == 20


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
        done = {"state": "done", "verdict": "accepted", "score": 100, "finished_at": func.now()}
        session.execute(update(Judging).where(Judging.submission_id == UUID(sent)).values(done))
    made = admin.token.post("/rejudgings", json={"chosen": {"problem": SLUG}})
    assert made.status_code in (201, 202), made.text

    def end(action: str) -> Callable[[], httpx.Response]:
        return lambda: admin.token.post(f"/rejudgings/{made.json()['id']}/{action}")

    ended = at_once(*map(end, ["apply", "cancel"] * 3))

    assert ended[500] == 0
    assert admin.token.get(f"/rejudgings/{made.json()['id']}").json()["state"] in ("cancelled", "running", "applied")
