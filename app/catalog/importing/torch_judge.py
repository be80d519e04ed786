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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.catalog.importing.generator import Generator, function_name, imports_for, write_generators
from app.catalog.importing.imported import (
    Imported,
    ImportRefused,
    Notes,
    distinct,
    slug_of,
    write_manifest,
    write_statement,
)
from app.catalog.importing.literal_tests import names_of, plain_starter, stand_in
from app.catalog.importing.observation import Declarations, Observe, Probe, Seen, declare, find_object
from app.catalog.importing.program import (
    SourceFolder,
    class_of,
    frameworks_of,
    functions_of,
    imports_from,
    open_folder,
    parse,
    strangers_of,
)
from app.judging.text import lines_of

DIFFICULTIES = {"easy": "beginner", "medium": "intermediate", "hard": "advanced"}
LICENCES = ("LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING")
# A repository has torch_judge/tasks/relu.py beside solutions/ and templates/.
LEVELS_ABOVE_A_TASK = 3
_GRADIENT = re.compile(r"requires_grad|\.backward\(|\.grad\b|jax\.(grad|vjp|jacobian)|nnx\.grad")
_FORBIDS = re.compile(r"\b(not|n't|without)\b\**\s+(us\w+|call\w*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Case:
    """A generator of `cases.py`, and the words of the test that it comes from."""

    generator: Generator
    test: str


def read_torch_judge(path: Path, observe: Observe) -> Imported:
    """Raises ImportRefused."""
    if not path.is_file():
        raise ImportRefused(f"{path} is not a file: name a task such as torch_judge/tasks/relu.py")
    notes = Notes()
    task = _task(open_folder(path.parent).text(path.name), path.name, notes)
    repository = _repository(path)
    source = _solution(task, repository, path.stem)
    function = _function(source, task)
    cases = _cases(task, function, notes)
    header = "\n".join(imports_for([case.generator.source for case in cases]))
    probe = _probe(source, header, function, cases)
    seen = _observe(observe, probe, cases, notes)
    cases = [case for case in cases if case.generator.name in seen]
    declared = declare(names_of(function), [seen[case.generator.name] for case in cases], notes)
    stub = str(task.get("stub", ""))
    files = {
        "statement.md": _statement(task, repository, path.stem, notes),
        "starter.py": stub if _defines(stub, function.name) else plain_starter(function),
        "reference.py": source,
        "cases.py": _cases_file(header, cases),
        "submissions/accepted/original.py": source,
        "submissions/wrong_answer/stand_in.py": stand_in(function),
    }
    if strangers := strangers_of(ast.parse(source)):
        notes.left_out.append(f"imports that sandboxes do not have: {', '.join(strangers)}")
    _add_todo(task, files["statement.md"], repository, notes)
    manifest = _manifest(task, function.name, list(probe.frameworks), declared, cases)
    return Imported(
        slug=slug_of(path.stem),
        files={**write_manifest(manifest, "Imported from a task of torch-judge.", notes), **files},
        left_out=tuple(notes.left_out),
        todo=tuple(notes.todo),
        answers={},
    )


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
    own = [
        ast.unparse(each) for each in imports_from([_tree(text) for text in cells if text != found], ast.parse(found))
    ]
    header = [*own, *imports_for(["\n".join([*own, found])])]
    return "\n".join(header) + ("\n\n\n" if header else "") + found.strip() + "\n"


def _tree(text: str) -> ast.Module:
    """Return the program of a cell; an empty one if it is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.parse("")


def _defines(source: str, name: str) -> bool:
    tree = _tree(source)
    return name in functions_of(tree) or class_of(tree, name) is not None


def _function(source: str, task: dict[str, Any]) -> ast.FunctionDef:
    name = str(task["function_name"])
    if function := functions_of(ast.parse(source)).get(name):
        return function
    raise ImportRefused(
        f"{name} is a class: write a package with `answer: {{kind: class, …}}`, and its methods, weights and calls by "
        "the tests; a class's weights are random until a case gives them"
    )


def _cases(task: dict[str, Any], function: ast.FunctionDef, notes: Notes) -> list[_Case]:
    found: list[_Case] = []
    tests = [test for test in task["tests"] if isinstance(test, dict)]
    labels = distinct([function_name(str(test.get("name", "test"))) for test in tests])
    for label, test in zip(labels, tests, strict=True):
        program = str(test.get("code", "")).replace("{fn}", function.name)
        shown = str(test.get("name", label))
        try:
            generators, reasons = write_generators(label, program, function)
        except ValueError as error:
            generators, reasons = [], [str(error)]
        notes.left_out += [f"a call of the test {shown!r}: {reason}" for reason in reasons]
        found += [_Case(generator, shown) for generator in generators]
    if checking := [str(test.get("name")) for test in tests if _GRADIENT.search(str(test.get("code")))]:
        notes.left_out.append(
            f"gradients, which {', '.join(checking)} asks for: with `answer: {{kind: gradients, of: […]}}` they are "
            "compared too"
        )
    if not found:
        raise ImportRefused("no test has a call that can become a case: " + "; ".join(notes.left_out[:3]))
    names = distinct([case.generator.name for case in found])
    return [replace(case, generator=_renamed(case.generator, name)) for case, name in zip(found, names, strict=True)]


def _renamed(generator: Generator, name: str) -> Generator:
    return Generator(name, generator.source.replace(f"def {generator.name}(", f"def {name}(", 1))


def _probe(source: str, header: str, function: ast.FunctionDef, cases: Sequence[_Case]) -> Probe:
    makers = {case.generator.name: (f"{header}\n{case.generator.source}", case.generator.name) for case in cases}
    programs = [ast.parse(text) for text in (source, *(maker for maker, _ in makers.values()))]
    return Probe(source=source, entry_point=function.name, frameworks=tuple(frameworks_of(programs)), makers=makers)


def _observe(observe: Observe, probe: Probe, cases: Sequence[_Case], notes: Notes) -> dict[str, Seen]:
    """Return what a sandbox saw of the calls that can be cases. Raises ImportRefused if there are none."""
    found = observe(probe)
    kept: dict[str, Seen] = {}
    for case in cases:
        seen = found[case.generator.name]
        if reason := seen.failure or find_object(seen):
            notes.left_out.append(f"a call of the test {case.test!r}: {reason}")
        else:
            kept[case.generator.name] = seen
    if not kept:
        raise ImportRefused("no call of the tests can become a case: " + "; ".join(notes.left_out[:3]))
    return kept


def _cases_file(header: str, cases: Sequence[_Case]) -> str:
    told = '"""The arguments of the original tests, drawn anew from a seed."""\n'
    return "\n\n".join(filter(None, [told + (f"\n{header}\n" if header else ""), *(c.generator.source for c in cases)]))


def _statement(task: dict[str, Any], repository: SourceFolder | None, name: str, notes: Notes) -> str:
    text = str(task.get("description") or task.get("description_en") or "")
    cells = [] if text else [text for kind, text in _notebook(repository, "templates", name) if kind == "markdown"]
    text = text or (cells[0] if cells else "")
    if not text.strip():
        notes.left_out.append("the statement: neither TASK nor a notebook under templates/ has one")
    kept = [line for line in lines_of(text.strip()) if "Open In Colab" not in line and not line.startswith("# ")]
    return write_statement({"Problem": "\n".join(kept).strip()}, notes)


def _manifest(
    task: dict[str, Any], entry_point: str, frameworks: list[str], declared: Declarations, cases: Sequence[_Case]
) -> dict[str, Any]:
    hint = str(task.get("hint", "")).strip()
    return {
        "title": str(task.get("title", entry_point))[:120],
        "summary": "TODO: describe the problem in one line.",
        "difficulty": DIFFICULTIES.get(str(task.get("difficulty", "")).lower(), "intermediate"),
        "estimated_minutes": 20,
        "frameworks": frameworks,
        "entry_point": entry_point,
        **declared.keys(),
        "cases": [
            {
                "name": case.generator.name,
                "visibility": "hidden" if place else "sample",
                "generate": case.generator.name,
            }
            for place, case in enumerate(cases)
        ],
        **({"hints": [hint]} if hint else {}),
    }


def _add_todo(task: dict[str, Any], statement: str, repository: SourceFolder | None, notes: Notes) -> None:
    licence = next((name for name in LICENCES if repository and repository.has(name)), None)
    notes.todo.append(
        f"set license: the task names none; {licence} of the repository holds for it"
        if licence
        else "find out the licence and set it: the task names none, and without one you may not publish the problem"
    )
    if _FORBIDS.search(statement):
        notes.todo.append("write the functions that the statement forbids into `requirements: [{forbids_calls: […]}]`")
    notes.todo += [
        "describe the result in `returns`; check its shape, where a size that all tests share is a name or a number",
        "choose the samples: the first case is one, and students see its inputs",
        "set summary and estimated_minutes",
        "add a second accepted solution, written in another way",
        "replace submissions/wrong_answer/stand_in.py by likely mistakes, each with its sentence",
    ]
    if len(task["tests"]) and "hint" in task:
        notes.todo.append("write more hints before the first one, from gentle to concrete")
