"""Import a notebook whose cells assert what a function returns: nbgrader's and Otter's formats, or a plain notebook.

The solution is the last cell that defines a function. Marks of both formats show what students see of it:

    ### BEGIN SOLUTION … ### END SOLUTION              nbgrader: cut from the starter
    # BEGIN SOLUTION … # END SOLUTION, x = 1 # SOLUTION  Otter: cut from the starter

Each `assert` that compares one call of the function with a literal becomes a case: `f(…) == 3`,
`abs(f(…) - 3) < 1e-6`, `np.allclose(f(…), [1, 2])`, `np.testing.assert_allclose(f(…), …)`. Arguments that are not
literals become a function of `cases.py`, with the statements of the same cell and the imports of all cells that they
need. The notebook runs only in a sandbox.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.catalog.importing.generator import bind, calls_of, write_generator
from app.catalog.importing.observation import Observe
from app.catalog.importing.package_writer import ImportedPackage, Notes, Source
from app.catalog.importing.program import ImportRefused, functions_of, imports_from, parse, parse_leniently, read_text
from app.catalog.importing.tested_function import (
    RAISED,
    FunctionTest,
    LiteralArray,
    plain_starter,
    read_literal,
    require_tests,
    write_tested,
)
from app.judging.printable_text import lines_of

_BEGIN, _END = re.compile(r"\s*#+\s*BEGIN SOLUTION"), re.compile(r"\s*#+\s*END SOLUTION")
_SOLUTION_LINE = re.compile(r"#\s*SOLUTION( NO PROMPT)?\s*$")
# Lines that only Otter, nbgrader or IPython understand.
_NOT_PYTHON = re.compile(r"^\s*([%!]|grader\.|otter\b)")
_HIDDEN_CELL = re.compile(r"\s*#+\s*HIDDEN")
_COMPARISONS = (
    "allclose",
    "array_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_array_almost_equal",
    "assert_array_equal",
    "assert_equal",
    "equal",
    "isclose",
)
_MAGNITUDES = ("abs", "absolute", "fabs", "norm")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell. `points`: what nbgrader gives for it."""

    kind: str
    source: str
    points: float | None = None


def read_notebook(path: Path, observe: Observe) -> ImportedPackage:
    """Raises ImportRefused."""
    cells, notes = _cells(read_text(path), path.name), Notes()
    place, function = _find_solution(cells)
    others = [_tree(cell) for cell in [*cells[:place], *cells[place + 1 :]]]
    imports = "\n".join(map(ast.unparse, imports_from(others, _tree(cells[place]))))
    marked = f"{imports}\n\n\n{_clean(cells[place].source).strip()}\n".lstrip("\n")
    reference = _without_marks(marked)
    parse(reference, "the solution's cell")
    if any(cell.points for cell in cells):
        notes.left_out.append("points of the grader: give points with `parts`, if you want some")
    source = Source(
        name=path.stem,
        problem=_statement(cells[:place], notes),
        files={"starter.py": _starter(marked, function), "reference.py": reference},
    )
    return write_tested(source, function, _tests(cells, function, notes), observe, notes)


def _cells(text: str, name: str) -> list[Cell]:
    try:
        content = json.loads(text)
        raw = content["cells"]
        cells = [_cell(each) for each in raw]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ImportRefused(f"{name} is not a notebook of format 4: open it in Jupyter and save it again") from None
    return cells


def _cell(raw: Mapping[str, Any]) -> Cell:
    source = raw["source"]
    points = raw.get("metadata", {}).get("nbgrader", {}).get("points")
    text = source if isinstance(source, str) else "".join(source)
    return Cell(str(raw["cell_type"]), text, float(points) if isinstance(points, int | float) else None)


def _find_solution(cells: Sequence[Cell]) -> tuple[int, ast.FunctionDef]:
    """Return the place of the last cell that defines a function which the notebook asserts about, and the function."""
    trees = [_tree(cell) for cell in cells]
    for place in reversed(range(len(cells))):
        for name, function in reversed(functions_of(trees[place]).items()):
            if any(calls_of(statement, name) for tree in trees[place:] for statement in _asserts(tree)):
                return place, function
    raise ImportRefused("no cell defines a function that a later cell asserts about: add `assert f(…) == …`")


