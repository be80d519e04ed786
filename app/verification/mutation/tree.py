"""A source as a syntax tree that knows its lines and parents, and small questions that operators ask of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

# What is in these is not computed with: types, names of modules, decorators such as `jax.jit`, messages of failures.
_SKIPPED = (cst.Annotation, cst.Import, cst.ImportFrom, cst.Decorator, cst.Raise, cst.Assert, cst.FormattedString)
_COMPOUND = (
    cst.BinaryOperation,
    cst.BooleanOperation,
    cst.Comparison,
    cst.GeneratorExp,
    cst.IfExp,
    cst.Lambda,
    cst.UnaryOperation,
    cst.Yield,
)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """`entry_point`: the function that is called with every argument, so that its defaults are never used.

    `names`: what `bound` has found.
    """

    module: cst.Module
    entry_point: str
    lines: Mapping[cst.CSTNode, Any]
    parents: Mapping[cst.CSTNode, cst.CSTNode]
    names: dict[cst.FunctionDef, set[str]] = field(default_factory=dict)

    def nodes(self) -> Iterator[cst.CSTNode]:
        """Those that are run, in order."""
        return self._walk(self.module)

    def line(self, node: cst.CSTNode) -> int:
        return int(self.lines[node].start.line)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """The module is its own."""
        return self.parents.get(node, node)

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The innermost one around the node."""
        while not isinstance(node, cst.Module):
            node = self.parent(node)
            if isinstance(node, cst.FunctionDef):
                return node
        return None

    def bound(self, function: cst.FunctionDef) -> set[str]:
        """Its parameters, and what is assigned in it; looked for once, since every name in it asks."""
        if function not in self.names:
            self.names[function] = _bound(function)
        return self.names[function]

    def code_with(self, node: cst.CSTNode, other: cst.CSTNode) -> str:
        changed = self.module.deep_replace(node, other)
        assert isinstance(changed, cst.Module)
        return changed.code

    def _walk(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        if isinstance(node, _SKIPPED) or self._is_idle(node):
            return
        yield node
        for child in node.children:
            yield from self._walk(child)

    def _is_idle(self, node: cst.CSTNode) -> bool:
        """Defaults of the entry point, and what runs only when the file is a program."""
        if isinstance(node, cst.Parameters):
            function = self.parent(node)
            return isinstance(function, cst.FunctionDef) and function.name.value == self.entry_point
        return isinstance(node, cst.If) and "__name__" in text_of(node.test)


def read_tree(source: str, entry_point: str) -> Tree:
    wrapper = MetadataWrapper(cst.parse_module(source))
    lines, parents = wrapper.resolve(PositionProvider), wrapper.resolve(ParentNodeProvider)
    return Tree(wrapper.module, entry_point, lines, parents)


def text_of(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


def grouped(node: cst.BaseExpression) -> cst.BaseExpression:
    """In brackets where it could be torn apart by what stands around its new place."""
    if not isinstance(node, _COMPOUND) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def called_name(call: cst.Call) -> str:
    """`mean` of `jnp.mean(x)`, of `x.mean()` and of `mean(x)`; empty for what has no name."""
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value
    return call.func.value if isinstance(call.func, cst.Name) else ""


def renamed(call: cst.Call, name: str) -> cst.Call:
    """The same call of another function of the same module or object."""
    if isinstance(call.func, cst.Attribute):
        return call.with_changes(func=call.func.with_changes(attr=cst.Name(name)))
    return call.with_changes(func=cst.Name(name))


def positional(call: cst.Call) -> list[cst.Arg]:
    """The arguments before the first that is named or starred."""
    found: list[cst.Arg] = []
    for argument in call.args:
        if argument.keyword is not None or argument.star:
            break
        found.append(argument)
    return found


def _bound(node: cst.CSTNode) -> set[str]:
    """Parameters, and what is assigned, of this function and not of those inside it."""
    names: set[str] = set()
    for child in node.children:
        if isinstance(child, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            continue
        if isinstance(child, cst.Param):
            names.add(child.name.value)
        elif isinstance(child, cst.AssignTarget):
            names |= _targets(child.target)
        else:
            names |= _bound(child)
    return names


def _targets(target: cst.BaseExpression) -> set[str]:
    if isinstance(target, cst.Name):
        return {target.value}
    elements = target.elements if isinstance(target, cst.Tuple | cst.List) else ()
    return {name for element in elements for name in _targets(element.value)}
