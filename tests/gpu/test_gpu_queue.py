"""GPU problems, from publication to judging on workers with and without a GPU."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from app.catalog.model import ExpectedOutput
from app.catalog.publish import publish
from app.cli.gpu import BadGpuChoice, choose, default_choice, use_gpus
from app.database.engine import Database
from app.queue.model import MAX_ATTEMPTS, WorkerRow
from app.submissions.model import Judging
from sandbox.gpu.driver import open_driver
from sandbox.interface import SandboxUnavailable
from tests.cli.test_commands import allclose
from tests.factories import make_judging, make_submission
from tests.gpu.nvml import FakeNvml, make_gpus, without_driver
from tests.queue.fleet import wait_until
from tests.queue.test_lease import attempts_left
from tests.sandbox.bench import RUNTIME
from tests.serving import serve
from tests.worker.bench import REFERENCE, STANDARDISE, changed

ON_GPU = changed("gpu: false", "gpu: true")
NO_WORKER = "No GPU worker is running now: your submission waits in the queue and will be judged when one starts."
HERE = make_gpus(4)


@contextmanager
def running(database: Database, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A worker that has a GPU, as far as it knows."""
    settings = {"ALLCLOSE_DATA": str(folder), "ALLCLOSE_RUNTIME": str(RUNTIME), "ALLCLOSE_SANDBOX": "bubblewrap"}
    command = [sys.executable, "-m", "tests.gpu.worker_process", database.url, str(folder)]
    with subprocess.Popen(command, env=os.environ | settings, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def send(database: Database) -> None:
    with database.transaction() as session:
        submission = make_submission(session, revision=publish(session, ON_GPU))
        submission.source = REFERENCE
        make_judging(session, submission.id, queue="gpu")


def last_judging(database: Database) -> Judging:
    with database.transaction() as session:
        return session.scalars(select(Judging).order_by(Judging.id.desc()).limit(1)).one()


def workers(database: Database) -> list[WorkerRow]:
    with database.transaction() as session:
        return list(session.scalars(select(WorkerRow)))


def test_a_worker_that_has_a_gpu_judges_with_expected_outputs_of_its_own(database: Database, tmp_path: Path) -> None:
    send(database)

    with running(database, tmp_path) as process:
        wait_until(lambda: last_judging(database).state == "done", 120)
        rows = workers(database)
        process.send_signal(signal.SIGTERM)
        status = process.wait(60)

    with database.transaction() as session:
        devices = set(session.scalars(select(ExpectedOutput.device)))
    assert (last_judging(database).verdict, devices, status) == ("accepted", {"gpu"}, 0)
    assert sorted((*row.queues, row.device, *row.gpus) for row in rows) == [
        ("gpu", "gpu", "NVIDIA Imaginary"),
        ("similarity", "gpu"),
        ("verify-gpu", "gpu", "NVIDIA Imaginary"),
    ]
    assert workers(database) == []


def test_a_worker_that_loses_its_gpu_gives_its_judging_back_and_ends(database: Database, tmp_path: Path) -> None:
    with running(database, tmp_path) as process:
        wait_until(lambda: workers(database))
        (tmp_path / "lost").touch()
        send(database)
        said = process.communicate(timeout=120)[1]

    judging = last_judging(database)
    assert process.returncode == 3
    assert "no GPU of this worker answers any longer" in said
    assert judging.job is not None
    assert (judging.state, judging.verdict, judging.job.reason) == ("queued", None, None)
    assert attempts_left(judging.job) == MAX_ATTEMPTS
    assert workers(database) == []


@pytest.mark.whole
def test_a_machine_without_a_gpu_publishes_takes_and_keeps_what_needs_one(tmp_path: Path) -> None:
    write(tmp_path, "on_gpu", STANDARDISE.files["problem.yaml"].replace(b"gpu: false", b"gpu: true"))
    write(tmp_path, "on_cpu", STANDARDISE.files["problem.yaml"])
    either = STANDARDISE.files["problem.yaml"].replace(b"gpu: false", b"gpu: true, interpreter: true")
    write(tmp_path, "on_either", either.replace(b"[numpy]", b"[numpy, pallas]").replace(b"128", b"512"))

    with serve(tmp_path / "data", {"ALLCLOSE_PROBLEMS": str(tmp_path / "problems")}) as served:
        student = served.sign_up()
        taken = student.client.post("/problems/on_gpu/submissions", json={"source": REFERENCE}).json()
        beside = student.submit("on_cpu", REFERENCE)
        interpreted = student.submit("on_either", REFERENCE)
        waiting = student.client.get(f"/submissions/{taken['id']}").json()

    assert "not published" not in served.text
    assert taken["notice"] == NO_WORKER
    assert (beside["verdict"], beside["notice"]) == ("accepted", None)
    assert (interpreted["verdict"], interpreted["is_interpreted"]) == ("accepted", True)
    assert (waiting["state"], waiting["notice"]) == ("queued", NO_WORKER)


def write(folder: Path, slug: str, manifest: bytes) -> None:
    package = folder / "problems" / slug
    package.mkdir(parents=True)
    (package / "problem.yaml").write_bytes(manifest)


@pytest.mark.parametrize(("choice", "indices"), [("all", [0, 1, 2, 3]), ("0", [0]), ("2,0,2", [0, 2])])
def test_gpus_are_chosen_by_number(choice: str, indices: list[int]) -> None:
    assert [gpu.index for gpu in choose(choice, open_driver(HERE).list_gpus())] == indices


@pytest.mark.parametrize(
    ("choice", "present", "sentence"),
    [
        ("3", make_gpus(2), "no such GPU 3: this machine has 0–1"),
        ("1,5", make_gpus(1), "no such GPU 1, 5: this machine has 0"),
        ("first", HERE, "takes `all` or numbers that nvidia-smi shows, such as 0,1; 'first' is neither"),
        ("0,", HERE, "'0,' is neither"),
    ],
)
def test_a_choice_of_others_is_refused_with_a_sentence(choice: str, present: FakeNvml, sentence: str) -> None:
    with pytest.raises(BadGpuChoice, match=re.escape(sentence)):
        choose(choice, open_driver(present).list_gpus())


@pytest.mark.parametrize(
    ("variables", "choice"),
    [
        ({}, "all"),
        ({"CUDA_VISIBLE_DEVICES": "2,3"}, "2,3"),
        ({"SLURM_JOB_ID": "7", "CUDA_VISIBLE_DEVICES": "1"}, "1"),
    ],
)
def test_without_a_choice_a_worker_takes_the_gpus_of_its_job_or_all(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], choice: str
) -> None:
    _set(monkeypatch, variables)

    assert default_choice() == choice


