"""Add revealed hints, viewed solutions, quiz attempts and completions"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "hint_reveals",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("revealed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("number >= 1", name=op.f("ck_hint_reveals_number")),
        *_references("hint_reveals"),
        sa.PrimaryKeyConstraint("user_id", "problem_id", "number", name=op.f("pk_hint_reveals")),
    )
    op.create_table(
        "solution_views",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("shown_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        *_references("solution_views"),
        sa.PrimaryKeyConstraint("user_id", "problem_id", name=op.f("pk_solution_views")),
    )
    op.create_table(
        "quiz_attempts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("revision_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        *_references("quiz_attempts"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quiz_attempts")),
        sa.UniqueConstraint("user_id", "problem_id", "number", name=op.f("uq_quiz_attempts_user_id_problem_id_number")),
    )
    op.create_table(
        "quiz_answers",
        sa.Column("attempt_id", sa.Uuid(), nullable=False),
        sa.Column("question", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("choice", sa.Integer(), nullable=False),
        sa.Column("is_right", sa.Boolean(), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("question >= 0 AND choice >= 0", name=op.f("ck_quiz_answers_indices")),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["quiz_attempts.id"],
            name=op.f("fk_quiz_answers_attempt_id_quiz_attempts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("attempt_id", "question", name=op.f("pk_quiz_answers")),
    )
    op.create_table(
        "completions",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        *_owners("completions"),
        sa.PrimaryKeyConstraint("user_id", "problem_id", name=op.f("pk_completions")),
    )


def _references(table: str) -> tuple[sa.ForeignKeyConstraint, ...]:
    name = op.f(f"fk_{table}_revision_id_revisions")
    return (*_owners(table), sa.ForeignKeyConstraint(["revision_id"], ["revisions.id"], name=name))


def _owners(table: str) -> tuple[sa.ForeignKeyConstraint, ...]:
    return tuple(
        sa.ForeignKeyConstraint(
            [f"{one}_id"], [f"{one}s.id"], name=op.f(f"fk_{table}_{one}_id_{one}s"), ondelete="CASCADE"
        )
        for one in ("user", "problem")
    )


def downgrade() -> None:
    for table in ("completions", "quiz_answers", "quiz_attempts", "solution_views", "hint_reveals"):
        op.drop_table(table)
