"""Add shared solutions, questions with answers, and reports.

Revision ID: 0028
Revises: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

OWNED = ("shared_solutions", "posts", "reports")


def upgrade() -> None:
    _create_shared_solutions()
    _create_posts()
    _create_reports()
    for table in OWNED:
        # An edit of a post must not bring back the text of an erased user.
        acts = "INSERT OR UPDATE OF body" if table == "posts" else "INSERT"
        op.execute(
            f"CREATE TRIGGER living_owner BEFORE {acts} ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_erased_owner()"
        )


def _create_shared_solutions() -> None:
    op.create_table(
        "shared_solutions",
        sa.Column("submission_id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("shared_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("hidden_at", sa.DateTime(timezone=True), nullable=True),
        _reference("shared_solutions", "submission_id", "submissions", cascade=True),
        _reference("shared_solutions", "user_id", "users"),
        _reference("shared_solutions", "problem_id", "problems", cascade=True),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_shared_solutions")),
    )
    newest: list[str | sa.TextClause] = ["problem_id", sa.text("shared_at DESC"), sa.text("submission_id DESC")]
    op.create_index("ix_shared_solutions_problem_id", "shared_solutions", newest)
    op.create_index("ix_shared_solutions_user_id", "shared_solutions", ["user_id", "problem_id"])


def _create_posts() -> None:
    op.create_table(
        "posts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("question_id", sa.Uuid(), nullable=True),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("is_spoiler", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        *(
            sa.Column(name, sa.DateTime(timezone=True), nullable=True)
            for name in ("edited_at", "deleted_at", "hidden_at", "locked_at", "seen_at")
        ),
        sa.CheckConstraint("(question_id IS NULL) OR (title = '' AND locked_at IS NULL)", name=op.f("ck_posts_answer")),
        _reference("posts", "problem_id", "problems", cascade=True),
        _reference("posts", "question_id", "posts", cascade=True),
        _reference("posts", "user_id", "users"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_posts")),
    )
    op.create_index(
        "ix_posts_questions",
        "posts",
        ["problem_id", sa.text("created_at DESC"), sa.text("id DESC")],
        postgresql_where=sa.text("question_id IS NULL"),
    )
    op.create_index(
        "ix_posts_answers",
        "posts",
        ["question_id", "created_at", "id"],
        postgresql_where=sa.text("question_id IS NOT NULL"),
    )
    op.create_index("ix_posts_user_id_created_at", "posts", ["user_id", sa.text("created_at DESC")])


def _create_reports() -> None:
    op.create_table(
        "reports",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("post_id", sa.Uuid(), nullable=True),
        sa.Column("submission_id", sa.Uuid(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("num_nonnulls(post_id, submission_id) = 1", name=op.f("ck_reports_entry")),
        _reference("reports", "user_id", "users"),
        _reference("reports", "post_id", "posts", cascade=True),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["shared_solutions.submission_id"],
            name=op.f("fk_reports_submission_id_shared_solutions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reports")),
    )
    op.create_index("uq_reports_post_id_user_id", "reports", ["post_id", "user_id"], unique=True)
    op.create_index("uq_reports_submission_id_user_id", "reports", ["submission_id", "user_id"], unique=True)
    op.create_index("ix_reports_user_id_created_at", "reports", ["user_id", sa.text("created_at DESC")])
    op.create_index(
        "ix_reports_open",
        "reports",
        [sa.text("created_at DESC"), sa.text("id DESC")],
        postgresql_where=sa.text("closed_at IS NULL"),
    )


def _reference(table: str, column: str, other: str, *, cascade: bool = False) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{other}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete="CASCADE" if cascade else None)


def downgrade() -> None:
    for table in reversed(OWNED):
        op.drop_table(table)
