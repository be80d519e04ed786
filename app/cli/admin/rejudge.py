"""`allclose admin rejudge`: judging submissions again, and looking at what that changes before it counts."""

import time
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

import typer

from app.cli.admin.console import (
    AsJson,
    Data,
    Moment,
    Yes,
    aware,
    confirm,
    fields,
    say,
    show_facts,
    show_table,
    transaction,
)
from app.cli.console import errors, print_json
from app.settings import read_settings

if TYPE_CHECKING:
    from app.database.engine import Database
    from app.rejudging.change import Change, Outcome
    from app.rejudging.choice import Preview
    from app.rejudging.view import RejudgingView

app = typer.Typer(help="Judge submissions again; nothing counts before it is applied.", no_args_is_help=True)

LOOK_AGAIN_SECONDS = 1.0

Id = Annotated[UUID, typer.Argument(help="As `list` shows it.")]
Watch = Annotated[bool, typer.Option("--watch", help="Wait until all are judged.")]


@app.command()
def begin(
    problem: Annotated[str | None, typer.Option(help="Of this problem: its slug.")] = None,
    revision: Annotated[int | None, typer.Option(help="Judged by this revision of it.")] = None,
    outdated: Annotated[bool, typer.Option("--outdated", help="Judged by an older revision.")] = False,
    since: Moment = None,
    until: Moment = None,
    verdict: Annotated[str | None, typer.Option(help="With this verdict.")] = None,
    cause: Annotated[
        str | None, typer.Option(help="Judge errors of this cause, as /admin/judge-errors has it.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Of this user.")] = None,
    submission: Annotated[list[UUID] | None, typer.Option(help="This one; again for more.")] = None,
    samples: Annotated[bool, typer.Option("--samples", help="Runs of sample cases, too.")] = False,
    onto: Annotated[
        Literal["own", "current"],
        typer.Option(help="By the revisions that judged them, as counts now, or by their problems' current ones."),
    ] = "own",
    note: Annotated[str, typer.Option(help="Why.")] = "",
    watch: Watch = False,
    yes: Yes = False,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Say how many submissions are so, and judge them again in the background."""
    from pydantic import ValidationError

    from app.audit import COMMAND
    from app.errors import Invalid
    from app.rejudging.choice import Choice, preview
    from app.rejudging.create import Rejudge, rejudge
    from app.wrong_value import list_wrong

    wanted = {"problem": problem, "revision": revision, "outdated": outdated, "verdict": verdict, "user": user}
    more = {"since": aware(since), "until": aware(until), "ids": submission or None, "samples": samples, "cause": cause}
    try:
        choice = Choice.model_validate(wanted | more)
    except ValidationError as error:
        raise Invalid("chosen", list_wrong(error)[0].sentence()) from None
    with transaction(data) as session:
        found = preview(session, choice, onto)
        _warn(found)
        confirm(f"Judge {found.total} submissions again ({found.unfinished} unfinished are left out)?", yes)
        begun = rejudge(session, COMMAND, Rejudge(choice=choice, onto=onto, note=note))
        rejudging_id = begun.id
    show(rejudging_id, watch=watch, as_json=as_json, data=data)


@app.command("list")
def list_(
    cursor: Annotated[str | None, typer.Option(help="`next` of the page before.")] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """List rejudgings, the newest first."""
    from app.rejudging.view import list_rejudgings

    with transaction(data) as session:
        page = list_rejudgings(session, cursor)
    if as_json:
        print_json(page)
        return
    rows = (fields(each, "id", "state", "created_at", "by", "judged", "total", "note") for each in page.items)
    show_table(("id", "state", "begun", "by", "judged", "of", "note"), rows, wrapped=("note",))
    if page.next:
        say(f"More: --cursor {page.next}")


@app.command()
def show(rejudging: Id, watch: Watch = False, as_json: AsJson = False, data: Data = None) -> None:
    """Show how far it is, and how verdicts would change."""
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database:
        view = _watched(database, rejudging) if watch else _read(database, rejudging)
    if as_json:
        print_json(view)
        return
    names = ("id", "state", "created_at", "by", "note", "onto", "judged", "total")
    show_facts((name.removesuffix("_at"), getattr(view, name)) for name in names)
    show_table(
        ("old verdict", "new verdict", "submissions"), (fields(each, "old", "new", "count") for each in view.moves)
    )
    if view.gone:
        say(f"{view.gone} of them are not there any more")
    if view.overtaken:
        say(f"{view.overtaken} of them were judged again and applied since: it can't be applied any more, `cancel` it")
    if view.state == "ready":
        say(f"`allclose admin rejudge changes {view.id}` shows each; `apply` or `cancel` decides")


@app.command()
def changes(
    rejudging: Id,
    everything: Annotated[bool, typer.Option("--all", help="What came out the same, too.")] = False,
    cursor: Annotated[str | None, typer.Option(help="`next` of the page before.")] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Show each submission that comes out differently, with the cases that do."""
    from app.rejudging.change import list_changes
    from app.rejudging.create import get_rejudging

    with transaction(data) as session:
        found = get_rejudging(session, rejudging)
        page = list_changes(session, found, only_changed=not everything, cursor=cursor)
    if as_json:
        print_json(page)
        return
    show_table(("submission", "user", "problem", "", "old", "new", "cases"), map(_row, page.items), wrapped=("cases",))
    if page.next:
        say(f"More: --cursor {page.next}")


@app.command()
def apply(rejudging: Id, yes: Yes = False, data: Data = None) -> None:
    """Let the new verdicts count in place of the old ones, all of them at once."""
    from app.audit import COMMAND
    from app.rejudging.decision import apply as decide

    confirm(f"Apply {rejudging}? Its verdicts count from then on.", yes)
    with transaction(data) as session:
        judged = decide(session, rejudging, COMMAND).judged
    say(f"Applied: {judged} submissions have their new verdicts")


@app.command()
def cancel(rejudging: Id, yes: Yes = False, data: Data = None) -> None:
    """Leave everything as it was; what was judged can still be looked at."""
    from app.audit import COMMAND
    from app.rejudging.decision import cancel as decide

    confirm(f"Cancel {rejudging}?", yes)
    with transaction(data) as session:
        decide(session, rejudging, COMMAND)
    say("Cancelled: nothing has changed")


def _warn(found: "Preview") -> None:
    if found.older:
        errors.print(f"{found.older} of them would go back to an older revision than the one that judged them")


def _read(database: "Database", rejudging_id: UUID) -> "RejudgingView":
    from app.rejudging.create import get_rejudging
    from app.rejudging.view import view_rejudging

    with database.transaction() as session:
        return view_rejudging(session, get_rejudging(session, rejudging_id))


def _watched(database: "Database", rejudging_id: UUID) -> "RejudgingView":
    """Once it does not wait any more."""
    with errors.status("judging again …") as status:
        while (view := _read(database, rejudging_id)).state == "judging":
            status.update(f"judging again: {view.judged} of {view.total} …")
            time.sleep(LOOK_AGAIN_SECONDS)
    return view


def _row(change: "Change") -> tuple[object, ...]:
    cases = "; ".join(f"{case.name}: {case.old or '–'} → {case.new or '–'}" for case in change.cases)
    return (change.submission, change.user, change.problem, change.kind, _told(change.old), _told(change.new), cases)


def _told(outcome: "Outcome") -> str:
    return f"{outcome.verdict or '–'} {outcome.score if outcome.score is not None else ''}".strip()
