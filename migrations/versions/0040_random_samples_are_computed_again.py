"""Remove expected outputs of random answers. Earlier versions stored no samples that tell whether others are random.

A worker computes them again when a student needs them.

Revision ID: 0040
Revises: 0039
"""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

OF_RANDOM = "revision_id IN (SELECT id FROM revisions WHERE manifest -> 'answer' ->> 'kind' = 'random')"


def upgrade() -> None:
    for table in ("mistake_outputs", "expected_outputs"):
        op.execute(f"DELETE FROM {table} WHERE {OF_RANDOM}")


def downgrade() -> None:
    """Nothing to do: an earlier version computes them again too, if its own rules need it."""
