"""What can be said of Python code without running it.

How much work it is to compile code, told from its syntax tree: a few hundred bytes can ask for gigabytes.

CPython compiles the body of a `finally` once for each way out of its `try`, so nested ones multiply; and it walks the
functions inside of functions again for each that is around them.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.catalog.fault import Fault

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


_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """Code and where it stands: `above` lines of `file` come before its first; `key` is set inside problem.yaml."""

    text: str
    file: str
    above: int = 0
    key: str = ""

    def fault(self, line: int, message: str, remedy: str) -> Fault:
        return Fault(self.file, self.above + line, self.key, message, remedy)


def syntax_fault(source: Source) -> Fault | None:
    """The first thing that keeps the code from compiling."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if is_too_heavy(ast.parse(source.text)):
                raise RecursionError
            compile(source.text, source.file, "exec", dont_inherit=True)
    except SyntaxError as error:
        return source.fault(error.lineno or 1, f"is no valid Python: {error.msg}", "correct the line")
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return source.fault(1, "is too long or nested too deeply to compile", "write simpler code")
    return None


def function_fault(source: Source, name: str, arguments: int | None) -> Fault | None:
    """Unless the code binds `name` at its top level to something that may take so many positional arguments."""
    for bound, statement in _bindings(ast.parse(source.text)):
        if bound == name:
            if arguments is None or not isinstance(statement, _Function) or _takes(statement.args, arguments):
                return None
            message = f"defines {name}, which does not take {arguments} positional arguments"
            return source.fault(statement.lineno, message, "give it the parameters of problem.yaml, in their order")
    return source.fault(1, f"does not define {name}", f"add `def {name}(…):` at the top level")


def parameters_of(tree: ast.AST, name: str) -> tuple[str, ...] | None:
    """The names of the positional parameters of the function `name`, or of the class's `__init__` but for `self`.

    None where it is neither, or takes others too.
    """
    statement = next((statement for bound, statement in _bindings(tree) if bound == name), None)
    if isinstance(statement, ast.ClassDef):
        inner = parameters_of(statement, "__init__")
        return inner[1:] if inner else None
    if not isinstance(statement, _Function):
        return None
    signature = statement.args
    if signature.vararg or signature.kwarg or signature.kwonlyargs:
        return None
    return tuple(argument.arg for argument in (*signature.posonlyargs, *signature.args))


def line_of(source: Source, name: str) -> int:
    """Where `name` is bound, counted from 1 within the text."""
    return next((statement.lineno for bound, statement in _bindings(ast.parse(source.text)) if bound == name), 1)


def keyword_fault(source: Source, name: str, keywords: Iterable[str]) -> Fault | None:
    """Unless the function `name` may be called with exactly these keyword arguments, or is no plain function."""
    for bound, statement in _bindings(ast.parse(source.text)):
        if bound != name or not isinstance(statement, _Function):
            continue
        taken, needed = _keywords(statement.args)
        unknown = [word for word in keywords if taken is not None and word not in taken]
        missing = sorted(needed - set(keywords))
        if unknown:
            message = f"defines {name}, which does not take {', '.join(unknown)}"
            return source.fault(
                statement.lineno, message, "the judge gives `seed` and what stands under `with`, by name"
            )
        if missing:
            message = f"defines {name}, which needs {', '.join(missing)} too"
            return source.fault(statement.lineno, message, "give it under `with` of the case, or a default here")
    return None


def _keywords(signature: ast.arguments) -> tuple[set[str] | None, set[str]]:
    """The names that may be given, None for any, and those that must be."""
    plain = [argument.arg for argument in signature.args]
    needed = plain[: len(plain) - len(signature.defaults)] if signature.defaults else plain
    keyword_only = dict(zip(signature.kwonlyargs, signature.kw_defaults, strict=True))
    required = {*needed, *(argument.arg for argument, default in keyword_only.items() if default is None)}
    return None if signature.kwarg else {*plain, *(argument.arg for argument in keyword_only)}, required


def _bindings(body: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    for statement in ast.iter_child_nodes(body):
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, statement
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from ((alias.asname or alias.name, statement) for alias in names)
            case ast.Assign(targets=targets):
                yield from ((target.id, statement) for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                yield name, statement
            case ast.If() | ast.Try() | ast.With():
                yield from _bindings(statement)


def _takes(signature: ast.arguments, count: int) -> bool:
    most = len(signature.posonlyargs) + len(signature.args)
    least = most - len(signature.defaults)
    no_keyword_needed = all(default is not None for default in signature.kw_defaults)
    return least <= count and (count <= most or signature.vararg is not None) and no_keyword_needed


def is_explained(text: str) -> bool:
    """Whether the file begins with a comment or a docstring."""
    return text.lstrip().startswith(("#", '"', "'", 'r"'))
