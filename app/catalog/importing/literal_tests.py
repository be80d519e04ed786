"""Import a folder with a statement, a solution and `tests.json`, whose tests are calls of the solution.

`tests.json` has one of these forms. `expected` is only compared with the solution's answer:

    [{"input": [[1, 2], 3], "expected": 5, "hidden": true}, …]      arguments in order, or a mapping by name
    [{"test": "add(np.array([1, 2]), k=3)", "expected_output": "…"}]  a call
    {"fn_name": "add", "inputs": [[1, 2], …], "outputs": [3, …]}

Literal arguments, such as `[1, 2]` and `np.array([3.0])`, become the inputs of a case. Other arguments, such as
`np.zeros(3)`, become a function of `cases.py`. Nothing is evaluated outside of a sandbox, which also finds the types.
"""

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.catalog.importing.generator import bind, calls_of, function_name, imports_for, write_generators
from app.catalog.importing.imported import (
    Imported,
    ImportRefused,
    Notes,
    distinct,
    slug_of,
    write_manifest,
    write_statement,
)
from app.catalog.importing.observation import Declarations, Observe, Probe, declare, find_object
from app.catalog.importing.program import SourceFolder, frameworks_of, functions_of, open_folder, parse, strangers_of
from app.judging.text import lines_of

ARRAY_MAKERS = (
    *("np.array", "numpy.array", "np.asarray", "jnp.array", "jnp.asarray"),
    *("torch.tensor", "torch.Tensor"),
)
STATEMENTS = ("statement.md", "problem.md", "description.md", "question.md", "README.md")
SOLUTIONS = ("solution.py", "reference.py")
STARTERS = ("starter.py", "starter_code.py", "template.py")
TESTS = ("tests.json", "testcases.json", "test_cases.json", "input_output.json")
MAX_CASES = 200


@dataclass(frozen=True, slots=True)
class LiteralArray:
    """An array in a call. `source`: its Python."""

    values: Any
    source: str


def find_call(text: str, name: str) -> ast.Call:
    """Return the only call of `name`, also inside `print(…)` or before `==`. Raises ValueError."""
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ValueError(f"{text[:60]!r} is not valid Python ({error})") from None
    calls = calls_of(tree, name)
    if len(calls) != 1:
        raise ValueError(f"{text[:60]!r} has {len(calls)} calls of {name}; it must have 1")
    return calls[0]


def read_literal(node: ast.expr) -> Any:
    """Return the value of a literal, or of a call that makes an array of one. Raises ValueError."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ARRAY_MAKERS and node.args:
        return LiteralArray(read_literal(node.args[0]), ast.unparse(node))
    if isinstance(node, ast.List | ast.Tuple):
        return [read_literal(item) for item in node.elts]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        raise ValueError(f"the argument {ast.unparse(node)[:60]} is not a literal") from None


def value_for(value: Any) -> Any:
    """Return the value for the manifest."""
    return value.values if isinstance(value, LiteralArray) else _inner_value(value)


def _inner_value(value: Any) -> Any:
    if isinstance(value, LiteralArray):
        return {"array": value.values}
    if isinstance(value, list | tuple):
        return [_inner_value(item) for item in value]
    return {key: _inner_value(item) for key, item in value.items()} if isinstance(value, dict) else value


def _expression(value: Any) -> str:
    """Return the Python expression of the value."""
    if isinstance(value, LiteralArray):
        return value.source
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_expression, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_expression(item)}' for key, item in value.items())}}}"
    return f"float('{value}')" if isinstance(value, float) and value - value != 0 else repr(value)


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a source with its arguments by name. `expected` is None if the source does not say it.

    `generator`: the function of `cases.py` that makes the arguments, if they are not literals.
    """

    name: str
    is_sample: bool
    arguments: dict[str, Any]
    expected: Any
    generator: str = ""

    @property
    def maker(self) -> str:
        """Return the program of a function with the test's name that makes the arguments."""
        listed = ", ".join(f"{name!r}: {_expression(value)}" for name, value in self.arguments.items())
        source = self.generator or f"def {self.name}(seed):\n    return {{{listed}}}\n"
        return "\n".join([*imports_for([source]), "", "", source])


