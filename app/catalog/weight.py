"""How much work it is to compile code, told from its syntax tree: a few hundred bytes can ask for gigabytes.

CPython compiles the body of a `finally` once for each way out of its `try`, so nested ones multiply; and it walks the
functions inside of functions again for each that is around them.
"""

import ast
from collections.abc import Iterator

MAX_DEPTH = 100
MAX_WEIGHT = 300_000
# Ways out of a `try` that are not written: past its end, and by an exception.
UNWRITTEN_EXITS = 2

_EXITS = ast.Return | ast.Break | ast.Continue
_NESTING = ast.stmt | ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


def is_too_heavy(tree: ast.Module) -> bool:
    """Takes time in proportion to the tree."""
    weight: dict[int, int] = {}
    exits: dict[int, int] = {}
    for node, depth in _leaves_first(tree):
        if depth > MAX_DEPTH:
            return True
        children = list(ast.iter_child_nodes(node))
        exits[id(node)] = isinstance(node, _EXITS) + sum(exits[id(child)] for child in children)
        weight[id(node)] = 1 + sum(weight[id(child)] for child in children)
        if isinstance(node, ast.Try | ast.TryStar):
            final = sum(weight[id(child)] for child in node.finalbody)
            ways = UNWRITTEN_EXITS + exits[id(node)] - sum(exits[id(child)] for child in node.finalbody)
            weight[id(node)] += (ways - 1) * final
        if weight[id(node)] > MAX_WEIGHT:
            return True
    return False


def _leaves_first(tree: ast.Module) -> Iterator[tuple[ast.AST, int]]:
    """Each node after those below it, and in how many statements and scopes it stands."""
    order: list[tuple[ast.AST, int]] = []
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        order.append((node, depth))
        below = depth + isinstance(node, _NESTING)
        waiting.extend((child, below) for child in ast.iter_child_nodes(node))
    return reversed(order)
