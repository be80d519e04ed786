"""A text that the function returns or prints: whole, by lines, or by words, of which numbers become numbers."""

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

from sandbox.guest.answers.case import Case

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan")


def call(solution: Callable[..., object], case: Case) -> object:
    printed = io.StringIO()
    if case.options["printed"]:
        with redirect_stdout(printed):
            solution(*case.arguments().values())
        text: Any = printed.getvalue()
        print(text, end="")  # a sample shows it
    else:
        text = solution(*case.arguments().values())
    if not isinstance(text, str):
        raise TypeError(f"the function returned a {type(text).__name__}; return a str")
    return split(str(text), case.options["split"])


def split(text: str, by: str) -> object:
    if by == "lines":
        return [line.rstrip() for line in text.rstrip().splitlines()]
    if by == "words":
        return [float(word) if NUMBER.fullmatch(word) else word for word in text.split()]
    return text