def read_literal_tests(root: Path, observe: Observe) -> Imported:
    """Raises ImportRefused."""
    folder, notes = open_folder(root), Notes()
    source = folder.text(_find(folder, SOLUTIONS, "the solution"))
    content = _read_json(folder, _find(folder, TESTS, "the tests"))
    tree = parse(source, "the solution")
    function = _function(tree, content)
    tests, declared = declare_tests(source, function, _tests(content, function, notes), observe, notes)
    if strangers := strangers_of(tree):
        notes.left_out.append(f"imports that sandboxes do not have: {', '.join(strangers)}")
    files = {
        "statement.md": _statement(folder, notes),
        "starter.py": _starter(folder, function),
        "reference.py": source,
        **cases_file(tests),
        "submissions/accepted/original.py": source,
        "submissions/wrong_answer/stand_in.py": stand_in(function),
    }
    add_todo(notes, tests)
    title = root.resolve().name.replace("_", " ").replace("-", " ").capitalize()
    manifest = build_manifest(title, function.name, frameworks_for(tree, tests), declared, tests)
    return Imported(
        slug=slug_of(root.resolve().name),
        files={**write_manifest(manifest, "Imported from a folder with tests.json.", notes), **files},
        left_out=tuple(notes.left_out),
        todo=tuple(notes.todo),
        answers={test.name: test.expected for test in tests if test.expected is not None},
    )


def declare_tests(
    source: str, function: ast.FunctionDef, tests: Sequence[Test], observe: Observe, notes: Notes
) -> tuple[list[Test], Declarations]:
    """Return the tests that ran in a sandbox, and the types that it saw. Raises ImportRefused."""
    names = names_of(function)
    probe = Probe(
        source=source,
        entry_point=function.name,
        frameworks=tuple(frameworks_for(parse(source, "the solution"), tests)),
        makers={test.name: (test.maker, test.name) for test in tests},
    )
    found = observe(probe)
    kept = []
    for test in tests:
        if reason := found[test.name].failure or find_object(found[test.name]):
            notes.left_out.append(f"{test.name}: {reason}")
        else:
            kept.append(test)
    if not kept:
        raise ImportRefused("the solution answers no test: " + "; ".join(notes.left_out[:3]))
    notes.todo.append(
        "describe the result in `returns`; check its shape, where a size that all tests share is a name or a number"
    )
    return _with_a_sample(kept), declare(names, [found[test.name] for test in kept], notes)


def _with_a_sample(tests: list[Test]) -> list[Test]:
    """Make the first test a sample if all samples were left out."""
    return tests if tests[0].is_sample else [replace(tests[0], is_sample=True), *tests[1:]]


def frameworks_for(tree: ast.Module, tests: Sequence[Test]) -> list[str]:
    return frameworks_of([tree, *(ast.parse(test.maker) for test in tests)])


def cases_file(tests: Sequence[Test]) -> dict[str, str]:
    """Return `cases.py` if some tests need it."""
    generators = [test.generator for test in tests if test.generator]
    told = '"""The arguments of the original tests that are not literals."""\n'
    header = "\n".join(imports_for(generators))
    parts = [told + (f"\n{header}\n" if header else ""), *generators]
    return {"cases.py": "\n\n".join(parts)} if generators else {}


def _find(folder: SourceFolder, names: Sequence[str], what: str) -> str:
    for name in names:
        if folder.has(name):
            return name
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


def defaults_of(function: ast.FunctionDef) -> dict[str, ast.expr]:
    names = names_of(function)
    return dict(zip(reversed(names), reversed(function.args.defaults), strict=False))


def names_of(function: ast.FunctionDef) -> list[str]:
    signature = function.args
    if signature.vararg or signature.kwarg or signature.kwonlyargs:
        raise ImportRefused(f"{function.name} has * or keyword-only parameters: give it plain parameters")
    return [argument.arg for argument in (*signature.posonlyargs, *signature.args)]


def _tests(content: Any, function: ast.FunctionDef, notes: Notes) -> list[Test]:
    raw = _listed(content)[:MAX_CASES]
    names = distinct([function_name(str(each.get("name", f"case_{index}"))) for index, each in enumerate(raw, 1)])
    tests = []
    for name, each in zip(names, raw, strict=True):
        try:
            tests.append(_read_test(name, each, function))
        except ValueError as error:
            notes.left_out.append(f"{name}: {error}")
    if not tests:
        raise ImportRefused("no test can become a case: " + "; ".join(notes.left_out[:3]))
    if not any(test.is_sample for test in tests):
        notes.todo.append(f"check that students may see {tests[0].name}: the source does not mark public tests")
        tests[0] = replace(tests[0], is_sample=True)
    return sorted(tests, key=lambda test: not test.is_sample)


def _listed(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, dict) and isinstance(content.get("inputs"), list):
        outputs = content.get("outputs") or [None] * len(content["inputs"])
        return [{"input": given, "expected": output} for given, output in zip(content["inputs"], outputs, strict=False)]
    listed = content.get("tests") or content.get("cases") if isinstance(content, dict) else content
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed) or not listed:
        raise ImportRefused('tests.json has no list of tests such as {"input": [1, 2], "expected": 3}')
    return listed


