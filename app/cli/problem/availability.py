"""`allclose problem availability`: list a problem on a server, or make it unlisted, a draft or withdrawn."""

from typing import Annotated

import typer
from rich.markup import escape

from app.catalog.model import Availability
from app.cli.console import output
from app.cli.remote import open_client, require_token
from app.settings import read_settings

MEANING = {
    "listed": "it is in the catalogue and in its track",
    "unlisted": "it is in no list; everyone who knows its address can open it and submit",
    "draft": "only authors can open it and submit",
    "withdrawn": "everyone can still read it; it is in no list and takes no submissions",
}


def availability(
    slug: Annotated[str, typer.Argument(help="The slug of a published problem.")],
    state: Annotated[Availability, typer.Argument(help="listed, unlisted, draft or withdrawn", metavar="STATE")],
    server: Annotated[str | None, typer.Option(help="The address of the Allclose server (or ALLCLOSE_SERVER).")] = None,
    token: Annotated[
        str | None, typer.Option(help="Your API token (or ALLCLOSE_TOKEN, or the token of `allclose login`).")
    ] = None,
) -> None:
    """List a problem, or make it unlisted, a draft or withdrawn. Submissions and histories are kept.

    Needs the token of an author or admin.
    """
    settings = read_settings(server=server, token=token)
    with open_client(settings.server, token=require_token(settings)) as client:
        problem = client.change_availability(slug, state)
    output.print(f"{escape(problem.slug)} is [bold]{problem.availability}[/]: {MEANING[problem.availability]}.")