@pytest.mark.parametrize("visible", [None, "", "NoDevFiles", "GPU-8932f937"])
def test_a_slurm_job_without_numbers_of_gpus_gets_none_of_the_node(
    monkeypatch: pytest.MonkeyPatch, visible: str | None
) -> None:
    _set(monkeypatch, {"SLURM_JOB_ID": "7", **({} if visible is None else {"CUDA_VISIBLE_DEVICES": visible})})

    with pytest.raises(BadGpuChoice, match="submit the Slurm job with --gpus-per-node=1, or pass --gpus"):
        default_choice()


def _set(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in ("SLURM_JOB_ID", "CUDA_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_a_driver_without_a_gpu_is_no_choice_at_all() -> None:
    with pytest.raises(SandboxUnavailable, match="shows no GPU"):
        choose("all", ())


def test_a_gpu_that_others_use_is_taken_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    nvml = make_gpus(2)
    nvml.gpus[1].processes = [4711]

    with use_gpus("all", open_driver(nvml)) as gpus:
        assert [gpu.index for gpu in gpus.gpus] == [0, 1]

    assert "the processes [4711] use GPU 1" in caplog.text
    assert "GPU 0" not in caplog.text


def test_the_option_belongs_to_the_queue() -> None:
    said = allclose("worker", "--gpus", "0")

    assert said.returncode == 2
    assert "--gpus needs --queue gpu" in said.stderr


@pytest.mark.whole
@without_driver
def test_a_machine_without_a_driver_says_so_and_starts_no_worker(tmp_path: Path) -> None:
    said = allclose("worker", "--queue", "gpu", "--data", tmp_path)

    assert said.returncode == 3
    assert "this machine has no NVIDIA driver" in said.stderr
    assert not list(tmp_path.iterdir())


@without_driver
def test_judging_a_file_for_a_gpu_says_the_same(tmp_path: Path) -> None:
    write(tmp_path, "on_gpu", STANDARDISE.files["problem.yaml"].replace(b"gpu: false", b"gpu: true"))
    solution = tmp_path / "solution.py"
    solution.write_text(REFERENCE)

    said = allclose("judge", tmp_path / "problems" / "on_gpu", solution)

    assert said.returncode == 3
    assert "this machine has no NVIDIA driver" in said.stderr
