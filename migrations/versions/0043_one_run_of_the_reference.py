"""The reference's cost is measured once for a variant on a machine."""

from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.execute("ALTER TABLE reference_measurements DROP COLUMN runs")


def downgrade() -> None:
    op.execute("ALTER TABLE reference_measurements ADD COLUMN runs integer NOT NULL DEFAULT 1")
    op.execute("ALTER TABLE reference_measurements ALTER COLUMN runs DROP DEFAULT")
