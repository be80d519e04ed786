"""Add cancellation and phases to judgings"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_BEFORE = (
    "'accepted', 'wrong_answer', 'requirement_not_met', 'runtime_error', 'time_limit_exceeded', "
    "'memory_limit_exceeded', 'output_limit_exceeded', 'invalid_submission', 'judge_error'"
)


def upgrade() -> None:
    op.add_column("judgings", sa.Column("phases", postgresql.JSONB(), nullable=True))
    for table in ("judgings", "case_results"):
        _allow(table, f"{_BEFORE}, 'cancelled'")


def downgrade() -> None:
    op.execute("UPDATE judgings SET verdict = 'judge_error', reason = 'cancelled' WHERE verdict = 'cancelled'")
    for table in ("judgings", "case_results"):
        _allow(table, _BEFORE)
    op.drop_column("judgings", "phases")


def _allow(table: str, verdicts: str) -> None:
    op.drop_constraint(op.f(f"ck_{table}_verdict"), table)
    op.create_check_constraint(op.f(f"ck_{table}_verdict"), table, f"verdict IN ({verdicts})")
