"""The SQL that fills a large database, in the order in which rows refer to each other.

`:size` is the number of submissions, and everything else grows with it; `:users` is a hundredth of it. One user
(`user-1`) has eight times more of them than most, and most submissions are of the last days: powers of a random number
see to that.
"""

TEMPORARY = (
    "SELECT setseed(0.25)",
    """CREATE TEMPORARY TABLE who AS
        SELECT row_number() OVER (ORDER BY username) - 1 AS n, id FROM users WHERE username LIKE 'user-%'""",
    """CREATE TEMPORARY TABLE what AS
        SELECT row_number() OVER (ORDER BY problems.slug) - 1 AS n, problem_id, revisions.id AS revision_id, slug
        FROM problems JOIN revisions ON revisions.id = current_revision_id""",
    """CREATE TEMPORARY TABLE cases AS
        SELECT revision_id, position - 1 AS position, one->>'name' AS name, one->>'visibility' AS visibility
        FROM what JOIN revisions ON revisions.id = revision_id,
        jsonb_array_elements(manifest->'cases') WITH ORDINALITY AS each(one, position) WHERE position <= 12""",
    """CREATE TEMPORARY TABLE sent AS
        SELECT n, gen_random_uuid() AS id, now() - interval '180 days' * random() ^ 1.25 AS created_at,
            (SELECT count(*) FROM who) * random() ^ 1.5 AS who, (SELECT count(*) FROM what) * random() AS what,
            random() < 0.4 AS is_sample, random() AS luck, random() AS seconds
        FROM generate_series(1, :size) n""",
)

USERS = """INSERT INTO users (id, username, email, password_hash, role, is_active, is_ranked, created_at)
    SELECT gen_random_uuid(), 'user-' || n, CASE WHEN n % 3 > 0 THEN 'user-' || n || '@example.org' END, '!',
        CASE WHEN n % 250 = 0 THEN 'admin' WHEN n % 50 = 0 THEN 'author' ELSE 'student' END,
        n % 40 > 0, n % 4 = 0, now() - interval '180 days' * random()
    FROM generate_series(1, :users) n"""

SUBMITTED = (
    """INSERT INTO submissions (id, user_id, problem_id, revision_id, source, mode, variant, created_at)
        SELECT sent.id, who.id, problem_id, revision_id,
            repeat(format(E'def solve(x):\\n    return x * %s\\n', sent.n), 20),
            CASE WHEN is_sample THEN 'sample' ELSE 'submit' END, sent.n % 2, created_at
        FROM sent JOIN who ON who.n = floor(sent.who) JOIN what ON what.n = floor(sent.what)""",
    """INSERT INTO judgings (submission_id, revision_id, queue, attempt, worker, queued_at, started_at,
            finished_at, verdict, score, hint, reason, phases, image, versions, request_id)
        SELECT id, revision_id, 'cpu', 1, 'host:1', created_at, created_at + interval '1 second',
            created_at + interval '2 seconds' + interval '5 seconds' * seconds,
            CASE WHEN luck < 0.45 THEN 'accepted' WHEN luck < 0.75 THEN 'wrong_answer'
                WHEN luck < 0.9 THEN 'runtime_error' WHEN luck < 0.99 THEN 'time_limit_exceeded'
                WHEN luck < 0.9995 THEN 'cancelled' ELSE 'judge_error' END,
            CASE WHEN luck < 0.45 THEN 100 WHEN luck < 0.99 THEN (luck * 100)::integer END, NULL,
            CASE WHEN luck >= 0.9995 THEN 'attempt 3: BoxLost: the box ended' END,
            '[{"name": "box", "seconds": 0.1}, {"name": "running", "seconds": 0.9}]', 'test',
            '{"numpy": "2.4"}', id::text
        FROM sent JOIN submissions USING (id, created_at) ORDER BY created_at""",
    """INSERT INTO case_results (judging_id, attempt, position, sequence, name, visibility, verdict, wall_seconds,
            memory_bytes, report)
        SELECT judgings.id, 1, cases.position, cases.position, cases.name, cases.visibility,
            CASE WHEN verdict = 'accepted' OR (cases.position + judgings.id) % 3 > 0 THEN 'accepted' ELSE verdict END,
            0.2, 20000000,
            CASE WHEN cases.visibility = 'hidden' THEN CAST(:hidden AS jsonb) ELSE CAST(:sample AS jsonb) END
        FROM judgings JOIN cases USING (revision_id) JOIN submissions ON submissions.id = judgings.submission_id
        WHERE verdict NOT IN ('cancelled', 'judge_error') AND (mode = 'submit' OR cases.visibility = 'sample')""",
    """WITH again AS (
            UPDATE judgings SET verdict = NULL, score = NULL, finished_at = NULL, reason = NULL, queued_at = now()
            WHERE id IN (SELECT id FROM judgings ORDER BY id DESC LIMIT :size / 1000) RETURNING id, submission_id
        )
        INSERT INTO jobs (judging_id, watched, queue, attempt, worker, started_at, lease_until)
        SELECT id, submission_id, 'cpu', 1, 'host:1', now(), CASE WHEN id % 5 = 0 THEN now() + interval '1 hour' END
        FROM again""",
    """INSERT INTO measurements (judging_id, revision_id, machine, wall_seconds, memory_bytes)
        SELECT judgings.id, judgings.revision_id, 'this', 0.1 + random(), 1000000 + (1e8 * random())::bigint
        FROM judgings JOIN submissions ON submissions.id = submission_id
        WHERE verdict = 'accepted' AND mode = 'submit'""",
    """INSERT INTO reference_measurements (revision_id, machine, wall_seconds, memory_bytes)
        SELECT revision_id, 'this', 0.4, 20000000 FROM what""",
)

