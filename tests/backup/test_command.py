"""The choice of a pg_dump for each version of the server."""

from pathlib import Path

import pytest
from sqlalchemy import make_url

from app.backup.program import ProgramLacks, Server, find_program
from app.database.embedded_cluster import binaries

URL = make_url("postgresql+psycopg://ada:a%20secret@db.example:5433/judge?sslmode=require")


def server(major: int, *, is_encrypted: bool = False) -> Server:
    return Server(url=URL, major=major, is_encrypted=is_encrypted)


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("nothing_installed")
def test_the_wheels_own_for_its_version_and_older_ones() -> None:
    assert find_program("pg_dump", server(15)) == find_program("pg_dump", server(18)) == binaries() / "pg_dump"


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (server(99), r"is PostgreSQL 99, which the pg_dump 18 .* postgresql-client-99"),
        (server(18, is_encrypted=True), r"PostgreSQL 18, reached over TLS, .* postgresql-client-18"),
    ],
)
def test_a_server_that_it_can_not_talk_to_is_said(wanted: Server, words: str) -> None:
    with pytest.raises(ProgramLacks, match=words):
        find_program("pg_dump", wanted)


def test_the_machines_own_is_taken_where_the_wheels_can_not_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = tmp_path / "pg_dump"
    installed.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 99.1'\n")
    installed.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_program("pg_dump", server(99)) == find_program("pg_dump", server(18, is_encrypted=True)) == installed


def test_a_password_is_not_among_the_arguments() -> None:
    wanted = server(18)

    assert "secret" not in " ".join(wanted.arguments)
    assert "sslmode=require" in " ".join(wanted.arguments)
    assert wanted.environment["PGPASSWORD"] == "a secret"
