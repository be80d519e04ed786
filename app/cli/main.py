"""The commands by name, and how an error of ours reaches the terminal: as its sentence.

Exit code 2 is for what the command was asked, 3 for a judge that failed."""

import sys
from typing import Any

import typer
from rich.markup import escape
from typer.core import TyperGroup

from app.cli import database, doctor, judge, migrate, problem, serve, submit, worker
from app.cli.admin import main as admin
from app.cli.console import errors
from app.cli.plain import message
from app.errors import AllcloseError, JudgeFailed
from sandbox.interface import SandboxError


class Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Without what the library that reads arguments says of itself before its sentence."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as fault:
            fault.message = fault.message.removeprefix("Value error, ")
            raise


app = typer.Typer(
    name="allclose",
    cls=Commands,
    help="An online judge for numerical and machine-learning code.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.command("migrate")(migrate.migrate)
app.command("database")(database.database)
app.command("judge")(judge.judge)
app.command("login")(submit.login)
app.command("submit")(submit.submit)
app.command("show")(submit.show)
app.command("cancel")(submit.cancel)
app.command("doctor")(doctor.doctor)
app.add_typer(problem.app, name="problem")
app.add_typer(admin.app, name="admin")


def main() -> None:
    try:
        app()
    except (AllcloseError, SandboxError) as error:
        errors.print(f"[bold red]error:[/] {escape(message(error))}", soft_wrap=True, highlight=False)
        sys.exit(3 if isinstance(error, JudgeFailed | SandboxError) else 2)
