"""`allclose admin audit`: who did what."""

from typing import Annotated

import typer

from app.cli.admin.place import AsJson, Data, Moment, aware, say, show_table, transaction
from app.cli.console import print_json


def audit(
    actor: Annotated[str | None, typer.Option(help="Whose: a user name.")] = None,
    action: Annotated[str | None, typer.Option(help="What was done, say user.suspended.")] = None,
    kind: Annotated[str | None, typer.Option(help="What kind of thing was changed, say user.")] = None,
    target: Annotated[str | None, typer.Option(help="With --kind: which one.")] = None,
    since: Moment = None,
    until: Moment = None,
    cursor: Annotated[str | None, typer.Option(help="`next` of the page before.")] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Show who did what, the latest first, 50 at a time."""
    from app.administration.audit_log import AuditFilters, list_events

    times = {"since": aware(since), "until": aware(until)}
    filters = AuditFilters(actor=actor, action=action, kind=kind, target=target, **times)
    with transaction(data) as session:
        page = list_events(session, filters, cursor)
    if as_json:
        print_json(page)
        return
    rows = (
        (each.at, each.actor or "(command)", each.action, each.target, "; ".join(map(_change, each.changes)))
        for each in page.items
    )
    show_table(("when (UTC)", "who", "what", "to", "changes"), rows)
    if page.next:
        say(f"More: --cursor {page.next}")


def _change(change: object) -> str:
    field, old, new = (getattr(change, name) for name in ("field", "old", "new"))
    return f"{field} {old} → {new}" if old is not None else f"{field} {new}"
