-- Creates or updates the role of workers on Slurm. It can judge. It can't publish, migrate, verify or read accounts.
-- Run it as a superuser in the database of Allclose, and again after each upgrade:
--   psql --dbname=allclose --file=deploy/slurm/worker_role.sql
-- Then set a password, which psql asks for: \password allclose_worker
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'allclose_worker') THEN
        CREATE ROLE allclose_worker LOGIN CONNECTION LIMIT 60;
    END IF;
END $$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM allclose_worker;

-- What is judged.
GRANT SELECT ON alembic_version, problems, revisions, solve_counts, submissions TO allclose_worker;
-- The queue, and the workers.
GRANT SELECT, DELETE ON jobs TO allclose_worker;
GRANT UPDATE (attempt, given_back, worker, started_at, lease_until, reason) ON jobs TO allclose_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON workers TO allclose_worker;
-- Progress and verdicts.
GRANT SELECT ON judgings TO allclose_worker;
GRANT UPDATE (
    attempt, worker, started_at, finished_at, verdict, score, reason, image, versions, hint, hint_pending, phases, times
) ON judgings TO allclose_worker;
GRANT SELECT, INSERT ON case_results TO allclose_worker;
-- What workers compute once for all submissions.
GRANT SELECT, INSERT ON expected_outputs, mistake_outputs, measurements, reference_measurements TO allclose_worker;
