"""Visitors run the samples of a problem without an account. Such submissions have no user.

Revision ID: 0041
Revises: 0040
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.alter_column("submissions", "user_id", nullable=True)
    op.create_check_constraint("visitors_run_samples", "submissions", "user_id IS NOT NULL OR mode = 'sample'")


def downgrade() -> None:
    op.execute("DELETE FROM submissions WHERE user_id IS NULL")
    op.drop_constraint(op.f("ck_submissions_visitors_run_samples"), "submissions")
    op.alter_column("submissions", "user_id", nullable=False)