JUDGED_AGAIN = (
    """INSERT INTO rejudgings (id, created_by, created_at, note, chosen, onto, total, judged, decision, decided_by,
            decided_at)
        SELECT gen_random_uuid(), who.id, now() - interval '1 day' * n, 'a tolerance was wrong', '{}', 'current',
            :size / 50, CASE WHEN n % 3 > 0 THEN :size / 50 END,
            CASE WHEN n % 3 = 1 THEN 'applied' WHEN n % 3 = 2 THEN 'cancelled' END,
            CASE WHEN n % 3 > 0 THEN who.id END, CASE WHEN n % 3 > 0 THEN now() END
        FROM who WHERE n IN (0, 1, 2)""",
    """CREATE TEMPORARY TABLE again AS
        SELECT each.id AS rejudging_id, decision, part.* FROM
        (SELECT id, decision, row_number() OVER (ORDER BY created_at) - 1 AS k FROM rejudgings) each,
        LATERAL (SELECT id AS replaces_id, submission_id, revision_id, queue, worker, verdict, score, phases, image,
            versions FROM judgings WHERE verdict IS NOT NULL
            ORDER BY id LIMIT :size / 50 OFFSET k * (:size / 50)) part""",
    """UPDATE judgings SET is_current = false WHERE id IN (SELECT replaces_id FROM again WHERE decision = 'applied')""",
    """INSERT INTO judgings (submission_id, revision_id, is_current, rejudging_id, replaces_id, queue, attempt, worker,
            queued_at, started_at, finished_at, verdict, score, phases, image, versions)
        SELECT submission_id, revision_id, decision IS NOT DISTINCT FROM 'applied', rejudging_id, replaces_id,
            queue, 1, worker, now(), now(), now(),
            CASE WHEN replaces_id % 20 = 0 THEN 'accepted' ELSE verdict END,
            CASE WHEN replaces_id % 20 = 0 THEN 100 ELSE score END, phases, image, versions FROM again""",
    """INSERT INTO case_results (judging_id, attempt, position, sequence, name, visibility, verdict, wall_seconds,
            memory_bytes, report)
        SELECT new.id, 1, position, sequence, name, visibility, case_results.verdict, wall_seconds, memory_bytes, report
        FROM judgings new JOIN case_results ON case_results.judging_id = new.replaces_id""",
)

