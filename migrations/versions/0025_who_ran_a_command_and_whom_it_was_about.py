"""Add the operator and the subject to audit events"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

# With a lower limit no page is usable, not even the one that changes the limit.
_WORKABLE = """
    UPDATE policy SET value = '60', changed_at = changed_at
    WHERE name = 'requests_per_minute' AND (value #>> '{}')::int < 60
"""


def upgrade() -> None:
    op.add_column("audit_events", sa.Column("operator", sa.Text(), nullable=True))
    op.add_column("audit_events", sa.Column("subject_id", sa.Uuid(), nullable=True))
    op.create_foreign_key(op.f("fk_audit_events_subject_id_users"), "audit_events", "users", ["subject_id"], ["id"])
    op.create_index("ix_audit_events_subject_id_id", "audit_events", ["subject_id", sa.literal_column("id DESC")])
    op.create_index("ix_audit_events_channel_id", "audit_events", ["channel", sa.literal_column("id DESC")])
    op.execute(_WORKABLE)


def downgrade() -> None:
    op.drop_index("ix_audit_events_channel_id", table_name="audit_events")
    op.drop_index("ix_audit_events_subject_id_id", table_name="audit_events")
    op.drop_constraint(op.f("fk_audit_events_subject_id_users"), "audit_events", type_="foreignkey")
    op.drop_column("audit_events", "subject_id")
    op.drop_column("audit_events", "operator")
