"""Indexes find the last report that a package passed with, and the problems that an author has published.

Revision ID: 0034
Revises: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_verifications_passed",
        "verifications",
        ["slug", "digest", sa.text("finished_at DESC")],
        postgresql_where=sa.text("verdict = 'passed'"),
    )
    op.create_index("ix_publications_user_id_problem_id", "publications", ["user_id", "problem_id"])


def downgrade() -> None:
    op.drop_index("ix_publications_user_id_problem_id", "publications")
    op.drop_index("ix_verifications_passed", "verifications")
