"""Allow the channel retention in the audit log"""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_NAME = "ck_audit_events_channel"


def upgrade() -> None:
    op.drop_constraint(op.f(_NAME), "audit_events", type_="check")
    known = "channel IN ('page', 'api', 'command', 'worker', 'retention')"
    op.create_check_constraint(op.f(_NAME), "audit_events", known)


def downgrade() -> None:
    """Fails if the log has rows of retention, since the database refuses to change or remove rows."""
    op.drop_constraint(op.f(_NAME), "audit_events", type_="check")
    op.create_check_constraint(op.f(_NAME), "audit_events", "channel IN ('page', 'api', 'command', 'worker')")