def _read_test(name: str, test: Mapping[str, Any], function: ast.FunctionDef) -> Test:
    """Raises ValueError."""
    expected = next((test[key] for key in ("expected", "expected_output", "output") if key in test), None)
    given = next((test[key] for key in ("input", "inputs", "args", "arguments") if key in test), None)
    if isinstance(call := test.get("test") or test.get("call"), str):
        return _read_program(name, call, function, _is_sample(test), expected)
    names = names_of(function)
    if not isinstance(given, dict | list):
        raise ValueError("it has neither `input` nor `test`")
    arguments = dict(given) if isinstance(given, dict) else dict(zip(names, given, strict=False))
    if len(given) > len(names) or not set(arguments) <= set(names):
        raise ValueError(f"its arguments are not {', '.join(names)}")
    left = {key: value for key, value in defaults_of(function).items() if key not in arguments}
    arguments |= {key: read_literal(value) for key, value in left.items()}
    if set(arguments) != set(names):
        raise ValueError(f"its arguments are not {', '.join(names)}")
    return Test(name, _is_sample(test), {key: arguments[key] for key in names}, expected)


def _read_program(name: str, program: str, function: ast.FunctionDef, is_sample: bool, expected: Any) -> Test:
    """Read a test that is a call, or a short program whose last call counts. Raises ValueError."""
    try:
        bound = bind(find_call(program, function.name), function)
        literals = {key: read_literal(value) for key, value in bound.items()}
    except ValueError:
        generators, reasons = write_generators(name, program, function)
        if not generators:
            raise ValueError("; ".join(reasons)) from None
        source = generators[-1].source.replace(f"def {generators[-1].name}(", f"def {name}(", 1)
        return Test(name, is_sample, {}, expected, source)
    return Test(name, is_sample, literals, expected)


def _is_sample(test: Mapping[str, Any]) -> bool:
    return any(test.get(key) is True for key in ("sample", "is_sample", "public", "isPublic", "visible")) or any(
        test.get(key) is False for key in ("hidden", "is_hidden", "isHidden")
    )


def _statement(folder: SourceFolder, notes: Notes) -> str:
    name = next((name for name in STATEMENTS if folder.has(name)), None)
    if name is None:
        notes.left_out.append(f"the statement: none of {', '.join(STATEMENTS)} is there")
    text = folder.text(name) if name else ""
    # Headings of the source move one level down.
    lines = ["#" + line if line.startswith("##") else line for line in lines_of(text) if not line.startswith("# ")]
    return write_statement({"Problem": "\n".join(lines)}, notes)


def _starter(folder: SourceFolder, function: ast.FunctionDef) -> str:
    given = next((name for name in STARTERS if folder.has(name)), None)
    return folder.text(given) if given else plain_starter(function)


def plain_starter(function: ast.FunctionDef) -> str:
    """Return the function's signature and docstring."""
    doc = ast.get_docstring(function)
    told = f'    """{doc}"""\n' if doc and '"""' not in doc and "\\" not in doc else ""
    raised = 'raise NotImplementedError("replace this line with your solution")'
    return f"def {function.name}({', '.join(names_of(function))}):\n{told}    {raised}\n"


def stand_in(function: ast.FunctionDef) -> str:
    sentence = '"""Mistake: returns nothing. TODO: replace this by a likely mistake."""'
    return f"{sentence}\n\n\ndef {function.name}({', '.join(names_of(function))}):\n    return None\n"


def build_manifest(
    title: str, entry_point: str, frameworks: list[str], declared: Declarations, tests: Sequence[Test]
) -> dict[str, Any]:
    return {
        "title": title[:120],
        "summary": "TODO: describe the problem in one line.",
        "difficulty": "beginner",
        "estimated_minutes": 15,
        "frameworks": frameworks,
        "entry_point": entry_point,
        **declared.keys(),
        "cases": [
            {
                "name": test.name,
                "visibility": "sample" if test.is_sample else "hidden",
                **(
                    {"generate": test.name}
                    if test.generator
                    else {"inputs": {name: value_for(value) for name, value in test.arguments.items()}}
                ),
            }
            for test in tests
        ],
    }


def add_todo(notes: Notes, tests: Sequence[Test]) -> None:
    if not any(test.generator for test in tests):
        notes.todo.append("draw hidden inputs (`{draw: normal, shape: [100]}`): students can share answers to literals")
    notes.todo += [
        "set summary, difficulty, estimated_minutes and license: the source does not have them",
        "add a second accepted solution, written in another way",
        "replace submissions/wrong_answer/stand_in.py by likely mistakes, each with its sentence",
    ]
