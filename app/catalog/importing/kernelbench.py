"""Import a file of KernelBench: PyTorch code with `Model`, `get_inputs` and optionally `get_init_inputs`.

The student writes `ModelNew`. `cases.py` draws the inputs like the file, whose constants become arguments under `with`.
They are made smaller until the inputs fit, since the files are for large GPUs. Sizes that depend on one another shrink
together, and the model runs in a sandbox with them. The driver builds the model with weights from the case's seed.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from app.catalog.importing.observation import Observe, Probe
from app.catalog.importing.package_writer import WRONG, Imported, Notes, Source, write_package
from app.catalog.importing.program import ImportRefused, class_of, functions_of, parse, read_text, without
from app.catalog.source import parameters_of

Constant = int | float | list[int | float]
MAKERS = ("rand", "randn", "randint", "ones", "zeros", "empty", "full")
ELEMENT_BYTES = 4
# Far below the 48 MiB that a case may take, so that several cases are quick.
MAX_INPUT_BYTES = 4 * 2**20
MAX_CASE_BYTES = 48 * 2**20
# No size becomes smaller than this.
LEAST_SIZE = 4
CASES = (("as_given", "sample"), ("drawn_anew", "hidden"), ("drawn_once_more", "hidden"))
_DRIVER = '''"""Builds the model from the case's seed and calls it."""

import torch


def run(solution, inputs):
    torch.manual_seed(inputs["seed"])
    model = solution(*inputs["init_inputs"])
    with torch.no_grad():
        return model(*inputs["inputs"])
'''
_CALL = f"""{_DRIVER}

def _call(seed, init_inputs, inputs):
    return run(ModelNew, {{"seed": seed, "init_inputs": init_inputs, "inputs": inputs}})
"""
_STAND_IN = '''"""Mistake: returns nothing. TODO: replace this by a likely mistake."""

import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()

    def forward(self, *inputs):
        return None
