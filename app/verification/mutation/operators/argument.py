"""Neighbouring arguments swapped, and named ones left to their default."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, positional, text_of

_IDLE = frozenset({"strict", "key", "name", "dtype_policy"})


class Argument(Operator):
    name = "arguments"
    remedy = "add a case in which these arguments differ from each other and from their defaults"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.Call):
            return
        arguments, count = list(node.args), len(positional(node))
        for index in range(count - 1):
            first, second = arguments[index].value, arguments[index + 1].value
            if text_of(first) != text_of(second):
                swapped = [*arguments]
                swapped[index] = arguments[index].with_changes(value=second)
                swapped[index + 1] = arguments[index + 1].with_changes(value=first)
                yield node.with_changes(args=swapped)
        for index, argument in enumerate(arguments):
            if argument.keyword is not None and argument.keyword.value not in _IDLE:
                yield node.with_changes(args=_without(arguments, index))


def _without(arguments: list[cst.Arg], index: int) -> list[cst.Arg]:
    rest = [*arguments[:index], *arguments[index + 1 :]]
    if rest:
        rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return rest
