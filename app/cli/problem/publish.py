"""`allclose problem publish`: send a package to a server, which verifies and publishes it."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from app.catalog.model import Availability
from app.cli.console import errors, output
from app.cli.problem.availability import MEANING
from app.cli.problem.package_source import NAMED, PackageSource, find_source
from app.cli.remote import open_client, require_token
from app.cli.transport import ClientError
from app.settings import read_settings

if TYPE_CHECKING:
    from app.authoring.query import VerificationView
    from app.cli.client import Client

# Each response updates the progress bar.
WAIT_SECONDS = 1
EXIT_CODE = {"passed": 0, "refused": 1}
FAILED = 3


def publish(
    problem: Annotated[str, typer.Argument(help=NAMED)],
    server: Annotated[str | None, typer.Option(help="The address of the Allclose server (or ALLCLOSE_SERVER).")] = None,
    token: Annotated[
        str | None, typer.Option(help="Your API token (or ALLCLOSE_TOKEN, or the token of `allclose login`).")
    ] = None,
    availability: Annotated[
        Availability | None,
        typer.Option(
            help="listed, unlisted, course, draft or withdrawn, from the first moment on. Without it, a new problem "
            "is listed and others stay as they are.",
            metavar="STATE",
        ),
    ] = None,
    course: Annotated[str | None, typer.Option(help="For the availability course: the slug of the course.")] = None,
) -> None:
    """Send a package to a server, follow its verification, and publish it if it passes.

    Needs the token of an author or admin. Exit code 0 if published, 1 if refused, 2 for a wrong request, 3 if the
    server could not verify it.
    """
    settings = read_settings(server=server, token=token)
    source = find_source(problem)
    source.load()  # reports faults of the files before anything is sent
    with open_client(settings.server, token=require_token(settings)) as client:
        verification = _send(client, source, availability, course)
        try:
            verification = _follow(client, verification)
        except (ClientError, KeyboardInterrupt) as error:
            errors.print(f"The server keeps verifying the package: {_page(settings.server, verification)}")
            raise error from None
    _print(verification, settings.server)
    raise typer.Exit(EXIT_CODE.get(verification.state, FAILED))


def _send(
    client: "Client", source: PackageSource, availability: Availability | None, course: str | None
) -> "VerificationView":
    """Send the package. The same package sent again joins its unfinished verification. Raises ClientError."""
    from app.catalog.archive import write_archive

    files = source.read()
    if source.is_single:
        content = next(iter(files.values()))
        return client.send_package(source.slug, content, "application/yaml", availability, course)
    archive = write_archive(source.slug, {path: text.decode() for path, text in files.items()})
    return client.send_package(source.slug, archive, "application/zip", availability, course)


def _follow(client: "Client", verification: "VerificationView") -> "VerificationView":
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    printed: str | None = None
    with Progress(*columns, TimeElapsedColumn(), console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("queued", total=None)
        while verification.finished_at is None:
            notice = verification.notice
            if notice and notice != printed:
                errors.print(notice, markup=False, highlight=False, soft_wrap=True)
            printed = notice
            verification = client.get_verification(verification.id, wait=WAIT_SECONDS)
            step = verification.step or verification.state
            bar.update(task, description=step, completed=verification.done, total=verification.total or None)
    return verification


def _page(server: str, verification: "VerificationView") -> str:
    return f"{server}/author/verifications/{verification.id}"


def _print(verification: "VerificationView", server: str) -> None:
    from app.cli.problem.report_table import print_report
    from app.courses.due import describe_open_uses

    if verification.report is not None:
        print_report(verification.report)
    if verification.revision is not None:
        address = f"{server}/problems/{verification.problem}"
        output.print(f"Published as revision {verification.revision}: [bold]{escape(address)}[/]", soft_wrap=True)
        if state := verification.availability:
            output.print(f"{escape(verification.problem)} is [bold]{state}[/]: {MEANING[state]}.", soft_wrap=True)
        if uses := describe_open_uses(verification.open_assignments or 0):
            output.print(uses, markup=False, highlight=False, soft_wrap=True)
        return
    reason = verification.notice or f"the verification was {verification.state}; the problem has not changed"
    output.print(f"[bold red]Not published[/]: {escape(reason)}", soft_wrap=True)
