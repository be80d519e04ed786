"""A worker's row says why it can't open boxes now.

Revision ID: 0037
Revises: 0036
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("box_failure", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("workers", "box_failure")
