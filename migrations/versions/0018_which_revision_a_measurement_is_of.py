"""Add the revision to measurements, for leaderboards"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_ITS_JUDGINGS = (
    "UPDATE measurements SET revision_id = judgings.revision_id FROM judgings WHERE judgings.id = judging_id"
)


def upgrade() -> None:
    op.add_column("measurements", sa.Column("revision_id", sa.Uuid(), nullable=True))
    op.execute(_ITS_JUDGINGS)
    op.alter_column("measurements", "revision_id", nullable=False)
    op.create_index(op.f("ix_measurements_revision_id"), "measurements", ["revision_id"], unique=False)
    op.create_foreign_key(
        op.f("fk_measurements_revision_id_revisions"), "measurements", "revisions", ["revision_id"], ["id"]
    )


def downgrade() -> None:
    op.drop_constraint(op.f("fk_measurements_revision_id_revisions"), "measurements", type_="foreignkey")
    op.drop_index(op.f("ix_measurements_revision_id"), table_name="measurements")
    op.drop_column("measurements", "revision_id")
