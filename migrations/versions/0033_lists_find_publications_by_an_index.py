"""Lists of problems and revisions find the last publication and verification of each in an index.

Revision ID: 0033
Revises: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

IS_PUBLISHED = "revision_id IS NOT NULL"


def upgrade() -> None:
    op.drop_index("ix_publications_problem_id", "publications")
    op.create_index("ix_publications_problem_id_id", "publications", ["problem_id", "id"])
    op.create_index("ix_publications_revision_id_id", "publications", ["revision_id", "id"])
    op.create_index(
        "ix_verifications_revision_id_queued_at",
        "verifications",
        ["revision_id", sa.text("queued_at DESC")],
        postgresql_where=sa.text(IS_PUBLISHED),
    )


def downgrade() -> None:
    op.drop_index("ix_verifications_revision_id_queued_at", "verifications")
    op.drop_index("ix_publications_revision_id_id", "publications")
    op.drop_index("ix_publications_problem_id_id", "publications")
    op.create_index("ix_publications_problem_id", "publications", ["problem_id"])
