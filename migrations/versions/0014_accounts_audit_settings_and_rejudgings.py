"""Add invitations, sign-in identities, audit log, settings, rejudgings and worker states"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_ON_ITS_OWN_REVISION = """
    UPDATE judgings SET revision_id = submissions.revision_id FROM submissions WHERE submissions.id = submission_id
"""
_THE_LATEST_COUNTS = """
    UPDATE judgings SET is_current = true WHERE id IN (SELECT max(id) FROM judgings GROUP BY submission_id)
"""
_REFUSE = """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME; END $$
"""
_ONLY_EVER_ADDED = """
    CREATE TRIGGER only_ever_added BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
"""


def upgrade() -> None:
    op.create_table(
        "server_keys",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_server_keys")),
    )
    op.create_table(
        "audit_events",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("actor_id", sa.Uuid(), nullable=True),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target_kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("after", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.CheckConstraint("channel IN ('page', 'api', 'command', 'worker')", name=op.f("ck_audit_events_channel")),
        sa.ForeignKeyConstraint(["actor_id"], ["users.id"], name=op.f("fk_audit_events_actor_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_events")),
    )
    op.execute(_REFUSE)
    op.execute(_ONLY_EVER_ADDED)
    op.create_index("ix_audit_events_action_id", "audit_events", ["action", sa.literal_column("id DESC")], unique=False)
    op.create_index(
        "ix_audit_events_actor_id_id", "audit_events", ["actor_id", sa.literal_column("id DESC")], unique=False
    )
    op.create_index(op.f("ix_audit_events_at"), "audit_events", ["at"], unique=False)
    op.create_index(
        "ix_audit_events_target_kind_target_id",
        "audit_events",
        ["target_kind", "target", sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_identities_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identities")),
    )
    op.create_index(op.f("ix_identities_user_id"), "identities", ["user_id"], unique=False)
    op.create_table(
        "invitations",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_by", sa.Uuid(), nullable=True),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('student', 'author', 'admin')", name=op.f("ck_invitations_role")),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_invitations_created_by_users")),
        sa.ForeignKeyConstraint(["used_by"], ["users.id"], name=op.f("fk_invitations_used_by_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    op.create_table(
        "policy",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("changed_by", sa.Uuid(), nullable=True),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["changed_by"], ["users.id"], name=op.f("fk_policy_changed_by_users")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_policy")),
    )
    op.create_table(
        "rejudgings",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("created_by", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("chosen", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("onto", sa.Text(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.Uuid(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("request_digest", sa.Text(), nullable=True),
        sa.CheckConstraint("decision IN ('applied', 'cancelled')", name=op.f("ck_rejudgings_decision")),
        sa.CheckConstraint("onto IN ('own', 'current')", name=op.f("ck_rejudgings_onto")),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"], name=op.f("fk_rejudgings_created_by_users")),
        sa.ForeignKeyConstraint(["decided_by"], ["users.id"], name=op.f("fk_rejudgings_decided_by_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rejudgings")),
        sa.UniqueConstraint("created_by", "idempotency_key", name="uq_rejudgings_created_by"),
    )
    op.create_index(
        "ix_rejudgings_created_at", "rejudgings", [sa.literal_column("created_at DESC"), "id"], unique=False
    )
    op.add_column("judgings", sa.Column("revision_id", sa.Uuid(), nullable=True))
    op.add_column("judgings", sa.Column("is_current", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.execute(_ON_ITS_OWN_REVISION)
    op.execute(_THE_LATEST_COUNTS)
    op.alter_column("judgings", "revision_id", nullable=False)
    op.alter_column("judgings", "is_current", server_default=sa.text("true"))
    op.add_column("judgings", sa.Column("rejudging_id", sa.Uuid(), nullable=True))
    op.add_column("judgings", sa.Column("replaces_id", sa.BigInteger(), nullable=True))
    op.add_column("judgings", sa.Column("request_id", sa.Text(), nullable=True))
    op.create_index(
        "ix_judgings_judge_error",
        "judgings",
        [sa.literal_column("finished_at DESC")],
        unique=False,
        postgresql_where=sa.text("verdict = 'judge_error'"),
    )
    op.create_index(
        "ix_judgings_rejudging_id",
        "judgings",
        ["rejudging_id", "id"],
        unique=False,
        postgresql_where=sa.text("rejudging_id IS NOT NULL"),
    )
    op.create_index(op.f("ix_judgings_revision_id"), "judgings", ["revision_id"], unique=False)
    op.create_index(
        "uq_judgings_current", "judgings", ["submission_id"], unique=True, postgresql_where=sa.text("is_current")
    )
    op.create_foreign_key(op.f("fk_judgings_revision_id_revisions"), "judgings", "revisions", ["revision_id"], ["id"])
    op.create_foreign_key(
        op.f("fk_judgings_rejudging_id_rejudgings"),
        "judgings",
        "rejudgings",
        ["rejudging_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.add_column("sessions", sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("sessions", sa.Column("address", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("browser", sa.Text(), nullable=True))
    op.create_index(
        "ix_submissions_created_at_id",
        "submissions",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.add_column("tokens", sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=True))
    op.add_column("tokens", sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("users", sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True))
    op.alter_column("users", "password_hash", existing_type=sa.TEXT(), nullable=True)
    op.create_index("ix_users_created_at", "users", [sa.literal_column("created_at DESC"), "id"], unique=False)
    op.create_index("ix_users_email", "users", [sa.literal_column("lower(email)")], unique=False)
    op.add_column("workers", sa.Column("is_draining", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column(
        "workers", sa.Column("boxes", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False)
    )
    op.add_column("workers", sa.Column("metrics", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("workers", "metrics")
    op.drop_column("workers", "boxes")
    op.drop_column("workers", "is_draining")
    op.drop_index("ix_users_email", table_name="users")
    op.drop_index("ix_users_created_at", table_name="users")
    op.execute("UPDATE users SET password_hash = '!' WHERE password_hash IS NULL")
    op.alter_column("users", "password_hash", existing_type=sa.TEXT(), nullable=False)
    op.drop_column("users", "erased_at")
    op.drop_column("tokens", "expires_at")
    op.drop_column("tokens", "scopes")
    op.drop_index("ix_submissions_created_at_id", table_name="submissions")
    op.drop_column("sessions", "browser")
    op.drop_column("sessions", "address")
    op.drop_column("sessions", "last_seen_at")
    op.drop_constraint(op.f("fk_judgings_rejudging_id_rejudgings"), "judgings", type_="foreignkey")
    op.drop_constraint(op.f("fk_judgings_revision_id_revisions"), "judgings", type_="foreignkey")
    op.drop_index("uq_judgings_current", table_name="judgings", postgresql_where=sa.text("is_current"))
    op.drop_index(op.f("ix_judgings_revision_id"), table_name="judgings")
    op.drop_index(
        "ix_judgings_rejudging_id", table_name="judgings", postgresql_where=sa.text("rejudging_id IS NOT NULL")
    )
    op.drop_index("ix_judgings_judge_error", table_name="judgings", postgresql_where=sa.text("verdict = 'judge_error'"))
    op.execute("DELETE FROM judgings WHERE NOT is_current AND rejudging_id IS NOT NULL")
    op.drop_column("judgings", "request_id")
    op.drop_column("judgings", "replaces_id")
    op.drop_column("judgings", "rejudging_id")
    op.drop_column("judgings", "is_current")
    op.drop_column("judgings", "revision_id")
    op.drop_index("ix_rejudgings_created_at", table_name="rejudgings")
    op.drop_table("rejudgings")
    op.drop_table("policy")
    op.drop_table("invitations")
    op.drop_index(op.f("ix_identities_user_id"), table_name="identities")
    op.drop_table("identities")
    op.drop_index("ix_audit_events_target_kind_target_id", table_name="audit_events")
    op.drop_index(op.f("ix_audit_events_at"), table_name="audit_events")
    op.drop_index("ix_audit_events_actor_id_id", table_name="audit_events")
    op.drop_index("ix_audit_events_action_id", table_name="audit_events")
    op.drop_table("audit_events")
    op.execute("DROP FUNCTION refuse_change")
    op.drop_table("server_keys")
