"""Where a command finds the database: the URL of the settings, or the embedded server of the data folder."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import OperationalError

from app.database.embedded_server import join
from app.database.engine import Database
from app.errors import AllcloseError
from app.schema import upgrade
from app.settings import Settings

DRIVER = "postgresql+psycopg"


class NoDatabase(AllcloseError):
    """The PostgreSQL that was named can't be used."""


# Of PostgreSQL: its own default is 100. Beside one for each slot, the web process, listeners and commands want some.
LEAST_CONNECTIONS = 100
OTHER_CONNECTIONS = 60


@contextmanager
def open_database(settings: Settings, *, pool_size: int = 5) -> Iterator[Database]:
    """For commands beside a server: uses the embedded server that is running, or starts it for as long as it takes."""
    if settings.database_url:
        with upgraded(with_driver(settings.database_url), pool_size=pool_size) as database:
            yield database
        return
    options = postgres_options(settings)
    with join(settings.data / "postgres", options) as postgres, upgraded(postgres.url, pool_size=pool_size) as database:
        yield database


def postgres_options(settings: Settings) -> dict[str, str]:
    """For the embedded server: enough connections for this machine's worker and all else that connects.

    PostgreSQL reckons with a disk that has to seek, and would rather read a large table whole than follow an index.
    """
    connections = max(LEAST_CONNECTIONS, settings.worker_slots + OTHER_CONNECTIONS)
    return {"max_connections": str(connections), "random_page_cost": "1.1"}


@contextmanager
def upgraded(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """A database whose schema is this code's; closed at the end. Raises SchemaTooNew, NoDatabase."""
    with database_at(url, pool_size=pool_size) as database:
        upgrade(database)
        yield database


@contextmanager
def database_at(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """As it is; closed at the end. Raises NoDatabase where there is none to be reached."""
    database = Database(url, pool_size=pool_size)
    try:
        _check_answers(database)
        yield database
    finally:
        database.close()


def _check_answers(database: Database) -> None:
    try:
        database.engine.connect().close()
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise NoDatabase(
            f"the database does not answer ({reason}): start it, or correct or unset ALLCLOSE_DATABASE_URL"
        ) from None


def with_driver(url: str) -> str:
    """`postgres://` and `postgresql://` as everybody writes them, with the driver that Allclose uses."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("postgres", "postgresql", DRIVER):
        raise NoDatabase(
            "ALLCLOSE_DATABASE_URL is no address of a PostgreSQL: write postgresql://user:password@host/name"
        )
    return f"{DRIVER}{separator}{rest}"
