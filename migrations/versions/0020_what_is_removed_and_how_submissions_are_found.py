"""Add retention, and index submissions by time"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "retention_runs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("removed", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retention_runs")),
    )
    op.create_index(op.f("ix_retention_runs_started_at"), "retention_runs", ["started_at"], unique=False)
    op.create_index(
        "ix_submissions_problem_id_created_at",
        "submissions",
        ["problem_id", sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.drop_index("ix_submissions_problem_id", table_name="submissions")
    op.create_index(
        "ix_judgings_verdict",
        "judgings",
        ["verdict", "submission_id"],
        unique=False,
        postgresql_where=sa.text("is_current"),
    )


def downgrade() -> None:
    op.drop_index("ix_judgings_verdict", table_name="judgings", postgresql_where=sa.text("is_current"))
    op.create_index("ix_submissions_problem_id", "submissions", ["problem_id"], unique=False)
    op.drop_index("ix_submissions_problem_id_created_at", table_name="submissions")
    op.drop_index(op.f("ix_retention_runs_started_at"), table_name="retention_runs")
    op.drop_table("retention_runs")
