"""The kinds of answers, by the name that the manifest's key `answer` gives, and the drivers that they run with.

To add a kind of answer:

1. Write `sandbox/guest/answers/KIND.py` with `call(solution, case)`, which returns the answer. It runs in the student's
   process, so it holds nothing secret. `case.arguments()` gives the arguments; `snapshot` copies a result that later
   calls may change. If the student's code is at fault, raise an error that says what to do.
2. Write a subclass of `AnswerKind` here. Its fields are the author's keys, `options` is what the driver gets,
   `list_conflicts` rejects wrong keys, and `rule` tells students what is compared. Add it to `ANSWERS`.
3. Add a section with an example to `docs/problem-format.md`, a package with right, wrong and hostile solutions to
   `tests/kinds/`, and faults to `tests/catalog/test_answers.py`. Run `make images`: the driver is part of the guest.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Discriminator, Tag, TypeAdapter

from app.catalog.answers.class_calls import ClassCalls
from app.catalog.answers.kind import AnswerKind, Functions
from app.catalog.answers.one_function import Function, Generator, Gradients, InPlace
from app.catalog.answers.random_samples import RandomSamples
from app.catalog.answers.text_or_file import File, Text
from app.catalog.parameter import FUNCTION, Input, Parameter

ANSWERS: dict[str, type[AnswerKind]] = {
    "function": Function,
    "functions": Functions,
    "class": ClassCalls,
    "in_place": InPlace,
    "generator": Generator,
    "text": Text,
    "file": File,
    "gradients": Gradients,
    "random": RandomSamples,
}
DRIVER = "from sandbox.guest.answers import driver\nrun = driver({module!r}, {options!r}, {makers!r})\n"


def _kind(value: object) -> str | None:
    """Return the tag of the kind's model, in brackets like the tags of draws."""
    name = value.get("kind") if isinstance(value, Mapping) else getattr(value, "kind", None)
    return f"<{name}>" if isinstance(name, str) and name in ANSWERS else None


if TYPE_CHECKING:
    AnyAnswer = AnswerKind
else:
    AnyAnswer = Annotated[
        reduce(or_, (Annotated[model, Tag(f"<{name}>")] for name, model in ANSWERS.items())),
        Discriminator(_kind, custom_error_type="unknown_answer", custom_error_message="unknown kind of answer"),
    ]
_ANY_ANSWER: TypeAdapter[AnswerKind] = TypeAdapter(AnyAnswer)
_PARAMETERS: TypeAdapter[tuple[Parameter, ...]] = TypeAdapter(tuple[Parameter, ...])
_INPUTS: TypeAdapter[tuple[Input, ...]] = TypeAdapter(tuple[Input, ...])


def read_answer(content: Mapping[str, Any]) -> AnswerKind:
    """Read the key of a manifest. Raises ValidationError."""
    return _ANY_ANSWER.validate_python(content["answer"]) if "answer" in content else Function()


def write_driver(
    answer: AnswerKind, entry_point: str, parameters: Sequence[Parameter], makers: str | None
) -> str | None:
    """Return the driver of a kind, or None if Allclose can call the function itself. `makers`: `arguments.py`."""
    methods = [each for definition in answer.definitions() for each in definition.parameters]
    counted = [each.name for each in (*parameters, *methods) if each.type == FUNCTION]
    if isinstance(answer, Function) and makers is None:
        return None
    options = {"parameters": [each.name for each in parameters], "counted": counted, "entry_point": entry_point}
    return DRIVER.format(module=answer.module, options=options | answer.options(), makers=makers)


def read_case_inputs(manifest: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """Return what cases give, from a manifest as revisions store it."""
    declared = manifest.get("inputs") or manifest.get("parameters") or ()
    adapter: TypeAdapter[Any] = _INPUTS if manifest.get("inputs") else _PARAMETERS
    return read_answer(manifest).case_inputs(manifest.get("entry_point", ""), adapter.validate_python(declared))


def list_case_inputs(manifest: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Like `read_case_inputs`, as JSON, and quick for a plain function."""
    if (manifest.get("answer") or {}).get("kind", "function") == "function":
        return manifest.get("inputs") or manifest.get("parameters") or ()
    return [each.model_dump(mode="json") for each in read_case_inputs(manifest)]
