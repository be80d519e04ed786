"""`allclose problem new`: asks, then writes a package that verifies as it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from app.cli.console import errors, output
from app.errors import Conflict
from app.settings import Settings, read_settings

if TYPE_CHECKING:
    from app.catalog.template.exercise import Exercise


class FolderTaken(Conflict):
    """There is something where the package should be written."""


def new(
    slug: Annotated[str | None, typer.Argument(help="The folder's name, and the problem's address.")] = None,
    framework: Annotated[str | None, typer.Option(help="numpy, jax, torch, flax or optax.")] = None,
    title: Annotated[str | None, typer.Option(help="One line.")] = None,
    summary: Annotated[str | None, typer.Option(help="One line, for the list of problems.")] = None,
    entry_point: Annotated[str | None, typer.Option(help="The name of the student's function.")] = None,
    parameters: Annotated[
        str | None, typer.Option(help="What it is given, such as 'x: float32\\[N, D], eps: float'.")
    ] = None,
    difficulty: Annotated[str | None, typer.Option(help="beginner, intermediate or advanced.")] = None,
    minutes: Annotated[str | None, typer.Option(help="How long it takes to solve.")] = None,
    license: Annotated[str | None, typer.Option(help="Of the texts and the code.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Where the packages are (or ALLCLOSE_PROBLEMS).")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: take the default of what is not given.")
    ] = False,
) -> None:
    """Write a new problem package: a small exercise that verifies as it is, for you to change into your own."""
    settings = read_settings(problems=folder)
    given = {
        "slug": slug,
        "framework": framework,
        "title": title,
        "summary": summary,
        "entry_point": entry_point,
        "parameters": parameters,
        "difficulty": difficulty,
        "minutes": minutes,
        "license": license,
    }
    target = _write(_Interview(given, is_silent=yes), settings)
    _say_what_next(target)


@dataclass(frozen=True, slots=True)
class _Interview:
    """`given`: the answers that came as options."""

    given: Mapping[str, str | None]
    is_silent: bool

    def ask(self, key: str, text: str, read: Callable[[str], Any], default: str) -> Any:
        """Asks until the answer can be used. Raises AnswerUnfit for one that came as an option."""
        from app.cli.problem.answer import AnswerUnfit

        answer = self.given[key]
        if answer is not None or self.is_silent:
            return read(default if answer is None else answer)
        while True:
            try:
                return read(typer.prompt(text, default=default, err=True))
            except AnswerUnfit as unfit:
                errors.print(str(unfit), style="red", markup=False, highlight=False, soft_wrap=True)


def _write(interview: _Interview, settings: Settings) -> Path:
    """The new folder. Raises FolderTaken, AnswerUnfit, ExerciseUnfit."""
    from app.catalog.package import package_from_files
    from app.catalog.template.exercise import write_exercise
    from app.cli.problem.answer import read_slug

    slug = interview.ask("slug", "Slug (the folder's name)", read_slug, "my_problem")
    target: Path = settings.problems / slug
    if target.exists() or target.is_symlink():
        raise FolderTaken(f"{target} is there already, and stays as it is: choose another slug, or remove it")
    files = write_exercise(_interview(interview, slug, f"{settings.server}/schema/problem.json"))
    package_from_files(slug, {path: text.encode() for path, text in files.items()})
    write_files(target, files)
    return target


def write_files(target: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")


def shown_path(target: Path) -> Path:
    """As people would type it here."""
    return target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target


def _interview(interview: _Interview, slug: str, schema: str) -> "Exercise":
    from app.catalog.template.exercise import Exercise, default_of, own_parameters
    from app.catalog.template.plain import PLAIN_FRAMEWORKS, SUMMARY
    from app.cli.problem import answer

    ask = interview.ask
    framework = ask("framework", "Framework (numpy, jax, torch, flax, optax)", answer.read_framework, "numpy")
    own, words = own_parameters(framework), slug.replace("-", "_")
    entry_point = ask("entry_point", "The student's function", answer.read_name, words)
    parameters = own
    if framework in PLAIN_FRAMEWORKS or interview.given["parameters"] is not None:
        read = answer.parameters_for(framework)
        parameters = ask("parameters", "What it is given", read, answer.write_parameters(own))
    is_own = answer.write_parameters(parameters) == answer.write_parameters(own)
    title = ask("title", "Title", answer.line_of(120), words.replace("_", " ").capitalize())
    usual = default_of(framework, "summary") if is_own else SUMMARY
    summary = ask("summary", "Summary, one line", answer.line_of(300), usual)
    return Exercise(
        title=title,
        summary=summary,
        difficulty=ask("difficulty", "Difficulty", answer.one_of(answer.DIFFICULTIES), "beginner"),
        minutes=ask("minutes", "Minutes to solve it", answer.read_minutes, default_of(framework, "estimated_minutes")),
        license=ask("license", "Licence", answer.line_of(100), "CC-BY-4.0"),
        framework=framework,
        entry_point=entry_point,
        parameters=None if is_own else parameters,
        schema=schema,
    )


def _say_what_next(target: Path) -> None:
    shown = shown_path(target)
    files = sorted(path.relative_to(target) for path in target.rglob("*") if path.is_file())
    output.print(f"Wrote [bold]{escape(str(shown))}[/], a small exercise that is right as it is:", soft_wrap=True)
    for file in files:
        output.print(f"  {file}", markup=False, highlight=False)
    output.print("Change it into yours, and meanwhile:")
    for command, what in (
        ("preview", "its page, renewed as you write"),
        ("verify", "whether it judges rightly, and what to do about it"),
        ("publish", "to a server"),
    ):
        output.print(f"  allclose problem {command} {shown}  # {what}", markup=False, highlight=False, soft_wrap=True)
