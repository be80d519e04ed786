"""Times are compared with the reference's, by size of the inputs.

Revision ID: 0030
Revises: 0026
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0030"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("judgings", sa.Column("times", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("judgings", "times")
