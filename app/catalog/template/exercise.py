"""A new package: a small exercise that is right as written, for its author to change into another.

For each framework there is one, as files of a real package. Where other parameters are wanted, `plain` makes one for
them.
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
_PLAIN_WORDS = re.compile(r"[A-Za-z][A-Za-z0-9 ,.()'+-]*")
_CODE_WORDS = {"total", "np", "jnp", "torch", "enumerate"}
_NO_TEXT = {"true", "false", "null"}


class ExerciseUnfit(AllcloseError):
    """What is wanted can't be written; the text says what can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """`parameters`: None for those of the framework's own exercise. `schema`: the address for editors."""

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
    """The package's files, by path. Raises ExerciseUnfit."""
    if exercise.parameters is None:
        files = _renamed(_template(exercise.framework), exercise.framework, exercise.entry_point)
    elif exercise.framework in PLAIN_FRAMEWORKS:
        _require_plain(exercise.entry_point, exercise.parameters)
        files = write_plain(exercise.framework, exercise.entry_point, exercise.parameters)
    else:
        raise ExerciseUnfit(
            f"the exercise for {exercise.framework} has parameters of its own: leave them out, "
            "and change problem.yaml afterwards"
        )
    return {**files, MANIFEST_FILE: _headed(files[MANIFEST_FILE], exercise)}


def _require_plain(entry_point: str, parameters: Sequence[Parameter]) -> None:
    """Raises ExerciseUnfit for parameters that no square is known of, and names that the code needs."""
    names = [parameter.name for parameter in parameters]
    for name in {entry_point, *names} & _CODE_WORDS:
        raise ExerciseUnfit(f"the exercise's code has the word {name} already: choose another name")
    if len({entry_point, *names}) <= len(names):
        raise ExerciseUnfit("a name is given twice: entry point and parameters each need one of their own")
    for parameter in parameters:
        kind = str(parameter.dtype if parameter.is_array else parameter.type)
        if not kind.startswith(("float", "bfloat", "int", "uint")):
            raise ExerciseUnfit(
                f"{parameter.name} is {kind}: the exercise takes numbers and arrays of them; "
                "write it with those, and change problem.yaml afterwards"
            )


def default_of(framework: str, key: str) -> str:
    """What the framework's own exercise has under a key of its manifest."""
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
    """With another entry point, which no other word of the code may be. Raises ExerciseUnfit."""
    own = default_of(framework, "entry_point")
    taken = {word for path, text in files.items() if path.endswith(".py") for word in re.findall(r"\w+", text)}
    if entry_point != own and entry_point in taken:
        raise ExerciseUnfit(f"the exercise's code has the word {entry_point} already: choose another entry point")
    return {path: re.sub(rf"\b{own}\b", entry_point, text) for path, text in files.items()}


def _headed(manifest: str, exercise: Exercise) -> str:
    """The manifest with what the author chose, below the line that tells editors the schema."""
    values = {
        "title": _scalar(exercise.title),
        "summary": _scalar(exercise.summary),
        "difficulty": exercise.difficulty,
        "estimated_minutes": str(exercise.minutes),
        "license": _scalar(exercise.license),
    }
    for key, value in values.items():
        # A replacement text would read the backslashes of a title.
        start, end = next(re.finditer(rf"^{key}: .*$", manifest, re.MULTILINE)).span()
        manifest = f"{manifest[:start]}{key}: {value}{manifest[end:]}"
    return f"# yaml-language-server: $schema={exercise.schema}\n{manifest}"


def _scalar(text: str) -> str:
    is_plain = _PLAIN_WORDS.fullmatch(text) and text.lower() not in _NO_TEXT and text == text.strip()
    return text if is_plain else json.dumps(text, ensure_ascii=False)
