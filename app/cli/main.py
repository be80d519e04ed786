"""The entry point of `allclose`. An expected error prints its message and no traceback.

Exit code 2 is a problem with the request, 3 a failure of the judge.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_group

from app.errors import AllcloseError, JudgeFailed
from sandbox.interface import SandboxError

# A command's module, and the function or the group of commands in it.
Place = tuple[str, str]
COMMANDS: Mapping[str, Place] = {
    "serve": ("app.cli.serve", "serve"),
    "worker": ("app.cli.worker", "worker"),
    "migrate": ("app.cli.migrate", "migrate"),
    "database": ("app.cli.database", "database"),
    "judge": ("app.cli.judge", "judge"),
    "login": ("app.cli.submit", "login"),
    "submit": ("app.cli.submit", "submit"),
    "show": ("app.cli.submit", "show"),
    "cancel": ("app.cli.submit", "cancel"),
    "course": ("app.cli.course", "app"),
    "doctor": ("app.cli.doctor", "doctor"),
    "problem": ("app.cli.problem.main", "app"),
    "admin": ("app.cli.admin", "app"),
}


class LazyCommands(Mapping[str, Any]):
    """The commands by name. A module is imported when its command is used, so that commands start quickly."""

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Any:
        return _import_command(name, *self._places[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@cache
def _import_command(name: str, module: str, attribute: str) -> Any:
    found = getattr(import_module(module), attribute)
    alone = typer.Typer(rich_markup_mode="rich")
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name)
    else:
        alone.command(name)(found)
    _refuse_repetition(alone)
    return get_group(alone).commands[name]


class Command(TyperCommand):
    """Refuses an option that is given twice: otherwise the first value would be lost without a word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _options, _arguments, order = self.make_parser(ctx).parse_args(list(args))
        given = Counter(option for option in order if isinstance(option, TyperOption) and not option.is_flag)
        for option, times in given.items():
            if times > 1 and not option.multiple:
                raise typer.BadParameter("It is given twice. Give it once.", ctx=ctx, param=option)
        return super().parse_args(ctx, args)


def _refuse_repetition(app: typer.Typer) -> None:
    for command in app.registered_commands:
        command.cls = Command
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _refuse_repetition(group.typer_instance)


class Commands(TyperGroup):
    places: ClassVar[Mapping[str, Place]] = COMMANDS

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": LazyCommands(self.places)})

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Removes the prefix that pydantic puts before the message of a wrong value."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as fault:
            fault.message = fault.message.removeprefix("Value error, ")
            raise


app = typer.Typer(
    name="allclose",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback()
def allclose() -> None:
    """An online judge for numerical and machine-learning code."""


def main() -> None:
    try:
        app()
    except (AllcloseError, SandboxError) as error:
        _print_error(error)
        sys.exit(3 if isinstance(error, JudgeFailed | SandboxError) else 2)
    except Exception as error:
        from app.cli.start_failure import explain

        if (sentence := explain(error)) is None:
            raise
        _print_error(sentence)
        sys.exit(2)


def _print_error(error: object) -> None:
    from rich.markup import escape

    from app.cli.console import errors, message

    errors.print(f"[bold red]error:[/] {escape(message(error))}", soft_wrap=True, highlight=False)
