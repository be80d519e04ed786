"""Alembic revisions of the database schema. `app.schema` applies them at start; CONTRIBUTING.md says how to add one."""
