"""Create all tables.

Revisions 0001 to 0043 led to this schema before the first release. Databases at one of them can't be upgraded.
"""

from alembic import op

revision = "0044"
down_revision = None
branch_labels = None
depends_on = None

# Audit events are only ever added. Rows of a user who was erased are refused; the lock waits for a running erasure,
# which a condition on erased_at in WHERE would not.
FUNCTIONS = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'rows of % are never changed or removed', TG_TABLE_NAME; END $$;

CREATE FUNCTION refuse_erased_owner() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE erased timestamptz;
    BEGIN
        SELECT erased_at INTO erased FROM users WHERE id = NEW.user_id FOR KEY SHARE;
        IF erased IS NOT NULL THEN
            RAISE EXCEPTION 'the owner of this row of % was erased', TG_TABLE_NAME
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'living_owner';
        END IF;
        RETURN NEW;
    END $$;
"""

ACCOUNTS = """
CREATE TABLE users (
    id uuid CONSTRAINT pk_users PRIMARY KEY,
    username text NOT NULL CONSTRAINT uq_users_username UNIQUE,
    email text,
    password_hash text,
    role text NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    is_ranked boolean NOT NULL DEFAULT false,
    erased_at timestamptz,
    CONSTRAINT ck_users_role CHECK (role IN ('student', 'author', 'admin')),
    CONSTRAINT ck_users_username CHECK (username ~ '^[a-z0-9_-]{3,32}$')
);
CREATE INDEX ix_users_away ON users (created_at DESC, id) WHERE NOT is_active;
CREATE INDEX ix_users_created_at ON users (created_at DESC, id);
CREATE INDEX ix_users_email ON users (lower(email));
CREATE INDEX ix_users_role_created_at ON users (role, created_at DESC, id);
CREATE INDEX ix_users_words ON users
    USING gin (to_tsvector('simple', translate(username || ' ' || coalesce(email, ''), '@._-', '    ')));

CREATE TABLE invitations (
    id uuid CONSTRAINT pk_invitations PRIMARY KEY,
    token_hash bytea NOT NULL CONSTRAINT uq_invitations_token_hash UNIQUE,
    role text NOT NULL,
    email text,
    note text NOT NULL DEFAULT '',
    created_by uuid CONSTRAINT fk_invitations_created_by_users REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_by uuid CONSTRAINT fk_invitations_used_by_users REFERENCES users,
    used_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT ck_invitations_role CHECK (role IN ('student', 'author', 'admin'))
);
CREATE INDEX ix_invitations_created_at ON invitations (created_at DESC, id DESC);
CREATE INDEX ix_invitations_ended ON invitations (LEAST(used_at, revoked_at, expires_at));
CREATE INDEX ix_invitations_open ON invitations (expires_at) WHERE used_at IS NULL AND revoked_at IS NULL;

CREATE TABLE identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL CONSTRAINT fk_identities_user_id_users REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_identities PRIMARY KEY (issuer, subject)
);
CREATE INDEX ix_identities_user_id ON identities (user_id);

CREATE TABLE sessions (
    id uuid CONSTRAINT pk_sessions PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT fk_sessions_user_id_users REFERENCES users ON DELETE CASCADE,
    token_hash bytea NOT NULL CONSTRAINT uq_sessions_token_hash UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    last_seen_at timestamptz,
    address text,
    browser text,
    course_ids uuid[]
);
CREATE INDEX ix_sessions_expires_at ON sessions (expires_at);
CREATE INDEX ix_sessions_user_id ON sessions (user_id);

CREATE TABLE tokens (
    id uuid CONSTRAINT pk_tokens PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT fk_tokens_user_id_users REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    token_hash bytea NOT NULL CONSTRAINT uq_tokens_token_hash UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz,
    scopes text[],
    expires_at timestamptz
);
CREATE INDEX ix_tokens_ended ON tokens (LEAST(revoked_at, expires_at));
CREATE INDEX ix_tokens_user_id ON tokens (user_id);
"""

ADMINISTRATION = """
CREATE TABLE server_keys (
    name text CONSTRAINT pk_server_keys PRIMARY KEY,
    key bytea NOT NULL
);

