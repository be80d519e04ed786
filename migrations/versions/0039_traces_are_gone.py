"""Drop the trace of a judging's request"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("judgings", "traceparent")


def downgrade() -> None:
    op.add_column("judgings", sa.Column("traceparent", sa.Text(), nullable=True))
