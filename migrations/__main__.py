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
from app.schema import configuration, revision_of, upgrade


def main(message: str) -> None:
    with tempfile.TemporaryDirectory() as folder, own(Path(folder) / "postgres") as server:
        database = Database(server.url)
        upgrade(database)
        with database.engine.connect() as connection:
            next_revision = f"{int(revision_of(connection) or 0) + 1:04}"
            command.revision(configuration(connection), message, autogenerate=True, rev_id=next_revision)
        database.close()


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
