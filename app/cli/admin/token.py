"""`allclose admin token`: the API tokens of any account."""

from typing import Annotated
from uuid import UUID

import typer

from app.cli.admin.console import AsJson, Data, Username, get_user, say, show_table, transaction
from app.cli.console import print_json

app = typer.Typer(help="API tokens.", no_args_is_help=True)

COLUMNS = ("id", "name", "scopes", "created_at", "expires_at", "last_used_at")


@app.command()
def create(
    username: Username,
    name: Annotated[str, typer.Option(help="A name that says what the token is for.")] = "token",
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope of the token (docs/rights.md); repeatable. Default: all scopes.")
    ] = None,
    days: Annotated[
        int | None, typer.Option(help="The number of days until the token expires. Default: never.")
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Create a token and print it. Allclose never shows it again."""
    from app.accounts.own_account import make_token
    from app.accounts.token import Bounds
    from app.audit import COMMAND

    bounds = Bounds(scopes=scope or None, expires_in_days=days)
    with transaction(data) as session:
        new = make_token(session, COMMAND, get_user(session, username), name, bounds)
        token_id = str(new.token.id)
    if as_json:
        print_json({"id": token_id, "token": new.secret})
    else:
        say(new.secret)


@app.command("list")
def list_(username: Username, as_json: AsJson = False, data: Data = None) -> None:
    """List an account's valid tokens. Allclose stores only their hashes."""
    from pydantic_core import to_jsonable_python

    from app.accounts.token import list_tokens

    with transaction(data) as session:
        tokens = list_tokens(session, get_user(session, username).id)
        rows = [{name: getattr(token, name) for name in COLUMNS} for token in tokens]
    if as_json:
        print_json({"items": to_jsonable_python(rows)})
        return
    headings = ("id", "name", "scopes", "created", "expires", "last used")
    show_table(
        headings,
        (["all" if (n, v) == ("scopes", None) else v for n, v in row.items()] for row in rows),
        wrapped=("name", "scopes"),
    )


@app.command()
def revoke(
    username: Username,
    token: Annotated[UUID, typer.Argument(help="The token's ID, as `list` shows it.")],
    data: Data = None,
) -> None:
    """Revoke a token immediately."""
    from app.accounts.own_account import give_up_token
    from app.audit import COMMAND

    with transaction(data) as session:
        give_up_token(session, COMMAND, get_user(session, username), token)
    say(f"The token {token} no longer works")
