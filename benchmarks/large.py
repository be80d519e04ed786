"""How long pages and endpoints take where there is much: 500 users, 20 problems, 50,000 submissions."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from app.cli.deployment import postgres_options
from app.database import Database
from app.embedded_postgres import own
from app.main import create_app
from app.schema import upgrade
from app.settings import Settings
from benchmarks.report import report, timed
from tests.api.conftest import serving
from tests.large.address import Address, list_addresses
from tests.large.asking import asking
from tests.large.fill import fill, sign_in_as

# The student with the most submissions, and an admin.
USERNAMES = ("user-1", "user-250")
TIMES = 7
LIMIT_SECONDS = 0.150


def measure_large() -> None:
    """Each address after one request that is not counted."""
    with (
        tempfile.TemporaryDirectory() as folder,
        own(Path(folder) / "postgres", postgres_options(Settings())) as server,
    ):
        database = Database(server.url)
        upgrade(database)
        report("filling a database with 50,000 submissions", [timed(lambda: fill(database))])
        slow = [line for username in USERNAMES for line in _measure(database, username)]
        database.close()
    print(
        f"  {len(slow)} took more than {LIMIT_SECONDS * 1000:.0f} ms at the median{':' if slow else ''}",
        *slow,
        sep="\n    ",
    )


def _measure(database: Database, username: str) -> Iterator[str]:
    """Those that are slow; all are printed."""
    app = create_app(Settings(), database)
    with database.transaction() as session:
        who, wanted = sign_in_as(session, username), list_addresses(app, session, username)
    with serving(app) as server, asking(server, who) as asker:
        for address in wanted:
            if not _is_measured(address) or not asker.ask(address).is_success:
                continue
            seconds = sorted(timed(lambda address=address: asker.ask(address)) for _ in range(TIMES))  # type: ignore[misc]
            middle = seconds[TIMES // 2]
            print(f"  {f'{username}: {address.url}':100} {middle * 1000:5.0f} ms", flush=True)
            if middle > LIMIT_SECONDS:
                yield f"{username}: {address.url}"


def _is_measured(address: Address) -> bool:
    """Exports hand out all that there is: they are read as they come."""
    return not address.is_export


if __name__ == "__main__":
    measure_large()
