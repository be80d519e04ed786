"""Add measurements, and the users' choice to be on leaderboards"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("is_ranked", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.create_table(
        "measurements",
        sa.Column("judging_id", sa.BigInteger(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("wall_seconds", sa.Float(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("measured_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("wall_seconds > 0", name=op.f("ck_measurements_wall_seconds")),
        sa.ForeignKeyConstraint(
            ["judging_id"], ["judgings.id"], name=op.f("fk_measurements_judging_id_judgings"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("judging_id", name=op.f("pk_measurements")),
    )
    op.create_table(
        "reference_measurements",
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("variant", sa.Integer(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("wall_seconds", sa.Float(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("wall_seconds > 0", name=op.f("ck_reference_measurements_wall_seconds")),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revisions.id"], name=op.f("fk_reference_measurements_revision_id_revisions")
        ),
        sa.PrimaryKeyConstraint("revision_id", "variant", "machine", name=op.f("pk_reference_measurements")),
    )
    op.create_index("ix_submissions_revision_id", "submissions", ["revision_id"])


def downgrade() -> None:
    op.drop_index("ix_submissions_revision_id", "submissions")
    op.drop_table("reference_measurements")
    op.drop_table("measurements")
    op.drop_column("users", "is_ranked")
