"""Every forged, repeated or foreign launch is refused, and signs nobody in."""

import base64
import hmac
import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import func, select, update

from app.accounts.model import User
from app.database.engine import Database
from app.lti.launch import CLAIM
from app.lti.model import Deployment, LaunchAttempt, Platform
from tests.lti.peer import Peer, Walk, read_claims

pytestmark = pytest.mark.usefixtures("course")
Change = Callable[[dict[str, Any]], object]

WRONG_CLAIMS: dict[str, Change] = {
    "another audience": lambda claims: claims.update(aud="other", azp="other"),
    "another authorized party": lambda claims: claims.update(azp="other"),
    "several audiences without a party": lambda claims: (claims.update(aud=[claims["aud"], "x"]), claims.pop("azp")),
    "another issuer": lambda claims: claims.update(iss="https://other.example"),
    "expired": lambda claims: claims.update(exp=int(time.time()) - 120),
    "of the future": lambda claims: claims.update(iat=int(time.time()) + 3600, exp=int(time.time()) + 7200),
    "without an end": lambda claims: claims.pop("exp"),
    "another nonce": lambda claims: claims.update(nonce="other"),
    "without a person": lambda claims: claims.pop("sub"),
    "another version": lambda claims: claims.update({f"{CLAIM}version": "1.1"}),
    "another message": lambda claims: claims.update({f"{CLAIM}message_type": "LtiStartProctoring"}),
    "an unknown deployment": lambda claims: claims.update({f"{CLAIM}deployment_id": "2"}),
    "a foreign target": lambda claims: claims.update({f"{CLAIM}target_link_uri": "https://evil.example/lti/launch"}),
    "outside of a course": lambda claims: claims.pop(f"{CLAIM}context"),
}


def count_users(database: Database) -> int:
    with database.transaction() as session:
        return session.scalars(select(func.count()).select_from(User)).one()


def finish(walk: Walk, form: dict[str, str]) -> httpx.Response:
    return walk.follow(walk.post("/lti/launch", form, is_foreign=True))


def test_a_signed_token_with_a_wrong_claim_is_refused(peer: Peer, walk: Walk, database: Database) -> None:
    _, form = walk.log_in(peer)

    answers = {}
    for what, change in WRONG_CLAIMS.items():
        claims = read_claims(form["id_token"])
        change(claims)
        answers[what] = finish(walk, {**form, "id_token": peer.sign(claims)}).status_code

    assert answers == dict.fromkeys(WRONG_CLAIMS, 403)
    assert "allclose_session" not in walk.cookies
    assert count_users(database) == 0


def encode(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def forge(platform: Platform, form: dict[str, str]) -> dict[str, str]:
    """Tokens with the right claims and a wrong signature."""
    token, claims = form["id_token"], read_claims(form["id_token"])
    header, body, signature = token.split(".")
    published = httpx.get(platform.keys_url).json()["keys"][0]
    kid = {"kid": published["kid"]}
    public = RSAKey.import_key({name: published[name] for name in ("kty", "n", "e")})
    hashed = f"{encode({'alg': 'HS256', **kid})}.{body}"
    code = hmac.digest(public.as_pem(private=False), hashed.encode(), "sha256")
    return {
        "changed": f"{header}.{encode({**claims, 'sub': 'sub-9'})}.{signature}",
        "no signature": f"{header}.{body}.",
        "alg none": f"{encode({'alg': 'none', **kid})}.{body}.",
        "HS256 with the public key": f"{hashed}.{base64.urlsafe_b64encode(code).rstrip(b'=').decode()}",
        "another key with the same ID": jwt.encode({"alg": "RS256", **kid}, claims, RSAKey.generate_key(2048)),
        "an unknown key": jwt.encode({"alg": "RS256", "kid": "other"}, claims, RSAKey.generate_key(2048)),
        "no token": "",
        "not a token": "a.b.c",
    }


def test_a_token_without_the_signature_of_the_platform_is_refused(
    peer: Peer, platform: Platform, walk: Walk, database: Database
) -> None:
    _, form = walk.log_in(peer)

    answers = {
        what: finish(walk, {**form, "id_token": token}).status_code for what, token in forge(platform, form).items()
    }

    assert answers == dict.fromkeys(answers, 403)
    assert count_users(database) == 0


def test_a_form_that_was_sent_once_is_refused_the_second_time(peer: Peer, walk: Walk, database: Database) -> None:
    _, form = walk.log_in(peer)
    cookies = dict(walk.cookies)
    assert finish(walk, form).url.path == "/courses/ml"

    walk.cookies = cookies
    again = finish(walk, form)

    assert (again.status_code, "was used" in again.text) == (403, True)
    assert count_users(database) == 1


def test_another_browser_can_not_finish_a_launch(peer: Peer, walk: Walk, database: Database) -> None:
    _, form = walk.log_in(peer)

    stranger = Walk(walk.tool)
    answer = finish(stranger, form)

    assert (answer.status_code, "did not begin" in answer.text) == (403, True)
    assert count_users(database) == 0


def test_a_token_of_another_attempt_is_refused(peer: Peer, walk: Walk) -> None:
    _, first = walk.log_in(peer)
    _, second = walk.log_in(peer)

    answer = finish(walk, {"state": first["state"], "id_token": second["id_token"]})

    assert (answer.status_code, "wrong nonce" in answer.text) == (403, True)


def test_an_attempt_ends_after_minutes(peer: Peer, walk: Walk, database: Database) -> None:
    _, form = walk.log_in(peer)
    with database.transaction() as session:
        session.execute(update(LaunchAttempt).values(expires_at=func.now()))

    assert finish(walk, form).status_code == 403


def test_a_deployment_that_no_admin_approved_is_refused_and_listed(
    peer: Peer, walk: Walk, database: Database, platform: Platform
) -> None:
    with database.transaction() as session:
        session.execute(update(Deployment).values(approved_at=None))

    answer = walk.launch(peer)

    assert (answer.status_code, "Ask an admin" in answer.text) == (403, True)
    with database.transaction() as session:
        assert session.get(Deployment, (platform.id, "1")) is not None
    assert count_users(database) == 0


def test_a_login_of_an_unknown_platform_or_for_another_site_is_refused(platform: Platform, walk: Walk) -> None:
    asked = {"iss": platform.issuer, "client_id": platform.client_id, "target_link_uri": f"{walk.tool}/lti/launch"}
    wrong = [{"iss": "https://other.example"}, {"client_id": "other"}]
    wrong += [
        {"target_link_uri": target}
        for target in (
            "https://evil.example/",
            "//evil.example",
            f"{walk.tool}.evil.example/lti/launch",
            "",
            "http://[",
        )
    ]

    answers = [
        walk.post("/lti/login", {**asked, "login_hint": "2", **change}, is_foreign=True).status_code for change in wrong
    ]

    assert answers == [403] * len(wrong)
    assert walk.cookies == {}
