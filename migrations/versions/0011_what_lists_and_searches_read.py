"""Add the columns for lists and search, and the table of tracks"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

LISTING = (
    "manifest - ARRAY['statement', 'starter', 'parameters', 'returns', 'cases', 'tolerance', 'checkers', 'limits', "
    "'requirements', 'hints', 'quiz']"
)
WORDS = " || ' ' || ".join(f"coalesce(manifest ->> '{key}', '')" for key in ("tags", "frameworks", "entry_point"))
TEXTS = {
    "A": "coalesce(manifest ->> 'title', '')",
    "B": WORDS,
    "C": "coalesce(manifest ->> 'summary', '')",
    "D": "left(coalesce(manifest ->> 'statement', ''), 100000)",
}
SEARCH = " || ".join(
    f"setweight(to_tsvector('{language}', translate({text}, '_-./@<>&+=', '          ')), '{weight}')"
    for weight, text in TEXTS.items()
    for language in ("english", "simple")
)


def upgrade() -> None:
    json, vector = postgresql.JSONB(astext_type=sa.Text()), postgresql.TSVECTOR()
    op.add_column("revisions", sa.Column("listing", json, sa.Computed(LISTING, persisted=True), nullable=False))
    op.add_column("revisions", sa.Column("search", vector, sa.Computed(SEARCH, persisted=True), nullable=False))
    op.create_index("ix_revisions_search", "revisions", ["search"], postgresql_using="gin")
    op.create_table(
        "tracks",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_tracks")),
    )


def downgrade() -> None:
    op.drop_table("tracks")
    op.drop_index("ix_revisions_search", "revisions")
    op.drop_column("revisions", "search")
    op.drop_column("revisions", "listing")
