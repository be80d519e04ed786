"""Index ended rows for retention"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_OPEN = sa.text("used_at IS NULL AND revoked_at IS NULL")


def upgrade() -> None:
    op.create_index("ix_invitations_open", "invitations", ["expires_at"], unique=False, postgresql_where=_OPEN)
    ended: sa.ColumnElement[object] = sa.literal_column("LEAST(used_at, revoked_at, expires_at)")
    op.create_index("ix_invitations_ended", "invitations", [ended], unique=False)
    op.create_index("ix_tokens_ended", "tokens", [sa.literal_column("LEAST(revoked_at, expires_at)")], unique=False)
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_sessions_expires_at"), table_name="sessions")
    op.drop_index("ix_tokens_ended", table_name="tokens")
    op.drop_index("ix_invitations_ended", table_name="invitations")
    op.drop_index("ix_invitations_open", table_name="invitations", postgresql_where=_OPEN)
