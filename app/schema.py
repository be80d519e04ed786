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
from app.courses.model import Member
from app.database.engine import Base, Database
from app.errors import AllcloseError
from app.grading.model import Adjustment
from app.learning.bookmark import Bookmark
from app.learning.model import HintReveal
from app.learning.moderation import EntryReport
from app.learning.note import Note
from app.lti.model import Platform
from app.policy import PolicyRow
from app.rejudging.model import Rejudging
from app.similarity.model import SimilarityCheck
from app.submissions.draft import Draft
from app.submissions.leaderboard import Measurement

# These models import those of accounts and the catalog, so that Base.metadata has every table.
MODELS = (
    *(Publication, Draft, Measurement, HintReveal, Bookmark, Note, EntryReport, AuditEvent, PolicyRow, Rejudging),
    *(RetentionRun, Member, Adjustment, SimilarityCheck, Platform),
)
TABLES = Base.metadata

# The key of the advisory lock. Nothing else in an Allclose database may use it.
LOCK = 0xA11C705E


class SchemaUnknown(AllcloseError):
    """A newer Allclose has upgraded this database, or one from before the first release made it."""


def upgrade(database: Database) -> None:
    """Upgrade the schema to this code's. If several processes start at once, one upgrades and the others wait.

    Raises SchemaUnknown. A failing step leaves the schema as it was.
    """
    with database.engine.begin() as connection:
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
        if _needs_upgrade(connection):
            command.upgrade(configuration(connection), "head")


def is_current(database: Database) -> bool:
    """Whether the schema is exactly this code's; false for an older or a newer one."""
    with database.engine.connect() as connection:
        return revision_of(connection) == _head()


@cache
def _head() -> str | None:
    """Return this code's latest migration. The folder is read once."""
    return _scripts().get_current_head()


def revision_of(connection: Connection) -> str | None:
    """Return the migration that the database is at; None for an empty database."""
    return MigrationContext.configure(connection).get_current_revision()


def knows(revision: str) -> bool:
    """Whether this code has the migration; false for one of a newer Allclose, and for an obsolete one."""
    return revision in {script.revision for script in _scripts().walk_revisions()}


def is_obsolete(revision: str) -> bool:
    """Whether the migration is from before the first release. This code has none of those."""
    return revision < str(_scripts().get_base())


def configuration(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration. The `migrations` package is found in a checkout and in an installation."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(configuration())


def _needs_upgrade(connection: Connection) -> bool:
    present = revision_of(connection)
    if present is not None and not knows(present):
        raise SchemaUnknown(_why_unknown(present))
    return present != _head()


def _why_unknown(present: str) -> str:
    another = "another database (--data or ALLCLOSE_DATABASE_URL)"
    if is_obsolete(present):
        return (
            f"The database's schema is at revision {present}, from before the first release. This version of Allclose "
            f"can't upgrade it and has changed nothing in it. Use {another}, or the version that made this one."
        )
    return (
        f"The database's schema is at revision {present}, which this version of Allclose does not know. "
        f"Start the newer version that upgraded it, or use {another}."
    )
