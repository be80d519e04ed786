"""A syntax tree with lines and parents, and the questions that mutation operators ask about it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

# No answer depends on these: types, module names, decorators such as `jax.jit`, messages of exceptions.
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
    """`entry_point` is called with every argument, so its defaults are never used. `names` caches `bound`."""

    module: cst.Module
    entry_point: str
    lines: Mapping[cst.CSTNode, Any]
    parents: Mapping[cst.CSTNode, cst.CSTNode]
    names: dict[cst.FunctionDef, set[str]] = field(default_factory=dict)

    def nodes(self) -> Iterator[cst.CSTNode]:
        """Yield the nodes that run, in order."""
        return self._walk(self.module)

    def line(self, node: cst.CSTNode) -> int:
        return int(self.lines[node].start.line)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """Return the parent; the module is its own parent."""
        return self.parents.get(node, node)

    def function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """Return the innermost function around the node."""
        while not isinstance(node, cst.Module):
            node = self.parent(node)
            if isinstance(node, cst.FunctionDef):
                return node
        return None

    def bound(self, function: cst.FunctionDef) -> set[str]:
        """Return the names of its parameters and of the variables that it assigns."""
        if function not in self.names:
            self.names[function] = _bound(function)
        return self.names[function]

    def is_object(self, node: cst.BaseExpression) -> bool:
        """Whether this is a value of the function around it, and no module or other global name: `x`, not `jax.nn`."""
        root = node
        while isinstance(root, cst.Attribute):
            root = root.value
        function = self.function(node)
        return not isinstance(root, cst.Name) or (function is not None and root.value in self.bound(function))

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
        """Whether it never runs: a default of the entry point, or the `__main__` part of the file."""
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
    """Return the expression, in brackets if operators around it could change its meaning."""
    if not isinstance(node, _COMPOUND) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def called_name(call: cst.Call) -> str:
    """Return `mean` for `jnp.mean(x)`, `x.mean()` and `mean(x)`; empty if the callee has no name."""
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value
    return call.func.value if isinstance(call.func, cst.Name) else ""


def renamed(call: cst.Call, name: str) -> cst.Call:
    """Return the same call of another function of the same module or object."""
    if isinstance(call.func, cst.Attribute):
        return call.with_changes(func=call.func.with_changes(attr=cst.Name(name)))
    return call.with_changes(func=cst.Name(name))


def positional(call: cst.Call) -> list[cst.Arg]:
    """Return the arguments before the first keyword or starred one."""
    found: list[cst.Arg] = []
    for argument in call.args:
        if argument.keyword is not None or argument.star:
            break
        found.append(argument)
    return found


def _bound(node: cst.CSTNode) -> set[str]:
    """Return the parameters and assigned names of this function, without those of inner functions."""
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
