"""Index the judgings that workers hold"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_judgings_held",
        "judgings",
        ["lease_until"],
        unique=False,
        postgresql_where=sa.text("state = 'judging'"),
    )


def downgrade() -> None:
    op.drop_index("ix_judgings_held", table_name="judgings", postgresql_where=sa.text("state = 'judging'"))
