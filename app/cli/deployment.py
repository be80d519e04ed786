"""Opening the database for a command: the URL of the settings, or the embedded server of the data folder."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from app.cli.console import errors
from app.database.embedded_server import join
from app.database.engine import RESTORE, Database, find_damage
from app.errors import AllcloseError
from app.schema import upgrade
from app.settings import Settings

DRIVER = "postgresql+psycopg"
# The oldest version that the tests ran with.
LEAST_POSTGRES = 15
# PostgreSQL's default is 100. Each slot takes one; the web process, listeners and commands share the others.
MIN_CONNECTIONS = 100
OTHER_CONNECTIONS = 60
# Only `serve` is expected to make a database. Another command probably looks at the wrong place.
NEW_DATABASE = (
    "There was no database in {folder}, so this command created an empty one. "
    "If you have one elsewhere, name it with --data, ALLCLOSE_DATA or ALLCLOSE_DATABASE_URL."
)


class NoDatabase(AllcloseError):
    """The configured PostgreSQL can't be used: the reason and the remedy."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}: {remedy}")
        self.reason, self.remedy = reason, remedy


@contextmanager
def open_database(settings: Settings, *, pool_size: int = 5) -> Iterator[Database]:
    """Open the database. Without a URL, join the running embedded server, or start one until the block ends."""
    if settings.database_url:
        with upgraded(with_driver(settings.database_url), pool_size=pool_size) as database:
            yield database
        return
    options = postgres_options(settings)
    folder = settings.data / "postgres"
    is_new = not (folder / "cluster").exists()
    with join(folder, options) as postgres:
        if is_new:
            errors.print(NEW_DATABASE.format(folder=folder), markup=False, highlight=False, soft_wrap=True)
        with upgraded(postgres.url, pool_size=pool_size) as database:
            yield database


def postgres_options(settings: Settings) -> dict[str, str]:
    """Return the embedded server's options.

    PostgreSQL's default `random_page_cost` is for spinning disks and makes it avoid indexes.
    """
    connections = max(MIN_CONNECTIONS, settings.worker_slots + OTHER_CONNECTIONS)
    return {"max_connections": str(connections), "random_page_cost": "1.1"}


@contextmanager
def upgraded(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """Open a database and upgrade its schema. Closes it at the end. Raises SchemaUnknown, NoDatabase."""
    with database_at(url, pool_size=pool_size) as database:
        upgrade(database)
        yield database


@contextmanager
def database_at(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """Open a database without upgrading it. Closes it at the end. Raises NoDatabase if it can't be used."""
    database = Database(url, pool_size=pool_size)
    try:
        read_version(database)
        yield database
    finally:
        database.close()


def read_version(database: Database) -> str:
    """Return the server's version. Raises NoDatabase if it does not answer, is damaged or is too old."""
    try:
        with database.engine.connect() as connection:
            version = connection.exec_driver_sql("SHOW server_version").scalar_one()
            number = int(connection.exec_driver_sql("SHOW server_version_num").scalar_one())
    except DBAPIError as error:
        if damage := find_damage(error.orig):
            raise NoDatabase(f"the database's files are damaged ({damage})", RESTORE) from None
        reason = str(error.orig).strip().splitlines()[0]
        remedy = "start it, or correct or unset ALLCLOSE_DATABASE_URL"
        raise NoDatabase(f"the database does not answer ({reason})", remedy) from None
    if number < LEAST_POSTGRES * 10_000:
        remedy = f"use PostgreSQL {LEAST_POSTGRES} or newer, or unset ALLCLOSE_DATABASE_URL"
        raise NoDatabase(f"the database is PostgreSQL {version}, which is too old", remedy)
    return str(version)


def with_driver(url: str) -> str:
    """Add Allclose's driver to a `postgres://` or `postgresql://` URL. Raises NoDatabase for another text."""
    scheme, separator, rest = url.partition("://")
    remedy = "write postgresql://user:password@host:5432/name, with %40, %3A and %2F for @, : and / in the password"
    if not separator or scheme not in ("postgres", "postgresql", DRIVER):
        raise NoDatabase("ALLCLOSE_DATABASE_URL is not a PostgreSQL URL", remedy)
    try:
        make_url(f"{DRIVER}{separator}{rest}")
    except (ArgumentError, ValueError):  # the text has a password, so the message does not repeat it
        raise NoDatabase("ALLCLOSE_DATABASE_URL can't be read", remedy) from None
    return f"{DRIVER}{separator}{rest}"
