"""Workers on Slurm, as `docs/operations/slurm.md` describes them: from the scaler to the last verdict."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from app.settings import ROOT
from tests.cli.test_commands import allclose
from tests.queue.fleet import RECORD, wait_until
from tests.serving import NO_WORKER, ONE_PROBLEM, RIGHT, SLUG, WRONG, Served, Student, serve
from tests.slurm.cluster import GPUS, PARTITION, Cluster, running_cluster
from tests.slurm.postgres import ROLE, TlsPostgres, running_postgres

SUBMISSIONS = 40
SLOW = "standardise_slowly"
NAP = RIGHT.replace("    return", "    import time\n    time.sleep({seconds} * (len(x) == 100))\n    return")
POLICY = {"max_pending": 1000, "requests_per_minute": 100_000, "judging_seconds_per_hour": 100_000}
SETTINGS = """
server = "{server}"
token_file = "{home}/.allclose/token"
logs = "{home}/.allclose/logs"
connections = {connections}
[[jobs]]
queue = "cpu"
partition = "{partition}"
most = {most}
submissions = 5
connections = 13
sbatch = ["--cpus-per-task=1", "--mem=2G", "--time=10"]
worker = ["--until-idle", "6"]
"""

PRINT_CHOICE = (sys.executable, "-c", "from app.cli.gpu import default_choice; print(default_choice())")

pytestmark = [pytest.mark.whole, pytest.mark.timeout(900)]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A deployment whose only workers are jobs. `home`: of the user who submits them."""

    cluster: Cluster
    postgres: TlsPostgres
    server: Served
    home: Path
    password: str

    def scale(self, *, most: int = 4, connections: int = 100) -> subprocess.CompletedProcess[str]:
        """Do what the timer does every minute."""
        file = self.home / ".allclose/scale.toml"
        file.write_text(
            SETTINGS.format(
                server=self.server.url, home=self.home, partition=PARTITION, most=most, connections=connections
            )
        )
        command = [sys.executable, str(ROOT / "deploy/slurm/scale.py"), str(file)]
        return subprocess.run(command, env=self.cluster.environment, capture_output=True, text=True)

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        with self.postgres.connect() as connection:
            return connection.execute(query.encode()).fetchall()

    def list_busy(self, submission: str | None = None) -> set[int]:
        """Return the process IDs of the workers that judge now, or judge this submission."""
        rows = self.fetch("SELECT worker, watched FROM jobs WHERE lease_until > now()")
        return {int(worker.rpartition(":")[2]) for worker, watched in rows if submission in (None, str(watched))}

    def job_of(self, pid: int) -> str:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        return next(each.decode().partition("=")[2] for each in variables if each.startswith(b"SLURM_JOB_ID="))

    def list_jobs(self, *states: str) -> list[int]:
        return [job for job, state in self.cluster.states().items() if state in states]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("slurm")
    home = folder / "home"
    (home / ".allclose").mkdir(parents=True)
    with (
        running_postgres() as postgres,
        running_cluster(home) as cluster,
        serve(
            folder / "data",
            {"ALLCLOSE_DATABASE_URL": postgres.url, "ALLCLOSE_PROBLEMS": str(_make_problems(folder / "problems"))},
            policy=POLICY,
            options=NO_WORKER,
        ) as server,
    ):
        password = postgres.let_in(home)
        (home / ".allclose/database-url").write_text(postgres.worker_url)
        token = allclose(
            *("admin", "token", "create", "admin", "--scope", "operations:read"),
            ALLCLOSE_DATABASE_URL=postgres.url,
        )
        (home / ".allclose/token").write_text(token.stdout)
        with postgres.connect() as connection:
            connection.execute(RECORD.encode())
            connection.execute(f"GRANT INSERT ON record TO {ROLE}".encode())
        yield Site(cluster=cluster, postgres=postgres, server=server, home=home, password=password)


def _make_problems(folder: Path) -> Path:
    """A quick problem, and one whose limits allow a judging of half a minute."""
    shutil.copytree(ONE_PROBLEM, folder)
    shutil.copytree(ONE_PROBLEM / SLUG, folder / SLOW)
    manifest = folder / SLOW / "problem.yaml"
    text = manifest.read_text()
    assert "wall_seconds: 3," in text
    manifest.write_text(text.replace("wall_seconds: 3,", "wall_seconds: 60,"))
    return folder


def test_a_node_can_judge(site: Site) -> None:
    settings = f"ALLCLOSE_SANDBOX=bubblewrap,ALLCLOSE_DATABASE_URL_FILE={site.home}/.allclose/database-url"

    said = site.cluster.run("srun", f"--export=ALL,{settings}", ".venv/bin/allclose", "doctor")

    assert "This machine can judge." in said
    assert re.search(r"PostgreSQL \S+( \(.*\))? answers", said)


@pytest.mark.skipif(GPUS == 0, reason="only root can make devices that stand in for GPUs")
@pytest.mark.parametrize(("gpus", "chosen"), [("--gpus-per-node=1", "0"), (f"--gpus-per-node={GPUS}", "0,1")])
def test_a_worker_takes_the_gpus_of_its_job(site: Site, gpus: str, chosen: str) -> None:
    said = site.cluster.run("srun", gpus, *PRINT_CHOICE)

    assert said == f"{chosen}\n"


