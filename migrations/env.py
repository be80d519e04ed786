"""Alembic's environment: applies the revisions on the connection from `app.schema`."""

from alembic import context

from app.schema import TABLES

context.configure(connection=context.config.attributes["connection"], target_metadata=TABLES)
with context.begin_transaction():
    context.run_migrations()
