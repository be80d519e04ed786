"""Add custom inputs to submissions"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submissions", sa.Column("inputs", sa.Text(), nullable=True))
    op.create_check_constraint(
        op.f("ck_submissions_own_inputs_are_samples"), "submissions", "inputs IS NULL OR mode = 'sample'"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_submissions_own_inputs_are_samples"), "submissions")
    op.drop_column("submissions", "inputs")
