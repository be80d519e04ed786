"""A verification keeps the availability that the problem gets with it.

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("verifications", sa.Column("availability", sa.Text(), nullable=True))
    op.create_check_constraint(
        "availability", "verifications", "availability IN ('draft', 'unlisted', 'listed', 'withdrawn')"
    )


def downgrade() -> None:
    op.drop_column("verifications", "availability")
