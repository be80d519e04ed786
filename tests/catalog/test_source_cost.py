"""Small sources that would take a compiler gigabytes or minutes."""

import ast

import pytest

from app.catalog.source import Source, is_too_heavy, syntax_fault


def finally_in_finally(depth: int) -> str:
    blocks = ((f"{' ' * level}try: a", f"{' ' * level}finally:") for level in range(depth))
    return "\n".join([*(line for block in blocks for line in block), " " * depth + "a"])


@pytest.mark.parametrize(
    "text",
    [
        finally_in_finally(20),
        f"x = {'lambda: ' * 500}0",
        "if 0: pass\n" + "elif 0: pass\n" * 500,
        "x = 1\n" * 11_000,
        "def f():\n try:\n" + "  if a: return 1\n" * 1000 + " finally:\n" + "  a\n" * 1000,
    ],
    ids=["finally in finally", "lambda in lambda", "many elif", "many lines", "many ways out"],
)
def test_code_that_asks_too_much_of_the_compiler_is_a_fault(text: str) -> None:
    fault = syntax_fault(Source(text, "reference.py"))

    assert fault is not None
    assert fault.message == "is too long or nested too deeply to compile"


@pytest.mark.parametrize(
    "text", [finally_in_finally(4), "x = [1, 2, 3]\n" * 10_000, "if 0: pass\n" + "elif 0: pass\n" * 60]
)
def test_code_that_people_write_is_none(text: str) -> None:
    assert not is_too_heavy(ast.parse(text))
