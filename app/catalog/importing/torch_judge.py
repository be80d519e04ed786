"""Import a task of torch-judge (the judge of TorchCode and its forks): a Python file with a dict `TASK`.

    TASK = {"title": …, "difficulty": "Easy", "function_name": "relu", "hint": …, "solution": …,
            "tests": [{"name": …, "code": "x = torch.randn(3)\\nassert {fn}(x).shape == (3,)"}, …]}

A test's program becomes a function of `cases.py`, which draws the arguments of its call (`generator.py`). The answer is
compared with the reference's, in place of the test's asserts. The solution is in the dict, or in the notebook under
`solutions/` that checks the task. The statement is in the dict, or in such a notebook under `templates/`.
"""

import ast
import json
import re
from pathlib import Path
from typing import Any

from app.catalog.importing.generator import Generator, function_name, imports_for, write_generators
from app.catalog.importing.observation import Observe
from app.catalog.importing.package_writer import ImportedPackage, Notes, Source, distinct
from app.catalog.importing.program import (
    ImportRefused,
    SourceFolder,
    class_of,
    functions_of,
    imports_from,
    parse,
    parse_leniently,
    read_text,
)
from app.catalog.importing.tested_function import FunctionTest, plain_starter, require_tests, write_tested
from app.judging.printable_text import lines_of

DIFFICULTIES = {"easy": "beginner", "medium": "intermediate", "hard": "advanced"}
LICENCES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING")
# A repository has torch_judge/tasks/relu.py beside solutions/ and templates/.
LEVELS_ABOVE_A_TASK = 3
_GRADIENT = re.compile(r"requires_grad|\.backward\(|\.grad\b|jax\.(grad|vjp|jacobian)|nnx\.grad")
_FORBIDS = re.compile(r"\b(not|n't|without)\b\**\s+(us\w+|call\w*)", re.IGNORECASE)


def read_torch_judge(path: Path, observe: Observe) -> ImportedPackage:
    """Raises ImportRefused."""
    notes = Notes()
    task = _task(read_text(path, "name a task such as torch_judge/tasks/relu.py"), path.name, notes)
    repository = _repository(path)
    reference = _solution(task, repository, path.stem)
    function = _function(reference, task)
    tests = _tests(task, function, notes)
    statement, stub, hint = _statement(task, repository, path.stem, notes), str(task.get("stub", "")), task.get("hint")
    _add_todo(statement, repository, notes)
    source = Source(
        name=path.stem,
        origin="a task of torch-judge",
        manifest={
            "title": str(task.get("title", function.name)),
            "difficulty": DIFFICULTIES.get(str(task.get("difficulty", "")).lower(), "intermediate"),
            **({"hints": [str(hint).strip()]} if hint else {}),
        },
        sections={"Problem": statement},
        files={
            "starter.py": stub if _defines(stub, function.name) else plain_starter(function),
            "reference.py": reference,
        },
    )
    return write_tested(source, function, tests, observe, notes)


