"""Add drafts"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "drafts",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("version", sa.Uuid(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("other_source", sa.Text(), nullable=True),
        sa.Column("other_saved_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("(other_source IS NULL) = (other_saved_at IS NULL)", name=op.f("ck_drafts_other_has_time")),
        sa.ForeignKeyConstraint(
            ["problem_id"], ["problems.id"], name=op.f("fk_drafts_problem_id_problems"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_drafts_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", "problem_id", name=op.f("pk_drafts")),
    )


def downgrade() -> None:
    op.drop_table("drafts")
