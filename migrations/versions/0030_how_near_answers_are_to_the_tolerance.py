"""Case results keep the share of the tolerance that the answer used, for authors' statistics.

Revision ID: 0030
Revises: 0029
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("case_results", sa.Column("tolerance_used", sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column("case_results", "tolerance_used")
