"""Store the HTML of questions and answers.

Revision ID: 0036
Revises: 0035
"""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("posts", sa.Column("html", sa.Text(), server_default="", nullable=False))
    op.add_column("posts", sa.Column("html_without_code", sa.Text(), nullable=True))
    op.add_column("posts", sa.Column("rendered_by", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("posts", "rendered_by")
    op.drop_column("posts", "html_without_code")
    op.drop_column("posts", "html")
