import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from app.accounts.model import User
from app.accounts.password import is_password
from app.accounts.permission import AccountSuspended
from app.accounts.rate_limit import AccountThrottles, TooOften
from app.accounts.session import SignIn, SignInFailed, sign_in
from app.accounts.user import SignUp, sign_up
from app.database.engine import Database

PASSWORD = "correct horse"
ATTEMPTS = 10


@pytest.fixture
def ada(database: Database) -> None:
    with database.transaction() as session:
        sign_up(session, SignUp(username="ada", password=PASSWORD))


def attempt(username: str = "ada", password: str = PASSWORD, address: str = "192.0.2.1") -> SignIn:
    return SignIn(username=username, password=password, address=address)


@pytest.mark.usefixtures("ada")
def test_the_right_password_signs_in(database: Database) -> None:
    with database.transaction() as session:
        assert sign_in(session, AccountThrottles(), attempt()).username == "ada"


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
        sign_in(session, AccountThrottles(), wrong)


@pytest.mark.usefixtures("ada")
def test_a_suspended_account_says_so_after_the_right_password_only(database: Database) -> None:
    with database.transaction() as session:
        sign_in(session, AccountThrottles(), attempt()).is_active = False

    with pytest.raises(AccountSuspended, match=r"is suspended\. Ask an admin"), database.transaction() as session:
        sign_in(session, AccountThrottles(), attempt())
    with pytest.raises(SignInFailed, match="The user name or the password is wrong"), database.transaction() as session:
        sign_in(session, AccountThrottles(), attempt(password="wrong horse"))


def test_no_password_fits_an_account_that_does_not_exist() -> None:
    assert not is_password("the password of no one", None)


@pytest.mark.usefixtures("ada")
def test_guessing_is_stopped_for_that_address_and_name_only(database: Database) -> None:
    throttle = AccountThrottles()
    with database.transaction() as session:
        for _ in range(ATTEMPTS):
            with pytest.raises(SignInFailed):
                sign_in(session, throttle, attempt(password="wrong horse"))

        with pytest.raises(TooOften, match=r"More than 10 sign-ins .* in 5 minutes\. Try again in") as caught:
            sign_in(session, throttle, attempt())
        assert 0 < caught.value.retry_after.total_seconds() <= 300

        assert sign_in(session, throttle, attempt(address="192.0.2.2")).username == "ada"


@pytest.mark.usefixtures("ada")
def test_a_success_forgives_the_failures_before_it(database: Database) -> None:
    throttle = AccountThrottles()
    with database.transaction() as session:
        for _ in range(3):
            for _ in range(ATTEMPTS - 1):
                with pytest.raises(SignInFailed):
                    sign_in(session, throttle, attempt(password="wrong horse"))
            sign_in(session, throttle, attempt(username="Ada"))


@pytest.mark.usefixtures("ada")
def test_guessing_one_password_for_many_names_is_stopped_for_that_address_only(database: Database) -> None:
    throttles = AccountThrottles()
    with database.transaction() as session:
        for number in range(100):
            throttles.guesses.use("192.0.2.1")
            throttles.names.use("192.0.2.1", f"user-{number}")

        with pytest.raises(TooOften, match="More than 100 failed sign-ins from your network in 5 minutes"):
            sign_in(session, throttles, attempt())
        assert sign_in(session, throttles, attempt(address="192.0.2.2")).username == "ada"


@pytest.mark.usefixtures("ada")
def test_a_classroom_that_signs_in_rightly_is_not_counted(database: Database) -> None:
    throttles = AccountThrottles()
    with database.transaction() as session:
        for _ in range(3):
            sign_in(session, throttles, attempt())

    for _ in range(100):
        throttles.guesses.use("192.0.2.1")


@pytest.mark.usefixtures("ada")
def test_a_password_that_was_hashed_with_weaker_parameters_is_hashed_anew_when_it_is_used(database: Database) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = weak.hash(PASSWORD)

    with database.transaction() as session:
        sign_in(session, AccountThrottles(), attempt())

    with database.transaction() as session:
        kept = session.scalars(select(User.password_hash)).one()
        assert "m=19456,t=2,p=1" in str(kept)
        assert sign_in(session, AccountThrottles(), attempt()).password_hash == kept, "and then it stays"


@pytest.mark.usefixtures("ada")
def test_a_wrong_password_never_changes_the_hash(database: Database) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = weak

    with pytest.raises(SignInFailed), database.transaction() as session:
        sign_in(session, AccountThrottles(), attempt(password="wrong horse"))

    with database.transaction() as session:
        assert session.scalars(select(User.password_hash)).one() == weak
