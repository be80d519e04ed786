"""Times are compared with the reference's, by size of the inputs.

Revision ID: 0029
Revises: 0028
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("judgings", sa.Column("times", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("judgings", "times")