def _asserts(tree: ast.Module) -> list[ast.Assert | ast.Expr]:
    """Return the top-level statements that check something."""
    checks = (node for node in tree.body if isinstance(node, ast.Expr) and "assert" in ast.unparse(node.value))
    return [*(node for node in tree.body if isinstance(node, ast.Assert)), *checks]


def _blocks(tree: ast.Module, name: str) -> Iterator[ast.stmt]:
    """Yield loops, functions and other blocks that assert something about the function."""
    for node in tree.body:
        inside = (each for each in ast.walk(node) if isinstance(each, ast.Assert) and each is not node)
        if any(calls_of(each, name) for each in inside):
            yield node


def _tree(cell: Cell) -> ast.Module:
    return parse_leniently(_clean(cell.source) if cell.kind == "code" else "")


def _clean(source: str) -> str:
    """Empty the lines of magics and of the grader, so that the others keep their numbers."""
    return "\n".join("" if _NOT_PYTHON.match(line) else line for line in lines_of(source)) + "\n"


def _tests(cells: Sequence[Cell], function: ast.FunctionDef, notes: Notes) -> list[FunctionTest]:
    tests: list[FunctionTest] = []
    trees = [_tree(cell) for cell in cells]
    for cell, tree in zip(cells, trees, strict=True):
        hidden, imports = _hidden_lines(cell.source), imports_from(trees, tree)
        for statement in _asserts(tree):
            if not calls_of(statement, function.name):
                continue
            check = _Check(tree, statement, function, _literals(tree, statement), imports)
            try:
                tests.append(check.read(f"case_{len(tests) + 1}", statement.lineno not in hidden))
            except ValueError as error:
                notes.left_out.append(f"`{ast.unparse(statement)[:60]}`: {error}")
        for block in _blocks(tree, function.name):
            notes.left_out.append(f"`{lines_of(ast.unparse(block))[0][:60]}`: asserts inside a block")
    return require_tests(_show_first(tests, notes), notes)


def _hidden_lines(source: str) -> set[int]:
    """Return the lines of hidden tests: a whole cell of Otter, or a marked part of nbgrader."""
    lines = lines_of(source)
    if lines and _HIDDEN_CELL.match(lines[0]):
        return set(range(1, len(lines) + 1))
    found: set[int] = set()
    is_inside = False
    for number, line in enumerate(lines, 1):
        is_inside = (is_inside or "BEGIN HIDDEN TESTS" in line) and "END HIDDEN TESTS" not in line
        found |= {number} if is_inside else set()
    return found


def _show_first(tests: list[FunctionTest], notes: Notes) -> list[FunctionTest]:
    """Let the first tests be samples if the notebook hides none."""
    shown = max(1, min(2, len(tests) - 1))
    if len(tests) <= shown or not all(test.is_sample for test in tests):
        return tests
    notes.todo.append(f"choose the samples: the first {shown} are, and the notebook shows all of its tests")
    return [replace(test, is_sample=place < shown) for place, test in enumerate(tests)]


def _literals(tree: ast.Module, until: ast.stmt) -> dict[str, Any]:
    """Return the names of the cell that are assigned a literal before the statement."""
    found: dict[str, Any] = {}
    for node in tree.body[: tree.body.index(until)]:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = read_literal(node.value, found)
            except ValueError:
                found.pop(node.targets[0].id, None)
    return found


