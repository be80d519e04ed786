import asyncio
from datetime import timedelta

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.password import is_password
from app.accounts.permission import AccountSuspended
from app.accounts.sign_in import SignIn, SignInFailed, find_browser, name_browser_of, sign_in, sign_in_turn
from app.accounts.user import SignUp, sign_up
from app.database.engine import Database
from app.errors import LimitReached
from app.limits import Limits, RateLimitReached, SlowDown
from tests.transaction import commit, fetch_one

PASSWORD = "correct horse"
ATTEMPTS = 10


@pytest.fixture
def ada(database: Database) -> None:
    commit(database, sign_up, SignUp(username="ada", password=PASSWORD))


def attempt(username: str = "ada", password: str = PASSWORD, address: str = "192.0.2.1") -> SignIn:
    return SignIn(username=username, password=password, address=address)


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    "wrong",
    [
        attempt(password="wrong horse"),
        attempt(password="\ud800"),
        attempt(username="nobody"),
        attempt(username="\0"),
        attempt(username="x" * 10_000),
    ],
)
def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(database: Database, wrong: SignIn) -> None:
    with pytest.raises(SignInFailed, match="The user name or the password is wrong"), database.transaction() as session:
        sign_in(session, Limits(), wrong)


@pytest.mark.usefixtures("ada")
def test_a_suspended_account_says_so_after_the_right_password_only(database: Database) -> None:
    with database.transaction() as session:
        sign_in(session, Limits(), attempt()).is_active = False

    with pytest.raises(AccountSuspended, match=r"is suspended\. Ask an admin"), database.transaction() as session:
        sign_in(session, Limits(), attempt())
    with pytest.raises(SignInFailed, match="The user name or the password is wrong"), database.transaction() as session:
        sign_in(session, Limits(), attempt(password="wrong horse"))


def test_no_password_fits_an_account_that_does_not_exist() -> None:
    assert not is_password("the password of no one", None)


def fail(database: Database, limits: Limits, times: int, **wrong: str) -> None:
    for _ in range(times):
        with pytest.raises(SignInFailed), database.transaction() as session:
            sign_in(session, limits, attempt(password="wrong horse", **wrong))


async def may_go_on(limits: Limits, tried: SignIn) -> bool:
    """Whether the attempt gets its turn at once. A slow one waits for a second or more."""
    try:
        async with asyncio.timeout(0.5), sign_in_turn(limits, tried):
            return True
    except TimeoutError:
        return False


@pytest.mark.usefixtures("ada")
def test_guessing_is_slowed_down_for_that_network_and_name_only(database: Database) -> None:
    limits = Limits()
    fail(database, limits, ATTEMPTS)

    assert asyncio.run(may_go_on(limits, attempt()))  # the first of the slow ones
    assert not asyncio.run(may_go_on(limits, attempt()))
    assert asyncio.run(may_go_on(limits, attempt(username="grace")))
    assert asyncio.run(may_go_on(limits, attempt(address="192.0.2.2")))


@pytest.mark.usefixtures("ada")
def test_a_slow_sign_in_works_after_its_wait(database: Database) -> None:
    limits = Limits()
    limits.names = SlowDown(2, timedelta(minutes=5), timedelta(seconds=1), "sign-ins")
    fail(database, limits, 2)

    async def sign_in_slowly() -> str:
        async with sign_in_turn(limits, attempt()):
            pass
        async with sign_in_turn(limits, attempt()):
            return commit(database, sign_in, limits, attempt()).username

    assert asyncio.run(sign_in_slowly()) == "ada"


@pytest.mark.usefixtures("ada")
def test_the_guesses_of_others_do_not_slow_a_browser_that_has_signed_in_before(database: Database) -> None:
    limits = Limits()
    with database.transaction() as session:
        cookie = name_browser_of(session, "ada")
        known = find_browser(session, cookie, " Ada")
        assert [find_browser(session, bad, "ada") for bad in ("", "x", cookie + "x")] == [""] * 3
        assert find_browser(session, cookie, "grace") == ""
    fail(database, limits, ATTEMPTS)
    for _ in range(100):
        limits.guesses.count("192.0.2.1")

    mine = SignIn(username="ada", password=PASSWORD, address="192.0.2.1", browser=known)

    assert all(asyncio.run(may_go_on(limits, mine)) for _ in range(3))
    fail_in_it = SignIn(username="ada", password="wrong horse", address="192.0.2.1", browser=known)
    for _ in range(ATTEMPTS):
        with pytest.raises(SignInFailed), database.transaction() as session:
            sign_in(session, limits, fail_in_it)
    assert [asyncio.run(may_go_on(limits, mine)) for _ in range(2)] == [True, False]


def test_more_than_fifty_sign_ins_of_a_network_do_not_wait() -> None:
    limits = Limits()
    limits.names = SlowDown(1, timedelta(minutes=5), timedelta(minutes=5), "sign-ins")
    for _ in range(2):
        limits.names.count(*attempt().key)

    async def crowd() -> list[BaseException | None]:
        await sign_in_turn(limits, attempt()).__aenter__()  # the first of the slow ones
        turns = [asyncio.ensure_future(sign_in_turn(limits, attempt()).__aenter__()) for _ in range(51)]
        await asyncio.sleep(0.2)
        ended = [turn.exception() for turn in turns if turn.done()]
        for turn in turns:
            turn.cancel()
        return ended

    (refused,) = asyncio.run(crowd())
    assert "Too many slowed sign-ins from your network at the same time; the limit is 50" in str(refused)