def test_a_worker_in_a_job_without_gpus_takes_none_of_the_node(site: Site) -> None:
    with pytest.raises(AssertionError, match="submit the Slurm job with --gpus-per-node=1"):
        site.cluster.run("srun", *PRINT_CHOICE)


def test_jobs_judge_everything_once_though_one_is_cancelled_and_one_is_killed(site: Site) -> None:
    before, students = site.cluster.states().keys(), [site.server.sign_up() for _ in range(4)]
    sent = _send(students, SUBMISSIONS - 1)
    site.scale(connections=39)
    site.scale(connections=39)
    at_once = site.list_jobs("RUNNING", "PENDING")
    wait_until(lambda: len(site.list_busy()) > 1, 120)
    long = site.server.sign_up().send(SLOW, NAP.format(seconds=30))  # next, since its user has nothing else
    wait_until(lambda: site.list_busy(long), 120)
    (cancelled,) = site.list_busy(long)
    wait_until(lambda: site.list_busy() - {cancelled})
    killed = min(site.list_busy() - {cancelled})
    told = Path(f"/proc/{killed}/environ").read_bytes()
    encrypted = site.fetch(
        f"SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = '{ROLE}'"
    )
    slots = {worker["slots"] for worker in _list_workers(site)}
    site.cluster.run("scancel", site.job_of(cancelled))
    os.kill(killed, signal.SIGKILL)
    while site.fetch("SELECT FROM jobs"):
        site.scale(connections=39)
        time.sleep(3)
    results = {
        str(submission): verdict for submission, verdict in site.fetch("SELECT submission_id, verdict FROM judgings")
    }
    wait_until(lambda: not site.list_jobs("RUNNING", "PENDING", "COMPLETING"), 60)

    assert results == {**sent, long: "accepted"}
    assert len(at_once) == 3  # their connections are all that there are
    assert (slots, encrypted) == ({1}, [(True,)])
    assert site.password.encode() not in told
    logs = "".join(log.read_text() for log in site.home.glob(".allclose/logs/*/*.log"))
    assert "permission denied" not in logs
    assert site.fetch("SELECT FROM measurements")
    assert site.fetch("SELECT FROM mistake_outputs")
    judgings = [judging for (judging,) in site.fetch("SELECT id FROM judgings ORDER BY id")]
    assert [
        judging for (judging,) in site.fetch("SELECT judging_id FROM record WHERE state = 'done' ORDER BY 1")
    ] == judgings
    # Only the killed job cost an attempt.
    reasons = site.fetch("SELECT reason FROM judgings WHERE reason IS NOT NULL")
    assert all(f":{killed} stopped beating" in reason for (reason,) in reasons)
    assert site.fetch(f"SELECT attempt, reason FROM judgings WHERE submission_id = '{long}'") == [(2, None)]
    # The cancelled one has left, as the others have.
    assert [name.endswith(f":{killed}") for (name,) in site.fetch("SELECT name FROM workers")] == [True]
    ends = [state for job, state in site.cluster.states().items() if job not in before]
    assert ends.count("CANCELLED") == ends.count("FAILED") == 1
    assert set(ends) == {"CANCELLED", "COMPLETED", "FAILED"}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT password_hash FROM users",
        "SELECT FROM sessions",
        "SELECT FROM tokens",
        "SELECT key FROM server_keys",
        "UPDATE problems SET current_revision_id = NULL",
        "INSERT INTO revisions DEFAULT VALUES",
        "UPDATE verifications SET verdict = 'passed'",
        "UPDATE alembic_version SET version_num = '0001'",
        "CREATE TABLE own ()",
        "ALTER TABLE judgings ADD COLUMN own text",
    ],
)
def test_the_role_of_workers_judges_and_does_nothing_else(site: Site, statement: str) -> None:
    with site.postgres.connect() as connection:
        connection.execute(f"SET ROLE {ROLE}".encode())
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())


def test_after_three_jobs_that_judged_nothing_no_more_are_submitted(site: Site) -> None:
    student = site.server.sign_up()
    (site.home / ".allclose/database-url").write_text(site.postgres.worker_url.replace("/allclose?", "/nothing?"))
    waiting = student.send(SLUG, RIGHT)
    before = site.cluster.states().keys()

    for _ in range(3):
        assert site.scale(most=1).returncode == 0
        wait_until(lambda: not site.list_jobs("RUNNING", "PENDING", "COMPLETING"), 60)
    last = site.scale(most=1)

    assert last.returncode == 1
    assert f"{site.home}/.allclose/logs/allclose-cpu-{PARTITION}" in last.stderr
    assert len(site.cluster.states().keys() - before) == 3
    assert student.client.get(f"/submissions/{waiting}").json()["state"] == "queued"


def _send(students: list[Student], count: int) -> dict[str, str]:
    """Send right, wrong and slower submissions in turn. Return the expected verdict of each."""
    kinds = [(RIGHT, "accepted"), (WRONG, "wrong_answer"), (NAP.format(seconds=2), "accepted")]
    sent = {}
    for number in range(count):
        source, verdict = kinds[number % len(kinds)]
        sent[students[number % len(students)].send(SLUG, source)] = verdict
    return sent


def _list_workers(site: Site) -> list[dict[str, Any]]:
    with site.server.admin() as client:
        items: list[dict[str, Any]] = client.get("/workers").raise_for_status().json()["items"]
    return items
