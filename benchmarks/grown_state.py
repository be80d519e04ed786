"""Stored rows of one user that grow, and stored texts that are hard to show.

`:low` and `:high` are the numbers of the rows to add, `:who` is the user who owns them.
"""

from collections.abc import Iterator, Mapping
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from benchmarks import growing_text as grown
from benchmarks.growing_text import Make
from tests.large.fill import PROBLEM_SLUG

# Problems are large. So there is one for this many submissions.
SUBMISSIONS_PER_PROBLEM = 16
_PLACE = f"""(SELECT problem_id, revisions.id AS revision_id, manifest, secret_seed FROM problems
    JOIN revisions ON revisions.id = current_revision_id WHERE slug = '{PROBLEM_SLUG}') place"""
# A text of letters that differs for each number, since causes leave the digits out.
_LETTERS = "translate(md5(n::text), '0123456789', 'ghijklmnop')"
STATEMENTS = (
    """INSERT INTO users (id, username, password_hash, role) SELECT gen_random_uuid(), 'grown-user-' || n, '!', 'author'
        FROM generate_series(:low, :high) n""",
    f"""WITH sent AS (
        INSERT INTO submissions (id, user_id, problem_id, revision_id, source, mode, variant, created_at)
        SELECT gen_random_uuid(), :who, problem_id, revision_id, repeat(format(E'x = %s\\n', n), 20), 'submit', n % 2,
            now() - interval '1 minute' * n FROM generate_series(:low, :high) n, {_PLACE}
        RETURNING id, revision_id, abs(hashtext(id::text)) AS n
    ), judged AS (
        INSERT INTO judgings (submission_id, revision_id, queue, priority, state, attempt, worker, queued_at,
            started_at, finished_at, verdict, score, reason, phases, image, versions)
        SELECT id, revision_id, 'cpu', 0, 'done', 1, 'host:1', now(), now(), now(),
            CASE WHEN n % 4 = 0 THEN 'judge_error' WHEN n % 4 = 1 THEN 'accepted' ELSE 'wrong_answer' END,
            CASE WHEN n % 4 = 1 THEN 100 WHEN n % 4 > 1 THEN 0 END,
            CASE WHEN n % 4 = 0 THEN 'attempt 3: BoxLost: ' || {_LETTERS} END, '[]', 'test', '{{}}' FROM sent
        RETURNING id, revision_id, verdict
    ) INSERT INTO measurements (judging_id, revision_id, machine, wall_seconds, memory_bytes)
        SELECT id, revision_id, 'this', random(), 1000000 FROM judged WHERE verdict = 'accepted'""",
    """INSERT INTO sessions (id, user_id, token_hash, created_at, expires_at, last_seen_at, address, browser)
        SELECT gen_random_uuid(), :who, uuid_send(gen_random_uuid()), now(), now() - interval '1 hour', now(),
            '192.0.2.1', 'Firefox on Linux' FROM generate_series(:low, :high) n""",
    """INSERT INTO tokens (id, user_id, name, token_hash, created_at, revoked_at)
        SELECT gen_random_uuid(), :who, 'laptop', uuid_send(gen_random_uuid()), now(), now()
        FROM generate_series(:low, :high) n""",
    """INSERT INTO invitations (id, token_hash, role, note, created_by, created_at, expires_at)
        SELECT gen_random_uuid(), uuid_send(gen_random_uuid()), 'author', 'for the summer', :who, now(),
            now() + interval '1 day' FROM generate_series(:low, :high) n""",
    """INSERT INTO audit_events (at, actor_id, channel, action, target_kind, target, before, after, address)
        SELECT now(), :who, 'page', 'token.created', 'token', gen_random_uuid()::text, '{}', '{}', '192.0.2.1'
        FROM generate_series(:low, :high) n""",
    """INSERT INTO rejudgings (id, created_by, created_at, note, chosen, onto, total, judged, decision, decided_by,
            decided_at) SELECT gen_random_uuid(), :who, now(), 'again', '{}', 'current', 1, 1, 'cancelled', :who, now()
        FROM generate_series(:low, :high) n""",
    f"""INSERT INTO verifications (id, user_id, slug, files, digest, publish, queue, state, attempt, queued_at,
            started_at, finished_at, verdict)
        SELECT gen_random_uuid(), :who, '{PROBLEM_SLUG}', '{{"statement.md": "x"}}', n::text, true, 'cpu', 'done', 1,
            now(), now(), now(), 'refused' FROM generate_series(:low, :high) n""",
    f"""WITH made AS (
        INSERT INTO revisions (id, problem_id, number, digest, manifest, files, secret_seed)
        SELECT gen_random_uuid(), problem_id, 1000 + n, 'grown-' || n, manifest, '{{"statement.md": "x"}}', secret_seed
        FROM generate_series(:low, :high) n, {_PLACE} WHERE n % {SUBMISSIONS_PER_PROBLEM} = 0 RETURNING id, problem_id
    ) INSERT INTO publications (problem_id, revision_id, user_id) SELECT problem_id, id, :who FROM made""",
    f"""WITH slugs AS (
        INSERT INTO problems (id, slug) SELECT gen_random_uuid(), 'grown_' || n FROM generate_series(:low, :high) n
        WHERE n % {SUBMISSIONS_PER_PROBLEM} = 0 RETURNING id
    ), made AS (
        INSERT INTO revisions (id, problem_id, number, digest, manifest, files, secret_seed)
        SELECT gen_random_uuid(), slugs.id, 1, slugs.id::text, manifest, '{{"statement.md": "x"}}', secret_seed
        FROM slugs, {_PLACE} RETURNING id, problem_id
    ), publish AS (INSERT INTO publications (problem_id, revision_id, user_id) SELECT problem_id, id, :who FROM made)
    INSERT INTO drafts (user_id, problem_id, source, version)
        SELECT :who, problem_id, 'def solve(): ...', gen_random_uuid() FROM made""",
    """UPDATE problems SET current_revision_id = revisions.id FROM revisions
        WHERE revisions.problem_id = problems.id AND current_revision_id IS NULL""",
    f"""WITH tried AS (
        INSERT INTO quiz_attempts (id, user_id, problem_id, revision_id, number)
        SELECT gen_random_uuid(), :who, problem_id, revision_id, 10 + n FROM generate_series(:low, :high) n, {_PLACE}
        RETURNING id
    ) INSERT INTO quiz_answers (attempt_id, question, choice, is_right) SELECT id, 0, 0, false FROM tried""",
    """INSERT INTO workers SELECT made.* FROM (SELECT to_jsonb(workers) AS facts FROM workers LIMIT 1) old,
        generate_series(:low, :high) n, LATERAL jsonb_populate_record(NULL::workers, facts ||
            jsonb_build_object('id', gen_random_uuid(), 'name', 'grown-' || n)) made""",
)


