"""Count the accepted submissions of each problem. They are unknown until the next count.

Revision ID: 0038
Revises: 0037
"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("solve_counts", sa.Column("accepted", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("solve_counts", "accepted")
