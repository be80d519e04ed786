"""Reports of a shared solution stay when its user withdraws it.

Revision ID: 0032
Revises: 0031
"""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

OF_SHARED = "fk_reports_submission_id_shared_solutions"
OF_SUBMISSION = "fk_reports_submission_id_submissions"


def upgrade() -> None:
    op.drop_constraint(OF_SHARED, "reports")
    op.create_foreign_key(OF_SUBMISSION, "reports", "submissions", ["submission_id"], ["id"], ondelete="CASCADE")


def downgrade() -> None:
    op.execute(
        "DELETE FROM reports WHERE submission_id IS NOT NULL"
        " AND submission_id NOT IN (SELECT submission_id FROM shared_solutions)"
    )
    op.drop_constraint(OF_SUBMISSION, "reports")
    op.create_foreign_key(
        OF_SHARED, "reports", "shared_solutions", ["submission_id"], ["submission_id"], ondelete="CASCADE"
    )