@dataclass(frozen=True, slots=True)
class _Check:
    """A statement that checks one call of the function, and its cell.

    `known`: the names with literal values there. `imports`: those of all cells that the cell uses.
    """

    cell: ast.Module
    statement: ast.Assert | ast.Expr
    function: ast.FunctionDef
    known: Mapping[str, Any]
    imports: Sequence[ast.stmt]

    def read(self, name: str, is_sample: bool) -> FunctionTest:
        """Return the call as a test. Raises ValueError."""
        calls = calls_of(self.statement, self.function.name)
        if len(calls) != 1:
            raise ValueError(f"it calls {self.function.name} {len(calls)} times")
        expected = _expected(self.statement, calls[0], self.known)
        bound = bind(calls[0], self.function)
        test = FunctionTest(name=name, is_sample=is_sample, expected=expected)
        try:
            return replace(test, arguments={key: read_literal(each, self.known) for key, each in bound.items()})
        except ValueError:
            return replace(test, generator=self._generator(name, calls[0]))

    def _generator(self, name: str, call: ast.Call) -> str:
        before = self.cell.body[: self.cell.body.index(self.statement)]
        statements = [each for each in before if each not in _asserts(self.cell)]
        return write_generator(name, [*self.imports, *statements], self.statement, call, self.function)


def _expected(statement: ast.Assert | ast.Expr, call: ast.Call, known: Mapping[str, Any]) -> Any:
    """Return the literal that the call is compared with, or None."""
    for other in _compared(statement.test if isinstance(statement, ast.Assert) else statement.value, call):
        try:
            value = read_literal(other, known)
        except ValueError:
            continue
        return value.values if isinstance(value, LiteralArray) else value
    return None


def _compared(node: ast.expr, call: ast.Call) -> Iterator[ast.expr]:
    """Yield what the call itself is compared with, not a part or a function of its answer such as `f(x).shape`."""
    for each in ast.walk(node):
        if isinstance(each, ast.Compare) and len(each.ops) == 1 and isinstance(each.ops[0], ast.Eq):
            sides = [each.left, each.comparators[0]]
        elif isinstance(each, ast.Call) and _name(each) in _COMPARISONS:
            sides = list(each.args[:2])
        elif isinstance(each, ast.Call) and _name(each) in _MAGNITUDES and each.args:  # abs(f(x) - 3) < 1e-6
            inner = each.args[0]
            sides = [inner.left, inner.right] if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub) else []
        else:
            continue
        if len(sides) == 2 and call in sides:
            yield sides[1 - sides.index(call)]


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _statement(cells: Sequence[Cell], notes: Notes) -> str:
    """Take the Markdown cells before the solution, without headings of the first level and marks of Otter."""
    texts = [cell.source for cell in cells if cell.kind == "markdown"]
    lines = [line for text in texts for line in [*lines_of(text), ""] if not _is_mark(line)]
    told = "\n".join("#" + line if line.startswith("##") else line for line in lines if not line.startswith("# "))
    if not told.strip():
        notes.left_out.append("the statement: no Markdown cell stands before the solution")
    if "![" in told or "<img" in told:
        notes.todo.append(
            "draw the pictures of the notebook as SVG files in figures/, or remove them from statement.md"
        )
    return told.strip()


def _is_mark(line: str) -> bool:
    return (
        re.match(r"\s*#*\s*(BEGIN|END) (QUESTION|SOLUTION|PROMPT|TESTS)\b|<!--|name:|points:|manual:", line) is not None
    )


def _starter(source: str, function: ast.FunctionDef) -> str:
    """Cut what the marks enclose. Without marks, keep the signature and the docstring."""
    kept: list[str] = []
    is_inside = has_marks = False
    for line in lines_of(source):
        begins = _BEGIN.match(line) is not None
        if begins or _SOLUTION_LINE.search(line):
            has_marks, is_inside = True, is_inside or begins
            kept.append(f"{line[: len(line) - len(line.lstrip())]}{RAISED}")
        elif _END.match(line):
            is_inside = False
        elif not is_inside:
            kept.append(line)
    if has_marks:
        return "\n".join(kept).strip() + "\n"
    return plain_starter(function)


def _without_marks(source: str) -> str:
    lines = [line for line in lines_of(source) if not _BEGIN.match(line) and not _END.match(line)]
    return "\n".join(_SOLUTION_LINE.sub("", line).rstrip() for line in lines).strip() + "\n"
