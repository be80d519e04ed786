"""Run by Alembic: applies the revisions on the connection that `app.schema` hands over."""

from alembic import context

from app.schema import TABLES

context.configure(connection=context.config.attributes["connection"], target_metadata=TABLES)
with context.begin_transaction():
    context.run_migrations()
