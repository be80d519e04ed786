"""Alembic revisions of the database schema. `app.schema` applies them at start.

To change the schema:

1. Change the model. `.venv/bin/python -m migrations "why the schema changes"` writes the next file in `versions/`. Read
   and correct it: it sees neither check constraints nor existing rows. Never edit a published migration.
2. A column that refers to a user gets a line in `app/admin/erasure.py`. A table that an erasure empties gets the
   trigger `living_owner`.
3. A migration runs at the next start, in one transaction, while others wait. Keep it short, and correct for a worker of
   the version before. Run `tests/database`.
"""
