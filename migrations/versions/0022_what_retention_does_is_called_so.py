"""In the audit log, what retention does by itself is called so"""

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
    """For a log that has nothing of retention: its rows are never changed or removed."""
    op.drop_constraint(op.f(_NAME), "audit_events", type_="check")
    op.create_check_constraint(op.f(_NAME), "audit_events", "channel IN ('page', 'api', 'command', 'worker')")
