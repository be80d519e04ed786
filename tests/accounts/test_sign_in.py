import pytest

from app.accounts.password import is_password
from app.accounts.sign_in import ATTEMPTS, SignIn, SignInFailed, sign_in, sign_in_throttle
from app.accounts.throttle import TooOften
from app.accounts.user import SignUp, sign_up
from app.database import Database

PASSWORD = "correct horse"


@pytest.fixture
def ada(database: Database) -> None:
    with database.transaction() as session:
        sign_up(session, SignUp(username="ada", password=PASSWORD))


def attempt(username: str = "ada", password: str = PASSWORD, address: str = "192.0.2.1") -> SignIn:
    return SignIn(username=username, password=password, address=address)


@pytest.mark.usefixtures("ada")
def test_the_right_password_signs_in(database: Database) -> None:
    with database.transaction() as session:
        assert sign_in(session, sign_in_throttle(), attempt()).username == "ada"


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
    with pytest.raises(SignInFailed, match="the user name or the password is wrong"), database.transaction() as session:
        sign_in(session, sign_in_throttle(), wrong)


@pytest.mark.usefixtures("ada")
def test_a_deactivated_account_can_not_sign_in(database: Database) -> None:
    with database.transaction() as session:
        sign_in(session, sign_in_throttle(), attempt()).is_active = False

    with pytest.raises(SignInFailed), database.transaction() as session:
        sign_in(session, sign_in_throttle(), attempt())


def test_no_password_fits_an_account_that_does_not_exist() -> None:
    assert not is_password("the password of no one", None)


@pytest.mark.usefixtures("ada")
def test_guessing_is_stopped_for_that_address_and_name_only(database: Database) -> None:
    throttle = sign_in_throttle()
    with database.transaction() as session:
        for _ in range(ATTEMPTS):
            with pytest.raises(SignInFailed):
                sign_in(session, throttle, attempt(password="wrong horse"))

        with pytest.raises(TooOften, match=r"more than 10 attempts .* in 5 minutes; try again in") as caught:
            sign_in(session, throttle, attempt())
        assert 0 < caught.value.retry_after.total_seconds() <= 300

        assert sign_in(session, throttle, attempt(address="192.0.2.2")).username == "ada"


@pytest.mark.usefixtures("ada")
def test_a_success_forgives_the_failures_before_it(database: Database) -> None:
    throttle = sign_in_throttle()
    with database.transaction() as session:
        for _ in range(3):
            for _ in range(ATTEMPTS - 1):
                with pytest.raises(SignInFailed):
                    sign_in(session, throttle, attempt(password="wrong horse"))
            sign_in(session, throttle, attempt(username="Ada"))
