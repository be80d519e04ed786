"""Number case results in order of arrival"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("case_results", sa.Column("sequence", sa.Integer(), nullable=True))
    op.execute("UPDATE case_results SET sequence = position")
    op.alter_column("case_results", "sequence", nullable=False)


def downgrade() -> None:
    op.drop_column("case_results", "sequence")
