"""What admins do with learning platforms, and Allclose's own keys."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import KeySet
from joserfc.jws import extract_compact
from sqlalchemy import select, update

from app.accounts.session import start_session
from app.audit import Actor
from app.courses.model import Course
from app.database.engine import Database
from app.errors import Conflict
from app.lti.model import Deployment, Platform
from app.lti.platform import KEY_OVERLAP, KEY_PREFIX, rotate_key, show_keys, sign
from app.policy import ServerKey
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.lti.peer import Peer, Walk

ACTOR = Actor(user_id=None, channel="command")
PAGE = "/admin/platforms"


@pytest.fixture
def admin(walk: Walk, database: Database) -> Walk:
    with database.transaction() as session:
        walk.cookies[COOKIE] = start_session(session, make_user(session, "grace", role="admin").id)
    return walk


def read_platforms(database: Database) -> list[Platform]:
    with database.transaction() as session:
        return list(session.scalars(select(Platform)))


def test_an_admin_registers_a_platform_checks_it_and_approves_its_deployment(
    peer: Peer, admin: Walk, database: Database
) -> None:
    admin.post(PAGE, {"name": "Peer", **peer.ask("facts")})
    platform = read_platforms(database)[0]
    checked = admin.post(f"{PAGE}/{platform.id}/check", {})
    refused = Walk(admin.tool).launch(peer)
    listed = admin.get(PAGE)
    admin.post(f"{PAGE}/{platform.id}/deployments", {"deployment": "1", "is_approved": "true"})

    assert "Peer answers, and signs with 1 key." in checked.text
    assert (refused.status_code, "waits for approval" in listed.text) == (403, True)
    with database.transaction() as session:
        assert session.scalars(select(Deployment.approved_at)).one() is not None


def test_a_platform_with_an_address_that_no_request_may_go_to_is_refused(
    peer: Peer, admin: Walk, database: Database
) -> None:
    facts = {"name": "Peer", **peer.ask("facts")}

    answer = admin.post(PAGE, {**facts, "keys_url": "http://lms.example.org/keys"})

    assert (answer.status_code, "does not begin with https://" in answer.text) == (422, True)
    assert read_platforms(database) == []


def test_a_check_says_what_is_wrong(admin: Walk, database: Database, platform: Platform) -> None:
    with database.transaction() as session:
        session.execute(update(Platform).values(keys_url=platform.keys_url + "0"))

    answer = admin.post(f"{PAGE}/{platform.id}/check", {})

    assert (answer.status_code, "answered 404" in answer.text) == (422, True)


def test_the_issuer_of_a_platform_stays(peer: Peer, admin: Walk, database: Database, platform: Platform) -> None:
    facts = {"name": "Peer", **peer.ask("facts")}

    renamed = admin.post(f"{PAGE}/{platform.id}", {**facts, "name": "Moodle"})
    refused = admin.post(f"{PAGE}/{platform.id}", {**facts, "issuer": "https://other.example"})

    assert (renamed.status_code, refused.status_code) == (303, 422)
    assert [(each.name, each.issuer) for each in read_platforms(database)] == [("Moodle", platform.issuer)]


def test_the_page_says_what_goes_with_a_platform_before_it_is_removed(
    peer: Peer, admin: Walk, database: Database, platform: Platform, course: Course
) -> None:
    Walk(admin.tool).launch(peer)

    said = admin.get(f"{PAGE}/{platform.id}").text
    unsure = admin.post(f"{PAGE}/{platform.id}/remove", {})
    removed = admin.post(f"{PAGE}/{platform.id}/remove", {"sure": "yes"})
    refused = Walk(admin.tool).get(peer.ask("start", json=1)["address"])

    assert f"Removing it ends the links with {course.title}" in said
    assert "1 person can no longer sign in from it, 1 of them in no other way" in said
    assert unsure.status_code == 409
    assert removed.headers["location"] == f"{PAGE}?done=removed"
    assert (refused.status_code, "not registered here" in refused.text) == (403, True)
    assert read_platforms(database) == []


def read_key_id(token: str) -> str:
    return str(extract_compact(token.encode()).headers()["kid"])


def test_a_new_key_is_shown_for_a_day_before_it_signs(database: Database) -> None:
    with database.transaction() as session:
        old = read_key_id(sign(session, {}))
        rotate_key(session, ACTOR)
        both = [key["kid"] for key in show_keys(session)["keys"]]
        still = read_key_id(sign(session, {}))
    with database.transaction() as session:
        for row in session.scalars(select(ServerKey).where(ServerKey.name.startswith(KEY_PREFIX))):
            since = datetime.fromisoformat(row.name.removeprefix(KEY_PREFIX)) - KEY_OVERLAP
            session.execute(
                update(ServerKey).where(ServerKey.name == row.name).values(name=KEY_PREFIX + since.isoformat())
            )
    with database.transaction() as session:
        new = read_key_id(sign(session, {}))

    assert still == old
    assert set(both) == {old, new}
    assert new != old


def test_a_key_is_not_rotated_while_platforms_still_read_the_last_one(database: Database) -> None:
    with database.transaction() as session:
        sign(session, {})
        rotate_key(session, ACTOR)

    with database.transaction() as session, pytest.raises(Conflict, match="within the last 2 days"):
        rotate_key(session, ACTOR)


def test_the_published_keys_are_public_and_verify_what_is_signed(tool: str, database: Database) -> None:
    with database.transaction() as session:
        token = sign(session, {"exp": int((datetime.now(UTC) + timedelta(minutes=1)).timestamp())})

    published = httpx.get(f"{tool}/lti/jwks").json()

    assert set(published["keys"][0]) == {"kty", "n", "e", "kid", "alg", "use"}
    assert "exp" in jwt.decode(token, KeySet.import_key_set(published)).claims
