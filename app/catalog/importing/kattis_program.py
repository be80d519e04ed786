"""Turn a program that reads standard input and prints into the function `main()`."""

import ast
from itertools import takewhile

from app.catalog.importing.program import functions_of, without
from app.judging.printable_text import lines_of

_IS_MAIN = "__name__ == '__main__'"
_DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


class NotMapped(Exception):
    """The program can't become a function. The text says why."""


def comment_of(source: str) -> str:
    """Return the comment or docstring at the head of the file, in one line."""
    lines = list(takewhile(lambda line: line.startswith("#"), lines_of(source.strip())))
    told = " ".join(line.lstrip("#").strip() for line in lines) if lines else ast.get_docstring(ast.parse(source)) or ""
    return " ".join(told.split())


def as_function(source: str) -> str:
    """Raises NotMapped."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NotMapped(f"it is not valid Python 3 ({error})") from None
    if tree.body and _only_calls_main(tree):
        return without(source, [tree.body[-1]])
    if any(isinstance(node, ast.Global) for node in ast.walk(tree)):
        raise NotMapped("it uses `global`, which a function can't: pass the values on, or use `nonlocal`")
    if "open(0" in ast.unparse(tree):
        raise NotMapped("it opens descriptor 0: read sys.stdin instead")
    hoisted = [node for node in tree.body if isinstance(node, ast.ImportFrom) and _must_stay_on_top(node)]
    head = "".join(f"{ast.get_source_segment(source, node)}\n" for node in hoisted)
    written = f"{head}\n\ndef main():\n{_indented(without(_as_if_main(source, tree), hoisted))}".lstrip("\n")
    try:
        compile(written, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise NotMapped(f"it can't be put into a function ({error})") from None
    return written


def _only_calls_main(tree: ast.Module) -> bool:
    """Whether the program defines `main()` and other things, and calls it at the end."""
    *before, last = tree.body
    function = functions_of(tree).get("main")
    statement = last.body[0] if isinstance(last, ast.If) and _asks_for_main(last) and len(last.body) == 1 else last
    is_call = isinstance(statement, ast.Expr) and ast.unparse(statement) == "main()"
    return function is not None and not ast.unparse(function.args) and is_call and all(map(_only_defines, before))


def _only_defines(node: ast.stmt) -> bool:
    """Whether the statement is a definition, or has no call that could read input or print."""
    return isinstance(node, _DEFINING) or not any(isinstance(each, ast.Call | ast.Attribute) for each in ast.walk(node))


def _asks_for_main(node: ast.If) -> bool:
    return ast.unparse(node.test) == _IS_MAIN and not node.orelse


def _must_stay_on_top(node: ast.ImportFrom) -> bool:
    return node.module == "__future__" or any(alias.name == "*" for alias in node.names)


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
