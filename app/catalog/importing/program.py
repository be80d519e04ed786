"""Read the Python programs of a notebook as syntax trees. They are never run here."""

import ast
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from app.catalog.parameter import IMPORTS_PALLAS, Framework
from app.errors import AllcloseError

FRAMEWORKS: tuple[Framework, ...] = get_args(Framework)
# Packages that every box has too.
ALSO_THERE = ("scipy", "ml_dtypes", "typing_extensions")


class ImportRefused(AllcloseError):
    """The notebook can't become a package. The text says why, and what to change."""


def read_text(path: Path) -> str:
    """Raises ImportRefused."""
    if not path.is_file():
        raise ImportRefused(f"{path} is not a file: name a notebook (.ipynb)")
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise ImportRefused(f"{path} can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ImportRefused(f"{path} is not UTF-8: save it as UTF-8") from None


def parse(source: str, name: str) -> ast.Module:
    """Raises ImportRefused."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ImportRefused(f"{name} is not valid Python 3 ({error}): correct it") from None


def parse_leniently(source: str) -> ast.Module:
    """Return the program, or an empty one if the source is not Python."""
    try:
        return parse(source, "the source")
    except ImportRefused:
        return ast.parse("")


def functions_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def imports_of(tree: ast.Module) -> set[str]:
    """Return the top-level packages that the program imports."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


def frameworks_of(trees: Sequence[ast.Module]) -> list[str]:
    """Return the frameworks that these programs import, or NumPy, which starts fastest, if there are none."""
    imported = set().union(*(imports_of(tree) for tree in trees))
    imported |= {"pallas"} if any(IMPORTS_PALLAS.search(ast.unparse(tree)) for tree in trees) else set()
    return [name for name in FRAMEWORKS if name in imported] or ["numpy"]


def strangers_of(tree: ast.Module) -> list[str]:
    """Return the imported packages that boxes do not have."""
    return sorted(imports_of(tree) - {*sys.stdlib_module_names, *FRAMEWORKS, *ALSO_THERE})


def imports_from(others: Sequence[ast.Module], tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Return the top-level imports of other programs that this program uses, and all of frameworks: one name each."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found: dict[str, ast.Import | ast.ImportFrom] = {}
    for node in (node for other in others for node in other.body):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in node.names:
            single = (
                ast.Import([alias])
                if isinstance(node, ast.Import)
                else ast.ImportFrom(node.module, [alias], node.level)
            )
            is_framework = not imports_of(ast.Module([single], [])).isdisjoint(FRAMEWORKS)
            if is_framework or alias.name == "*" or (alias.asname or alias.name).partition(".")[0] in used:
                found.setdefault(ast.unparse(single), single)
    return list(found.values())
