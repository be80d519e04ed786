"""A revision keeps what its package's samples are and answer, as recorded beside the package, for display and hints.

Revision ID: 0035
Revises: 0034
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("revisions", sa.Column("samples", JSONB()))


def downgrade() -> None:
    op.drop_column("revisions", "samples")
