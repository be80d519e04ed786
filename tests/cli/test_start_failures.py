"""A start that fails says in a sentence what is wrong, where, and what to do."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import make_url

from app.cli import deployment
from app.cli.deployment import NoDatabase, read_version
from app.cli.server import AddressInUse, _listen
from app.database.embedded_server import EmbeddedPostgres, own
from app.database.engine import Database, find_damage
from app.settings import Settings
from tests.cli.test_commands import allclose
from tests.engine import Engine, own_engine
from tests.sandbox.ordinary_user import PROJECT
from tests.serving import ONE_PROBLEM, RIGHT

SERVE = ("serve", "--no-worker", "--port", "0")

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")


def refused(*arguments: str | Path, **environment: str) -> str:
    """Run a command, which must fail with one line and no traceback. Return the line."""
    done = allclose(*arguments, **environment)
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    return line


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """Mount a small disk in memory."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"this machine does not let root mount a disk: {done.stderr}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill_up(disk: Path) -> Path:
    """Write a file until the disk is full."""
    file = disk / "filler"
    with file.open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(64 * 1024))
        except OSError:
            pass
    return file


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "small", "size=8m") as disk:
        yield disk


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "fixed", "size=8m,ro") as disk:
        yield disk


@pytest.mark.whole
@as_root
def test_serve_names_a_disk_without_room_for_a_database(small_disk: Path) -> None:
    said = refused(*SERVE, "--data", small_disk / "data")

    assert f"can't use the data folder {small_disk}/data" in said
    assert "its disk is full" in said
    assert "128 MiB are needed" in said
    assert "--data or ALLCLOSE_DATA" in said
    assert not (small_disk / "data/postgres/cluster.new").exists()


@as_root
@pytest.mark.whole
@pytest.mark.parametrize("command", [SERVE, ("migrate",), ("worker",)], ids=lambda words: words[0])
def test_a_full_disk_is_named_and_nothing_is_lost(tmp_path: Path, command: tuple[str, ...]) -> None:
    with mounted(tmp_path / "disk", "size=256m") as disk:
        with own(disk / "postgres") as server:
            _ask(server.url, "CREATE TABLE kept AS SELECT 42 AS answer")
        filler = fill_up(disk)

        said = refused(*command, ALLCLOSE_DATA=str(disk), ALLCLOSE_SANDBOX="bubblewrap")

        assert f"can't use the data folder {disk}" in said
        assert "its disk is full" in said
        filler.unlink()
        with own(disk / "postgres") as server:
            assert _ask(server.url, "SELECT answer FROM kept") == 42


@pytest.mark.whole
@pytest.mark.parametrize(
    ("table", "database", "content"),
    [
        ("pg_authid", "allclose", b"\xa5"),
        ("pg_class", "postgres", b"\xa5"),
        ("pg_attribute", "allclose", b"\0"),
        ("alembic_version", "allclose", b"\xa5"),
    ],
)
def test_a_damaged_table_is_named(tmp_path: Path, table: str, database: str, content: bytes) -> None:
    with own(tmp_path / "postgres") as server:
        _ask(server.url, "CREATE TABLE alembic_version AS SELECT '0001' AS version_num")
        url = str(make_url(server.url).set(database=database).render_as_string(hide_password=False))
        file = tmp_path / "postgres/cluster" / str(_ask(url, f"SELECT pg_relation_filepath('{table}')"))
    file.write_bytes(content * file.stat().st_size)

    said = refused(*SERVE, "--data", tmp_path)

    assert "damaged (" in said
    assert "restore a backup" in said


@pytest.mark.parametrize(
    "words",
    [
        "",
        'could not read root certificate file "/ca.pem": no certificate or crl found',
        'FATAL:  could not open file "base/5/1259": Permission denied',
        "permission denied for schema pg_catalog",
    ],
)
def test_an_error_that_leaves_the_files_whole_is_no_damage(words: str) -> None:
    assert find_damage(psycopg.OperationalError(words)) is None