def _task(text: str, name: str, notes: Notes) -> dict[str, Any]:
    """Return the values of `TASK` that are literals. Raises ImportRefused."""
    assigned = [node for node in parse(text, name).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [(node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value) for node in assigned]
    content = next((value for target, value in targets if ast.unparse(target) == "TASK"), None)
    if not isinstance(content, ast.Dict):
        raise ImportRefused(f"{name} has no dict TASK at its top level")
    task: dict[str, Any] = {}
    for key, value in zip(content.keys, content.values, strict=True):
        try:
            task[str(ast.literal_eval(key or ast.Constant(None)))] = ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            notes.left_out.append(f"{ast.unparse(key) if key else '**'} of TASK: it is not a literal")
    if not isinstance(task.get("function_name"), str) or not isinstance(task.get("tests"), list):
        raise ImportRefused(f"TASK of {name} lacks function_name or tests")
    return task


def _repository(path: Path) -> SourceFolder | None:
    """Return the repository, if the file lies in one."""
    parents = path.resolve().parents
    root = parents[LEVELS_ABOVE_A_TASK - 1] if len(parents) >= LEVELS_ABOVE_A_TASK else None
    if root is None or path.resolve().parent.name != "tasks" or not (root / "solutions").is_dir():
        return None
    names = [each.name for each in root.iterdir() if each.is_file() and not each.is_symlink()]
    notebooks = [
        f"{folder}/{each.name}"
        for folder in ("solutions", "templates")
        if (root / folder).is_dir() and not (root / folder).is_symlink()
        for each in (root / folder).glob("*.ipynb")
        if not each.is_symlink()
    ]
    return SourceFolder(root, tuple(sorted([*names, *notebooks])))


def _notebook(repository: SourceFolder | None, folder: str, task: str) -> list[tuple[str, str]]:
    """Return the kind and text of each cell of the notebook that checks the task; none if there is none."""
    for path in repository.under(folder) if repository else ():
        try:
            raw = json.loads(repository.text(path))["cells"] if repository else []
            cells = [(str(each["cell_type"]), "".join(each["source"])) for each in raw]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if any(re.search(rf"\bcheck\(\s*['\"]{re.escape(task)}['\"]", text) for _, text in cells):
            return cells
    return []


def _solution(task: dict[str, Any], repository: SourceFolder | None, name: str) -> str:
    """Return the solution with its imports. Raises ImportRefused."""
    given = str(task.get("solution", ""))
    cells = [given] if given else [text for kind, text in _notebook(repository, "solutions", name) if kind == "code"]
    found = next((text for text in cells if _defines(text, str(task["function_name"]))), None)
    if found is None:
        raise ImportRefused(
            f'the task has no solution that defines {task["function_name"]}: write it as "solution" into TASK, or keep '
            "the repository's folder solutions/ with the notebook that checks the task"
        )
    others = [parse_leniently(text) for text in cells if text != found]
    own = [ast.unparse(each) for each in imports_from(others, ast.parse(found))]
    header = [*own, *imports_for(["\n".join([*own, found])])]
    return "\n".join(header) + ("\n\n\n" if header else "") + found.strip() + "\n"


def _defines(source: str, name: str) -> bool:
    tree = parse_leniently(source)
    return name in functions_of(tree) or class_of(tree, name) is not None


def _function(source: str, task: dict[str, Any]) -> ast.FunctionDef:
    name = str(task["function_name"])
    if function := functions_of(ast.parse(source)).get(name):
        return function
    raise ImportRefused(
        f"{name} is a class: write a package with `answer: {{kind: class, …}}`, and its methods, weights and calls by "
        "the tests; a class's weights are random until a case gives them"
    )


def _tests(task: dict[str, Any], function: ast.FunctionDef, notes: Notes) -> list[FunctionTest]:
    tests = [test for test in task["tests"] if isinstance(test, dict)]
    found: list[tuple[Generator, str]] = []
    for label, test in zip(
        distinct(function_name(str(each.get("name", "test"))) for each in tests), tests, strict=True
    ):
        told = f"a call of the test {str(test.get('name', label))!r}"
        try:
            generators, reasons = write_generators(
                label, str(test.get("code", "")).replace("{fn}", function.name), function
            )
        except ValueError as error:
            generators, reasons = [], [str(error)]
        notes.left_out += [f"{told}: {reason}" for reason in reasons]
        found += [(generator, told) for generator in generators]
    if checking := [str(test.get("name")) for test in tests if _GRADIENT.search(str(test.get("code")))]:
        notes.left_out.append(
            f"gradients, which {', '.join(checking)} asks for: with `answer: {{kind: gradients, of: […]}}` they are "
            "compared too"
        )
    names = distinct(generator.name for generator, _ in found)
    named = [(generator.renamed(name), told) for name, (generator, told) in zip(names, found, strict=True)]
    return require_tests(
        [FunctionTest(name=each.name, is_sample=False, generator=each.source, told=told) for each, told in named], notes
    )


def _statement(task: dict[str, Any], repository: SourceFolder | None, name: str, notes: Notes) -> str:
    text = str(task.get("description") or task.get("description_en") or "")
    cells = [] if text else [text for kind, text in _notebook(repository, "templates", name) if kind == "markdown"]
    text = text or (cells[0] if cells else "")
    if not text.strip():
        notes.left_out.append("the statement: neither TASK nor a notebook under templates/ has one")
    kept = [line for line in lines_of(text.strip()) if "Open In Colab" not in line and not line.startswith("# ")]
    return "\n".join(kept).strip()


def _add_todo(statement: str, repository: SourceFolder | None, notes: Notes) -> None:
    licence = repository.find(LICENCES) if repository else None
    notes.todo.append(
        f"{licence} of the repository holds for the task, which names no license"
        if licence
        else "find out the licence: the task names none, and without one you may not publish the problem"
    )
    if _FORBIDS.search(statement):
        notes.todo.append("write the functions that the statement forbids into `requirements: [{forbids_calls: […]}]`")
