"""Where a command finds the database: the URL of the settings, or the embedded server of the data folder."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.database import Database
from app.embedded_postgres import join
from app.schema import upgrade
from app.settings import Settings

DRIVER = "postgresql+psycopg"
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
    """For the embedded server: enough connections for this machine's worker and all else that connects."""
    return {"max_connections": str(max(LEAST_CONNECTIONS, settings.worker_slots + OTHER_CONNECTIONS))}


@contextmanager
def upgraded(url: str, *, pool_size: int = 5) -> Iterator[Database]:
    """A database whose schema is this code's; closed at the end. Raises SchemaTooNew."""
    database = Database(url, pool_size=pool_size)
    try:
        upgrade(database)
        yield database
    finally:
        database.close()


def with_driver(url: str) -> str:
    """`postgres://` and `postgresql://` as everybody writes them, with the driver that Allclose uses."""
    scheme, separator, rest = url.partition("://")
    return f"{DRIVER}{separator}{rest}" if scheme in ("postgres", "postgresql") else url
