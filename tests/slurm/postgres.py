"""A PostgreSQL of Debian's packages that lets the role of `deploy/slurm/worker_role.sql` in over TLS only."""

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from app.settings import ROOT
from tests.accounts.mail_server import free_port
from tests.lacking import do_without

ROLE = "allclose_worker"
ROLE_FILE = ROOT / "deploy/slurm/worker_role.sql"
ACCESS = f"local all all trust\nhostssl allclose {ROLE} 127.0.0.1/32 scram-sha-256\n"
CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
)


@dataclass(frozen=True, kw_only=True)
class TlsPostgres:
    """`url`: the owner's. The worker's URL has no password; `let_in` writes the files that libpq needs besides."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://allclose@/allclose?host={self.folder}&port={self.port}"

    @property
    def worker_url(self) -> str:
        return f"postgresql://{ROLE}@localhost:{self.port}/allclose?sslmode=verify-full"

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self.url, autocommit=True)

    def let_in(self, home: Path) -> str:
        """Create the role, as the page on Slurm says, for processes with this home folder. Return its password."""
        password = secrets.token_urlsafe()
        with self.connect() as connection:
            connection.execute(ROLE_FILE.read_bytes())
            connection.execute(f"ALTER ROLE {ROLE} PASSWORD '{password}'".encode())
        (home / ".postgresql").mkdir(parents=True)
        shutil.copy(self.folder / "server.crt", home / ".postgresql/root.crt")
        (home / ".pgpass").touch(mode=0o600)
        (home / ".pgpass").write_text(f"localhost:{self.port}:allclose:{ROLE}:{password}\n")
        return password


@contextmanager
def running_postgres() -> Iterator[TlsPostgres]:
    """Start it as the package's user if root runs the tests, since PostgreSQL refuses to run as root."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None)
    if programs is None or shutil.which("openssl") is None:
        do_without("there is no PostgreSQL with TLS (Debian, Ubuntu: sudo apt-get install postgresql openssl)")
    user = "postgres" if os.geteuid() == 0 else None
    # Not below a folder of pytest, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="allclose-tls-"))
    if user is not None:
        shutil.chown(folder, user)
    postgres = TlsPostgres(folder=folder, port=free_port())

    def run(*command: str) -> None:
        subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    run(*CERTIFICATE.split(), "-keyout", "server.key", "-out", "server.crt")
    run(str(programs), "--auth=trust", "--username=allclose", "--no-sync", "--pgdata=data")
    (folder / "data/pg_hba.conf").write_text(ACCESS)
    settings = {
        "port": postgres.port,
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": folder,
        "ssl": "on",
        "ssl_cert_file": folder / "server.crt",
        "ssl_key_file": folder / "server.key",
        "fsync": "off",
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    control = (str(programs.with_name("pg_ctl")), "--pgdata=data", "--log=log", "--wait")
    run(*control, f"--options={options}", "start")
    try:
        with psycopg.connect(postgres.url.replace("@/allclose", "@/postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE allclose")
        yield postgres
    finally:
        run(*control, "--mode=immediate", "stop")
        shutil.rmtree(folder)
