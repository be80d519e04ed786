"""Add the trace and the cause of a judge error to judgings"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_CAUSE = r"""
    CASE
        WHEN reason IS NULL THEN NULL
        WHEN substring(reason FROM '.*(?:^|\n)attempt [0-9]+: ([^\n]+)') LIKE 'its worker % stopped beating'
        THEN 'WorkerLost: its worker stopped beating'
        ELSE left(regexp_replace(
            substring(reason FROM '.*(?:^|\n)attempt [0-9]+: ([^\n]+)'), '[0-9]+', '#', 'g'
        ), 300)
    END
"""


def upgrade() -> None:
    op.add_column("judgings", sa.Column("traceparent", sa.Text(), nullable=True))
    op.add_column("judgings", sa.Column("cause", sa.Text(), sa.Computed(_CAUSE, persisted=True), nullable=True))
    op.create_index(
        "ix_judgings_cause",
        "judgings",
        ["cause", sa.literal_column("finished_at DESC")],
        unique=False,
        postgresql_where=sa.text("verdict = 'judge_error'"),
    )


def downgrade() -> None:
    op.drop_index("ix_judgings_cause", table_name="judgings", postgresql_where=sa.text("verdict = 'judge_error'"))
    op.drop_column("judgings", "cause")
    op.drop_column("judgings", "traceparent")
