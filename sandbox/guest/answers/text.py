"""A text that the function returns or prints: whole, by lines, or by words, of which numbers become numbers."""

import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

from sandbox.guest.answers.driver_case import DriverCase
from sandbox.guest.wire import write_all

STDOUT = 1
CHUNK_BYTES = 2**18
WHOLE_NUMBER = re.compile(r"[+-]?\d+")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf|nan")
# Longer numbers stay texts: they are exact, and Python refuses to read much longer ones.
MAX_DIGITS = 1000


def call(solution: Callable[..., object], case: DriverCase) -> object:
    arguments = case.arguments().values()
    text = printed_by(lambda: solution(*arguments)) if case.options["printed"] else solution(*arguments)
    if not isinstance(text, str):
        raise TypeError(f"the function returned a {type(text).__name__}; return a str")
    return split(str(text), case.options["split"])


def printed_by(run: Callable[[], object]) -> str:
    """Return everything that reaches descriptor 1 during the call, and print it again: a sample shows it."""
    with tempfile.TemporaryFile() as file:
        stdout = os.dup(STDOUT)
        os.dup2(file.fileno(), STDOUT)
        try:
            run()
        finally:
            _flush()
            os.dup2(stdout, STDOUT)
            os.close(stdout)
            text = _print_again(file)
    return text.decode(errors="backslashreplace")


def _flush() -> None:
    """The student may have replaced the streams."""
    for stream in (sys.stdout, sys.__stdout__):
        with suppress(Exception):
            stream.flush()  # type: ignore[union-attr]


def _print_again(file: BinaryIO) -> bytes:
    """Print piece by piece, so that the monitor stops an endless text before all of it is in memory."""
    file.seek(0)
    parts = []
    while part := file.read(CHUNK_BYTES):
        write_all(STDOUT, part)
        parts.append(part)
    return b"".join(parts)


def split(text: str, by: str) -> object:
    if by == "lines":
        return [line.rstrip() for line in re.split(r"\r\n|\r|\n", text.rstrip())] if text.strip() else []
    return [_word(word) for word in text.split()] if by == "words" else text


def _word(word: str) -> int | float | str:
    if WHOLE_NUMBER.fullmatch(word):
        return int(word) if len(word) <= MAX_DIGITS else word
    return float(word) if NUMBER.fullmatch(word) else word