'''


@dataclass(frozen=True, slots=True)
class _Sizes:
    """The numbers at the top level of the file, and the expressions that compute others from them, by name."""

    numbers: Mapping[str, Constant]
    derived: Mapping[str, ast.expr]

    def values(self) -> dict[str, Constant]:
        """Return the numbers, and the derived ones that can be computed from them."""
        known = dict(self.numbers)
        for name, expression in self.derived.items():
            if (value := _evaluate(expression, known)) is not None:
                known[name] = value
        return known

    def used_by(self, *nodes: ast.AST) -> set[str]:
        """Return the numbers that these nodes use, also through derived ones."""
        names = {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}
        through = [self.used_by(self.derived[name]) for name in names & self.derived.keys()]
        return set().union(names & self.numbers.keys(), *through)


def read_kernelbench(path: Path, observe: Observe) -> Imported:
    """Raises ImportRefused."""
    text = read_text(path, "name one with `Model` and `get_inputs`")
    tree, notes = parse(text, path.name), Notes()
    model = _model(tree, path)
    sizes, reference = _read_sizes(tree), _reference(text, tree)
    cases = _cases(text, tree, sizes)
    fitting, failure = _choose(tree, sizes, Trial(reference, cases, observe))
    _note_sizes(tree, sizes, fitting, notes)
    starter = _starter(model)
    notes.left_out.append("speed: KernelBench asks for a faster kernel, but Allclose only judges the answer")
    notes.todo += [
        "describe how a solution differs from the reference: another algorithm, or the same without some function",
        "describe `returns`, and set a tolerance: `allclose problem verify` suggests one",
        "set limits.gpu if it needs one",
    ]
    source = Source(
        name=path.stem,
        origin="a KernelBench file",
        manifest=_manifest(fitting.numbers, parameters_of(ast.parse(starter), "ModelNew") or ()),
        sections=_sections(model, fitting.values()),
        files={
            "starter.py": starter,
            "reference.py": reference,
            "driver.py": _DRIVER,
            "cases.py": cases,
            f"{WRONG}stand_in.py": _STAND_IN,
        },
        failure=failure and f"{failure}; choose other sizes under `with` of each case, or correct the file",
    )
    return write_package(source, notes)


@dataclass(frozen=True, slots=True)
class Trial:
    """A call of the model in a sandbox."""

    reference: str
    cases: str
    observe: Observe

    def find_failure(self, numbers: Mapping[str, Constant]) -> str:
        """Call the model with the inputs of these sizes. Return why that failed, else an empty text."""
        maker = f"{self.cases}\n\ndef first(seed):\n    return draw(seed, **{dict(numbers)!r})\n"
        source = f"{self.reference}\n\n{_CALL}"
        probe = Probe(source=source, entry_point="_call", frameworks=("torch",), makers={"first": (maker, "first")})
        seen = self.observe(probe)["first"]
        size = max((prod(each.get("shape", ())) for each in seen.list_answers()), default=0) * ELEMENT_BYTES
        return seen.failure or (f"its answer has {size / 2**20:,.0f} MiB" if size > MAX_CASE_BYTES else "")


def _model(tree: ast.Module, path: Path) -> ast.ClassDef:
    model = class_of(tree, "Model")
    if model is None or "get_inputs" not in functions_of(tree):
        raise ImportRefused(f"{path.name} does not define Model and get_inputs at its top level")
    if "forward" not in _methods(model):
        raise ImportRefused(f"{path.name}: Model has no method forward")
    return model


def _methods(model: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in model.body if isinstance(node, ast.FunctionDef)}


def _read_sizes(tree: ast.Module) -> _Sizes:
    """Read the numbers and tuples of numbers at the top level, which are sizes and settings."""
    numbers: dict[str, Constant] = {}
    derived: dict[str, ast.expr] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if (value := _evaluate(node.value, {})) is not None:
            numbers[name] = value
        elif any(isinstance(each, ast.Name) and each.id in {**numbers, **derived} for each in ast.walk(node.value)):
            derived[name] = node.value
    return _Sizes(numbers, derived)


def _choose(tree: ast.Module, sizes: _Sizes, trial: Trial) -> tuple[_Sizes, str]:
    """Return the first sizes with which the model runs, and an empty text. Without any, the smallest, and why not."""
    tried: list[tuple[_Sizes, str]] = []
    for candidate in _list_candidates(tree, sizes):
        if candidate in [each for each, _ in tried]:
            continue
        failure = trial.find_failure(candidate.numbers)
        if not failure:
            return candidate, ""
        tried.append((candidate, failure))
    return tried[0]


def _list_candidates(tree: ast.Module, sizes: _Sizes) -> Iterator[_Sizes]:
    """Yield sizes whose inputs fit: all made smaller, then those without an effect on the weights, then batches.

    Models may ask for more than the file says, such as an image of 224 pixels by a default.
    """
    makers = _makers(tree)
    built = [node for name, node in functions_of(tree).items() if name == "get_init_inputs"]
    free = sizes.used_by(*makers) - sizes.used_by(
        *built, *(node for node in tree.body if isinstance(node, ast.ClassDef))
    )
    batches = sizes.used_by(*(argument for call in makers for argument in _size_arguments(call)[:1]))
    for limit in (MAX_INPUT_BYTES, MAX_INPUT_BYTES // 8):
        yield _shrink(makers, sizes, sizes.used_by(*makers), set(sizes.numbers), limit)
    for names in (free, free & batches):
        candidate = _shrink(makers, sizes, names, names, MAX_INPUT_BYTES)
        if (_count_bytes(makers, candidate.values()) or 0) <= MAX_CASE_BYTES:
            yield candidate


def _makers(tree: ast.Module) -> list[ast.Call]:
    """Return the calls that make the inputs."""
    calls = [node for node in ast.walk(functions_of(tree)["get_inputs"]) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).rpartition(".")[2] in MAKERS]


def _shrink(makers: Sequence[ast.Call], sizes: _Sizes, names: set[str], tied: set[str], limit: int) -> _Sizes:
    """Halve the largest of the named sizes until the inputs fit, each with all equal numbers among the tied ones."""
    while (_count_bytes(makers, sizes.values()) or 0) > limit:
        largest = max((n for name in names for n in _listed(sizes.numbers[name]) if isinstance(n, int)), default=0)
        if largest < 2 * LEAST_SIZE:
            break
        halved = {name: _with_half(value, largest) if name in tied else value for name, value in sizes.numbers.items()}
        sizes = replace(sizes, numbers=halved)
    return sizes


def _with_half(value: Constant, number: int) -> Constant:
    halved = [number // 2 if each == number else each for each in _listed(value)]
    return halved if isinstance(value, list) else halved[0]


def _note_sizes(tree: ast.Module, given: _Sizes, fitting: _Sizes, notes: Notes) -> None:
    """Say what became smaller."""
    before, after = (_count_bytes(_makers(tree), sizes.values()) for sizes in (given, fitting))
    if before is None or after is None:
        notes.todo.append(
            "choose sizes under `with` of each case by yourself: the inputs' size is not known from the file"
        )
        return
    old, new = given.values(), fitting.values()
    changed = [f"{name} {_shown(old[name])} → {_shown(new[name])}" for name in sorted(old) if new[name] != old[name]]
    if changed:
        notes.left_out.append(f"sizes for large GPUs ({before / 2**20:,.0f} MiB of inputs): {', '.join(changed)}")
    if after > MAX_CASE_BYTES:
        notes.todo.append(f"choose smaller sizes: the inputs have {after / 2**20:,.0f} MiB, and a case may have 48")


def _count_bytes(makers: Sequence[ast.Call], sizes: Mapping[str, Constant]) -> int | None:
    """Return the bytes of all inputs, or None if a size is no product of the constants."""
    shapes = [[_evaluate(argument, sizes) for argument in _size_arguments(call)] for call in makers]
    if any(size is None for shape in shapes for size in shape):
        return None
    return sum(
        ELEMENT_BYTES * prod(int(n) for size in shape if size is not None for n in _listed(size)) for shape in shapes
    )


def _size_arguments(call: ast.Call) -> list[ast.expr]:
    name = ast.unparse(call.func)
    if name.endswith("randint"):  # low, high, size
        return [each.value for each in call.keywords if each.arg == "size"] or call.args[-1:]
    return call.args[:1] if name.endswith("full") else call.args


def _evaluate(node: ast.expr, sizes: Mapping[str, Constant]) -> Constant | None:
    """Return the number, or the list of numbers, that an expression of the constants stands for."""
    if isinstance(node, ast.Starred):
        return _evaluate(node.value, sizes)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        return sizes.get(node.id)
    if isinstance(node, ast.Tuple | ast.List):
        parts = [_evaluate(each, sizes) for each in node.elts]
        return None if None in parts or not parts else [n for part in parts if part is not None for n in _listed(part)]
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, sizes), _evaluate(node.right, sizes)
        if isinstance(left, int) and isinstance(right, int):
            kinds = {ast.Mult: left * right, ast.Add: left + right, ast.Sub: left - right}
            return kinds.get(type(node.op), left // right if right and isinstance(node.op, ast.FloorDiv) else None)
    return None


def _listed(value: Constant) -> list[int | float]:
    return value if isinstance(value, list) else [value]


def _shown(value: Constant) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, list) else str(value)


def _sections(model: ast.ClassDef, sizes: Mapping[str, Constant]) -> dict[str, str]:
    methods = _methods(model)
    told_by: list[ast.ClassDef | ast.FunctionDef] = [
        model,
        *(methods[name] for name in ("__init__", "forward") if name in methods),
    ]
    docs = [ast.get_docstring(node) for node in told_by]
    told = "\n\n".join(f"```\n{doc}\n```" for doc in docs if doc)
    problem = f"""Write a class `ModelNew`, a `torch.nn.Module` with the arguments of the starter. It is built with
`ModelNew(*init_inputs)` after `torch.manual_seed(seed)`, so that layers made in the same order get the same weights,
and called with `*inputs` under `torch.no_grad()`.

{told}"""
    arguments = ", ".join(f"`{argument.arg}`" for argument in methods["forward"].args.args[1:])
    inputs = f"The arguments of `forward`, in order: {arguments}."
    if sizes:
        inputs += "\n\nSizes and settings of the first case: " + ", ".join(
            f"`{k} = {_shown(v)}`" for k, v in sizes.items()
        )
    return {"Problem": problem, "Inputs": inputs}


def _starter(model: ast.ClassDef) -> str:
    methods = _methods(model)
    built = ast.unparse(methods["__init__"].args) if "__init__" in methods else "self"
    return f"""import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__({built}):
        super().__init__()

    def forward({ast.unparse(methods["forward"].args)}):
        raise NotImplementedError("replace this line with your solution")
"""


def _reference(source: str, tree: ast.Module) -> str:
    drawing = [node for name, node in functions_of(tree).items() if name in ("get_inputs", "get_init_inputs")]
    return f"{without(source, drawing)}\n\nModelNew = Model\n"


def _cases(source: str, tree: ast.Module, sizes: _Sizes) -> str:
    models = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"]
    init_inputs = "list(get_init_inputs())" if "get_init_inputs" in functions_of(tree) else "[]"
    again = "".join(f"    globals()[{name!r}] = {ast.unparse(value)}\n" for name, value in sizes.derived.items())
    return f'''{without(source, models)}

