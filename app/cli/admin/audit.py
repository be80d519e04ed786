"""`allclose admin audit`: the audit log."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.cli.admin.console import CURSOR, AsJson, Data, Since, Until, aware, say, show_table, transaction
from app.cli.console import print_json

if TYPE_CHECKING:
    from app.admin.audit_log import AuditEntry, Change


def audit(
    actor: Annotated[str | None, typer.Option(help="Only actions of this user.")] = None,
    channel: Annotated[
        Literal["page", "api", "command", "worker", "retention"] | None,
        typer.Option(help="Only actions through this channel."),
    ] = None,
    about: Annotated[str | None, typer.Option(help="Only changes to this user's account or data.")] = None,
    action: Annotated[str | None, typer.Option(help="Only this action, such as user.suspended.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only changes to targets of this kind, such as user.")] = None,
    target: Annotated[str | None, typer.Option(help="With --kind: only changes to this target.")] = None,
    since: Since = None,
    until: Until = None,
    cursor: Annotated[str | None, typer.Option(help=CURSOR)] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Show the audit log, the newest entry first, 50 at a time."""
    from app.admin.audit_log import list_events, read_filters

    wanted = {"actor": actor, "channel": channel, "about": about, "action": action, "kind": kind, "target": target}
    filters = read_filters(wanted | {"since": aware(since), "until": aware(until)})
    with transaction(data) as session:
        page = list_events(session, filters, cursor)
    if as_json:
        print_json(page)
        return
    headings = ("when (UTC)", "who", "what", "to", "about", "changes")
    show_table(headings, map(_row, page.items), wrapped=("changes",))
    if page.next:
        say(f"More: --cursor {page.next}")


def _row(event: "AuditEntry") -> tuple[object, ...]:
    who = event.actor or (f"({event.operator or event.channel})")
    return (event.at, who, event.action, event.target, event.about, "; ".join(map(_change, event.changes)))


def _change(change: "Change") -> str:
    return f"{change.field} {change.old} → {change.new}" if change.old is not None else f"{change.field} {change.new}"
