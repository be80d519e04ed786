"""Upgrades the database's schema at every start, under a lock, in one transaction."""

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, select

import migrations
from app.admin.retention import RetentionRun
from app.audit import AuditEvent
from app.authoring.model import Publication
from app.database.engine import Base, Database
from app.errors import AllcloseError
from app.learning.bookmark import Bookmark
from app.learning.model import Completion
from app.learning.moderation import Report
from app.learning.note import Note
from app.policy import PolicyRow
from app.rejudging.model import Rejudging
from app.submissions.draft import Draft
from app.submissions.leaderboard import Measurement

# These models import those of accounts and the catalog, so that Base.metadata has every table.
MODELS = (
    *(Publication, Draft, Measurement, Completion, Bookmark, Note, Report, AuditEvent, PolicyRow, Rejudging),
    RetentionRun,
)
TABLES = Base.metadata

# The key of the advisory lock. Nothing else in an Allclose database may use it.
LOCK = 0xA11C705E


class SchemaTooNew(AllcloseError):
    """A newer Allclose has already upgraded this database."""


def upgrade(database: Database) -> None:
    """Upgrade the schema to this code's. If several processes start at once, one upgrades and the others wait.

    Raises SchemaTooNew. A failing step leaves the schema as it was.
    """
    with database.engine.begin() as connection:
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        config = configuration(connection)
        if _needs_upgrade(connection, ScriptDirectory.from_config(config)):
            command.upgrade(config, "head")


def is_current(database: Database) -> bool:
    """Whether the schema is exactly this code's; false for an older or a newer one."""
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == _head()


@cache
def _head() -> str | None:
    """Return this code's latest migration. The folder is read once."""
    return ScriptDirectory.from_config(configuration()).get_current_head()


def revision_of(connection: Connection) -> str | None:
    """Return the migration that the database is at; None for an empty database."""
    return MigrationContext.configure(connection).get_current_revision()


def knows(revision: str) -> bool:
    """Whether this code has the migration; false for one of a newer Allclose."""
    scripts = ScriptDirectory.from_config(configuration())
    return revision in {script.revision for script in scripts.walk_revisions()}


def configuration(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration. The `migrations` package is found in a checkout and in an installation."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    return config


def _needs_upgrade(connection: Connection, scripts: ScriptDirectory) -> bool:
    present = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in scripts.walk_revisions()}
    if present is not None and present not in known:
        raise SchemaTooNew(
            f"The database's schema is at revision {present}, which this version of Allclose does not know. "
            "Start the newer version that upgraded it, or use another database (--data or ALLCLOSE_DATABASE_URL)."
        )
    return present != scripts.get_current_head()
