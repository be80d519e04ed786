"""`allclose admin rejudge`: judge submissions again, compare the verdicts, then apply or cancel them."""

import time
from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

import typer

from app.cli.admin.console import (
    CURSOR,
    AsJson,
    Data,
    Since,
    Until,
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

app = typer.Typer(help="Judge submissions again. The new verdicts count once you apply them.", no_args_is_help=True)

POLL_SECONDS = 1.0
MOST_NAMED = 3  # more cases with the same change are counted
A_COMMAND = "a command"
_REVISIONS = {"own": "the one that gave the old verdict", "current": "the problem's current one"}

Id = Annotated[UUID, typer.Argument(help="The rejudging's ID, as `list` shows it.")]
Watch = Annotated[bool, typer.Option("--watch", help="Wait until all submissions are judged.")]


@app.command()
def begin(
    problem: Annotated[str | None, typer.Option(help="Only submissions to the problem with this slug.")] = None,
    revision: Annotated[int | None, typer.Option(help="Only those judged by this revision of the problem.")] = None,
    outdated: Annotated[bool, typer.Option("--outdated", help="Only those judged by an older revision.")] = False,
    since: Since = None,
    until: Until = None,
    verdict: Annotated[str | None, typer.Option(help="Only those with this verdict.")] = None,
    cause: Annotated[
        str | None, typer.Option(help="Only judge errors with this cause, as /admin/judge-errors shows it.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Only those of this user.")] = None,
    submission: Annotated[list[UUID] | None, typer.Option(help="Only this submission; repeatable.")] = None,
    samples: Annotated[bool, typer.Option("--samples", help="Include runs of the sample cases.")] = False,
    onto: Annotated[
        Literal["own", "current"],
        typer.Option(help="Judge by the revision that gave the verdict (own), or by the problem's current revision."),
    ] = "own",
    note: Annotated[str, typer.Option(help="The reason, for admins.")] = "",
    watch: Watch = False,
    yes: Yes = False,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Count the selected submissions, ask for confirmation, and judge them again in the background."""
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
        confirm(
            f"Submissions to judge again: {found.total}; unfinished and left out: {found.unfinished}. Continue?", yes
        )
        begun = rejudge(session, COMMAND, Rejudge(choice=choice, onto=onto, note=note))
        rejudging_id = begun.id
    show(rejudging_id, watch=watch, as_json=as_json, data=data)


@app.command("list")
def list_(
    cursor: Annotated[str | None, typer.Option(help=CURSOR)] = None,
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
    """Show a rejudging's progress and how it changes verdicts."""
    from app.cli.deployment import open_database

    with open_database(read_settings(data=data)) as database:
        view = _wait_until_judged(database, rejudging) if watch else _read(database, rejudging)
    if as_json:
        print_json(view)
        return
    show_facts(
        [
            ("id", view.id),
            ("state", view.state),
            ("begun", view.created_at),
            ("by", view.by or A_COMMAND),
            ("note", view.note),
            ("revision", _REVISIONS[view.onto]),
            ("judged", f"{view.judged} of {view.total}"),
        ]
    )
    if view.moves:
        moves = (fields(each, "old", "new", "count") for each in view.moves)
        show_table(("old verdict", "new verdict", "submissions"), moves)
    if view.gone:
        say(f"{view.gone} of these submissions no longer exist")
    if view.overtaken:
        say(f"A later rejudging of {view.overtaken} of these submissions was applied. Use `cancel`; `apply` refuses.")
    if view.state == "judging":
        say(
            "Workers judge them in the background. The old verdicts count meanwhile. "
            f"`allclose admin rejudge show {view.id} --watch` waits until all are judged."
        )
    if view.state == "ready":
        say(
            f"The old verdicts still count. `allclose admin rejudge changes {view.id}` lists the changes. Then use "
            "`apply` or `cancel` in place of `changes`."
        )


@app.command()
def changes(
    rejudging: Id,
    everything: Annotated[bool, typer.Option("--all", help="Include submissions whose result is the same.")] = False,
    cursor: Annotated[str | None, typer.Option(help=CURSOR)] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """List the submissions whose result changes, with the cases that change."""
    from app.rejudging.change import list_changes
    from app.rejudging.create import get_rejudging

    with transaction(data) as session:
        found = get_rejudging(session, rejudging)
        page = list_changes(session, found, only_changed=not everything, cursor=cursor)
    if as_json:
        print_json(page)
        return
    if not page.items:
        say("No result changes." if cursor is None else "There are no more.")
        return
    headings = ("submission", "user", "problem", "change", "old", "new", "cases")
    show_table(headings, map(_row, page.items), wrapped=("cases",))
    if page.next:
        say(f"More: --cursor {page.next}")


@app.command()
def apply(rejudging: Id, yes: Yes = False, data: Data = None) -> None:
    """Replace the old verdicts with the new ones, all at once."""
    from app.audit import COMMAND
    from app.rejudging.decision import apply as decide
    from app.rejudging.view import view_rejudging

    confirm(f"Apply {rejudging}? Its verdicts replace the old ones.", yes)
    with transaction(data) as session:
        view = view_rejudging(session, decide(session, rejudging, COMMAND))
    changed = view.total - view.gone - sum(view.kinds.get(kind, 0) for kind in ("same", "failed"))
    say(f"Applied. Changed results: {changed} of {view.total}")


@app.command()
def cancel(rejudging: Id, yes: Yes = False, data: Data = None) -> None:
    """Keep the old verdicts. You can still look at the new results."""
    from app.audit import COMMAND
    from app.rejudging.decision import cancel as decide

    confirm(f"Cancel {rejudging}?", yes)
    with transaction(data) as session:
        decide(session, rejudging, COMMAND)
    say("Cancelled: nothing has changed")


def _warn(found: "Preview") -> None:
    if found.older:
        errors.print(f"{found.older} of them would be judged by an older revision than the one that judged them")


def _read(database: "Database", rejudging_id: UUID) -> "RejudgingView":
    from app.rejudging.create import get_rejudging
    from app.rejudging.view import view_rejudging

    with database.transaction() as session:
        return view_rejudging(session, get_rejudging(session, rejudging_id))


def _wait_until_judged(database: "Database", rejudging_id: UUID) -> "RejudgingView":
    with errors.status("rejudging …") as status:
        while (view := _read(database, rejudging_id)).state == "judging":
            status.update(f"rejudged {view.judged} of {view.total} …")
            time.sleep(POLL_SECONDS)
    return view


def _row(change: "Change") -> tuple[object, ...]:
    cases: dict[str, list[str]] = {}
    for case in change.cases:
        cases.setdefault(f"{case.old or '–'} → {case.new or '–'}", []).append(case.name)
    said = "; ".join(f"{_named(names)}: {move}" for move, names in cases.items())
    return (change.submission, change.user, change.problem, change.kind, _text(change.old), _text(change.new), said)


def _named(cases: list[str]) -> str:
    return ", ".join(cases) if len(cases) <= MOST_NAMED else f"{len(cases)} cases"


def _text(outcome: "Outcome") -> str:
    return f"{outcome.verdict or '–'}{'' if outcome.score is None else f', {outcome.score} %'}"
