"""`allclose migrate`: what every start of `allclose serve` does to the database, by itself."""

from app.settings import read_settings


def migrate() -> None:
    """Bring the database up to date: its schema, the packages of the problems folder, and the first admin.

    `allclose serve` does the same when it starts; run this first where several of them start at once.
    """
    from app.cli.console import output
    from app.cli.deployment import open_database
    from app.cli.server import fill

    settings = read_settings()
    with open_database(settings) as database:
        fill(settings, database)
    output.print("The database is up to date.")
