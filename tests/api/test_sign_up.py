import httpx

from tests.api.conftest import SignedIn

ADA = {"username": "ada", "password": "correct horse", "email": "ada@example.org"}


def test_a_user_signs_up_gets_a_token_and_reads_their_account(anyone: httpx.Client) -> None:
    created = anyone.post("/users", json=ADA)
    token = anyone.post("/tokens", json={"username": "ada", "password": "correct horse", "name": "laptop"})
    me = anyone.get("/me", headers={"Authorization": f"Bearer {token.json()['token']}"})

    assert created.status_code == token.status_code == 201
    assert created.json() == me.json()
    assert {key: me.json()[key] for key in ("username", "email", "role")} == {
        "username": "ada",
        "email": "ada@example.org",
        "role": "student",
    }
    assert "password" not in created.text
    assert token.headers["cache-control"] == "no-store"


def test_the_location_of_a_new_user_opens_for_that_user_and_no_other(anyone: httpx.Client, signed_in: SignedIn) -> None:
    path = anyone.post("/users", json=ADA).headers["Location"].removeprefix("/api/v1")
    wish = {"username": "ada", "password": "correct horse"}
    tokens = [
        anyone.post("/tokens", json=wish | more).json()["token"]
        for more in ({}, {"scopes": ["account:read"]}, {"scopes": ["problems:read"]})
    ]

    answers = [anyone.get(path, headers={"Authorization": f"Bearer {token}"}) for token in tokens]

    assert [answer.status_code for answer in answers] == [200, 200, 403]
    assert answers[0].json()["username"] == "ada"
    assert (signed_in("eve").get(path).status_code, anyone.get(path).status_code) == (403, 401)


def test_without_a_token_that_works_the_answer_says_how_to_get_one(anyone: httpx.Client) -> None:
    missing = anyone.get("/me")
    unknown = anyone.get("/me", headers={"Authorization": "Bearer alc_unknown"})
    basic = anyone.get("/me", auth=("ada", "correct horse"))

    for answer in (missing, unknown, basic):
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "POST /api/v1/tokens" in answer.json()["detail"]
