"""`allclose database`: the embedded PostgreSQL as a network server, for the other containers of a deployment."""

import os
from pathlib import Path
from typing import Annotated

import typer

from app.settings import read_settings

# Each web process takes 20. Each worker takes a few, and one more for each slot.
CONNECTIONS = 300


def database(
    url_file: Annotated[
        Path, typer.Option(help="The file to write the URL with its password to, for ALLCLOSE_DATABASE_URL_FILE.")
    ],
    host: Annotated[str, typer.Option(help="The host name under which clients reach this machine.")] = "database",
    data: Annotated[str | None, typer.Option(help="The data folder (or ALLCLOSE_DATA).")] = None,
) -> None:
    """Run PostgreSQL on port 5432 until SIGINT. Every connection needs the password."""
    from sqlalchemy import make_url

    from app.database.embedded_cluster import ENVIRONMENT, Cluster, binaries, write_private
    from app.database.embedded_server import own

    cluster = Cluster(read_settings(data=data).data.absolute() / "postgres")
    with own(cluster.folder) as postgres:  # creates what is missing
        url = make_url(postgres.url).set(host=host, query={})
    access = cluster.folder / "access.conf"
    write_private(access, "local all all scram-sha-256\nhost all all all scram-sha-256\n")
    write_private(url_file, url.set(drivername="postgresql").render_as_string(hide_password=False))
    options = {
        "listen_addresses": "*",
        "unix_socket_directories": "",
        "hba_file": str(access),
        "max_connections": str(CONNECTIONS),
        "random_page_cost": "1.1",
    }
    words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
    # PostgreSQL replaces this process, so that signals reach it.
    program = str(binaries() / "postgres")
    os.execve(program, [program, "-D", str(cluster.data), *words], ENVIRONMENT)
