"""The commands of `allclose admin` by name."""

import typer

from app.cli.admin import audit, backup, export, invitation, rejudge, settings, token, user

app = typer.Typer(help="Administration. Needs access to the database.", no_args_is_help=True)
app.add_typer(user.app, name="user")
user.app.command("invite")(invitation.invite)
user.app.command("invitations")(invitation.invitations)
user.app.command("withdraw")(invitation.withdraw)
app.add_typer(token.app, name="token")
app.add_typer(rejudge.app, name="rejudge")
app.add_typer(settings.app, name="settings")
app.add_typer(export.app, name="export")
app.command("audit")(audit.audit)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
