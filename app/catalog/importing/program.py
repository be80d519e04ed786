"""Read the folder and the Python programs of a source to import. Programs are never run, and links never followed."""

import ast
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from app.catalog.importing.imported import ImportRefused
from app.catalog.parameter import Framework
from app.judging.text import lines_of

FRAMEWORKS: tuple[Framework, ...] = ("numpy", "jax", "flax", "optax", "torch")
# Packages that every box has too.
ALSO_THERE = ("scipy", "ml_dtypes", "typing_extensions")
_IS_MAIN = "__name__ == '__main__'"
_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Expr)
MAX_FILES = 5_000


class NotMapped(Exception):
    """The program can't become a function. The text says why."""


def parse(source: str, name: str) -> ast.Module:
    """Raises ImportRefused."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ImportRefused(f"{name} is not valid Python 3 ({error}): correct it") from None


def functions_of(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def class_of(tree: ast.Module, name: str) -> ast.ClassDef | None:
    return next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name), None)


def imports_of(tree: ast.Module) -> set[str]:
    """Return the top-level packages that the program imports."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


def frameworks_of(trees: list[ast.Module]) -> list[str]:
    """Return the frameworks that these programs import, or NumPy, which starts fastest, if there are none."""
    imported = set().union(*(imports_of(tree) for tree in trees))
    return [name for name in FRAMEWORKS if name in imported] or ["numpy"]


def strangers_of(tree: ast.Module) -> list[str]:
    """Return the imported packages that boxes do not have."""
    known = {*sys.stdlib_module_names, *FRAMEWORKS, *ALSO_THERE}
    return sorted(imports_of(tree) - known)


def imports_from(others: Sequence[ast.Module], tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Return the top-level imports of other programs that this program uses, and all of frameworks: one name each."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found: dict[str, ast.Import | ast.ImportFrom] = {}
    for node in (node for other in others for node in other.body):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in node.names:
            single = ast.Import([alias]) if isinstance(node, ast.Import) else _from(node, alias)
            is_framework = not imports_of(ast.Module([single], [])).isdisjoint(FRAMEWORKS)
            if is_framework or alias.name == "*" or (alias.asname or alias.name).partition(".")[0] in used:
                found.setdefault(ast.unparse(single), single)
    return list(found.values())


def _from(node: ast.ImportFrom, alias: ast.alias) -> ast.ImportFrom:
    return ast.ImportFrom(node.module, [alias], node.level)


def without(source: str, nodes: Sequence[ast.stmt]) -> str:
    """Return the source without some of its top-level statements and their decorators."""
    gone: set[int] = set()
    for node in nodes:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        gone |= set(range(first, (node.end_lineno or node.lineno) + 1))
    kept = [line for number, line in enumerate(lines_of(source), 1) if number not in gone]
    return "\n".join(kept).strip() + "\n"


def comment_of(source: str) -> str:
    """Return the comment or docstring at the head of the file, in one line."""
    lines = list(takewhile(lambda line: line.startswith("#"), lines_of(source.strip())))
    told = " ".join(line.lstrip("#").strip() for line in lines) if lines else ast.get_docstring(ast.parse(source)) or ""
    return " ".join(told.split())


def as_function(source: str, name: str = "main") -> str:
    """Turn a script into one function. Raises NotMapped."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NotMapped(f"it is not valid Python 3 ({error})") from None
    if calls := _closing_calls(tree, name):
        return without(source, calls)
    _require_no_globals(tree)
    hoisted = [node for node in tree.body if isinstance(node, ast.ImportFrom) and _must_stay_on_top(node)]
    head = "".join(f"{ast.get_source_segment(source, node)}\n" for node in hoisted)
    body = _indented(without(_as_if_main(source, tree), hoisted))
    written = f"{head}\n\ndef {name}():\n{body}".lstrip("\n")
    try:
        compile(written, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise NotMapped(f"it can't be put into a function ({error})") from None
    return written


def _closing_calls(tree: ast.Module, name: str) -> list[ast.stmt]:
    """Return the last statement if the program only defines `main()` and then calls it."""
    function = functions_of(tree).get(name)
    last = tree.body[-1] if tree.body else None
    if function is None or last is None or ast.unparse(function.args) or _is_called_before(tree, name):
        return []
    statement = last.body[0] if isinstance(last, ast.If) and _asks_for_main(last) and len(last.body) == 1 else last
    is_call = isinstance(statement, ast.Expr) and ast.unparse(statement) == f"{name}()"
    only_defines = all(isinstance(node, _DEFINING) for node in tree.body[:-1])
    return [last] if is_call and only_defines else []


def _is_called_before(tree: ast.Module, name: str) -> bool:
    """Whether the top level reads input, prints or calls the function before the last statement."""
    effects = [node for node in tree.body[:-1] if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr)]
    text = " ".join(ast.unparse(node) for node in effects if not _is_docstring(node))
    return "input(" in text or "stdin" in text or "print(" in text or f"{name}(" in text


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _asks_for_main(node: ast.If) -> bool:
    return ast.unparse(node.test) == _IS_MAIN and not node.orelse


def _must_stay_on_top(node: ast.ImportFrom) -> bool:
    return node.module == "__future__" or any(alias.name == "*" for alias in node.names)


def _require_no_globals(tree: ast.Module) -> None:
    if any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        raise NotMapped("it uses `global`, which a function can't: pass the values on, or use `nonlocal`")
    if "open(0" in ast.unparse(tree):
        raise NotMapped("it opens descriptor 0: read sys.stdin instead")


def _as_if_main(source: str, tree: ast.Module) -> str:
    """Let the `__main__` part run inside a function."""
    lines = lines_of(source)
    for node in tree.body:
        if isinstance(node, ast.If) and _asks_for_main(node) and node.body[0].lineno > node.lineno:
            lines[node.lineno - 1] = "if True:"
    return "\n".join(lines) + "\n"


def _indented(source: str) -> str:
    """Indent by four spaces, except the lines inside texts."""
    inside: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
            inside |= set(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    lines = lines_of(source)
    moved = [
        line if number in inside else f"    {line}" if line.strip() else line for number, line in enumerate(lines, 1)
    ]
    return "\n".join(moved) + "\n"


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder to import. `paths` are relative and sorted, with `/` between their parts."""

    root: Path
    paths: tuple[str, ...]

    def has(self, path: str) -> bool:
        return path in self.paths

    def under(self, folder: str) -> list[str]:
        return [path for path in self.paths if path.startswith(f"{folder}/")]

    def size(self, path: str) -> int:
        return (self.root / path).stat().st_size

    def text(self, path: str) -> str:
        """Raises ImportRefused."""
        try:
            return (self.root / path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except OSError as error:
            raise ImportRefused(f"{path} can't be read ({error.strerror})") from None
        except UnicodeDecodeError:
            raise ImportRefused(f"{path} is not UTF-8: save it as UTF-8") from None


def open_folder(root: Path) -> SourceFolder:
    """Raises ImportRefused."""
    if not root.is_dir():
        raise ImportRefused(f"{root} is not a folder: unpack an archive first")
    paths = tuple(sorted(_walk(root, "")))
    if len(paths) > MAX_FILES:
        raise ImportRefused(f"{root} has more than {MAX_FILES} files: name the folder of one problem")
    return SourceFolder(root, paths)


def _walk(folder: Path, prefix: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith((".", "__pycache__")) or entry.is_symlink():
                continue
            if entry.is_dir():
                yield from _walk(Path(entry.path), f"{prefix}{entry.name}/")
            elif entry.is_file():
                yield prefix + entry.name
