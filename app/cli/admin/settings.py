"""`allclose admin settings`: what may be changed while Allclose runs."""

from typing import Annotated

import typer
from pydantic_core import to_jsonable_python

from app.cli.admin.place import AsJson, Data, say, show_table, transaction
from app.cli.console import print_json

app = typer.Typer(help="Settings that may change while Allclose runs.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="As `show` lists it.")]


@app.command()
def show(as_json: AsJson = False, data: Data = None) -> None:
    """Show every setting, its value and what it is for."""
    from app.administration.setting import list_settings

    with transaction(data) as session:
        found = list_settings(session)
    if as_json:
        print_json({"items": to_jsonable_python(found)})
        return
    rows = ((each.name, _shown(each.value), _shown(each.default), each.description) for each in found)
    show_table(("setting", "value", "default", "what it is"), rows)


@app.command("set")
def set_(
    name: Name,
    value: Annotated[str, typer.Argument(help="An empty text where a setting may be empty.")],
    data: Data = None,
) -> None:
    """Change a setting; it holds from the next request on."""
    from app.administration.setting import read_value
    from app.audit.record import COMMAND
    from app.policy.change import change_policy

    with transaction(data) as session:
        policy = change_policy(session, COMMAND, {name: read_value(name, value)})
    say(f"{name} is {_shown(getattr(policy, name))} now")


@app.command()
def reset(name: Name, data: Data = None) -> None:
    """Change a setting back to its default."""
    from app.audit.record import COMMAND
    from app.policy.change import reset_setting

    with transaction(data) as session:
        policy = reset_setting(session, COMMAND, name)
    say(f"{name} is {_shown(getattr(policy, name))} now")


def _shown(value: object) -> str:
    return "–" if value is None or value == "" else str(value)
