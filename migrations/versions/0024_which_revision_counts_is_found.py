"""Index current judgings by revision, and keep a decided rejudging's count"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_COUNTED = """
    UPDATE rejudgings SET judged = (
        SELECT count(*) FROM judgings
        WHERE rejudging_id = rejudgings.id AND state = 'done' AND verdict <> 'cancelled'
    )
    WHERE decision IS NOT NULL
"""


def upgrade() -> None:
    op.create_index(
        "ix_judgings_current_revision",
        "judgings",
        ["revision_id", "submission_id"],
        unique=False,
        postgresql_where=sa.text("is_current"),
    )
    op.drop_index(op.f("ix_judgings_revision_id"), table_name="judgings")
    op.add_column("rejudgings", sa.Column("judged", sa.Integer(), nullable=True))
    op.execute(_COUNTED)
    op.create_check_constraint(
        op.f("ck_rejudgings_decided_is_counted"), "rejudgings", "(decision IS NULL) = (judged IS NULL)"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("ck_rejudgings_decided_is_counted"), "rejudgings", type_="check")
    op.drop_column("rejudgings", "judged")
    op.create_index(op.f("ix_judgings_revision_id"), "judgings", ["revision_id"], unique=False)
    op.drop_index("ix_judgings_current_revision", table_name="judgings", postgresql_where=sa.text("is_current"))