PEOPLE = (
    """INSERT INTO sessions (id, user_id, token_hash, created_at, expires_at, last_seen_at, address, browser)
        SELECT gen_random_uuid(), who.id, uuid_send(gen_random_uuid()), now(), now() + interval '1 day' * (k * 10 - 5),
            now(), '192.0.2.1', 'Firefox on Linux' FROM who, generate_series(0, 3) k""",
    """INSERT INTO tokens (id, user_id, name, token_hash, scopes, created_at)
        SELECT gen_random_uuid(), who.id, 'laptop', uuid_send(gen_random_uuid()), NULL, now()
        FROM who, generate_series(0, 3) k""",
    """INSERT INTO identities (issuer, subject, user_id) SELECT 'https://login.example.org', n::text, id FROM who""",
    """INSERT INTO invitations (id, token_hash, role, note, created_by, created_at, expires_at)
        SELECT gen_random_uuid(), uuid_send(gen_random_uuid()), 'author', 'for the summer', who.id,
            now() - interval '1 hour' * n, now() + interval '1 day' * (n % 20 - 10) FROM who""",
    """INSERT INTO audit_events (at, actor_id, channel, action, target_kind, target, before, after, address)
        SELECT now() - interval '1 minute' * (:size / 2 - k), who.id, CASE WHEN k % 2 = 0 THEN 'page' ELSE 'api' END,
            verb, split_part(verb, '.', 1), gen_random_uuid()::text, '{"role": "student"}', '{"role": "author"}',
            '192.0.2.1'
        FROM generate_series(1, :size / 2) k JOIN who ON who.n = k % :users,
        LATERAL (SELECT (ARRAY['user.suspended', 'problem.published', 'token.created', 'session.ended',
            'policy.changed'])[k % 5 + 1] AS verb) verbs""",
    """INSERT INTO drafts (id, user_id, problem_id, source, version)
        SELECT gen_random_uuid(), who.id, problem_id, 'def solve(): ...', gen_random_uuid()
        FROM who, what WHERE (who.n + what.n) % 3 = 0""",
)

LEARNT = (
    """INSERT INTO hint_reveals (user_id, problem_id, number, revision_id)
        SELECT who.id, problem_id, 1, revision_id FROM who, what WHERE (who.n + what.n) % 2 = 0""",
    """INSERT INTO solution_views (user_id, problem_id, revision_id)
        SELECT who.id, problem_id, revision_id FROM who, what WHERE (who.n + what.n) % 5 = 0""",
    """INSERT INTO bookmarks (user_id, problem_id)
        SELECT who.id, problem_id FROM who, what WHERE (who.n + what.n) % 4 = 0""",
    """INSERT INTO notes (user_id, problem_id, text, version)
        SELECT who.id, problem_id, 'a note', gen_random_uuid() FROM who, what WHERE (who.n + what.n) % 7 = 0""",
    """INSERT INTO solve_counts (problem_id, submissions, students, solved)
        SELECT problem_id, count(*), count(DISTINCT user_id), count(DISTINCT user_id) / 2
        FROM submissions WHERE mode = 'submit' GROUP BY problem_id""",
    """INSERT INTO quiz_attempts (id, user_id, problem_id, revision_id, number)
        SELECT gen_random_uuid(), who.id, problem_id, revision_id, k FROM who, what, generate_series(1, 2) k""",
    """INSERT INTO quiz_answers (attempt_id, question, choice, is_right) SELECT id, 0, 0, false FROM quiz_attempts""",
)