CREATE TABLE policy (
    name text CONSTRAINT pk_policy PRIMARY KEY,
    value jsonb NOT NULL,
    changed_by uuid CONSTRAINT fk_policy_changed_by_users REFERENCES users,
    changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE audit_events (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_audit_events PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    actor_id uuid CONSTRAINT fk_audit_events_actor_id_users REFERENCES users,
    channel text NOT NULL,
    action text NOT NULL,
    target_kind text NOT NULL,
    target text NOT NULL,
    before jsonb,
    after jsonb,
    address text,
    request_id text,
    operator text,
    subject_id uuid CONSTRAINT fk_audit_events_subject_id_users REFERENCES users,
    CONSTRAINT ck_audit_events_channel CHECK (channel IN ('page', 'api', 'command', 'worker', 'retention'))
);
CREATE INDEX ix_audit_events_action_id ON audit_events (action, id DESC);
CREATE INDEX ix_audit_events_actor_id_id ON audit_events (actor_id, id DESC);
CREATE INDEX ix_audit_events_at ON audit_events (at);
CREATE INDEX ix_audit_events_channel_id ON audit_events (channel, id DESC);
CREATE INDEX ix_audit_events_subject_id_id ON audit_events (subject_id, id DESC);
CREATE INDEX ix_audit_events_target_kind_target_id ON audit_events (target_kind, target, id DESC);

CREATE TABLE retention_runs (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_retention_runs PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    removed jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX ix_retention_runs_started_at ON retention_runs (started_at);

CREATE TABLE workers (
    id uuid CONSTRAINT pk_workers PRIMARY KEY,
    name text NOT NULL,
    host text NOT NULL,
    queues text[] NOT NULL,
    slots integer NOT NULL,
    device text NOT NULL,
    gpus text[] NOT NULL,
    versions jsonb NOT NULL,
    lacks text[] NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    is_draining boolean NOT NULL DEFAULT false,
    boxes jsonb NOT NULL DEFAULT '{}',
    metrics text NOT NULL DEFAULT '',
    box_failure text NOT NULL DEFAULT '',
    CONSTRAINT ck_workers_device CHECK (device IN ('cpu', 'gpu'))
);
"""

LISTING = (
    "manifest - ARRAY['statement', 'starter', 'parameters', 'returns', 'cases', 'tolerance', 'checkers', 'limits', "
    "'requirements', 'hints', 'quiz']"
)
_TEXTS = {
    "A": "coalesce(manifest ->> 'title', '')",
    "B": " || ' ' || ".join(f"coalesce(manifest ->> '{key}', '')" for key in ("tags", "frameworks", "entry_point")),
    "C": "coalesce(manifest ->> 'summary', '')",
    "D": "left(coalesce(manifest ->> 'statement', ''), 100000)",
}
SEARCH = " || ".join(
    f"setweight(to_tsvector('{language}', translate({text}, '_-./@<>&+=', '          ')), '{weight}')"
    for weight, text in _TEXTS.items()
    for language in ("english", "simple")
)

CATALOG = f"""
CREATE TABLE tracks (
    slug text CONSTRAINT pk_tracks PRIMARY KEY,
    "position" integer NOT NULL,
    title text NOT NULL,
    description text NOT NULL
);

CREATE TABLE problems (
    id uuid CONSTRAINT pk_problems PRIMARY KEY,
    slug text NOT NULL CONSTRAINT uq_problems_slug UNIQUE,
    current_revision_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    availability text NOT NULL DEFAULT 'listed',
    course_id uuid,
    CONSTRAINT ck_problems_availability CHECK (availability IN ('draft', 'unlisted', 'listed', 'course', 'withdrawn')),
    CONSTRAINT ck_problems_course CHECK (
        CASE WHEN course_id IS NULL THEN availability <> 'course'
        ELSE availability IN ('draft', 'course', 'withdrawn') END
    )
);

CREATE TABLE revisions (
    id uuid CONSTRAINT pk_revisions PRIMARY KEY,
    problem_id uuid NOT NULL CONSTRAINT fk_revisions_problem_id_problems REFERENCES problems,
    number integer NOT NULL,
    digest text NOT NULL,
    manifest jsonb NOT NULL,
    files jsonb NOT NULL,
    secret_seed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    listing jsonb NOT NULL GENERATED ALWAYS AS ({LISTING}) STORED,
    search tsvector NOT NULL GENERATED ALWAYS AS ({SEARCH}) STORED,
    samples jsonb,
    CONSTRAINT uq_revisions_problem_id UNIQUE (problem_id, digest),
    CONSTRAINT uq_revisions_problem_id_number UNIQUE (problem_id, number)
);
CREATE INDEX ix_revisions_search ON revisions USING gin (search);
ALTER TABLE problems ADD CONSTRAINT fk_problems_current_revision_id_revisions
    FOREIGN KEY (current_revision_id) REFERENCES revisions;
"""

AUTHORING = """
CREATE TABLE verifications (
    id uuid CONSTRAINT pk_verifications PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT fk_verifications_user_id_users REFERENCES users,
    slug text NOT NULL,
    files jsonb NOT NULL,
    digest text NOT NULL,
    replaces text,
    publish boolean NOT NULL,
    is_cancelled boolean NOT NULL DEFAULT false,
    queued_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    step text NOT NULL DEFAULT '',
    step_done integer NOT NULL DEFAULT 0,
    step_total integer NOT NULL DEFAULT 0,
    verdict text,
    report text,
    reason text,
    revision_id uuid CONSTRAINT fk_verifications_revision_id_revisions REFERENCES revisions,
    availability text,
    CONSTRAINT ck_verifications_availability
        CHECK (availability IN ('draft', 'unlisted', 'listed', 'course', 'withdrawn')),
    CONSTRAINT ck_verifications_done_has_verdict CHECK ((finished_at IS NULL) = (verdict IS NULL)),
    CONSTRAINT ck_verifications_published_has_passed CHECK ((verdict = 'passed') OR (revision_id IS NULL)),
    CONSTRAINT ck_verifications_verdict CHECK (verdict IN ('passed', 'refused', 'failed'))
);
CREATE INDEX ix_verifications_passed ON verifications (slug, digest, finished_at DESC) WHERE verdict = 'passed';
CREATE INDEX ix_verifications_revision_id_queued_at ON verifications (revision_id, queued_at DESC)
    WHERE revision_id IS NOT NULL;
CREATE INDEX ix_verifications_slug_queued_at ON verifications (slug, queued_at DESC);
CREATE INDEX ix_verifications_user_id_queued_at ON verifications (user_id, queued_at DESC);

CREATE TABLE publications (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_publications PRIMARY KEY,
    problem_id uuid NOT NULL CONSTRAINT fk_publications_problem_id_problems REFERENCES problems,
    revision_id uuid NOT NULL CONSTRAINT fk_publications_revision_id_revisions REFERENCES revisions,
    user_id uuid CONSTRAINT fk_publications_user_id_users REFERENCES users,
    verification_id uuid CONSTRAINT fk_publications_verification_id_verifications REFERENCES verifications,
    published_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ix_publications_problem_id_id ON publications (problem_id, id);
CREATE INDEX ix_publications_revision_id_id ON publications (revision_id, id);
CREATE INDEX ix_publications_user_id_problem_id ON publications (user_id, problem_id);
"""

PREPARATION = """
CREATE TABLE expected_outputs (
    id uuid CONSTRAINT pk_expected_outputs PRIMARY KEY,
    revision_id uuid NOT NULL CONSTRAINT fk_expected_outputs_revision_id_revisions REFERENCES revisions,
    variant integer NOT NULL,
    device text NOT NULL,
    case_name text NOT NULL,
    inputs bytea NOT NULL,
    expected bytea NOT NULL,
    inputs_preview jsonb NOT NULL,
    expected_preview jsonb NOT NULL,
    image text NOT NULL,
    versions jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    evidence jsonb,
    CONSTRAINT uq_expected_outputs_revision_id UNIQUE (revision_id, variant, device, case_name),
    CONSTRAINT ck_expected_outputs_device CHECK (device IN ('cpu', 'gpu'))
);

CREATE TABLE mistake_outputs (
    revision_id uuid NOT NULL CONSTRAINT fk_mistake_outputs_revision_id_revisions REFERENCES revisions,
    variant integer NOT NULL,
    device text NOT NULL,
    mistake text NOT NULL,
    answers bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_mistake_outputs PRIMARY KEY (revision_id, variant, device, mistake),
    CONSTRAINT ck_mistake_outputs_device CHECK (device IN ('cpu', 'gpu'))
);

CREATE TABLE reference_measurements (
    revision_id uuid NOT NULL CONSTRAINT fk_reference_measurements_revision_id_revisions REFERENCES revisions,
    machine text NOT NULL,
    wall_seconds double precision NOT NULL,
    memory_bytes bigint NOT NULL,
    CONSTRAINT pk_reference_measurements PRIMARY KEY (revision_id, machine),
    CONSTRAINT ck_reference_measurements_wall_seconds CHECK (wall_seconds > (0)::double precision)
);
"""

VERDICTS = (
    "'accepted', 'wrong_answer', 'requirement_not_met', 'runtime_error', 'time_limit_exceeded', "
    "'memory_limit_exceeded', 'output_limit_exceeded', 'invalid_submission', 'judge_error', 'cancelled'"
)
# The last attempt's line of `reason`, without what differs between judgings.
_LAST_ATTEMPT = r"substring(reason, '.*(?:^|\n)attempt [0-9]+: ([^\n]+)')"
CAUSE = f"""CASE
        WHEN reason IS NULL THEN NULL
        WHEN {_LAST_ATTEMPT} LIKE 'its worker % stopped beating' THEN 'WorkerLost: its worker stopped beating'
        ELSE left(regexp_replace({_LAST_ATTEMPT}, '[0-9]+', '#', 'g'), 300)
    END"""

JUDGING = f"""
CREATE TABLE submissions (
    id uuid CONSTRAINT pk_submissions PRIMARY KEY,
    user_id uuid CONSTRAINT fk_submissions_user_id_users REFERENCES users,
    problem_id uuid NOT NULL CONSTRAINT fk_submissions_problem_id_problems REFERENCES problems,
    revision_id uuid NOT NULL CONSTRAINT fk_submissions_revision_id_revisions REFERENCES revisions,
    source text NOT NULL,
    mode text NOT NULL,
    variant integer NOT NULL,
    idempotency_key text,
    request_digest text,
    created_at timestamptz NOT NULL DEFAULT now(),
    inputs text,
    CONSTRAINT uq_submissions_user_id UNIQUE (user_id, idempotency_key),
    CONSTRAINT ck_submissions_mode CHECK (mode IN ('submit', 'sample')),
    CONSTRAINT ck_submissions_own_inputs_are_samples CHECK ((inputs IS NULL) OR (mode = 'sample')),
    CONSTRAINT ck_submissions_visitors_run_samples CHECK ((user_id IS NOT NULL) OR (mode = 'sample'))
);
CREATE INDEX ix_submissions_created_at_id ON submissions (created_at DESC, id DESC);
CREATE INDEX ix_submissions_problem_id_created_at ON submissions (problem_id, created_at DESC, id DESC);
CREATE INDEX ix_submissions_revision_id ON submissions (revision_id);
CREATE INDEX ix_submissions_user_id_created_at ON submissions (user_id, created_at DESC);

CREATE TABLE rejudgings (
    id uuid CONSTRAINT pk_rejudgings PRIMARY KEY,
    created_by uuid CONSTRAINT fk_rejudgings_created_by_users REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    note text NOT NULL DEFAULT '',
    chosen jsonb NOT NULL,
    onto text NOT NULL,
    total integer NOT NULL,
    decision text,
    decided_by uuid CONSTRAINT fk_rejudgings_decided_by_users REFERENCES users,
    decided_at timestamptz,
    judged integer,
    CONSTRAINT ck_rejudgings_decided_is_counted CHECK ((decision IS NULL) = (judged IS NULL)),
    CONSTRAINT ck_rejudgings_decision CHECK (decision IN ('applied', 'cancelled')),
    CONSTRAINT ck_rejudgings_onto CHECK (onto IN ('own', 'current'))
);
CREATE INDEX ix_rejudgings_created_at ON rejudgings (created_at DESC, id);

CREATE TABLE judgings (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_judgings PRIMARY KEY,
    submission_id uuid NOT NULL,
    queue text NOT NULL,
    attempt integer NOT NULL DEFAULT 0,
    worker text,
    queued_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    verdict text,
    score integer,
    reason text,
    image text,
    versions jsonb,
    hint text,
    hint_pending boolean NOT NULL DEFAULT false,
    phases jsonb,
    revision_id uuid NOT NULL CONSTRAINT fk_judgings_revision_id_revisions REFERENCES revisions,
    is_current boolean NOT NULL DEFAULT true,
    rejudging_id uuid CONSTRAINT fk_judgings_rejudging_id_rejudgings REFERENCES rejudgings ON DELETE CASCADE,
    replaces_id bigint,
    request_id text,
    cause text GENERATED ALWAYS AS ({CAUSE}) STORED,
    times jsonb,
    CONSTRAINT fk_judgings_submission_id_submissions FOREIGN KEY (submission_id)
        REFERENCES submissions ON DELETE CASCADE,
    CONSTRAINT ck_judgings_done_has_verdict CHECK ((finished_at IS NULL) = (verdict IS NULL)),
    CONSTRAINT ck_judgings_score CHECK ((score >= 0) AND (score <= 100)),
    CONSTRAINT ck_judgings_verdict CHECK (verdict IN ({VERDICTS}))
);
CREATE INDEX ix_judgings_cause ON judgings (cause, finished_at DESC) WHERE verdict = 'judge_error';
CREATE INDEX ix_judgings_current_revision ON judgings (revision_id, submission_id) WHERE is_current;
CREATE INDEX ix_judgings_judge_error ON judgings (finished_at DESC) WHERE verdict = 'judge_error';
CREATE INDEX ix_judgings_rejudging_id ON judgings (rejudging_id, id) WHERE rejudging_id IS NOT NULL;
CREATE INDEX ix_judgings_submission_id ON judgings (submission_id);
CREATE INDEX ix_judgings_verdict ON judgings (verdict, submission_id) WHERE is_current;
CREATE UNIQUE INDEX uq_judgings_current ON judgings (submission_id) INCLUDE (verdict, score) WHERE is_current;

CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_jobs PRIMARY KEY,
    judging_id bigint,
    verification_id uuid CONSTRAINT fk_jobs_verification_id_verifications REFERENCES verifications ON DELETE CASCADE,
    watched uuid NOT NULL,
    queue text NOT NULL,
    frameworks text[] NOT NULL DEFAULT '{{}}',
    priority integer NOT NULL DEFAULT 0,
    is_rationed boolean NOT NULL DEFAULT false,
    attempt integer NOT NULL DEFAULT 0,
    given_back integer NOT NULL DEFAULT 0,
    worker text,
    started_at timestamptz,
    lease_until timestamptz,
    reason text,
    CONSTRAINT fk_jobs_judging_id_judgings FOREIGN KEY (judging_id)
        REFERENCES judgings ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX ix_jobs_claim ON jobs (queue, priority DESC, id);
CREATE INDEX ix_jobs_held ON jobs (lease_until) WHERE lease_until IS NOT NULL;
CREATE UNIQUE INDEX uq_jobs_judging_id ON jobs (judging_id) WHERE judging_id IS NOT NULL;
CREATE UNIQUE INDEX uq_jobs_verification_id ON jobs (verification_id) WHERE verification_id IS NOT NULL;

CREATE TABLE case_results (
    judging_id bigint NOT NULL CONSTRAINT fk_case_results_judging_id_judgings REFERENCES judgings ON DELETE CASCADE,
    attempt integer NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    visibility text NOT NULL,
    verdict text NOT NULL,
    wall_seconds double precision,
    memory_bytes bigint,
    report jsonb NOT NULL,
    sequence integer NOT NULL,
    tolerance_used double precision,
    CONSTRAINT pk_case_results PRIMARY KEY (judging_id, attempt, "position"),
    CONSTRAINT ck_case_results_verdict CHECK (verdict IN ({VERDICTS})),
    CONSTRAINT ck_case_results_visibility CHECK (visibility IN ('sample', 'hidden'))
);

CREATE TABLE measurements (
    judging_id bigint CONSTRAINT pk_measurements PRIMARY KEY,
    machine text NOT NULL,
    wall_seconds double precision NOT NULL,
    memory_bytes bigint NOT NULL,
    measured_at timestamptz NOT NULL DEFAULT now(),
    revision_id uuid NOT NULL CONSTRAINT fk_measurements_revision_id_revisions REFERENCES revisions,
    CONSTRAINT fk_measurements_judging_id_judgings FOREIGN KEY (judging_id) REFERENCES judgings ON DELETE CASCADE,
    CONSTRAINT ck_measurements_wall_seconds CHECK (wall_seconds > (0)::double precision)
);
CREATE INDEX ix_measurements_revision_id ON measurements (revision_id);
"""

LEARNING = """
CREATE TABLE drafts (
    user_id uuid NOT NULL CONSTRAINT fk_drafts_user_id_users REFERENCES users ON DELETE CASCADE,
    problem_id uuid NOT NULL CONSTRAINT fk_drafts_problem_id_problems REFERENCES problems ON DELETE CASCADE,
    source text NOT NULL,
    version uuid NOT NULL,
    saved_at timestamptz NOT NULL DEFAULT now(),
    other_source text,
    other_saved_at timestamptz,
    id uuid CONSTRAINT pk_drafts PRIMARY KEY,
    CONSTRAINT ck_drafts_other_has_time CHECK ((other_source IS NULL) = (other_saved_at IS NULL))
);

CREATE TABLE hint_reveals (
    user_id uuid NOT NULL CONSTRAINT fk_hint_reveals_user_id_users REFERENCES users ON DELETE CASCADE,
    problem_id uuid NOT NULL CONSTRAINT fk_hint_reveals_problem_id_problems REFERENCES problems ON DELETE CASCADE,
    number integer NOT NULL,
    revision_id uuid NOT NULL CONSTRAINT fk_hint_reveals_revision_id_revisions REFERENCES revisions,
    revealed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_hint_reveals PRIMARY KEY (user_id, problem_id, number),
    CONSTRAINT ck_hint_reveals_number CHECK (number >= 1)
);

CREATE TABLE solution_views (
    user_id uuid NOT NULL CONSTRAINT fk_solution_views_user_id_users REFERENCES users ON DELETE CASCADE,
    problem_id uuid NOT NULL CONSTRAINT fk_solution_views_problem_id_problems REFERENCES problems ON DELETE CASCADE,
    revision_id uuid NOT NULL CONSTRAINT fk_solution_views_revision_id_revisions REFERENCES revisions,
    shown_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_solution_views PRIMARY KEY (user_id, problem_id)
);

CREATE TABLE quiz_attempts (
    id uuid CONSTRAINT pk_quiz_attempts PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT fk_quiz_attempts_user_id_users REFERENCES users ON DELETE CASCADE,
    problem_id uuid NOT NULL CONSTRAINT fk_quiz_attempts_problem_id_problems REFERENCES problems ON DELETE CASCADE,
    revision_id uuid NOT NULL CONSTRAINT fk_quiz_attempts_revision_id_revisions REFERENCES revisions,
    number integer NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT uq_quiz_attempts_user_id_problem_id_number UNIQUE (user_id, problem_id, number)
);

CREATE TABLE quiz_answers (
    attempt_id uuid NOT NULL,
    question integer NOT NULL,
    choice integer NOT NULL,
    is_right boolean NOT NULL,
    answered_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_quiz_answers PRIMARY KEY (attempt_id, question),
    CONSTRAINT fk_quiz_answers_attempt_id_quiz_attempts FOREIGN KEY (attempt_id)
        REFERENCES quiz_attempts ON DELETE CASCADE,
    CONSTRAINT ck_quiz_answers_indices CHECK ((question >= 0) AND (choice >= 0))
);

CREATE TABLE bookmarks (
    user_id uuid NOT NULL CONSTRAINT fk_bookmarks_user_id_users REFERENCES users ON DELETE CASCADE,
    problem_id uuid NOT NULL CONSTRAINT fk_bookmarks_problem_id_problems REFERENCES problems ON DELETE CASCADE,
    bookmarked_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_bookmarks PRIMARY KEY (user_id, problem_id)
);

CREATE TABLE notes (
    user_id uuid NOT NULL CONSTRAINT fk_notes_user_id_users REFERENCES users ON DELETE CASCADE,
    problem_id uuid NOT NULL CONSTRAINT fk_notes_problem_id_problems REFERENCES problems ON DELETE CASCADE,
    text text NOT NULL,
    version uuid NOT NULL,
    saved_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_notes PRIMARY KEY (user_id, problem_id)
);

CREATE TABLE solve_counts (
    problem_id uuid CONSTRAINT pk_solve_counts PRIMARY KEY,
    submissions integer NOT NULL,
    students integer NOT NULL,
    solved integer NOT NULL,
    counted_at timestamptz NOT NULL DEFAULT now(),
    accepted integer,
    CONSTRAINT fk_solve_counts_problem_id_problems FOREIGN KEY (problem_id) REFERENCES problems ON DELETE CASCADE
);
"""

PEOPLE = """
CREATE TABLE shared_solutions (
    submission_id uuid CONSTRAINT pk_shared_solutions PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT fk_shared_solutions_user_id_users REFERENCES users,
    problem_id uuid NOT NULL,
    length integer NOT NULL,
    shared_at timestamptz NOT NULL DEFAULT now(),
    hidden_at timestamptz,
    CONSTRAINT fk_shared_solutions_problem_id_problems FOREIGN KEY (problem_id)
        REFERENCES problems ON DELETE CASCADE,
    CONSTRAINT fk_shared_solutions_submission_id_submissions FOREIGN KEY (submission_id)
        REFERENCES submissions ON DELETE CASCADE
);
CREATE INDEX ix_shared_solutions_problem_id ON shared_solutions (problem_id, shared_at DESC, submission_id DESC);
CREATE INDEX ix_shared_solutions_user_id ON shared_solutions (user_id, problem_id);

CREATE TABLE posts (
    id uuid CONSTRAINT pk_posts PRIMARY KEY,
    problem_id uuid NOT NULL CONSTRAINT fk_posts_problem_id_problems REFERENCES problems ON DELETE CASCADE,
    question_id uuid CONSTRAINT fk_posts_question_id_posts REFERENCES posts ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT fk_posts_user_id_users REFERENCES users,
    title text NOT NULL DEFAULT '',
    body text NOT NULL,
    is_spoiler boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    edited_at timestamptz,
    deleted_at timestamptz,
    hidden_at timestamptz,
    locked_at timestamptz,
    seen_at timestamptz,
    html text NOT NULL DEFAULT '',
    html_without_code text,
    rendered_by text NOT NULL DEFAULT '',
    CONSTRAINT ck_posts_answer CHECK ((question_id IS NULL) OR ((title = '') AND (locked_at IS NULL)))
);
CREATE INDEX ix_posts_answers ON posts (question_id, created_at, id) WHERE question_id IS NOT NULL;
CREATE INDEX ix_posts_questions ON posts (problem_id, created_at DESC, id DESC) WHERE question_id IS NULL;
CREATE INDEX ix_posts_user_id_created_at ON posts (user_id, created_at DESC);

CREATE TABLE reports (
    id uuid CONSTRAINT pk_reports PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT fk_reports_user_id_users REFERENCES users,
    post_id uuid CONSTRAINT fk_reports_post_id_posts REFERENCES posts ON DELETE CASCADE,
    submission_id uuid CONSTRAINT fk_reports_submission_id_submissions REFERENCES submissions ON DELETE CASCADE,
    reason text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    CONSTRAINT ck_reports_entry CHECK (num_nonnulls(post_id, submission_id) = 1)
);
CREATE INDEX ix_reports_open ON reports (created_at DESC, id DESC) WHERE closed_at IS NULL;
CREATE INDEX ix_reports_user_id_created_at ON reports (user_id, created_at DESC);
CREATE UNIQUE INDEX uq_reports_post_id_user_id ON reports (post_id, user_id);
CREATE UNIQUE INDEX uq_reports_submission_id_user_id ON reports (submission_id, user_id);
"""

COURSES = """
CREATE TABLE courses (
    id uuid CONSTRAINT pk_courses PRIMARY KEY,
    slug text NOT NULL CONSTRAINT uq_courses_slug UNIQUE,
    title text NOT NULL,
    description text NOT NULL DEFAULT '',
    timezone text NOT NULL,
    state text NOT NULL DEFAULT 'draft',
    join_code text CONSTRAINT uq_courses_join_code UNIQUE,
    join_until timestamptz,
    drop_lowest integer NOT NULL DEFAULT 0,
    keep_until timestamptz,
    told_until timestamptz,
    created_by uuid CONSTRAINT fk_courses_created_by_users REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_courses_state CHECK (state IN ('draft', 'open', 'archived')),
    CONSTRAINT ck_courses_drop_lowest CHECK (drop_lowest >= 0)
);

CREATE INDEX ix_courses_keep_until ON courses (keep_until);
CREATE INDEX ix_problems_course_id ON problems (course_id);
ALTER TABLE problems ADD CONSTRAINT fk_problems_course_id_courses FOREIGN KEY (course_id) REFERENCES courses;

CREATE TABLE members (
    id uuid CONSTRAINT pk_members PRIMARY KEY,
    course_id uuid NOT NULL CONSTRAINT fk_members_course_id_courses REFERENCES courses ON DELETE CASCADE,
    user_id uuid CONSTRAINT fk_members_user_id_users REFERENCES users ON DELETE CASCADE,
    role text NOT NULL DEFAULT 'student',
    name text NOT NULL DEFAULT '',
    number text NOT NULL DEFAULT '',
    email text NOT NULL DEFAULT '',
    username text NOT NULL DEFAULT '',
    section text NOT NULL DEFAULT '',
    time_factor numeric(3, 2) NOT NULL DEFAULT 1,
    claim_hash bytea CONSTRAINT uq_members_claim_hash UNIQUE,
    claim_until timestamptz,
    joined_at timestamptz,
    left_at timestamptz,
    CONSTRAINT ck_members_role CHECK (role IN ('student', 'assistant', 'instructor')),
    CONSTRAINT ck_members_pending_is_student CHECK (user_id IS NOT NULL OR role = 'student'),
    CONSTRAINT ck_members_claim_ends CHECK ((claim_hash IS NULL) = (claim_until IS NULL)),
    CONSTRAINT ck_members_time_factor CHECK (time_factor BETWEEN 1 AND 3)
);
CREATE UNIQUE INDEX uq_members_user_id ON members (course_id, user_id);
CREATE UNIQUE INDEX uq_members_number ON members (course_id, number) WHERE number <> '';
CREATE UNIQUE INDEX uq_members_email ON members (course_id, lower(email)) WHERE email <> '';
CREATE INDEX ix_members_pending_email ON members (lower(email)) WHERE user_id IS NULL;
CREATE INDEX ix_members_user_id ON members (user_id);

CREATE TABLE assignments (
    id uuid CONSTRAINT pk_assignments PRIMARY KEY,
    course_id uuid NOT NULL CONSTRAINT fk_assignments_course_id_courses REFERENCES courses ON DELETE CASCADE,
    slug text NOT NULL,
    title text NOT NULL,
    text text NOT NULL DEFAULT '',
    opens_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    closes_at timestamptz NOT NULL,
    grace_seconds integer NOT NULL DEFAULT 60,
    late_steps jsonb NOT NULL DEFAULT '[]',
    counts text NOT NULL DEFAULT 'best',
    attempts integer,
    weight numeric(7, 2) NOT NULL DEFAULT 1,
    released_at timestamptz,
    shows text NOT NULL DEFAULT 'all',
    shows_at timestamptz,
    shows_hints boolean NOT NULL DEFAULT true,
    kind text NOT NULL DEFAULT 'homework',
    minutes integer,
    password text NOT NULL DEFAULT '',
    networks text[] NOT NULL DEFAULT '{}',
    seb_keys text[] NOT NULL DEFAULT '{}',
    hands_in_draft boolean NOT NULL DEFAULT true,
    notice text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT uq_assignments_course_id UNIQUE (course_id, slug),
    CONSTRAINT ck_assignments_dates CHECK (opens_at < due_at AND due_at <= closes_at),
    CONSTRAINT ck_assignments_grace CHECK (grace_seconds BETWEEN 0 AND 300),
    CONSTRAINT ck_assignments_counts CHECK (counts IN ('best', 'last')),
    CONSTRAINT ck_assignments_attempts CHECK (attempts > 0),
    CONSTRAINT ck_assignments_weight CHECK (weight >= 0),
    CONSTRAINT ck_assignments_shows CHECK (shows IN ('all', 'samples', 'nothing')),
    CONSTRAINT ck_assignments_shows_at CHECK (shows <> 'all' OR shows_at IS NULL),
    CONSTRAINT ck_assignments_kind CHECK (kind IN ('homework', 'exam')),
    CONSTRAINT ck_assignments_exams_have_minutes CHECK ((kind = 'exam') = (minutes IS NOT NULL)),
    CONSTRAINT ck_assignments_minutes CHECK (minutes > 0)
);

CREATE TABLE assignment_problems (
    assignment_id uuid NOT NULL,
    problem_id uuid NOT NULL CONSTRAINT fk_assignment_problems_problem_id_problems REFERENCES problems,
    position integer NOT NULL,
    points numeric(7, 2) NOT NULL,
    scoring text NOT NULL DEFAULT 'partial',
    revision_id uuid CONSTRAINT fk_assignment_problems_revision_id_revisions REFERENCES revisions,
    CONSTRAINT pk_assignment_problems PRIMARY KEY (assignment_id, problem_id),
    CONSTRAINT fk_assignment_problems_assignment_id_assignments FOREIGN KEY (assignment_id)
        REFERENCES assignments ON DELETE CASCADE,
    CONSTRAINT ck_assignment_problems_scoring CHECK (scoring IN ('partial', 'accepted')),
    CONSTRAINT ck_assignment_problems_points CHECK (points >= 0)
);
CREATE INDEX ix_assignment_problems_problem_id ON assignment_problems (problem_id);

CREATE TABLE extensions (
    id uuid CONSTRAINT pk_extensions PRIMARY KEY,
    assignment_id uuid NOT NULL CONSTRAINT fk_extensions_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    user_id uuid CONSTRAINT fk_extensions_user_id_users REFERENCES users ON DELETE CASCADE,
    section text,
    opens_at timestamptz,
    due_at timestamptz,
    closes_at timestamptz,
    extra_attempts integer NOT NULL DEFAULT 0,
    extra_minutes integer NOT NULL DEFAULT 0,
    reason text NOT NULL DEFAULT '',
    created_by uuid CONSTRAINT fk_extensions_created_by_users REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_extensions_whose CHECK (num_nonnulls(user_id, section) = 1),
    CONSTRAINT ck_extensions_extra_attempts CHECK (extra_attempts >= 0),
    CONSTRAINT ck_extensions_extra_minutes CHECK (extra_minutes >= 0)
);
CREATE UNIQUE INDEX uq_extensions_user_id ON extensions (assignment_id, user_id);
CREATE UNIQUE INDEX uq_extensions_section ON extensions (assignment_id, section);
CREATE INDEX ix_extensions_user_id ON extensions (user_id);

CREATE TABLE sittings (
    assignment_id uuid NOT NULL CONSTRAINT fk_sittings_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT fk_sittings_user_id_users REFERENCES users ON DELETE CASCADE,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    addresses text[] NOT NULL,
    credential_id uuid,
    is_settled boolean NOT NULL DEFAULT false,
    CONSTRAINT pk_sittings PRIMARY KEY (assignment_id, user_id)
);
CREATE INDEX ix_sittings_user_id ON sittings (user_id);
CREATE INDEX ix_sittings_unsettled ON sittings (user_id) WHERE NOT is_settled;

-- An exam has drafts of its own.
ALTER TABLE drafts ADD COLUMN assignment_id uuid
    CONSTRAINT fk_drafts_assignment_id_assignments REFERENCES assignments ON DELETE CASCADE;
ALTER TABLE drafts ADD CONSTRAINT uq_drafts_user_id
    UNIQUE NULLS NOT DISTINCT (user_id, problem_id, assignment_id);

-- What is handed in. The index is wide, so that a grade book reads no row of this large table.
ALTER TABLE submissions ADD COLUMN assignment_id uuid
    CONSTRAINT fk_submissions_assignment_id_assignments REFERENCES assignments;
ALTER TABLE submissions ADD COLUMN is_draft boolean NOT NULL DEFAULT false;
ALTER TABLE submissions ADD CONSTRAINT ck_submissions_hand_ins_run_every_case
    CHECK (assignment_id IS NULL OR mode = 'submit');
CREATE INDEX ix_submissions_assignment_id ON submissions (assignment_id, user_id, problem_id, created_at, id)
    INCLUDE (is_draft) WHERE assignment_id IS NOT NULL;

CREATE TABLE adjustments (
    id uuid CONSTRAINT pk_adjustments PRIMARY KEY,
    assignment_id uuid NOT NULL CONSTRAINT fk_adjustments_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT fk_adjustments_user_id_users REFERENCES users ON DELETE CASCADE,
    problem_id uuid CONSTRAINT fk_adjustments_problem_id_problems REFERENCES problems,
    kind text NOT NULL,
    points numeric(8, 2),
    submission_id uuid CONSTRAINT fk_adjustments_submission_id_submissions REFERENCES submissions ON DELETE SET NULL,
    reason text NOT NULL,
    created_by uuid CONSTRAINT fk_adjustments_created_by_users REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    replaced_at timestamptz,
    CONSTRAINT ck_adjustments_kind CHECK (kind IN ('points', 'add', 'zero', 'excused', 'submission')),
    CONSTRAINT ck_adjustments_points CHECK ((points IS NOT NULL) = (kind IN ('points', 'add'))),
    CONSTRAINT ck_adjustments_submission CHECK (submission_id IS NULL OR kind = 'submission')
);
CREATE UNIQUE INDEX uq_adjustments_current
    ON adjustments (assignment_id, user_id, coalesce(problem_id, assignment_id)) WHERE replaced_at IS NULL;
CREATE INDEX ix_adjustments_user_id ON adjustments (user_id);
CREATE INDEX ix_adjustments_submission_id ON adjustments (submission_id);

CREATE TABLE shown_grades (
    id uuid CONSTRAINT pk_shown_grades PRIMARY KEY,
    assignment_id uuid NOT NULL CONSTRAINT fk_shown_grades_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT fk_shown_grades_user_id_users REFERENCES users ON DELETE CASCADE,
    at timestamptz NOT NULL DEFAULT now(),
    why text NOT NULL,
    points numeric(10, 2),
    CONSTRAINT ck_shown_grades_why CHECK (why IN ('release', 'export'))
);
CREATE INDEX ix_shown_grades_assignment_id ON shown_grades (assignment_id, user_id);
CREATE INDEX ix_shown_grades_user_id ON shown_grades (user_id);

CREATE TABLE comments (
    id uuid CONSTRAINT pk_comments PRIMARY KEY,
    submission_id uuid NOT NULL CONSTRAINT fk_comments_submission_id_submissions
        REFERENCES submissions ON DELETE CASCADE,
    author_id uuid CONSTRAINT fk_comments_author_id_users REFERENCES users,
    line integer,
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_comments_line CHECK (line > 0)
);
CREATE INDEX ix_comments_submission_id ON comments (submission_id);

CREATE TABLE regrade_requests (
    id uuid CONSTRAINT pk_regrade_requests PRIMARY KEY,
    assignment_id uuid NOT NULL CONSTRAINT fk_regrade_requests_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT fk_regrade_requests_user_id_users REFERENCES users ON DELETE CASCADE,
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    answer text,
    answered_by uuid CONSTRAINT fk_regrade_requests_answered_by_users REFERENCES users,
    answered_at timestamptz,
    CONSTRAINT ck_regrade_requests_answered CHECK ((answer IS NULL) = (answered_at IS NULL))
);
CREATE INDEX ix_regrade_requests_assignment_id ON regrade_requests (assignment_id, user_id);
CREATE INDEX ix_regrade_requests_user_id ON regrade_requests (user_id);
"""

PLATFORMS = """
CREATE TABLE lti_platforms (
    id uuid CONSTRAINT pk_lti_platforms PRIMARY KEY,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    web_address text NOT NULL,
    login_url text NOT NULL,
    token_url text NOT NULL,
    keys_url text NOT NULL,
    may_create_courses boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    paused_until timestamptz,
    CONSTRAINT uq_lti_platforms_issuer UNIQUE (issuer, client_id)
);

CREATE TABLE lti_deployments (
    platform_id uuid NOT NULL CONSTRAINT fk_lti_deployments_platform_id_lti_platforms
        REFERENCES lti_platforms ON DELETE CASCADE,
    deployment_id text NOT NULL,
    first_seen_at timestamptz NOT NULL DEFAULT now(),
    approved_at timestamptz,
    CONSTRAINT pk_lti_deployments PRIMARY KEY (platform_id, deployment_id)
);

CREATE TABLE lti_courses (
    id uuid CONSTRAINT pk_lti_courses PRIMARY KEY,
    platform_id uuid NOT NULL,
    deployment_id text NOT NULL,
    context_id text NOT NULL,
    title text NOT NULL,
    course_id uuid NOT NULL CONSTRAINT fk_lti_courses_course_id_courses REFERENCES courses ON DELETE CASCADE,
    members_url text,
    line_items_url text,
    scopes text[] NOT NULL DEFAULT '{}',
    linked_at timestamptz NOT NULL DEFAULT now(),
    looks_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT fk_lti_courses_platform_id_lti_deployments FOREIGN KEY (platform_id, deployment_id)
        REFERENCES lti_deployments ON DELETE CASCADE,
    CONSTRAINT uq_lti_courses_platform_id UNIQUE (platform_id, deployment_id, context_id)
);
CREATE INDEX ix_lti_courses_course_id ON lti_courses (course_id);
CREATE INDEX ix_lti_courses_looks_at ON lti_courses (looks_at);

CREATE TABLE lti_persons (
    platform_id uuid NOT NULL CONSTRAINT fk_lti_persons_platform_id_lti_platforms
        REFERENCES lti_platforms ON DELETE CASCADE,
    subject text NOT NULL,
    user_id uuid NOT NULL CONSTRAINT fk_lti_persons_user_id_users REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_lti_persons PRIMARY KEY (platform_id, subject)
);
CREATE INDEX ix_lti_persons_user_id ON lti_persons (user_id);

CREATE TABLE lti_members (
    lti_course_id uuid NOT NULL CONSTRAINT fk_lti_members_lti_course_id_lti_courses
        REFERENCES lti_courses ON DELETE CASCADE,
    subject text NOT NULL,
    member_id uuid NOT NULL CONSTRAINT fk_lti_members_member_id_members REFERENCES members ON DELETE CASCADE,
    is_learner boolean NOT NULL,
    CONSTRAINT pk_lti_members PRIMARY KEY (lti_course_id, subject)
);
CREATE INDEX ix_lti_members_member_id ON lti_members (member_id);

CREATE TABLE lti_attempts (
    state_hash bytea CONSTRAINT pk_lti_attempts PRIMARY KEY,
    nonce text NOT NULL,
    platform_id uuid NOT NULL CONSTRAINT fk_lti_attempts_platform_id_lti_platforms
        REFERENCES lti_platforms ON DELETE CASCADE,
    launch jsonb,
    expires_at timestamptz NOT NULL
);
CREATE INDEX ix_lti_attempts_platform_id ON lti_attempts (platform_id);
CREATE INDEX ix_lti_attempts_expires_at ON lti_attempts (expires_at);

CREATE TABLE lti_line_items (
    lti_course_id uuid NOT NULL CONSTRAINT fk_lti_line_items_lti_course_id_lti_courses
        REFERENCES lti_courses ON DELETE CASCADE,
    assignment_id uuid NOT NULL CONSTRAINT fk_lti_line_items_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    resource_link_id text,
    url text,
    CONSTRAINT pk_lti_line_items PRIMARY KEY (lti_course_id, assignment_id)
);
CREATE INDEX ix_lti_line_items_assignment_id ON lti_line_items (assignment_id);

CREATE TABLE lti_scores (
    lti_course_id uuid NOT NULL,
    assignment_id uuid NOT NULL CONSTRAINT fk_lti_scores_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    subject text NOT NULL,
    points numeric(10, 2),
    most numeric(10, 2),
    timestamp timestamptz,
    is_taken boolean NOT NULL DEFAULT false,
    taken_at timestamptz,
    tries integer NOT NULL DEFAULT 0,
    next_try_at timestamptz,
    error text NOT NULL DEFAULT '',
    CONSTRAINT pk_lti_scores PRIMARY KEY (lti_course_id, assignment_id, subject),
    CONSTRAINT fk_lti_scores_lti_course_id_lti_members FOREIGN KEY (lti_course_id, subject)
        REFERENCES lti_members ON DELETE CASCADE,
    CONSTRAINT ck_lti_scores_points CHECK (num_nulls(points, most, timestamp) IN (0, 3))
);
CREATE INDEX ix_lti_scores_assignment_id ON lti_scores (assignment_id);
CREATE INDEX ix_lti_scores_next_try_at ON lti_scores (next_try_at);
"""

OWNED = (
    *("sessions", "tokens", "identities", "submissions", "drafts", "hint_reveals", "solution_views", "quiz_attempts"),
    *("bookmarks", "notes", "shared_solutions", "reports"),
    *("extensions", "sittings", "adjustments", "shown_grades", "regrade_requests", "lti_persons"),
)


SIMILARITY = """
CREATE TABLE similarity_checks (
    id uuid CONSTRAINT pk_similarity_checks PRIMARY KEY,
    problem_id uuid NOT NULL CONSTRAINT fk_similarity_checks_problem_id_problems
        REFERENCES problems ON DELETE CASCADE,
    assignment_id uuid CONSTRAINT fk_similarity_checks_assignment_id_assignments
        REFERENCES assignments ON DELETE CASCADE,
    compared text NOT NULL,
    created_by uuid CONSTRAINT fk_similarity_checks_created_by_users REFERENCES users,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    outcome text,
    step_done integer NOT NULL DEFAULT 0,
    step_total integer NOT NULL DEFAULT 0,
    programs integer NOT NULL DEFAULT 0,
    median_lines integer NOT NULL DEFAULT 0,
    unread uuid[] NOT NULL DEFAULT '{}',
    histogram integer[] NOT NULL DEFAULT '{}',
    reason text,
    CONSTRAINT ck_similarity_checks_compared CHECK (compared IN ('counting', 'all')),
    CONSTRAINT ck_similarity_checks_outcome CHECK (outcome IN ('done', 'failed')),
    CONSTRAINT ck_similarity_checks_ended_has_outcome CHECK ((finished_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX ix_similarity_checks_problem_id ON similarity_checks (problem_id, assignment_id, created_at DESC);
CREATE INDEX ix_similarity_checks_assignment_id ON similarity_checks (assignment_id);

ALTER TABLE jobs ADD COLUMN check_id uuid
    CONSTRAINT fk_jobs_check_id_similarity_checks REFERENCES similarity_checks ON DELETE CASCADE;
ALTER TABLE jobs ADD CONSTRAINT ck_jobs_one_kind CHECK (num_nonnulls(judging_id, verification_id, check_id) = 1);
CREATE UNIQUE INDEX uq_jobs_check_id ON jobs (check_id) WHERE check_id IS NOT NULL;

CREATE TABLE similar_pairs (
    check_id uuid NOT NULL CONSTRAINT fk_similar_pairs_check_id_similarity_checks
        REFERENCES similarity_checks ON DELETE CASCADE,
    number integer NOT NULL,
    left_id uuid NOT NULL CONSTRAINT fk_similar_pairs_left_id_submissions REFERENCES submissions ON DELETE CASCADE,
    right_id uuid NOT NULL CONSTRAINT fk_similar_pairs_right_id_submissions REFERENCES submissions ON DELETE CASCADE,
    similarity double precision NOT NULL,
    blocks jsonb NOT NULL,
    dismissed_at timestamptz,
    dismissed_by uuid CONSTRAINT fk_similar_pairs_dismissed_by_users REFERENCES users,
    note text NOT NULL DEFAULT '',
    CONSTRAINT pk_similar_pairs PRIMARY KEY (check_id, number),
    CONSTRAINT ck_similar_pairs_similarity CHECK (similarity BETWEEN 0 AND 100)
);
CREATE INDEX ix_similar_pairs_left_id ON similar_pairs (left_id);
CREATE INDEX ix_similar_pairs_right_id ON similar_pairs (right_id);

CREATE TABLE fingerprints (
    submission_id uuid CONSTRAINT pk_fingerprints PRIMARY KEY
        CONSTRAINT fk_fingerprints_submission_id_submissions REFERENCES submissions ON DELETE CASCADE,
    version integer NOT NULL,
    parts bytea,
    lines integer NOT NULL
);
"""


def upgrade() -> None:
    taught = (COURSES, SIMILARITY, PLATFORMS)
    parts = (ACCOUNTS, ADMINISTRATION, CATALOG, AUTHORING, PREPARATION, JUDGING, LEARNING, PEOPLE, *taught)
    for statements in (FUNCTIONS, *parts):
        op.execute(statements)
    for table in OWNED:
        op.execute(_trigger("living_owner", f"INSERT ON {table} FOR EACH ROW", "refuse_erased_owner"))
    # An edit of a post must not bring back the text of an erased user.
    op.execute(_trigger("living_owner", "INSERT OR UPDATE OF body ON posts FOR EACH ROW", "refuse_erased_owner"))
    # A pending member gets a user later.
    op.execute(_trigger("living_owner", "INSERT OR UPDATE OF user_id ON members FOR EACH ROW", "refuse_erased_owner"))
    changes = "DELETE OR UPDATE OR TRUNCATE ON audit_events FOR EACH STATEMENT"
    op.execute(_trigger("only_ever_added", changes, "refuse_change"))


def _trigger(name: str, event: str, function: str) -> str:
    return f"CREATE TRIGGER {name} BEFORE {event} EXECUTE FUNCTION {function}()"
