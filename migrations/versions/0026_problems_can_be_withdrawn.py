"""Problems can be drafts, unlisted or withdrawn.

Revision ID: 0026
Revises: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("problems", sa.Column("availability", sa.Text(), server_default="listed", nullable=False))
    op.create_check_constraint(
        op.f("ck_problems_availability"),
        "problems",
        "availability IN ('draft', 'unlisted', 'listed', 'withdrawn')",
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_problems_availability"), "problems", type_="check")
    op.drop_column("problems", "availability")
