"""`function`: one function, whose result is the answer. The default."""

from typing import ClassVar, Literal

from app.catalog.answers.kind import AnswerKind


class Function(AnswerKind):
    """The answer is what the function returns."""

    kind: Literal["function"] = "function"

    module: ClassVar[str] = "function"
    returned_whole: ClassVar[bool] = True
