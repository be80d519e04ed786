"""Create the first tables"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

VERDICT = (
    "verdict IN ('accepted', 'wrong_answer', 'requirement_not_met', 'runtime_error', 'time_limit_exceeded', "
    "'memory_limit_exceeded', 'output_limit_exceeded', 'invalid_submission', 'judge_error')"
)


def upgrade() -> None:
    op.create_table(
        "problems",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("current_revision_id", sa.Uuid(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_problems")),
        sa.UniqueConstraint("slug", name=op.f("uq_problems_slug")),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("role IN ('student', 'author', 'admin')", name=op.f("ck_users_role")),
        sa.CheckConstraint("username ~ '^[a-z0-9_-]{3,32}$'", name=op.f("ck_users_username")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("username", name=op.f("uq_users_username")),
    )
    op.create_table(
        "revisions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("manifest", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("files", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("secret_seed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_revisions_problem_id_problems")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_revisions")),
        sa.UniqueConstraint("problem_id", "digest", name=op.f("uq_revisions_problem_id")),
        sa.UniqueConstraint("problem_id", "number", name="uq_revisions_problem_id_number"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sessions_token_hash")),
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_tokens_user_id_users"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_tokens_token_hash")),
    )
    op.create_index(op.f("ix_tokens_user_id"), "tokens", ["user_id"], unique=False)
    op.create_table(
        "expected_outputs",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("variant", sa.Integer(), nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("case_name", sa.Text(), nullable=False),
        sa.Column("inputs", sa.LargeBinary(), nullable=False),
        sa.Column("expected", sa.LargeBinary(), nullable=False),
        sa.Column("inputs_preview", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("expected_preview", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("versions", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("device IN ('cpu', 'gpu')", name=op.f("ck_expected_outputs_device")),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revisions.id"], name=op.f("fk_expected_outputs_revision_id_revisions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_expected_outputs")),
        sa.UniqueConstraint(
            "revision_id", "variant", "device", "case_name", name=op.f("uq_expected_outputs_revision_id")
        ),
    )
    op.create_table(
        "submissions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("variant", sa.Integer(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("request_digest", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("mode IN ('submit', 'sample')", name=op.f("ck_submissions_mode")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_submissions_problem_id_problems")),
        sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name=op.f("fk_submissions_revision_id_revisions")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_submissions_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("user_id", "idempotency_key", name=op.f("uq_submissions_user_id")),
    )
    op.create_index(op.f("ix_submissions_problem_id"), "submissions", ["problem_id"], unique=False)
    op.create_index(
        "ix_submissions_user_id_created_at",
        "submissions",
        ["user_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_table(
        "judgings",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("submission_id", sa.Uuid(), nullable=False),
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
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("image", sa.Text(), nullable=True),
        sa.Column("versions", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.CheckConstraint("(state = 'done') = (verdict IS NOT NULL)", name=op.f("ck_judgings_done_has_verdict")),
        sa.CheckConstraint("state <> 'judging' OR lease_until IS NOT NULL", name=op.f("ck_judgings_judging_has_lease")),
        sa.CheckConstraint("state IN ('queued', 'judging', 'done')", name=op.f("ck_judgings_state")),
        sa.CheckConstraint(VERDICT, name=op.f("ck_judgings_verdict")),
        sa.CheckConstraint("score BETWEEN 0 AND 100", name=op.f("ck_judgings_score")),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["submissions.id"],
            name=op.f("fk_judgings_submission_id_submissions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgings")),
    )
    op.create_index(
        "ix_judgings_claim",
        "judgings",
        ["queue", sa.literal_column("priority DESC"), "id"],
        unique=False,
        postgresql_where=sa.text("state IN ('queued', 'judging')"),
    )
    op.create_index(op.f("ix_judgings_submission_id"), "judgings", ["submission_id"], unique=False)
    op.create_table(
        "case_results",
        sa.Column("judging_id", sa.BigInteger(), nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("wall_seconds", sa.Double(), nullable=True),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=True),
        sa.Column("report", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.CheckConstraint(VERDICT, name=op.f("ck_case_results_verdict")),
        sa.CheckConstraint("visibility IN ('sample', 'hidden')", name=op.f("ck_case_results_visibility")),
        sa.ForeignKeyConstraint(
            ["judging_id"], ["judgings.id"], name=op.f("fk_case_results_judging_id_judgings"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("judging_id", "attempt", "position", name=op.f("pk_case_results")),
    )
    op.create_foreign_key(
        "fk_problems_current_revision_id_revisions", "problems", "revisions", ["current_revision_id"], ["id"]
    )


def downgrade() -> None:
    op.drop_constraint("fk_problems_current_revision_id_revisions", "problems")
    op.drop_table("case_results")
    op.drop_index(op.f("ix_judgings_submission_id"), table_name="judgings")
    op.drop_index(
        "ix_judgings_claim", table_name="judgings", postgresql_where=sa.text("state IN ('queued', 'judging')")
    )
    op.drop_table("judgings")
    op.drop_index("ix_submissions_user_id_created_at", table_name="submissions")
    op.drop_index(op.f("ix_submissions_problem_id"), table_name="submissions")
    op.drop_table("submissions")
    op.drop_table("expected_outputs")
    op.drop_index(op.f("ix_tokens_user_id"), table_name="tokens")
    op.drop_table("tokens")
    op.drop_index(op.f("ix_sessions_user_id"), table_name="sessions")
    op.drop_table("sessions")
    op.drop_table("revisions")
    op.drop_table("users")
    op.drop_table("problems")
