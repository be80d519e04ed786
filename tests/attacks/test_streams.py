"""Event streams: more of them than a user needs, and streams of users who have lost their right to see anything."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from uuid import UUID

import httpx
import pytest
from sqlalchemy import delete, select

from app.accounts.model import Role, UserSession
from app.authoring.model import Verification
from app.catalog.model import Revision
from app.limits import STREAMS_PER_USER
from app.queue.model import Job
from app.submissions import progress
from tests.attacks.conftest import Site, Victim
from tests.rejudging.rows import make_judged

# Seconds within which an open stream looks at its rows again, with room for a busy machine.
SOON = 40


@pytest.fixture(autouse=True)
def poll_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "POLL_SECONDS", 0.5)


@contextmanager
def following(client: httpx.Client, path: str) -> Iterator[httpx.Response]:
    with client.stream("GET", path, timeout=SOON) as stream:
        yield stream


@pytest.fixture(params=["api", "page"])
def stream(request: pytest.FixtureRequest, site: Site) -> tuple[Victim, httpx.Client, str]:
    """A user, and the event stream of a submission of theirs that no worker judges."""
    victim = site.user()
    path = f"/submissions/{site.send(victim)}/events"
    return victim, victim.token if request.param == "api" else victim.browser, path


def test_one_user_holds_so_many_streams_and_others_are_answered(
    site: Site, stream: tuple[Victim, httpx.Client, str]
) -> None:
    victim, client, path = stream
    other = site.user()
    with ExitStack() as stack:
        opened = [stack.enter_context(following(client, path)).status_code for _ in range(STREAMS_PER_USER + 2)]
        waiting = victim.token.get(path.removesuffix("/events"), params={"wait": 30})
        asking = victim.token.get(path.removesuffix("/events"))
        with following(other.token, f"/submissions/{site.send(other)}/events") as of_other:
            assert of_other.status_code == 200

    assert opened == [200] * STREAMS_PER_USER + [429] * 2
    assert (waiting.status_code, waiting.json()["code"]) == (429, "limit_reached")
    assert asking.status_code == 200


def test_a_stream_that_is_closed_makes_room_for_another(stream: tuple[Victim, httpx.Client, str]) -> None:
    _, client, path = stream
    with ExitStack() as stack:
        for _ in range(STREAMS_PER_USER):
            stack.enter_context(following(client, path))

    assert _opens_soon(client, path)


def follow_own(site: Site, victim: Victim) -> tuple[httpx.Client, str]:
    return victim.token, f"/submissions/{site.send(victim)}/events"


def follow_own_page(site: Site, victim: Victim) -> tuple[httpx.Client, str]:
    return victim.browser, f"/submissions/{site.send(victim)}/events"


def follow_another_student(site: Site, admin: Victim) -> tuple[httpx.Client, str]:
    return admin.browser, f"/submissions/{site.send(site.user())}/events"


def follow_verification(site: Site, author: Victim) -> tuple[httpx.Client, str]:
    return author.browser, f"/author/verifications/{_send_package(site, author)}/events"


def follow_rejudging(site: Site, admin: Victim) -> tuple[httpx.Client, str]:
    return admin.browser, f"/admin/rejudgings/{_begin_rejudging(site, admin)}/events"


def suspend(site: Site, victim: Victim) -> None:
    site.user("admin").token.patch(f"/users/{victim.id}", json={"is_active": False}).raise_for_status()


def demote(site: Site, victim: Victim) -> None:
    site.user("admin").token.patch(f"/users/{victim.id}", json={"role": "student"}).raise_for_status()


def revoke_token(_site: Site, victim: Victim) -> None:
    token = victim.token.get("/tokens").json()["items"][0]["id"]
    victim.token.delete(f"/tokens/{token}").raise_for_status()


def sign_out(site: Site, victim: Victim) -> None:
    with site.database.transaction() as session:
        session.execute(delete(UserSession).where(UserSession.user_id == victim.id))


@pytest.mark.parametrize(
    ("role", "follow", "lose"),
    [
        ("student", follow_own, suspend),
        ("student", follow_own_page, suspend),
        ("student", follow_own, revoke_token),
        ("admin", follow_another_student, demote),
        ("admin", follow_verification, demote),
        pytest.param("admin", follow_rejudging, demote, marks=pytest.mark.whole),
        pytest.param("admin", follow_verification, suspend, marks=pytest.mark.whole),
        pytest.param("admin", follow_rejudging, suspend, marks=pytest.mark.whole),
        pytest.param("author", follow_verification, sign_out, marks=pytest.mark.whole),
    ],
)
def test_a_stream_ends_with_the_right_to_read_it(
    site: Site,
    role: Role,
    follow: Callable[[Site, Victim], tuple[httpx.Client, str]],
    lose: Callable[[Site, Victim], None],
) -> None:
    victim = site.user(role)
    with following(*follow(site, victim)) as open_stream:
        assert open_stream.status_code == 200
        lose(site, victim)

        assert _ends_soon(open_stream)


def test_an_admin_holds_so_many_streams_of_rejudgings(site: Site) -> None:
    admin = site.user("admin")
    path = f"/admin/rejudgings/{_begin_rejudging(site, admin)}/events"
    with ExitStack() as stack:
        opened = [stack.enter_context(following(admin.browser, path)).status_code for _ in range(STREAMS_PER_USER + 1)]

    assert opened == [200] * STREAMS_PER_USER + [429]


def _send_package(site: Site, author: Victim) -> UUID:
    """Upload a package that no worker verifies."""
    with site.database.transaction() as session:
        row = Verification(user_id=author.id, slug="sum", files={}, digest="d", publish=True)
        session.add(row)
        session.flush()
        session.add(Job(verification_id=row.id, watched=row.id, queue="nobody"))
        return row.id


def _begin_rejudging(site: Site, admin: Victim) -> str:
    """Begin a rejudging of a submission that no worker judges."""
    with site.database.transaction() as session:
        submission = make_judged(session, session.scalars(select(Revision)).one())
    answer = admin.browser.post("/admin/rejudgings", data={"criteria": json.dumps({"ids": [str(submission.id)]})})
    return str(answer.headers["location"].rpartition("/")[2])


def _ends_soon(stream: httpx.Response) -> bool:
    deadline = time.monotonic() + SOON
    return not any(time.monotonic() > deadline for _ in stream.iter_lines())


def _opens_soon(client: httpx.Client, path: str) -> bool:
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        with following(client, path) as stream:
            if stream.status_code == 200:
                return True
    return False
