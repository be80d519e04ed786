"""`allclose admin settings`: the settings that admins change while Allclose runs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic_core import to_jsonable_python

from app.cli.admin.console import AsJson, Data, Yes, confirm, say, show_table, transaction
from app.cli.console import print_json

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.policy import Policy

    Change = Callable[[Session, bool], Policy]

app = typer.Typer(help="Settings that you can change while Allclose runs.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="The setting's name, as `show` lists it.")]


@app.command()
def show(as_json: AsJson = False, data: Data = None) -> None:
    """List the settings with their values, defaults and descriptions."""
    from app.admin.settings import list_settings

    with transaction(data) as session:
        found = list_settings(session)
    if as_json:
        print_json({"items": to_jsonable_python(found)})
        return
    rows = ((each.name, _shown(each.value), _shown(each.default), each.description) for each in found)
    show_table(("setting", "value", "default", "description"), rows, wrapped=("value", "description"))


@app.command("set")
def set_(
    name: Name,
    value: Annotated[str, typer.Argument(help="The new value. '' clears a setting that may be empty.")],
    yes: Yes = False,
    data: Data = None,
) -> None:
    """Change a setting. The change applies within seconds. A change that deletes data asks for confirmation."""
    from app.admin.settings import change_settings, read_value
    from app.audit import COMMAND

    changes = {name: read_value(name, value)}
    _change(data, name, yes, lambda session, sure: change_settings(session, COMMAND, changes, is_confirmed=sure))


@app.command()
def reset(name: Name, yes: Yes = False, data: Data = None) -> None:
    """Reset a setting to its default. A change that deletes data asks for confirmation."""
    from app.admin.settings import put_back
    from app.audit import COMMAND

    _change(data, name, yes, lambda session, sure: put_back(session, COMMAND, name, is_confirmed=sure))


def _change(data: str | None, name: str, yes: bool, change: "Change") -> None:
    from app.admin.settings import RemovalUnconfirmed

    try:
        with transaction(data) as session:
            policy = change(session, yes)
    except RemovalUnconfirmed as fault:
        confirm(f"{fault.warning}. Save it?", yes)
        with transaction(data) as session:
            policy = change(session, True)
    say(f"{name} is now {_shown(getattr(policy, name))}")


def _shown(value: object) -> str:
    return "–" if value is None or value == "" else str(value)
