"""`forbids_syntax`: constructs of Python that the source must not contain, found in its syntax tree.

The source is read and not run, so the finding is certain. A student can still loop in another way, such as by recursion
or `map`: the author names what the exercise is about.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from app.judging.requirement import Basis, Facts, Requirement

Construct: TypeAlias = Literal["comprehension", "dynamic code", "for", "if", "lambda", "matmul", "try", "while"]
DYNAMIC_CODE = frozenset({"compile", "eval", "exec"})
_NODES: Mapping[str, tuple[type[ast.AST], ...]] = {
    "comprehension": (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    "for": (ast.For, ast.AsyncFor),
    "if": (ast.If, ast.IfExp, ast.Match),
    "lambda": (ast.Lambda,),
    "matmul": (ast.MatMult,),
    "try": (ast.Try, ast.TryStar),
    "while": (ast.While,),
}
NOUNS: Mapping[str, str] = {
    "comprehension": "comprehension",
    "dynamic code": "`eval`, `exec` or `compile`",
    "for": "`for` loop",
    "if": "`if`",
    "lambda": "`lambda`",
    "matmul": "operator `@`",
    "try": "`try`",
    "while": "`while` loop",
}


class ForbidsSyntax(Requirement):
    """Constructs of Python.

    `comprehension` includes generator expressions; `if` includes `match` and `a if b else c`.
    """

    basis: ClassVar[Basis] = "source"

    forbids_syntax: Annotated[tuple[Construct, ...], Field(min_length=1, max_length=20)]

    @property
    def rule(self) -> str:
        return f"not contain any {_listed(self.forbids_syntax)}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        expected, constructs = f"no {_listed(self.forbids_syntax)}", find_constructs(facts.source)
        if constructs is None:
            return expected, "a source that can't be read for them: write simpler and less nested code"
        found = [(line, word) for word, line in constructs.items() if word in self.forbids_syntax]
        if not found:
            return None
        line, word = min(found)
        return expected, f"{NOUNS[word]} in line {line}"


def _listed(words: tuple[str, ...]) -> str:
    return " or ".join(NOUNS[word] for word in words)


@lru_cache(maxsize=64)
def find_constructs(source: str) -> Mapping[str, int] | None:
    """Return the first line of each construct, or None if Python can't parse the source here.

    The box may have parsed it nevertheless: with more room on the stack, or as another version of Python.
    """
    try:
        tree = ast.parse(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    first: dict[str, int] = {}
    for word, line in _found(tree):
        first[word] = min(line, first.get(word, line))
    return first


def _found(tree: ast.AST) -> Iterator[tuple[str, int]]:
    operators = {id(node.op): node.lineno for node in ast.walk(tree) if isinstance(node, ast.BinOp | ast.AugAssign)}
    for node in ast.walk(tree):
        line = operators.get(id(node), getattr(node, "lineno", 0))
        for word, kinds in _NODES.items():
            if isinstance(node, kinds):
                yield word, line
        if isinstance(node, ast.Name) and node.id in DYNAMIC_CODE:
            yield "dynamic code", line
