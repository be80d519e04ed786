"""Opening the database for a command: the URL of the settings, or the embedded server of the data folder."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import OperationalError

from app.database.embedded_server import join
from app.database.engine import Database
from app.errors import AllcloseError
from app.schema import upgrade
from app.settings import Settings

DRIVER = "postgresql+psycopg"
# PostgreSQL's default is 100. Each slot takes one; the web process, listeners and commands share the others.
MIN_CONNECTIONS = 100
OTHER_CONNECTIONS = 60


class NoDatabase(AllcloseError):
    """The configured PostgreSQL can't be used."""


@contextmanager
def open_database(settings: Settings, *, pool_size: int = 5) -> Iterator[Database]:
    """Open the database. Without a URL, join the running embedded server, or start one until the block ends."""
    if settings.database_url:
        with upgraded(with_driver(settings.database_url), pool_size=pool_size) as database:
            yield database
        return
    options = postgres_options(settings)
    with join(settings.data / "postgres", options) as postgres, upgraded(postgres.url, pool_size=pool_size) as database:
        yield database


def postgres_options(settings: Settings) -> dict[str, str]:
    """Return the embedded server's options.

    PostgreSQL's default `random_page_cost` is for spinning disks and makes it avoid indexes.
    """
    connections = max(MIN_CONNECTIONS, settings.worker_slots + OTHER_CONNECTIONS)
    return {"max_connections": str(connections), "random_page_cost": "1.1"}


@contextmanager
def upgraded(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """Open a database and upgrade its schema. Closes it at the end. Raises SchemaTooNew, NoDatabase."""
    with database_at(url, pool_size=pool_size) as database:
        upgrade(database)
        yield database


@contextmanager
def database_at(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """Open a database without upgrading it. Closes it at the end. Raises NoDatabase if it does not answer."""
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
    """Add Allclose's driver to a `postgres://` or `postgresql://` URL. Raises NoDatabase for another scheme."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("postgres", "postgresql", DRIVER):
        raise NoDatabase("ALLCLOSE_DATABASE_URL is not a PostgreSQL URL: write postgresql://user:password@host/name")
    return f"{DRIVER}{separator}{rest}"