def add_rows(session: Session, who: UUID, low: int, high: int) -> None:
    """Add the rows with these numbers."""
    for statement in STATEMENTS:
        filled = statement.replace(":low", str(low)).replace(":high", str(high)).replace(":who", f"'{who}'")
        session.execute(text(filled.replace("::", r"\:\:")))


# The page or endpoint that shows a stored text: `:new` and `:old` are two submissions, `:slug` their problem.
SHOWN_SOURCES = (
    *("/submissions/:new", "/submissions/:new/result", "/submissions/:new/diff?old=:old", "/problems/:slug?from=:new"),
    *("/submissions/:new/diff?old=:old&view=unified", "/api/v1/submissions/:new/source"),
    *("/api/v1/submissions/:new", "/api/v1/submissions/:new/diff?old=:old"),
)
SHOWN_STATEMENTS = ("/problems/:slug", "/problems?q=numpy", "/api/v1/problems/:slug", "/author/problems/:slug")
SHOWN_REPORTS = ("/submissions/:new", "/submissions/:new/result", "/api/v1/submissions/:new")


def list_texts() -> Iterator[tuple[str, Make, tuple[str, ...]]]:
    """Yield the name of each stored text, how to make it, and the addresses that show it."""
    tables: tuple[tuple[str, Mapping[str, Make], tuple[str, ...]], ...] = (
        ("source", {**grown.PYTHON, **_DIFFERENT}, SHOWN_SOURCES),
        ("statement", grown.MARKDOWN, SHOWN_STATEMENTS),
        ("printed", grown.PLAIN | _TRACEBACKS, SHOWN_REPORTS),
    )
    for what, kinds, addresses in tables:
        for kind, make in kinds.items():
            yield f"{what}: {kind}", make, addresses


# Two sources that a comparison finds hard: the older one is the same text in reverse.
_DIFFERENT: dict[str, Make] = {
    "repeated lines": grown.repeat("x = 1\ny = 2\n"),
    "different words": grown.number_lines("a%d b c d e f g h i j k l m n o p q r s t u v w x y z\n"),
    "blank lines": grown.repeat("\n"),
    "blocks": grown.number_lines("}\n{\n%d\n"),
}
_TRACEBACKS: dict[str, Make] = {
    "tracebacks": grown.repeat('  File "solution.py", line 1\n'),
    "lines": grown.repeat("solution.py, line 1\n"),
}


def store_text(session: Session, what: str, value: str, places: Mapping[str, str]) -> None:
    """Store a text at the submissions and the problem of `places`."""
    kind = what.partition(":")[0]
    if kind == "source":
        for name, source in {"new": value, "old": value[::-1]}.items():
            update = "UPDATE submissions SET source = :text WHERE id = :id"
            session.execute(text(update), {"text": source, "id": places[name]})
    elif kind == "statement":
        update = """UPDATE revisions SET manifest = jsonb_set(manifest, '{statement}', to_jsonb(CAST(:text AS text))),
            files = jsonb_set(files, '{statement.md}', to_jsonb(CAST(:text AS text)))
            FROM problems WHERE revisions.id = current_revision_id AND slug = :slug"""
        session.execute(text(update), {"text": value, "slug": places["slug"]})
    else:
        update = """UPDATE case_results SET report = report || jsonb_build_object('text', CAST(:text AS text),
            'message', CAST(:message AS text)) FROM judgings WHERE judgings.id = judging_id AND submission_id = :id"""
        cut = {"text": value[:64_000], "message": value[:2_000]}
        session.execute(text(update), {**cut, "id": places["new"]})
