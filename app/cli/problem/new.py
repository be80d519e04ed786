"""`allclose problem new`: ask the author a few questions, then write a package that passes verification.

Each function that reads an answer raises AnswerRejected.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
from pydantic import TypeAdapter, ValidationError
from rich.markup import escape

from app.catalog.manifest import MAX_SLUG, Difficulty, is_slug
from app.catalog.parameter import Identifier, Parameter
from app.catalog.template.exercise import FRAMEWORKS, KINDS
from app.cli.console import errors, output
from app.errors import AllcloseError, Conflict
from app.settings import Settings, read_settings
from app.wrong_value import list_wrong

if TYPE_CHECKING:
    from app.catalog.template.exercise import Exercise


DIFFICULTIES: tuple[str, ...] = get_args(Difficulty)
_ARRAY_TYPE = {"numpy": "numpy", "torch": "torch"}
_PARAMETER = re.compile(r"\s*(\w+)\s*:\s*(\w+)\s*(?:\[([^\]]*)\])?\s*")
# A comma outside of a shape's brackets.
_BETWEEN_PARAMETERS = re.compile(r",(?![^\[]*\])")


class AnswerRejected(AllcloseError):
    """An answer is not valid. The message says what is."""


def read_slug(text: str) -> str:
    if not is_slug(text):
        raise AnswerRejected(f"{text!r} can't be a slug: use at most {MAX_SLUG} lower-case letters, digits, _ and -")
    return text


def line_of(limit: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        line = " ".join(text.split())
        if not 0 < len(line) <= limit or not line.isprintable():
            raise AnswerRejected(f"write one line of at most {limit} characters")
        return line

    return read


def one_of(words: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.strip().lower() not in words:
            raise AnswerRejected(f"{text!r} is not one of {', '.join(words)}")
        return text.strip().lower()

    return read


def read_framework(text: str) -> str:
    return one_of(FRAMEWORKS)(text)


def read_name(text: str) -> str:
    try:
        return TypeAdapter(Identifier).validate_python(text.strip())
    except ValidationError:
        raise AnswerRejected(f"{text!r} is not a valid name for a Python function") from None


def read_minutes(text: str) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= 1000:
        raise AnswerRejected(f"{text!r} is not a whole number of minutes from 1 to 1000")
    return int(text)


def parameters_for(framework: str) -> Callable[[str], tuple[Parameter, ...]]:
    """Return a reader of texts like `x: float32[N, D], eps: float`."""

    def read(text: str) -> tuple[Parameter, ...]:
        return tuple(_parameter(each.strip(), framework) for each in _BETWEEN_PARAMETERS.split(text))

    return read


def write_parameters(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(f"{each.name}: {_type_text(each)}" for each in parameters)


def _type_text(parameter: Parameter) -> str:
    sizes = ", ".join(map(str, parameter.shape or ()))
    return f"{parameter.dtype}[{sizes}]" if parameter.is_array else parameter.type


def _parameter(text: str, framework: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise AnswerRejected(f"{text!r} is not a parameter: write `x: float32[N, D]` or `lr: float`")
    name, kind, shape = match.groups()
    content: dict[str, Any] = {"name": name, "type": kind}
    if shape is not None:
        sizes = [size.strip() for size in shape.split(",") if size.strip()]
        content["shape"] = [int(size) if size.isdecimal() else size for size in sizes]
        content |= {"type": _ARRAY_TYPE.get(framework, "jax"), "dtype": kind}
    try:
        return Parameter.model_validate(content)
    except ValidationError as error:
        reason = list_wrong(error)[0].reason
        raise AnswerRejected(
            f"{text!r} is not a parameter ({reason}): write `x: float32[N, D]` or `lr: float`"
        ) from None


class FolderTaken(Conflict):
    """The folder for the new package exists already."""


def new(
    slug: Annotated[
        str | None, typer.Argument(help="The folder's name and the last part of the problem's address.")
    ] = None,
    framework: Annotated[str | None, typer.Option(help="numpy, jax, torch, flax or optax.")] = None,
    kind: Annotated[
        str | None, typer.Option(help=f"A kind of exercise, in place of a framework: {', '.join(KINDS)}.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="One line.")] = None,
    summary: Annotated[str | None, typer.Option(help="One line, for the list of problems.")] = None,
    entry_point: Annotated[str | None, typer.Option(help="The name of the student's function.")] = None,
    parameters: Annotated[
        str | None, typer.Option(help="The function's parameters, such as 'x: float32\\[N, D], eps: float'.")
    ] = None,
    difficulty: Annotated[str | None, typer.Option(help="beginner, intermediate or advanced.")] = None,
    minutes: Annotated[str | None, typer.Option(help="The number of minutes it takes to solve.")] = None,
    license: Annotated[str | None, typer.Option(help="The licence of the texts and the code.")] = None,
    folder: Annotated[Path | None, typer.Option(help="The folder of the packages (or ALLCLOSE_PROBLEMS).")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing, and use the default of every option you leave out.")
    ] = False,
) -> None:
    """Write a new problem package: a small exercise that passes verification, for you to change."""
    settings = read_settings(problems=folder)
    options = {
        "slug": slug,
        "framework": framework,
        "kind": kind,
        "title": title,
        "summary": summary,
        "entry_point": entry_point,
        "parameters": parameters,
        "difficulty": difficulty,
        "minutes": minutes,
        "license": license,
    }
    target = _write(_Interview(options, is_silent=yes), settings)
    _say_what_next(target)


@dataclass(frozen=True, slots=True)
class _Interview:
    """Asks the author for the answers that `options` does not hold."""

    options: Mapping[str, str | None]
    is_silent: bool

    def ask(self, key: str, text: str, read: Callable[[str], Any], default: str) -> Any:
        """Ask until the answer is valid. Raises AnswerRejected for an invalid option."""
        answer = self.options[key]
        if answer is not None or self.is_silent:
            return read(default if answer is None else answer)
        while True:
            try:
                return read(typer.prompt(text, default=default, err=True))
            except AnswerRejected as unfit:
                errors.print(str(unfit), style="red", markup=False, highlight=False, soft_wrap=True)


def _write(interview: _Interview, settings: Settings) -> Path:
    """Write the package and return its folder. Raises FolderTaken, AnswerRejected, ExerciseUnfit."""
    from app.catalog.package import package_from_files
    from app.catalog.template.exercise import write_exercise

    slug = interview.ask("slug", "Slug (the folder's name)", read_slug, "my_problem")
    target: Path = settings.problems / slug
    if target.exists() or target.is_symlink():
        raise FolderTaken(f"{target} exists already: choose another slug or remove the folder")
    files = write_exercise(_interview(interview, slug, f"{settings.server}/schema/problem.json"))
    package_from_files(slug, {path: text.encode() for path, text in files.items()})
    write_files(target, files)
    return target


def write_files(target: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")


def shown_path(target: Path) -> Path:
    """Return the path relative to the working folder, if it is inside."""
    return target.relative_to(Path.cwd()) if target.is_relative_to(Path.cwd()) else target


def _interview(interview: _Interview, slug: str, schema: str) -> "Exercise":
    from app.catalog.template.exercise import Exercise, default_of, own_parameters
    from app.catalog.template.plain import PLAIN_FRAMEWORKS, SUMMARY

    ask = interview.ask
    framework = _template(interview)
    own, words = own_parameters(framework), slug.replace("-", "_")
    is_class = interview.options["kind"] == "class"
    name = words.title().replace("_", "") if is_class else words
    entry_point = ask("entry_point", f"The student's {'class' if is_class else 'function'}", read_name, name)
    parameters = own
    if framework in PLAIN_FRAMEWORKS or interview.options["parameters"] is not None:
        read = parameters_for(framework)
        parameters = ask("parameters", "Its parameters", read, write_parameters(own))
    is_own = write_parameters(parameters) == write_parameters(own)
    title = ask("title", "Title", line_of(120), words.replace("_", " ").capitalize())
    usual = default_of(framework, "summary") if is_own else SUMMARY
    summary = ask("summary", "Summary, one line", line_of(300), usual)
    return Exercise(
        title=title,
        summary=summary,
        difficulty=ask("difficulty", "Difficulty", one_of(DIFFICULTIES), "beginner"),
        minutes=ask("minutes", "Minutes to solve it", read_minutes, default_of(framework, "estimated_minutes")),
        license=ask("license", "Licence", line_of(100), "CC-BY-4.0"),
        framework=framework,
        entry_point=entry_point,
        parameters=None if is_own else parameters,
        schema=schema,
    )


def _template(interview: _Interview) -> str:
    """Return the framework, or the template of the kind of answer. Raises AnswerRejected if both are given."""
    from app.catalog.template.exercise import template_of

    kind = interview.options["kind"]
    if kind is None:
        framework: str = interview.ask(
            "framework", "Framework (numpy, jax, torch, flax, optax)", read_framework, "numpy"
        )
        return framework
    if interview.options["framework"] is not None:
        raise AnswerRejected("--kind and --framework are both given: a kind has one exercise, so leave out --framework")
    return template_of(one_of(KINDS)(kind.replace("-", "_")))


def _say_what_next(target: Path) -> None:
    shown = shown_path(target)
    files = sorted(path.relative_to(target) for path in target.rglob("*") if path.is_file())
    output.print(f"Wrote [bold]{escape(str(shown))}[/], a small exercise that passes verification:", soft_wrap=True)
    for file in files:
        output.print(f"  {file}", markup=False, highlight=False)
    output.print("Change the files into your problem. Useful commands:")
    for command, what in (
        ("preview", "show its page, and reload it when a file changes"),
        ("verify", "check that it judges correctly"),
        ("publish", "send it to a server"),
    ):
        output.print(f"  allclose problem {command} {shown}  # {what}", markup=False, highlight=False, soft_wrap=True)
