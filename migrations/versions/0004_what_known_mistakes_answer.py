"""Add the outputs of known mistakes"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mistake_outputs",
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("variant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("mistake", sa.Text(), nullable=False),
        sa.Column("answers", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("device IN ('cpu', 'gpu')", name=op.f("ck_mistake_outputs_device")),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revisions.id"], name=op.f("fk_mistake_outputs_revision_id_revisions")
        ),
        sa.PrimaryKeyConstraint("revision_id", "variant", "device", "mistake", name=op.f("pk_mistake_outputs")),
    )
    op.add_column("judgings", sa.Column("hint", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("judgings", "hint")
    op.drop_table("mistake_outputs")