def draw(seed, **constants):
    """Return the inputs drawn from this seed; `constants` replace those above."""
    import torch

    globals().update({{name: tuple(value) if isinstance(value, list) else value for name, value in constants.items()}})
{again}    torch.manual_seed(seed)
    inputs = list(get_inputs())
    return {{"seed": seed, "init_inputs": {init_inputs}, "inputs": inputs}}
'''


def _manifest(sizes: Mapping[str, Constant], built_with: Sequence[str]) -> dict[str, Any]:
    arguments = {"with": dict(sizes)} if sizes else {}
    return {
        "tags": ["pytorch"],
        "frameworks": ["torch"],
        "entry_point": "ModelNew",
        "parameters": [{"name": name, "type": "object", "doc": "TODO: describe it."} for name in built_with],
        "inputs": [
            {"name": "seed", "type": "int", "doc": "the seed of the weights"},
            {"name": "init_inputs", "type": "list", "leaves": "torch", "doc": "the arguments of the constructor"},
            {"name": "inputs", "type": "list", "leaves": "torch", "doc": "the arguments of the call"},
        ],
        "returns": {"type": "list", "doc": "the output of the model"},
        "limits": {"wall_seconds": 30, "memory_mib": 4096},
        "cases": [
            {"name": name, "visibility": visibility, "generate": "draw", **arguments} for name, visibility in CASES
        ],
    }