EXCHANGED = (
    """INSERT INTO shared_solutions (submission_id, user_id, problem_id, length, shared_at)
        SELECT submissions.id, user_id, problem_id, length(source), created_at
        FROM submissions JOIN judgings ON submission_id = submissions.id
        WHERE is_current AND verdict = 'accepted' AND mode = 'submit' AND judgings.id % 4 = 0""",
    """INSERT INTO posts (id, problem_id, user_id, title, body, created_at)
        SELECT gen_random_uuid(), problem_id, who.id, 'Why?', 'Why is `x` scaled?', now() - interval '1 hour' * k
        FROM generate_series(1, :size / 10) k JOIN who ON who.n = k % :users
        JOIN what ON what.n = k % (SELECT count(*) FROM what)""",
    """INSERT INTO posts (id, problem_id, question_id, user_id, body, created_at)
        SELECT gen_random_uuid(), problem_id, posts.id, who.id, 'Because.', posts.created_at + interval '1 minute' * k
        FROM posts, generate_series(1, 3) k JOIN who ON who.n = k""",
    """INSERT INTO reports (id, user_id, post_id, reason, created_at, closed_at)
        SELECT gen_random_uuid(), who.id, posts.id, 'It is rude.', now() - interval '1 hour' * who.n,
            CASE WHEN who.n % 10 > 0 THEN now() END
        FROM posts JOIN who ON who.n < 10 WHERE question_id IS NOT NULL""",
)

WRITTEN = (
    """INSERT INTO verifications (id, user_id, slug, files, digest, publish, queued_at, finished_at, verdict, report,
            revision_id)
        SELECT gen_random_uuid(), who.id, slug, files, digest, true, now() - interval '1 hour' * k, now(), 'passed',
            NULL, what.revision_id
        FROM what JOIN revisions ON revisions.id = revision_id JOIN who ON who.n = 1,
        generate_series(1, :size / 400) k""",
    """INSERT INTO publications (problem_id, revision_id, user_id, verification_id, published_at)
        SELECT problem_id, revision_id, verifications.user_id, verifications.id, queued_at
        FROM what JOIN verifications USING (slug, revision_id)""",
    """INSERT INTO expected_outputs (id, revision_id, variant, device, case_name, inputs, expected, inputs_preview,
            expected_preview, image, versions)
        SELECT gen_random_uuid(), revision_id, variant, 'cpu', name, '', '', CAST(:inputs AS jsonb),
            CAST(:expected AS jsonb), 'test', '{}' FROM cases, generate_series(0, 1) variant""",
    """INSERT INTO mistake_outputs (revision_id, variant, device, mistake, answers)
        SELECT revision_id, variant, 'cpu', 'off_by_one', '' FROM what, generate_series(0, 1) variant""",
)

TAUGHT = (
    """INSERT INTO courses (id, slug, title, timezone, state, join_code)
        SELECT gen_random_uuid(), 'course-' || n, 'Course ' || n, 'Europe/Berlin', 'open', 'code-' || n
        FROM generate_series(1, 400) n""",
    """INSERT INTO members (id, course_id, user_id, role, name, number, section, joined_at)
        SELECT gen_random_uuid(), courses.id, users.id,
            CASE username WHEN 'user-100' THEN 'instructor' ELSE 'student' END,
            'Name of ' || username, username, 'section ' || length(username), now()
        FROM courses JOIN users ON username = 'user-100'
            OR username LIKE 'user-%' AND hashtext(username || courses.slug) % 20 = 0""",
    """INSERT INTO assignments (id, course_id, slug, title, opens_at, due_at, closes_at)
        SELECT gen_random_uuid(), courses.id, 'homework-' || k, 'Homework ' || k, now() - interval '9 weeks',
            now() + interval '1 week' * (k - 5), now() + interval '1 week' * (k - 5)
        FROM courses, generate_series(1, 10) k WHERE courses.slug < 'course-12'""",
    """INSERT INTO assignment_problems (assignment_id, problem_id, position, points)
        SELECT assignments.id, problem_id, n, 10 FROM assignments, what WHERE what.n < 4""",
    """INSERT INTO extensions (id, assignment_id, section, due_at)
        SELECT gen_random_uuid(), id, 'section 7', due_at + interval '1 day' FROM assignments""",
)

STATEMENTS = (USERS, *TEMPORARY, *SUBMITTED, *JUDGED_AGAIN, *PEOPLE, *LEARNT, *EXCHANGED, *WRITTEN, *TAUGHT)
