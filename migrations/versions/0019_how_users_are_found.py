"""Index users by name, role and last activity"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_WORDS = "to_tsvector('simple', translate((username || ' ') || coalesce(email, ''), '@._-', '    '))"


def upgrade() -> None:
    op.create_index("ix_users_words", "users", [sa.literal_column(_WORDS)], unique=False, postgresql_using="gin")
    op.create_index(
        "ix_users_role_created_at", "users", ["role", sa.literal_column("created_at DESC"), "id"], unique=False
    )
    op.create_index(
        "ix_users_away",
        "users",
        [sa.literal_column("created_at DESC"), "id"],
        unique=False,
        postgresql_where=sa.text("NOT is_active"),
    )


def downgrade() -> None:
    op.drop_index("ix_users_away", table_name="users", postgresql_where=sa.text("NOT is_active"))
    op.drop_index("ix_users_role_created_at", table_name="users")
    op.drop_index("ix_users_words", table_name="users", postgresql_using="gin")
