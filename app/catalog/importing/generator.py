"""Turn the program of a test into a function of `cases.py`, which draws the arguments of the call that it tests.

The function holds the statements that the arguments need, without the call itself and without asserts. Seeds in them
become the case's seed, so that hidden cases draw new inputs. Programs are read as syntax trees and never run.
"""

import ast
import builtins
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

# Names that tests use, and the imports that they stand for.
USUAL_IMPORTS = {
    "F": "import torch.nn.functional as F",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "math": "import math",
    "nn": "import torch.nn as nn",
    "nnx": "from flax import nnx",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "optax": "import optax",
    "random": "import random",
    "torch": "import torch",
}
_SEEDED = re.compile(r"(^|\.)(manual_seed|random\.seed|PRNGKey|random\.key|default_rng|RandomState)$")
_SEEDING = re.compile(r"(^|\.)(manual_seed|random\.seed)$")
_RANDOM = {
    "torch": (
        re.compile(r"\btorch\.(rand|normal|bernoulli|multinomial|poisson)|\.(normal|uniform|random)_\("),
        "manual_seed",
    ),
    "np": (re.compile(r"\bnp\.random\.(?!default_rng|RandomState|Generator)"), "random.seed"),
    "random": (re.compile(r"(?<![\w.])random\.(?!seed)"), "seed"),
}
_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


def write_generator(
    name: str, before: Sequence[ast.stmt], statement: ast.stmt, call: ast.Call, function: ast.FunctionDef
) -> str:
    """Return the function that makes the arguments of the call in this statement. Raises ValueError."""
    if any(call in ast.walk(each) for each in ast.walk(statement) if isinstance(each, ast.Lambda | ast.comprehension)):
        raise ValueError(f"it calls {function.name} in a function of its own or for each of several values")
    bound = bind(call, function)
    return _write(name, _needed(before, bound.values(), function.name), bound)


def calls_of(node: ast.AST, name: str) -> list[ast.Call]:
    return [each for each in ast.walk(node) if isinstance(each, ast.Call) and ast.unparse(each.func) == name]


def bind(call: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Return the argument for each parameter, or its default where the call gives none. Raises ValueError."""
    signature = function.args
    names = [each.arg for each in (*signature.posonlyargs, *signature.args)]
    defaults = dict(zip(reversed(names), reversed(signature.defaults), strict=False))
    if any(isinstance(each, ast.Starred) for each in call.args) or any(each.arg is None for each in call.keywords):
        raise ValueError("it passes * or ** arguments")
    if len(call.args) > len(names):
        raise ValueError(f"it passes {len(call.args)} arguments to {function.name}, which takes {len(names)}")
    given = dict(zip(names, call.args, strict=False)) | {str(each.arg): each.value for each in call.keywords}
    bound = {name: given.get(name, defaults.get(name)) for name in names}
    missing = [name for name, value in bound.items() if value is None]
    unknown = sorted(given.keys() - set(names))
    if missing or unknown:
        raise ValueError(f"its arguments are not {', '.join(names)}")
    return {name: value for name, value in bound.items() if value is not None}


def imports_for(programs: Sequence[str]) -> list[str]:
    """Return the usual imports of names that the programs use and do not define."""
    trees = [ast.parse(program) for program in programs]
    used = {each.id for tree in trees for each in ast.walk(tree) if isinstance(each, ast.Name)}
    nodes = [each for tree in trees for each in ast.walk(tree) if isinstance(each, _DEFINING)]
    bound = {name for each in nodes for name in _bound(each)}
    return [line for name, line in sorted(USUAL_IMPORTS.items()) if name in used - bound]


def _needed(before: Sequence[ast.stmt], arguments: Iterable[ast.expr], name: str) -> list[ast.stmt]:
    """Return the earlier statements that the arguments depend on, and those that set a seed. Raises ValueError."""
    needed = {used for argument in arguments for used in _loaded(argument)}
    kept: list[ast.stmt] = []
    for statement in reversed(before):
        if isinstance(statement, ast.Assert) or not (_bound(statement) & needed or _sets_seed(statement)):
            continue
        if calls_of(statement, name):
            raise ValueError(f"its arguments come from an earlier call of {name}")
        kept.insert(0, statement)
        needed |= _loaded(statement)
    return kept


def _loaded(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - set(dir(builtins))


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that the statement defines or may change."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    stored = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    places = (each for each in ast.walk(statement) if isinstance(each, ast.Subscript | ast.Attribute))
    changed = {_root(each) for each in places if isinstance(each.ctx, ast.Store)}
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):  # x.add_(1)
        changed.add(_root(statement.value.func))
    return stored | changed


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _sets_seed(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Call) and _SEEDING.search(ast.unparse(value.func)) is not None


def _write(name: str, statements: Sequence[ast.stmt], arguments: Mapping[str, ast.expr]) -> str:
    returned = ast.Return(ast.Dict([ast.Constant(parameter) for parameter in arguments], list(arguments.values())))
    body = [ast.unparse(_Seeds().visit(ast.parse(ast.unparse(each)))) for each in (*statements, returned)]
    is_import = [isinstance(each, ast.Import | ast.ImportFrom) for each in statements]
    imports = [line for line, imported in zip(body, is_import, strict=False) if imported]
    others = [line for line in body if line not in imports]
    lines = [*imports, *_own_seeds("\n".join(body)), *others]
    return f"def {name}(seed):\n{textwrap.indent(chr(10).join(lines), '    ')}\n"


def _own_seeds(body: str) -> list[str]:
    """Seed each library whose random numbers the body draws and does not seed."""
    return [
        f"{library}.{seeding}(seed)"
        for library, (draws, seeding) in _RANDOM.items()
        if draws.search(body) and f"{library}.{seeding}(" not in body
    ]


class _Seeds(ast.NodeTransformer):
    """Adds the case's seed to seeds, and drops what only a gradient needs."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_":
            return node.func.value
        node.keywords = [each for each in node.keywords if each.arg != "requires_grad"]
        if _SEEDED.search(ast.unparse(node.func)) and len(node.args) <= 1 and not node.keywords:
            first = node.args[0] if node.args else ast.Constant(0)
            if isinstance(first, ast.Constant) and isinstance(first.value, int):
                text = f"(seed + {first.value}) % 2**31" if first.value else "seed"
                node.args = [ast.parse(text, mode="eval").body]
        return node
