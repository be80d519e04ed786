"""Add verifications and publications"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "verifications",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("files", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("replaces", sa.Text(), nullable=True),
        sa.Column("publish", sa.Boolean(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("state", sa.Text(), server_default="queued", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.Column("max_attempts", sa.Integer(), server_default="3", nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("queued_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("step", sa.Text(), server_default="", nullable=False),
        sa.Column("step_done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("step_total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("report", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("revision_id", sa.Uuid(), nullable=True),
        sa.CheckConstraint("(state = 'done') = (verdict IS NOT NULL)", name=op.f("ck_verifications_done_has_verdict")),
        sa.CheckConstraint(
            "state <> 'verifying' OR lease_until IS NOT NULL", name=op.f("ck_verifications_verifying_has_lease")
        ),
        sa.CheckConstraint("state IN ('queued', 'verifying', 'done')", name=op.f("ck_verifications_state")),
        sa.CheckConstraint(
            "verdict = 'passed' OR revision_id IS NULL", name=op.f("ck_verifications_published_has_passed")
        ),
        sa.CheckConstraint("verdict IN ('passed', 'refused', 'failed')", name=op.f("ck_verifications_verdict")),
        sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name=op.f("fk_verifications_revision_id_revisions")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_verifications_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verifications")),
    )
    op.create_index(
        "ix_verifications_claim",
        "verifications",
        ["queue", sa.literal_column("priority DESC"), "queued_at"],
        unique=False,
        postgresql_where=sa.text("state IN ('queued', 'verifying')"),
    )
    op.create_index(
        "ix_verifications_slug_queued_at", "verifications", ["slug", sa.literal_column("queued_at DESC")], unique=False
    )
    op.create_index(
        "ix_verifications_user_id_queued_at",
        "verifications",
        ["user_id", sa.literal_column("queued_at DESC")],
        unique=False,
    )
    op.create_table(
        "publications",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=True),
        sa.Column("verification_id", sa.Uuid(), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_publications_problem_id_problems")),
        sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name=op.f("fk_publications_revision_id_revisions")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_publications_user_id_users")),
        sa.ForeignKeyConstraint(
            ["verification_id"], ["verifications.id"], name=op.f("fk_publications_verification_id_verifications")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_publications")),
    )
    op.create_index(op.f("ix_publications_problem_id"), "publications", ["problem_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_publications_problem_id"), table_name="publications")
    op.drop_table("publications")
    op.drop_index("ix_verifications_user_id_queued_at", table_name="verifications")
    op.drop_index("ix_verifications_slug_queued_at", table_name="verifications")
    op.drop_index(
        "ix_verifications_claim",
        table_name="verifications",
        postgresql_where=sa.text("state IN ('queued', 'verifying')"),
    )
    op.drop_table("verifications")
