"""Check Python code without running it: whether it compiles, what it defines, and which arguments a function takes."""

import ast
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.catalog.fault import Fault

# Parsing keeps the web process from all other work, for 0.1 s per 64 KiB.
MAX_CHARACTERS = 64 * 1024
MAX_DEPTH = 100
MAX_WEIGHT = 300_000
# The implicit exits of a `try`: its end, and an exception.
UNWRITTEN_EXITS = 2

_EXITS = ast.Return | ast.Break | ast.Continue
_NESTING = ast.stmt | ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


NOTEBOOK = (
    "is a Jupyter notebook, not Python code. Copy the cell with your solution, or convert the notebook: "
    "`jupyter nbconvert --to script FILE.ipynb`. In a notebook, the magic `%%allclose` submits a cell"
)


def is_too_heavy(tree: ast.Module) -> bool:
    """Whether compiling the code could take gigabytes, which a few hundred bytes of source can.

    CPython compiles a `finally` once for each exit of its `try`, so nested ones multiply. It visits inner functions
    again for each function around them. The check itself takes linear time.
    """
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
    """Yield each node after its children, with its depth in statements and scopes."""
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
    """Code and its place: `above` lines of `file` precede it. `key` is its key if the file is problem.yaml."""

    text: str
    file: str
    above: int = 0
    key: str = ""

    def fault(self, line: int, message: str, remedy: str) -> Fault:
        return Fault(self.file, self.above + line, self.key, message, remedy)


def syntax_fault(source: Source) -> Fault | None:
    """Return why the code does not compile, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if len(source.text) > MAX_CHARACTERS or is_too_heavy(ast.parse(source.text)):
                raise RecursionError
            compile(source.text, source.file, "exec", dont_inherit=True)
    except SyntaxError as error:
        return source.fault(error.lineno or 1, f"is not valid Python: {error.msg}", "correct the line")
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return source.fault(1, "is too long or nested too deeply to compile", "write simpler code")
    return None


def function_fault(source: Source, name: str, arguments: int | None) -> Fault | None:
    """Return a fault unless the top level defines `name` with so many positional arguments; None means any number."""
    for bound, statement in _bindings(ast.parse(source.text)):
        if bound == name:
            if arguments is None or not isinstance(statement, _Function) or _takes(statement.args, arguments):
                return None
            message = f"defines {name}, which does not take {arguments} positional arguments"
            return source.fault(statement.lineno, message, "give it the parameters of problem.yaml, in their order")
    return source.fault(1, f"does not define {name}", f"add `def {name}(…):` at the top level")


def method_fault(source: Source, owner: str, name: str, parameters: Sequence[str]) -> Fault | None:
    """Return a fault unless the class `owner` has the method. It may inherit it. A function as `owner` has none."""
    found = next((statement for bound, statement in _bindings(ast.parse(source.text)) if bound == owner), None)
    if not isinstance(found, ast.ClassDef):
        return None
    method = next((statement for bound, statement in _bindings(found) if bound == name), None)
    if method is None and not found.bases:
        remedy = f"add `def {name}({', '.join(['self', *parameters])}):` to the class"
        return source.fault(found.lineno, f"defines {owner}, which has no method {name}", remedy)
    if isinstance(method, _Function) and not method.decorator_list and not _takes(method.args, 1 + len(parameters)):
        message = f"defines {owner}.{name}, which does not take self and {len(parameters)} positional arguments"
        return source.fault(method.lineno, message, "give it the parameters of problem.yaml, in their order")
    return None


def defines(tree: ast.AST, name: str) -> bool:
    """Whether the top level binds the name."""
    return any(bound == name for bound, _ in _bindings(tree))


def parameters_of(tree: ast.AST, name: str) -> tuple[str, ...] | None:
    """Return the positional parameters of the function `name`, or of the class's `__init__` without `self`.

    None if there is no such function or class, or if it has other parameters too.
    """
    signature = _signature_of(tree, name)
    return None if signature is None else tuple(argument.arg for argument in _positional(signature))


def required_parameters_of(tree: ast.AST, name: str) -> tuple[str, ...] | None:
    """Return those of `parameters_of` that have no default."""
    signature = _signature_of(tree, name)
    if signature is None:
        return None
    positional = _positional(signature)
    return tuple(argument.arg for argument in positional[: len(positional) - len(signature.defaults)])


def _positional(signature: ast.arguments) -> list[ast.arg]:
    return [*signature.posonlyargs, *signature.args]


def _signature_of(tree: ast.AST, name: str) -> ast.arguments | None:
    """Return the signature of a function, or of a class without `self`. None if not all parameters are positional."""
    statement = next((statement for bound, statement in _bindings(tree) if bound == name), None)
    if isinstance(statement, ast.ClassDef):
        inner = _signature_of(statement, "__init__")
        return _without_self(inner) if inner and _positional(inner) else None
    if not isinstance(statement, _Function):
        return None
    signature = statement.args
    return None if signature.vararg or signature.kwarg or signature.kwonlyargs else signature


def _without_self(signature: ast.arguments) -> ast.arguments:
    _, *others = _positional(signature)
    return ast.arguments(posonlyargs=[], args=others, kwonlyargs=[], kw_defaults=[], defaults=signature.defaults)


def line_of(source: Source, name: str) -> int:
    """Return the line that defines `name`, counted from 1 within the text."""
    return next((statement.lineno for bound, statement in _bindings(ast.parse(source.text)) if bound == name), 1)


def keyword_fault(source: Source, name: str, keywords: Iterable[str]) -> Fault | None:
    """Return a fault if the function `name` can't take exactly these keyword arguments."""
    for bound, statement in _bindings(ast.parse(source.text)):
        if bound != name or not isinstance(statement, _Function):
            continue
        taken, needed = _keywords(statement.args)
        unknown = [word for word in keywords if taken is not None and word not in taken]
        missing = sorted(needed - set(keywords))
        if unknown:
            message = f"defines {name}, which does not take {', '.join(unknown)}"
            return source.fault(
                statement.lineno,
                message,
                "add the parameter: the judge passes `seed` and the values under `with` by name",
            )
        if missing:
            message = f"defines {name}, which also needs {', '.join(missing)}"
            return source.fault(statement.lineno, message, "add it under `with` of the case, or give it a default here")
    return None


def _keywords(signature: ast.arguments) -> tuple[set[str] | None, set[str]]:
    """Return the allowed keyword names, None for any, and the required ones."""
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
