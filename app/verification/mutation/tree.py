"""A syntax tree with its text and parents, and the questions that mutation operators ask about it."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

# A node with a place in the text.
Node = ast.expr | ast.stmt | ast.keyword | ast.arg

# No answer depends on these: types, module names, decorators such as `jax.jit`, messages of exceptions.
_SKIPPED = (ast.Import, ast.ImportFrom, ast.Raise, ast.Assert, ast.JoinedStr)
_SKIPPED_FIELDS = ("annotation", "returns", "decorator_list")
_COMPOUND = (
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.GeneratorExp,
    ast.IfExp,
    ast.Lambda,
    ast.UnaryOp,
    ast.Yield,
    ast.YieldFrom,
)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes of the source, and the text in their place."""

    start: int
    end: int
    text: str


# What makes a mutant: edits of different places.
Edits = tuple[Edit, ...]


@dataclass(frozen=True, eq=False)
class Tree:
    """`entry_point` is called with every argument, so its defaults are never used. `names` caches `bound`."""

    source: str
    module: ast.Module
    entry_point: str
    parents: Mapping[ast.AST, ast.AST]
    names: dict[ast.AST, set[str]] = field(default_factory=dict)

    def nodes(self) -> Iterator[ast.AST]:
        """Yield the nodes that run, in order."""
        return self._walk(self.module)

    def parent(self, node: ast.AST) -> ast.AST:
        """Return the parent; the module is its own parent."""
        return self.parents.get(node, node)

    def function(self, node: ast.AST) -> ast.FunctionDef | None:
        """Return the innermost function around the node."""
        while not isinstance(node, ast.Module):
            node = self.parent(node)
            if isinstance(node, ast.FunctionDef):
                return node
        return None

    def bound(self, function: ast.FunctionDef) -> set[str]:
        """Return the names of its parameters and of the variables that it assigns."""
        if function not in self.names:
            self.names[function] = {each.arg for each in parameters(function)} | _assigned(function)
        return self.names[function]

    def is_object(self, node: ast.expr) -> bool:
        """Whether this is a value of the function around it, and no module or other global name: `x`, not `jax.nn`."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        function = self.function(node)
        return not isinstance(root, ast.Name) or (function is not None and root.id in self.bound(function))

    def start(self, node: Node) -> int:
        """Return the place of its first byte. Brackets around an expression are no part of it."""
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: Node) -> int:
        assert node.end_lineno is not None, "a parsed node ends"
        assert node.end_col_offset is not None, "a parsed node ends"
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: Node) -> str:
        return self.bytes[self.start(node) : self.end(node)].decode()

    def is_bracketed(self, node: Node) -> bool:
        before, after = self.bytes[: self.start(node)], self.bytes[self.end(node) :]
        return before.rstrip().endswith(b"(") and after.lstrip().startswith(b")")

    def grouped(self, node: ast.expr) -> str:
        """Return the expression, in brackets if operators around it could change its meaning."""
        return f"({self.text(node)})" if isinstance(node, _COMPOUND) else self.text(node)

    def replaced(self, node: Node, text: str) -> Edits:
        return (Edit(self.start(node), self.end(node), text),)

    def operator_between(self, left: Node, symbol: str, right: Node, other: str = "") -> Edit:
        """Return the edit that puts another operator in place of the one between two operands."""
        between = self.bytes[self.end(left) : self.start(right)].decode()
        found = re.search(r"\s+".join(map(re.escape, symbol.split())), between)
        assert found is not None, "the operator is between its operands"
        start, end = (self.end(left) + len(between[:place].encode()) for place in found.span())
        return Edit(start, end, other)

    def source_with(self, edits: Edits) -> str:
        code = self.bytes
        for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
            code = code[: edit.start] + edit.text.encode() + code[edit.end :]
        return code.decode()

    @cached_property
    def bytes(self) -> bytes:
        return self.source.encode()

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line starts."""
        return list(accumulate(map(len, self.bytes.splitlines(keepends=True)), initial=0))

    def _walk(self, node: ast.AST) -> Iterator[ast.AST]:
        if isinstance(node, _SKIPPED) or self._is_main_part(node):
            return
        yield node
        for child in _children(node):
            if not (isinstance(child, ast.arguments) and self._is_entry_point(node)):
                yield from self._walk(child)

    def _is_entry_point(self, node: ast.AST) -> bool:
        return isinstance(node, ast.FunctionDef) and node.name == self.entry_point

    def _is_main_part(self, node: ast.AST) -> bool:
        return isinstance(node, ast.If) and "__name__" in self.text(node.test)


def read_tree(source: str, entry_point: str) -> Tree:
    """Raises SyntaxError."""
    module = ast.parse(source)
    parents = {child: node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
    return Tree(source, module, entry_point, parents)


def called_name(call: ast.Call) -> str:
    """Return `mean` for `jnp.mean(x)`, `x.mean()` and `mean(x)`; empty if the callee has no name."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def positional(call: ast.Call) -> list[ast.expr]:
    """Return the arguments before the first starred one."""
    starred = (index for index, each in enumerate(call.args) if isinstance(each, ast.Starred))
    return call.args[: next(starred, len(call.args))]


def parameters(function: ast.FunctionDef) -> Iterator[ast.arg]:
    every = function.args
    yield from (*every.posonlyargs, *every.args, *every.kwonlyargs)
    yield from (each for each in (every.vararg, every.kwarg) if each is not None)


def assignments(scope: ast.AST) -> Iterator[ast.Assign]:
    """Yield the assignments of a function or module, without those of functions and classes in it."""
    for child in ast.iter_child_nodes(scope):
        if isinstance(child, ast.Assign):
            yield child
        elif not isinstance(child, _DEFINITIONS):
            yield from assignments(child)


def target_names(assignment: ast.Assign) -> Iterator[str]:
    """Yield the names that it binds."""
    waiting = list(assignment.targets)
    while waiting:
        target = waiting.pop(0)
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Tuple | ast.List):
            waiting += target.elts


def _assigned(function: ast.FunctionDef) -> set[str]:
    return {name for assignment in assignments(function) for name in target_names(assignment)}


def _children(node: ast.AST) -> list[ast.AST]:
    """Return the children in the order of the source."""
    found = list[ast.AST]()
    for name, value in ast.iter_fields(node):
        if name not in _SKIPPED_FIELDS:
            found += [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)]
    return sorted(found, key=_place)


def _place(node: ast.AST) -> tuple[int, int]:
    """Return the place of the node, or of the first one in it."""
    if isinstance(node, Node):
        return node.lineno, node.col_offset
    return min(map(_place, ast.iter_child_nodes(node)), default=(0, 0))
