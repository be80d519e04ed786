"""The kinds of answers that are written: `text`, which the function returns or prints, and `file`."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict, StringConstraints

from app.catalog.answers.kind import AnswerKind, Declared, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier, Parameter

_NUMBERS = "Numbers may differ within the tolerance, whole numbers only if the problem sets one"


class Text(AnswerKind):
    """`printed`: the answer is what the function prints. `split`: by lines without spaces at their ends, or by words.

    Among words, numbers become numbers. Whole numbers are exact unless the manifest has a tolerance.
    """

    kind: Literal["text"]
    printed: Annotated[bool, Strict()] = False
    split: Literal["whole", "lines", "words"] = "whole"

    module: ClassVar[str] = "text"

    @property
    def rule(self) -> str:
        how = {"whole": "", "lines": ", line by line", "words": f", word by word. {_NUMBERS}"}
        return f"The judge compares what the function {'prints' if self.printed else 'returns'}{how[self.split]}."

    def options(self) -> dict[str, Any]:
        return {"printed": self.printed, "split": self.split}


FileName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=64)]


class File(AnswerKind):
    """`path`: the parameter that gets the path. `name`: the file's. `read`: how the file becomes the answer."""

    kind: Literal["file"]
    path: Identifier
    name: FileName
    read: Literal["bytes", "text", "json", "npy", "npz"]

    module: ClassVar[str] = "file"

    @property
    def rule(self) -> str:
        return f"The judge reads the file that the function writes to {self.path} as {self.read}, and compares it."

    def options(self) -> dict[str, Any]:
        return {"path": self.path, "name": self.name, "read": self.read}

    def case_inputs(self, entry_point: str, declared: Sequence[Parameter]) -> tuple[Parameter, ...]:  # noqa: ARG002
        return tuple(each for each in declared if each.name != self.path)

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        strings = [each.name for each in manifest.parameters if each.type == "str"]
        if self.path not in strings:
            yield unknown_name(("path",), self.path, strings, "`str` parameter")
        elif manifest.has_inputs and self.path in [each.name for each in manifest.inputs]:
            yield Conflict(("path",), f"is {self.path!r}, which cases give too", "remove that input")
