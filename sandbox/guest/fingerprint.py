"""The fingerprint of a program, by which similar programs are found: its syntax tree in small parts.

Every part of 4 to 60 nodes gives a hash. Names that the program binds itself count as equal, texts too, and operands
whose order does not matter are sorted. So a program keeps its hashes when its names, its order or its layout change.
Comments, docstrings and annotations give nothing. The program does not run, but its parser may crash: that is why this
happens in a box.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

LEAST_NODES, MOST_NODES = 4, 60
# A program with more parts has no fingerprint, and staff are told. If only some parts counted, padding could hide the
# others. About 2,000 lines.
MOST_PARTS = 5000
_LEFT_OUT = {"annotation", "ctx", "decorator_list", "returns", "type_comment"}
_COMMUTATIVE = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor, ast.And, ast.Or, ast.Eq, ast.NotEq)
# They have no parts, and count with the node that holds them.
_OPERATORS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


def fingerprint(source: str) -> NDArray[np.int64] | None:
    """Return a row for each part, the largest first: its hash, first line and last line.

    Return None if it is no Python, or too long.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [each for each in _list_parts(tree) if LEAST_NODES <= each.nodes <= MOST_NODES]
    if len(found) > MOST_PARTS:
        return None
    found.sort(key=lambda each: (-each.nodes, each.first))
    return np.array([(each.hash, each.first, each.last) for each in found], np.int64).reshape(-1, 3)


@dataclass(frozen=True, slots=True)
class _Part:
    """`first` and `last` line, 0 for a node that has none of its own."""

    hash: int
    nodes: int
    first: int
    last: int


def _list_parts(tree: ast.AST) -> Iterator[_Part]:
    """Yield the part of every node that has lines. No recursion: a tree may be deep."""
    own = frozenset(name for node in ast.walk(tree) for name in _list_bound(node))
    nodes = [tree]
    described: dict[ast.AST, tuple[str, list[ast.AST]]] = {}
    for node in nodes:  # it grows
        described[node] = _describe(node, own)
        nodes += described[node][1]
    parts: dict[ast.AST, _Part] = {}
    for node in reversed(nodes):  # the children of a node come first
        label, children = described[node]
        part = parts[node] = _join(node, label, [parts[child] for child in children])
        if part.first:
            yield part


def _list_bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that the node binds, which a program may choose."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias(name=name, asname=asname):
            yield asname or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)):
            yield name


def _describe(node: ast.AST, own: frozenset[str]) -> tuple[str, list[ast.AST]]:
    """Return the node's kind with its operators, names and numbers, and its children."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return "text", []
    words = [type(node).__name__]
    children: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        for item in value if isinstance(value, list) else [value]:
            if name in _LEFT_OUT or _is_docstring(item):
                continue
            if isinstance(item, _OPERATORS):
                words.append(type(item).__name__)
            elif isinstance(item, ast.AST):
                children.append(_normalise(item))
            else:
                words.append(_spell(item, own))
    return " ".join(words), children


def _is_docstring(item: object) -> bool:
    return isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)


def _normalise(node: ast.AST) -> ast.AST:
    """Return the usual form of what may be written in two ways."""
    match node:
        case ast.AugAssign(target=target, op=op, value=value):
            operation = ast.copy_location(ast.BinOp(target, op, value), node)
            return ast.copy_location(ast.Assign([target], operation), node)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return ast.copy_location(ast.Assign([target], value), node)
        case ast.Compare(left=left, ops=[ast.Gt()], comparators=[right]):
            return ast.copy_location(ast.Compare(right, [ast.Lt()], [left]), node)
        case ast.Compare(left=left, ops=[ast.GtE()], comparators=[right]):
            return ast.copy_location(ast.Compare(right, [ast.LtE()], [left]), node)
    return node


def _spell(value: object, own: frozenset[str]) -> str:
    """Spell a name or a number. The program's own names are all the same."""
    if isinstance(value, str):
        return "" if value in own else value
    if isinstance(value, int | float | complex):
        return f"{type(value).__name__} {hash(value)}"  # the digits of a huge number take long
    return str(value)


def _join(node: ast.AST, label: str, children: list[_Part]) -> _Part:
    hashes = [child.hash for child in children]
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.Compare(ops=[op]) if isinstance(op, _COMMUTATIVE):
            hashes.sort()
    digest = blake2b(f"{label} {hashes}".encode(), digest_size=8).digest()
    return _Part(
        hash=int.from_bytes(digest, "little", signed=True),
        nodes=1 + sum(child.nodes for child in children),
        first=getattr(node, "lineno", 0),
        last=getattr(node, "end_lineno", 0),
    )
