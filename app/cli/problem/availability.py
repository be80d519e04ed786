"""`allclose problem availability`: list a problem on a server, or change who else can open it."""

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
    "course": "only the members of its course can open it, once an assignment with it has opened",
    "draft": "only authors can open it and submit",
    "withdrawn": "everyone can still read it; it is in no list and takes no submissions",
}


def availability(
    slug: Annotated[str, typer.Argument(help="The slug of a published problem.")],
    state: Annotated[
        Availability, typer.Argument(help="listed, unlisted, course, draft or withdrawn", metavar="STATE")
    ],
    course: Annotated[str | None, typer.Option(help="For the state course: its slug.")] = None,
    confirmed: Annotated[
        bool, typer.Option("--confirmed", help="Also if students then can't hand it in for an assignment.")
    ] = False,
    server: Annotated[str | None, typer.Option(help="The address of the Allclose server (or ALLCLOSE_SERVER).")] = None,
    token: Annotated[
        str | None, typer.Option(help="Your API token (or ALLCLOSE_TOKEN, or the token of `allclose login`).")
    ] = None,
) -> None:
    """List a problem, or make it unlisted, a course's, a draft or withdrawn. Submissions and histories are kept.

    Needs the token of an author or admin.
    """
    settings = read_settings(server=server, token=token)
    with open_client(settings.server, token=require_token(settings)) as client:
        problem = client.change_availability(slug, state, course=course, confirmed=confirmed)
    output.print(f"{escape(problem.slug)} is [bold]{problem.availability}[/]: {MEANING[problem.availability]}.")
