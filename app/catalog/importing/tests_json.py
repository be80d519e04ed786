"""Import a folder with a statement, a solution and `tests.json`, whose tests are calls of the solution.

`tests.json` has one of these forms. `expected` is only compared with the solution's answer:

    [{"input": [[1, 2], 3], "expected": 5, "hidden": true}, …]      arguments in order, or a mapping by name
    [{"test": "add(np.array([1, 2]), k=3)", "expected_output": "…"}]  a call, or a program that ends with one
    {"fn_name": "add", "inputs": [[1, 2], …], "outputs": [3, …]}
"""

import ast
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.catalog.importing.generator import bind, calls_of, function_name, write_generators
from app.catalog.importing.observation import Observe
from app.catalog.importing.package_writer import ImportedPackage, Notes, Source, distinct
from app.catalog.importing.program import ImportRefused, SourceFolder, functions_of, open_folder, parse
from app.catalog.importing.tested_function import (
    FunctionTest,
    names_of,
    plain_starter,
    read_literal,
    require_tests,
    write_tested,
)
from app.judging.printable_text import lines_of

STATEMENTS = ("statement.md", "problem.md", "description.md", "question.md", "README.md")
SOLUTIONS = ("solution.py", "reference.py")
STARTERS = ("starter.py", "starter_code.py", "template.py")
TESTS = ("tests.json", "testcases.json", "test_cases.json", "input_output.json")
SHOWN = ("sample", "is_sample", "public", "isPublic", "visible")
HIDDEN = ("hidden", "is_hidden", "isHidden")


def read_tests_json(root: Path, observe: Observe) -> ImportedPackage:
    """Raises ImportRefused."""
    folder, notes = open_folder(root), Notes()
    reference = folder.text(_find(folder, SOLUTIONS, "the solution"))
    content = _read_json(folder, _find(folder, TESTS, "the tests"))
    function = _function(parse(reference, "the solution"), content)
    tests = _tests(content, function, notes)
    given = folder.find(STARTERS)
    source = Source(
        name=root.resolve().name,
        origin="a folder with tests.json",
        manifest={},
        sections={"Problem": _statement(folder, notes)},
        files={"starter.py": folder.text(given) if given else plain_starter(function), "reference.py": reference},
    )
    return write_tested(source, function, tests, observe, notes)


def _find(folder: SourceFolder, names: Sequence[str], what: str) -> str:
    if found := folder.find(names):
        return found
    raise ImportRefused(f"{folder.root} lacks {what}: put one of {', '.join(names)} there")


def _read_json(folder: SourceFolder, path: str) -> Any:
    try:
        return json.loads(folder.text(path))
    except (ValueError, RecursionError) as error:
        raise ImportRefused(f"{path} is not valid JSON ({error}): correct it") from None


def _function(tree: ast.Module, content: Any) -> ast.FunctionDef:
    functions = {name: node for name, node in functions_of(tree).items() if not name.startswith("_")}
    named = content.get("fn_name") or content.get("entry_point") if isinstance(content, dict) else None
    if named is None and len(functions) == 1:
        return next(iter(functions.values()))
    if named in functions:
        return functions[str(named)]
    known = ", ".join(functions) or "no function"
    raise ImportRefused(f'the solution defines {known}: name the tested one as "fn_name" in tests.json')


def _tests(content: Any, function: ast.FunctionDef, notes: Notes) -> list[FunctionTest]:
    listed = _listed(content)
    names = distinct(function_name(str(each.get("name", f"case_{index}"))) for index, each in enumerate(listed, 1))
    tests = []
    for name, each in zip(names, listed, strict=True):
        try:
            tests.append(_read_test(name, each, function))
        except ValueError as error:
            notes.left_out.append(f"{name}: {error}")
    return require_tests(tests, notes)


def _listed(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, dict) and isinstance(content.get("inputs"), list):
        outputs = content.get("outputs") or [None] * len(content["inputs"])
        return [{"input": given, "expected": output} for given, output in zip(content["inputs"], outputs, strict=False)]
    listed = content.get("tests") or content.get("cases") if isinstance(content, dict) else content
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed) or not listed:
        raise ImportRefused('tests.json has no list of tests such as {"input": [1, 2], "expected": 3}')
    return listed


def _read_test(name: str, test: Mapping[str, Any], function: ast.FunctionDef) -> FunctionTest:
    """Raises ValueError."""
    expected = next((test[key] for key in ("expected", "expected_output", "output") if key in test), None)
    is_sample = any(test.get(key) is True for key in SHOWN) or any(test.get(key) is False for key in HIDDEN)
    if isinstance(program := test.get("test") or test.get("call"), str):
        arguments, generator = _read_program(name, program, function)
    else:
        arguments, generator = _read_arguments(test, function), ""
    return FunctionTest(name=name, is_sample=is_sample, arguments=arguments, expected=expected, generator=generator)


def _read_arguments(test: Mapping[str, Any], function: ast.FunctionDef) -> dict[str, Any]:
    """Return the arguments that JSON gives, with the function's defaults. Raises ValueError."""
    names = names_of(function)
    given = next((test[key] for key in ("input", "inputs", "args", "arguments") if key in test), None)
    if not isinstance(given, dict | list):
        raise ValueError("it has neither `input` nor `test`")
    arguments = dict(given) if isinstance(given, dict) else dict(zip(names, given, strict=False))
    defaults = zip(reversed(names), reversed(function.args.defaults), strict=False)
    arguments = {name: read_literal(value) for name, value in defaults if name not in arguments} | arguments
    if len(given) > len(names) or set(arguments) != set(names):
        raise ValueError(f"its arguments are not {', '.join(names)}")
    return {name: arguments[name] for name in names}


def _read_program(name: str, program: str, function: ast.FunctionDef) -> tuple[dict[str, Any], str]:
    """Return the literal arguments of the only call, or else the generator of the last one's. Raises ValueError."""
    try:
        (call,) = calls_of(ast.parse(program.strip()), function.name)
        return {key: read_literal(value) for key, value in bind(call, function).items()}, ""
    except (ValueError, SyntaxError, RecursionError):
        generators, reasons = write_generators(name, program, function)
    if not generators:
        raise ValueError("; ".join(reasons))
    return {}, generators[-1].renamed(name).source


def _statement(folder: SourceFolder, notes: Notes) -> str:
    """Return the text without its title. Headings move one level down."""
    name = folder.find(STATEMENTS)
    if name is None:
        notes.left_out.append(f"the statement: none of {', '.join(STATEMENTS)} is there")
    lines = lines_of(folder.text(name) if name else "")
    return "\n".join("#" + line if line.startswith("##") else line for line in lines if not line.startswith("# "))
