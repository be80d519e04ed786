"""Refuse new rows of erased users"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

OWNED = (
    "sessions",
    "tokens",
    "identities",
    "drafts",
    "hint_reveals",
    "solution_views",
    "quiz_attempts",
    "completions",
    "submissions",
)
# The lock makes it wait for a running erasure. A condition on erased_at in WHERE would lock no row.
_REFUSE = """
    CREATE FUNCTION refuse_erased_owner() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE erased timestamptz;
    BEGIN
        SELECT erased_at INTO erased FROM users WHERE id = NEW.user_id FOR KEY SHARE;
        IF erased IS NOT NULL THEN
            RAISE EXCEPTION 'the owner of this row of % was erased', TG_TABLE_NAME
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'living_owner';
        END IF;
        RETURN NEW;
    END $$
"""


def upgrade() -> None:
    op.execute(_REFUSE)
    for table in OWNED:
        op.execute(
            f"CREATE TRIGGER living_owner BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_erased_owner()"
        )


def downgrade() -> None:
    for table in OWNED:
        op.execute(f"DROP TRIGGER living_owner ON {table}")
    op.execute("DROP FUNCTION refuse_erased_owner()")
