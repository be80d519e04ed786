"""Add bookmarks, private notes, and the counts of who tried and solved each problem

Revision ID: 0027
Revises: 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

OWNED = ("bookmarks", "notes")


def upgrade() -> None:
    op.create_table(
        "bookmarks",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("bookmarked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        *_owners("bookmarks"),
        sa.PrimaryKeyConstraint("user_id", "problem_id", name=op.f("pk_bookmarks")),
    )
    op.create_table(
        "notes",
        sa.Column("user_id", sa.Uuid(), nullable=False),
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("version", sa.Uuid(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        *_owners("notes"),
        sa.PrimaryKeyConstraint("user_id", "problem_id", name=op.f("pk_notes")),
    )
    op.create_table(
        "solve_counts",
        sa.Column("problem_id", sa.Uuid(), nullable=False),
        sa.Column("submissions", sa.Integer(), nullable=False),
        sa.Column("students", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.Column("counted_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        _reference("solve_counts", "problem"),
        sa.PrimaryKeyConstraint("problem_id", name=op.f("pk_solve_counts")),
    )
    for table in OWNED:
        op.execute(
            f"CREATE TRIGGER living_owner BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_erased_owner()"
        )


def _owners(table: str) -> tuple[sa.ForeignKeyConstraint, ...]:
    return (_reference(table, "user"), _reference(table, "problem"))


def _reference(table: str, one: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{one}_id_{one}s")
    return sa.ForeignKeyConstraint([f"{one}_id"], [f"{one}s.id"], name=name, ondelete="CASCADE")


def downgrade() -> None:
    for table in ("solve_counts", "notes", "bookmarks"):
        op.drop_table(table)
