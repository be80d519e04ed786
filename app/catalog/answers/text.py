"""`text`: what the function returns or prints, whole, by lines, or by words."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict

from app.catalog.answers.kind import AnswerKind

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
