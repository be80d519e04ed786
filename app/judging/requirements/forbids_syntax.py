"""`forbids_syntax`: constructs of Python that the source must not contain, found in its syntax tree.

The source is read and not run, so the finding is certain. A student can still loop in another way, such as by recursion
or `map`: the author names what the exercise is about. Code that the source makes while it runs is in no syntax tree.
Where `dynamic code` is forbidden, the student's own process watches for it (`sandbox.guest.dynamic_code`): that is
evidence and no proof.

A test `__name__ == "__main__"` at the top level is replaced by `False` before the source runs. So nothing below it runs
or counts.
"""

import ast
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from app.judging.requirement import EVIDENCE, Basis, Facts, Requirement, at_line

Construct: TypeAlias = Literal["comprehension", "dynamic code", "for", "if", "lambda", "matmul", "try", "while"]
DYNAMIC_CODE = frozenset({"compile", "eval", "exec"})
MATMUL_METHODS = frozenset({"__imatmul__", "__matmul__", "__rmatmul__"})
_NODES: Mapping[str, tuple[type[ast.AST], ...]] = {
    "comprehension": (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    "for": (ast.For, ast.AsyncFor),
    "if": (ast.If, ast.IfExp, ast.Match),
    "lambda": (ast.Lambda,),
    "matmul": (ast.MatMult,),
    "try": (ast.Try, ast.TryStar),
    "while": (ast.While,),
}
# A line with its end, as Python counts lines. The last one may be empty.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
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

    forbids_syntax: Annotated[tuple[Construct, ...], Field(min_length=1, max_length=20)]

    @property
    def basis(self) -> Basis:
        return "source"

    @property
    def is_watched(self) -> bool:
        return "dynamic code" in self.forbids_syntax

    @property
    def evidence(self) -> str:
        return f"{super().evidence}, and {EVIDENCE['calls']}" if self.is_watched else super().evidence

    @property
    def rule(self) -> str:
        return f"not contain any {_listed(self.forbids_syntax)}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        expected, constructs = f"no {_listed(self.forbids_syntax)}", find_constructs(facts.source)
        if constructs is None:
            return expected, "a source that can't be read for them: write simpler and less nested code"
        found = [(line, word) for word, line in constructs.items() if word in self.forbids_syntax]
        if found:
            line, word = min(found)
            return expected, f"{NOUNS[word]} in line {line}"
        if not self.is_watched:
            return None
        if facts.code:
            return expected, f"code that the source makes while it runs: {at_line(facts.code)}"
        return (expected, f"{at_line(facts.touched)}, which could hide such code") if facts.touched else None


def _listed(words: tuple[str, ...]) -> str:
    return " or ".join(NOUNS[word] for word in words)


@lru_cache(maxsize=64)  # 0.8 ms, asked for each case of a submission
def find_constructs(source: str) -> Mapping[str, int] | None:
    """Return the first line of each construct, or None if Python can't parse the source here.

    The box may have parsed it nevertheless: with more room on the stack, or as another version of Python.
    """
    tree = _parse(source)
    if tree is None:
        return None
    first: dict[str, int] = {}
    for word, line in _found(tree):
        first[word] = min(line, first.get(word, line))
    return first


def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _found(tree: ast.Module) -> Iterator[tuple[str, int]]:
    guards = _find_main_guards(tree)
    nodes = [node for part in tree.body for node in ast.walk(part) if part not in guards]
    nodes += [node for guard in guards for part in guard.orelse for node in ast.walk(part)]
    operators = {id(node.op): node.lineno for node in nodes if isinstance(node, ast.BinOp | ast.AugAssign)}
    for node in nodes:
        line = operators.get(id(node), getattr(node, "lineno", 0))
        for word, kinds in _NODES.items():
            if isinstance(node, kinds):
                yield word, line
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "value", None)
        if isinstance(node, ast.Attribute | ast.Constant) and name in MATMUL_METHODS:
            yield "matmul", line
    yield from (("dynamic code", line) for line in _find_dynamic_code(nodes))


def _find_dynamic_code(nodes: Sequence[ast.AST]) -> Iterator[int]:
    """Yield the lines that name the builtin functions. A name that the source itself gives to a value is its own."""
    methods = {id(part) for node in nodes if isinstance(node, ast.ClassDef) for part in node.body}
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef) and id(node) not in methods}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    modules = {"__builtins__", "builtins"}
    modules |= {
        alias.asname
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "builtins" and alias.asname
    }
    for node in nodes:
        match node:
            case ast.Name(id=name) if name in DYNAMIC_CODE - own:
                yield node.lineno
            case ast.Attribute(value=ast.Name(id=module), attr=name) if module in modules and name in DYNAMIC_CODE:
                yield node.lineno
            case ast.ImportFrom(module="builtins", names=names) if {alias.name for alias in names} & DYNAMIC_CODE:
                yield node.lineno


def _find_main_guards(tree: ast.Module) -> list[ast.If]:
    return [node for node in tree.body if isinstance(node, ast.If) and _is_main_test(node.test)]


def _is_main_test(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or test.lineno != test.end_lineno:
        return False
    sides = {ast.unparse(side) for side in (test.left, *test.comparators)}
    return len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq) and sides == {"__name__", "'__main__'"}


def without_main_guards(source: str) -> str:
    """Return the source with `False` in place of each test `__name__ == "__main__"` at the top level.

    Every line and column stays in place. A source that can't be parsed here is returned as it is.
    """
    tree = _parse(source)
    if tree is None:
        return source
    lines = [line.encode() for line in _LINE.findall(source)]
    for test in [guard.test for guard in _find_main_guards(tree)]:
        line, start, end = lines[test.lineno - 1], test.col_offset, test.end_col_offset or 0  # in bytes
        if test.lineno == 1 and source.startswith("\ufeff"):
            start, end = start + len(BOM_UTF8), end + len(BOM_UTF8)
        lines[test.lineno - 1] = line[:start] + b" False".ljust(end - start) + line[end:]  # `if"` needs the space
    return b"".join(lines).decode()
