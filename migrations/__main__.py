"""Write a new revision from the difference between the models and the current schema.

usage: python -m migrations "why the schema changes"

It starts an embedded database in a temporary folder. Check the new file and correct it if necessary.
"""

import sys
import tempfile
from pathlib import Path

from alembic import command

from app.database.embedded_server import own
from app.database.engine import Database
from app.schema import configuration, upgrade


def main(message: str) -> None:
    with tempfile.TemporaryDirectory() as folder, own(Path(folder) / "postgres") as server:
        database = Database(server.url)
        upgrade(database)
        with database.engine.connect() as connection:
            command.revision(configuration(connection), message, autogenerate=True, rev_id=_next_revision())
        database.close()


def _next_revision() -> str:
    return f"{len(list(Path(__file__).parent.glob('versions/[0-9]*.py'))) + 1:04}"


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
