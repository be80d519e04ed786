"""The health check of a container: `health.py web`, or another service. Exit status 0 if it is healthy."""

import socket
import sys
from http.client import HTTPConnection

SECONDS = 10


def web() -> bool:
    """Check that it answers, and that its database has the right schema."""
    return _answers(8000, "/readyz") == 200


def proxy() -> bool:
    """Check that it answers. The web processes behind it may be down."""
    return _answers(8080, "/healthz") < 500


def engine() -> bool:
    from docker import DockerClient

    return bool(DockerClient("unix:///engine/docker.sock", timeout=SECONDS).ping())


def worker() -> bool:
    """Check for a recent heartbeat."""
    import psycopg

    from app.queue.heartbeat import ALIVE
    from app.settings import read_settings

    heartbeats = "SELECT FROM workers WHERE host = %s AND seen_at > now() - %s"
    with psycopg.connect(read_settings().database_url or "", connect_timeout=SECONDS) as connection:
        return connection.execute(heartbeats, [socket.gethostname(), ALIVE]).fetchone() is not None


def _answers(port: int, path: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", path)
    return connection.getresponse().status


if __name__ == "__main__":
    checks = {check.__name__: check for check in (web, proxy, engine, worker)}
    sys.exit(0 if checks[sys.argv[1]]() else 1)