def test_slowed_sign_ins_of_others_do_not_refuse_a_known_browser() -> None:
    limits = Limits()
    limits.guesses = SlowDown(1, timedelta(minutes=5), timedelta(minutes=5), "guesses")
    limits.guesses.count("192.0.2.1")
    known = SignIn(username="ada", password=PASSWORD, address="192.0.2.1", browser="hers")

    async def flood() -> str:
        async with sign_in_turn(limits, attempt(username="first")):
            pass
        turns = [asyncio.ensure_future(sign_in_turn(limits, attempt(username=f"x{n}")).__aenter__()) for n in range(50)]
        await asyncio.sleep(0)
        async with sign_in_turn(limits, known):
            for turn in turns:
                turn.cancel()
            return "in"

    assert asyncio.run(flood()) == "in"


def test_slowed_sign_ins_for_one_name_do_not_refuse_others_of_the_network() -> None:
    limits = Limits()
    limits.names = SlowDown(1, timedelta(minutes=5), timedelta(minutes=5), "names")
    slowed = attempt(username="x")
    limits.names.count(*slowed.key)
    limits.names.count(*slowed.key)

    async def flood() -> str:
        async with asyncio.timeout(10):
            turns = [asyncio.ensure_future(sign_in_turn(limits, slowed).__aenter__()) for _ in range(60)]
            await asyncio.sleep(0.01)
            assert sum(turn.done() for turn in turns) >= 10  # no place is left for these
            async with sign_in_turn(limits, attempt(username="ada")):
                for turn in turns:
                    turn.cancel()
                return "in"

    assert asyncio.run(flood()) == "in"


def test_a_lecture_hall_that_signs_in_at_once_waits_for_its_turns() -> None:
    async def sign_in_at_once(names: list[str]) -> list[str]:
        limits = Limits()

        async def one(name: str) -> str:
            try:
                async with sign_in_turn(limits, attempt(username=name)):
                    await asyncio.sleep(0)
                    return "in"
            except LimitReached:
                return "refused"

        return await asyncio.gather(*map(one, names))

    assert asyncio.run(sign_in_at_once([f"student-{n}" for n in range(200)])) == ["in"] * 200
    guesses = asyncio.run(sign_in_at_once(["ada"] * 50))
    assert guesses.count("refused") == 40, "one has its turn and 9 wait"


@pytest.mark.usefixtures("ada")
def test_a_success_forgives_the_failures_before_it(session: Session) -> None:
    limits = Limits()
    for _ in range(3):
        for _ in range(ATTEMPTS - 1):
            with pytest.raises(SignInFailed):
                sign_in(session, limits, attempt(password="wrong horse"))
        sign_in(session, limits, attempt(username="Ada"))


def test_guessing_one_password_for_many_names_is_slowed_down_for_that_network_only() -> None:
    limits = Limits()
    for _ in range(100):
        limits.guesses.count("192.0.2.1")

    assert [asyncio.run(may_go_on(limits, attempt(username=name))) for name in ("ada", "eve")] == [True, False]
    assert asyncio.run(may_go_on(limits, attempt(address="192.0.2.2")))


@pytest.mark.usefixtures("ada")
def test_a_classroom_that_signs_in_rightly_is_not_counted(session: Session) -> None:
    limits = Limits()
    for _ in range(3):
        sign_in(session, limits, attempt())
    for _ in range(99):
        limits.guesses.count("192.0.2.1")

    assert asyncio.run(may_go_on(limits, attempt()))
    assert asyncio.run(may_go_on(limits, attempt()))


@pytest.mark.usefixtures("ada")
def test_signing_in_rightly_again_and_again_is_refused(database: Database) -> None:
    limits = Limits()
    for _ in range(30):
        limits.successes.use("ada")

    said = r"More than 30 sign-ins of this user in 5 minutes\. Try again in"
    with pytest.raises(RateLimitReached, match=said), database.transaction() as session:
        sign_in(session, limits, attempt(username="ADA"))


@pytest.mark.usefixtures("ada")
def test_a_password_that_was_hashed_with_weaker_parameters_is_hashed_anew_when_it_is_used(database: Database) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = weak.hash(PASSWORD)

    commit(database, sign_in, Limits(), attempt())

    with database.transaction() as session:
        kept = session.scalars(select(User.password_hash)).one()
        assert "m=19456,t=2,p=1" in str(kept)
        assert sign_in(session, Limits(), attempt()).password_hash == kept, "and then it stays"


@pytest.mark.usefixtures("ada")
def test_a_wrong_password_never_changes_the_hash(database: Database) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = weak

    with pytest.raises(SignInFailed), database.transaction() as session:
        sign_in(session, Limits(), attempt(password="wrong horse"))

    assert fetch_one(database, select(User.password_hash)) == weak