@pytest.mark.parametrize(
    "command", [pytest.param(SERVE, marks=pytest.mark.whole), ("migrate",)], ids=lambda words: words[0]
)
def test_a_data_folder_from_before_the_first_release_is_named_and_kept(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    with own(tmp_path / "postgres") as server:
        _ask(server.url, "CREATE TABLE users AS SELECT 42 AS answer")
        _ask(server.url, "CREATE TABLE alembic_version AS SELECT '0041' AS version_num")

    said = refused(*command, "--data", tmp_path)

    assert "at revision 0041, from before the first release" in said
    assert "Use another database (--data or ALLCLOSE_DATABASE_URL)" in said
    with own(tmp_path / "postgres") as server:
        assert _ask(server.url, "SELECT answer FROM users") == 42


@pytest.mark.whole
def test_a_database_of_another_program_is_named(tmp_path: Path) -> None:
    with own(tmp_path / "postgres") as server:
        _ask(server.url, "CREATE TABLE problems AS SELECT 42 AS answer")

        said = refused("migrate", ALLCLOSE_DATABASE_URL=server.url, ALLCLOSE_DATA=str(tmp_path))

        assert "it has tables of another program" in said
        assert _ask(server.url, "SELECT answer FROM problems") == 42


@pytest.mark.whole
@as_root
@pytest.mark.parametrize("command", [SERVE, ("migrate",)], ids=lambda words: words[0])
def test_a_read_only_disk_is_named(read_only_disk: Path, command: tuple[str, ...]) -> None:
    said = refused(*command, ALLCLOSE_DATA=str(read_only_disk / "data"))

    assert f"can't use the data folder {read_only_disk}/data" in said
    assert "its file system is read-only: mount it for writing, or choose another folder" in said


@pytest.mark.whole
@as_root
def test_a_data_folder_of_another_user_is_named(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "postgres").mkdir(parents=True)
    for folder in (*tmp_path.parents, tmp_path):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    program = (
        "import sys; from tests.sandbox.ordinary_user import become_ordinary; become_ordinary();"
        f"from app.cli import main; sys.argv[1:] = {[*SERVE, '--data', str(data)]!r}; main()"
    )
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"}

    done = subprocess.run([sys.executable, "-c", program], cwd=PROJECT, env=environment, capture_output=True, text=True)

    assert done.returncode == 2, done.stderr
    assert f"the user with UID 12345 may not write {data}" in done.stderr
    assert "make that user its owner, or choose another folder with --data" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_port_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = refused("serve", "--port", str(port), "--data", tmp_path / "data")

    assert f"can't listen on 127.0.0.1 port {port} (Address already in use): stop the program" in said
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("host", ["203.0.113.9", "nothing.invalid"])
def test_an_address_of_another_machine_is_named(host: str) -> None:
    with pytest.raises(AddressInUse, match=f"{host} .*choose an address of this machine"), _listen(Settings(host=host)):
        pass


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://somewhere", "is not a PostgreSQL URL: write postgresql://"),
        pytest.param(
            "postgresql://ada:p@ss:w/rd@host:1/x", "can't be read: write postgresql://", marks=pytest.mark.whole
        ),
        pytest.param("postgresql://a@127.0.0.1:1/x", "Connection refused", marks=pytest.mark.whole),
        pytest.param("postgresql://a@nothing.invalid/x", "nothing.invalid", marks=pytest.mark.whole),
        pytest.param(
            "postgresql://a@127.0.0.1:1/x?colour=red", 'invalid connection option "colour"', marks=pytest.mark.whole
        ),
    ],
)
@pytest.mark.parametrize(
    "command", [SERVE, pytest.param(("migrate",), marks=pytest.mark.whole)], ids=lambda words: words[0]
)
def test_a_wrong_database_url_is_a_sentence(command: tuple[str, ...], url: str, words: str, tmp_path: Path) -> None:
    said = refused(*command, ALLCLOSE_DATABASE_URL=url, ALLCLOSE_DATA=str(tmp_path))

    assert words in said
    assert "p@ss" not in said


@pytest.mark.whole
def test_a_wrong_password_of_the_database_is_a_sentence(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    url = make_url(postgres.url).set(password="guess").render_as_string(hide_password=False)

    said = refused(*SERVE, ALLCLOSE_DATABASE_URL=url, ALLCLOSE_DATA=str(tmp_path))

    assert "password authentication failed" in said
    assert "correct or unset ALLCLOSE_DATABASE_URL" in said


@pytest.mark.whole
@pytest.mark.parametrize(
    ("grant", "words"),
    [
        ("ALTER ROLE {role} SET default_transaction_read_only = on", "it is read-only: name the primary server"),
        ("ALTER ROLE {role} NOINHERIT", "its role lacks a right: make the role the owner"),
    ],
)
def test_a_database_that_can_not_be_written_is_a_sentence(
    postgres: EmbeddedPostgres, tmp_path: Path, grant: str, words: str
) -> None:
    role = f"guest_{uuid4().hex[:8]}"
    superuser = f"host={postgres.server.socket_folder} user=postgres password={postgres.cluster.password}"
    with psycopg.connect(f"{superuser} dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'guest'")
        connection.execute(grant.format(role=role))
        connection.execute(f"CREATE DATABASE {role}")
    url = make_url(postgres.url).set(username=role, password="guest", database=role)

    said = refused(*SERVE, ALLCLOSE_DATABASE_URL=url.render_as_string(hide_password=False), ALLCLOSE_DATA=str(tmp_path))

    assert words in said


def test_an_old_postgresql_is_refused(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    version = read_version(database)
    monkeypatch.setattr(deployment, "LEAST_POSTGRES", int(version.split(".")[0]) + 1)

    with pytest.raises(NoDatabase, match=f"PostgreSQL {version}, which is too old: use PostgreSQL"):
        read_version(database)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with own_engine(tmp_path_factory.mktemp("engine"), image=None) as engine:
        yield engine


@pytest.mark.whole
@pytest.mark.parametrize("command", ["judge", "worker"])
def test_an_engine_without_the_image_is_told_to_build_it(engine: Engine, command: str, tmp_path: Path) -> None:
    solution = tmp_path / "solution.py"
    solution.write_text(RIGHT)
    arguments = (
        ("judge", ONE_PROBLEM / "standardise", solution) if command == "judge" else ("worker", "--data", tmp_path)
    )

    done = allclose(*arguments, ALLCLOSE_SANDBOX="docker", DOCKER_HOST=engine.address)

    assert done.returncode == 3
    assert "the Docker Engine has no image allclose-cpu: run `make images`" in done.stderr
    assert "Traceback" not in done.stderr


def _address(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _ask(url: str, query: str) -> object:
    with psycopg.connect(_address(url), autocommit=True) as connection:
        cursor = connection.execute(query)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None
