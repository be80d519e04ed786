"""Write a new package: a small, correct exercise for the author to change.

Each framework has one, as the files of a real package, and each kind of answer has one in `kinds/`. For other
parameters, `plain` writes one.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.catalog.folder import MANIFEST_FILE, read_folder
from app.catalog.parameter import Parameter
from app.catalog.template.plain import PLAIN_FRAMEWORKS, write_plain
from app.catalog.yaml_document import read_document
from app.errors import AllcloseError

HERE = Path(__file__).parent
FRAMEWORKS = ("numpy", "jax", "torch", "flax", "optax")
# Kinds of answers, then what other kinds can have too: functions as arguments, any rank, a limit on time.
KINDS = (
    "class",
    "functions",
    "in_place",
    "generator",
    "text",
    "file",
    "gradients",
    "random",
    "function_arguments",
    "any_rank",
    "efficiency",
)
_PLAIN_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9 ,.()'+-]*")
_CODE_WORDS = {"total", "np", "jnp", "torch", "enumerate"}
_NO_TEXT = {"true", "false", "null"}


class ExerciseUnfit(AllcloseError):
    """The exercise can't be written for these choices. The text says which choices work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """The author's choices. `schema`: its URL for editors.

    `framework`: also `kinds/class` and so on, from `template_of`. `parameters`: None for those of its exercise.
    """

    title: str
    summary: str
    difficulty: str
    minutes: int
    license: str
    framework: str
    entry_point: str
    parameters: tuple[Parameter, ...] | None
    schema: str


def write_exercise(exercise: Exercise) -> dict[str, str]:
    """Return the files of the package by path. Raises ExerciseUnfit."""
    if exercise.parameters is None:
        files = _renamed(_template(exercise.framework), exercise.framework, exercise.entry_point)
    elif exercise.framework in PLAIN_FRAMEWORKS:
        _require_plain(exercise.entry_point, exercise.parameters)
        files = write_plain(exercise.framework, exercise.entry_point, exercise.parameters)
    else:
        raise ExerciseUnfit(
            f"the exercise for {exercise.framework.removeprefix('kinds/')} has fixed parameters: "
            "omit yours and change problem.yaml later"
        )
    return {**files, MANIFEST_FILE: _headed(files[MANIFEST_FILE], exercise)}


def _require_plain(entry_point: str, parameters: Sequence[Parameter]) -> None:
    """Raises ExerciseUnfit for parameters that are not numbers or arrays, and for names that the code uses."""
    names = [parameter.name for parameter in parameters]
    for name in {entry_point, *names} & _CODE_WORDS:
        raise ExerciseUnfit(f"the exercise's code already uses the name {name}: choose another one")
    if len({entry_point, *names}) <= len(names):
        raise ExerciseUnfit("two names are equal: the entry point and each parameter need different names")
    for parameter in parameters:
        kind = str(parameter.dtype if parameter.is_array else parameter.type)
        if not kind.startswith(("float", "bfloat", "int", "uint")):
            raise ExerciseUnfit(
                f"{parameter.name} is {kind}, but the exercise takes numbers and arrays of numbers: "
                "use those, and change problem.yaml afterwards"
            )


def template_of(kind: str) -> str:
    """Return what takes the place of a framework for a kind of answer."""
    return f"kinds/{kind}"


def list_examples() -> tuple[str, ...]:
    """List the frameworks, and what takes their place for each kind of answer."""
    return (*FRAMEWORKS, *map(template_of, KINDS))


def default_of(framework: str, key: str) -> str:
    """Return a value from the manifest of the framework's exercise."""
    return str(_manifest(framework)[key])


def own_parameters(framework: str) -> tuple[Parameter, ...]:
    return tuple(Parameter.model_validate(each) for each in _manifest(framework)["parameters"])


def _manifest(framework: str) -> dict[str, list[dict[str, object]]]:
    content = read_document(MANIFEST_FILE, _template(framework)[MANIFEST_FILE]).content
    assert content is not None  # tests load every template
    return content


def _template(framework: str) -> dict[str, str]:
    return {path: content.decode() for path, content in read_folder(HERE / framework).files.items()}


def _renamed(files: Mapping[str, str], framework: str, entry_point: str) -> dict[str, str]:
    """Rename the entry point. Raises ExerciseUnfit if the code uses the new name."""
    own = default_of(framework, "entry_point")
    taken = {word for path, text in files.items() if path.endswith(".py") for word in re.findall(r"\w+", text)}
    if entry_point != own and entry_point in taken:
        raise ExerciseUnfit(f"the exercise's code already uses the name {entry_point}: choose another entry point")
    return {path: re.sub(rf"\b{own}\b", entry_point, text) for path, text in files.items()}


def _headed(manifest: str, exercise: Exercise) -> str:
    """Put the author's choices into the manifest, below the line that tells editors the schema."""
    values = {
        "title": _scalar(exercise.title),
        "summary": _scalar(exercise.summary),
        "difficulty": exercise.difficulty,
        "estimated_minutes": str(exercise.minutes),
        "license": _scalar(exercise.license),
    }
    for key, value in values.items():
        # `re.sub` would interpret backslashes of a title.
        start, end = next(re.finditer(rf"^{key}: .*$", manifest, re.MULTILINE)).span()
        manifest = f"{manifest[:start]}{key}: {value}{manifest[end:]}"
    return f"# yaml-language-server: $schema={exercise.schema}\n{manifest}"


def _scalar(text: str) -> str:
    is_plain = _PLAIN_WORDS.fullmatch(text) and text.lower() not in _NO_TEXT and text == text.strip()
    return text if is_plain else json.dumps(text, ensure_ascii=False)
