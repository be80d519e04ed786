"""Import a file of KernelBench: PyTorch code with `Model`, `get_inputs` and optionally `get_init_inputs`.

The student writes `ModelNew`. `cases.py` draws the inputs like the file. Its numbers are made smaller until the inputs
fit, since the files are for large GPUs: a sandbox makes the inputs on PyTorch's `meta` device, which allocates nothing,
and then runs the model. The driver builds the model with weights from the case's seed.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import add, floordiv, mul, sub
from pathlib import Path
from typing import Any

from app.catalog.importing.observation import Observe, ObservedCall, Probe
from app.catalog.importing.package_writer import WRONG, ImportedPackage, Notes, Source, write_package
from app.catalog.importing.program import ImportRefused, class_of, functions_of, parse, read_text, without
from app.catalog.source import parameters_of
from app.judging.printable_text import lines_of

Number = int | float | tuple[int | float, ...]
Numbers = Mapping[str, Number]
ELEMENT_BYTES = 4
# Far below the 48 MiB that a case may take, so that several cases are quick.
MAX_INPUT_BYTES = 4 * 2**20
MAX_CASE_BYTES = 48 * 2**20
# No size becomes smaller than this.
LEAST_SIZE = 4
# Shrinks alone if the model does not run with other sizes, such as an image of 224 pixels by a default.
BATCH = "batch_size"
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
_ON_META = """
def draw_on_meta(seed):
    with torch.device("meta"):
        return draw(seed)
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
class KernelFile:
    """A file with its numbers at the top level, some of which may have been replaced."""

    text: str
    numbers: Numbers

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def replaced(self, numbers: Numbers) -> "KernelFile":
        """Return the file with these numbers. Others that it computes from them follow."""
        lines = lines_of(self.text)
        for node in reversed(self.tree.body):
            name = _target(node)
            if name in numbers and numbers[name] != self.numbers[name]:
                lines[node.lineno - 1 : node.end_lineno] = [f"{name} = {numbers[name]!r}"]
        return KernelFile("\n".join(lines) + "\n", numbers)

    def reference(self) -> str:
        drawing = [node for name, node in functions_of(self.tree).items() if name in ("get_inputs", "get_init_inputs")]
        return f"{without(self.text, drawing)}\n\nModelNew = Model\n"

    def cases(self) -> str:
        """Return `cases.py`."""
        models = [node for node in self.tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"]
        init_inputs = "list(get_init_inputs())" if "get_init_inputs" in functions_of(self.tree) else "[]"
        return f'''{without(self.text, models)}

def draw(seed):
    """Return the inputs drawn from this seed."""
    import torch

    torch.manual_seed(seed)
    return {{"seed": seed, "init_inputs": {init_inputs}, "inputs": list(get_inputs())}}
'''


def read_kernelbench(path: Path, observe: Observe) -> ImportedPackage:
    """Raises ImportRefused."""
    text = read_text(path, "name one with `Model` and `get_inputs`")
    tree, notes = parse(text, path.name), Notes()
    model = _model(tree, path)
    given = KernelFile(text, _read_numbers(tree))
    fitting, failure = _choose(given, observe, notes)
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
        manifest=_manifest(parameters_of(ast.parse(starter), "ModelNew") or ()),
        sections=_sections(model, fitting.numbers),
        files={
            "starter.py": starter,
            "reference.py": fitting.reference(),
            "driver.py": _DRIVER,
            "cases.py": fitting.cases(),
            f"{WRONG}stand_in.py": _STAND_IN,
        },
        failure=failure and f"{failure}; choose other sizes at the top of cases.py, or correct the file",
    )
    return write_package(source, notes)


def _model(tree: ast.Module, path: Path) -> ast.ClassDef:
    model = class_of(tree, "Model")
    if model is None or "get_inputs" not in functions_of(tree):
        raise ImportRefused(f"{path.name} does not define Model and get_inputs at its top level")
    if "forward" not in _methods(model):
        raise ImportRefused(f"{path.name}: Model has no method forward")
    return model


def _methods(model: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in model.body if isinstance(node, ast.FunctionDef)}


def _read_numbers(tree: ast.Module) -> dict[str, Number]:
    """Read the numbers and tuples of numbers at the top level, which are sizes and settings."""
    found: dict[str, Number] = {}
    for node in tree.body:
        if (name := _target(node)) and isinstance(node, ast.Assign) and (value := _number(node.value)) is not None:
            found[name] = value
    return found


def _target(node: ast.stmt) -> str:
    """Return the name that the statement assigns to, or an empty text."""
    is_plain = isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    return ast.unparse(node.targets[0]) if is_plain and isinstance(node, ast.Assign) else ""


def _number(node: ast.expr) -> Number | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = [_number(part) for part in parts]
            plain = tuple(value for value in values if isinstance(value, int | float))
            return plain if plain and len(plain) == len(values) else None
        case ast.BinOp(left=left, op=operation, right=right):
            sides = _number(left), _number(right)
            compute = {ast.Mult: mul, ast.Add: add, ast.Sub: sub, ast.FloorDiv: floordiv}.get(type(operation))
            is_whole = all(isinstance(side, int) and side > 0 for side in sides)
            return int(compute(*sides)) if compute and is_whole else None
    return None


def _choose(given: KernelFile, observe: Observe, notes: Notes) -> tuple[KernelFile, str]:
    """Return the file with numbers for which its inputs fit and its model runs. If that fails, return why too."""
    for names in (set(given.numbers), {BATCH}):
        files = [given.replaced(numbers) for numbers in _halved(given.numbers, names)]
        sizes = _measure(files, observe)
        place = next((place for place, size in enumerate(sizes) if size <= MAX_INPUT_BYTES), len(files) - 1)
        failure = _find_failure(files[place], observe)
        if not failure:
            break
    _note_sizes(given.numbers, files[place].numbers, sizes[0], notes)
    return files[place], failure


def _halved(numbers: Numbers, names: set[str]) -> Iterator[Numbers]:
    """Yield the numbers, and again after each halving of the largest of the named ones, with all equal ones."""
    while True:
        yield numbers
        listed = [each for name in names & numbers.keys() for each in _listed(numbers[name])]
        largest = max((each for each in listed if isinstance(each, int)), default=0)
        if largest < 2 * LEAST_SIZE:
            return
        numbers = {name: _with_half(value, largest) if name in names else value for name, value in numbers.items()}


def _with_half(value: Number, number: int) -> Number:
    halved = tuple(number // 2 if each == number else each for each in _listed(value))
    return halved if isinstance(value, tuple) else halved[0]


def _measure(files: Sequence[KernelFile], observe: Observe) -> list[int]:
    """Return the bytes of each file's inputs, 0 where the meta device can't make them."""
    makers = {f"step_{number}": (file.cases() + _ON_META, "draw_on_meta") for number, file in enumerate(files)}
    source = "def _inputs(seed, init_inputs, inputs):\n    return inputs\n"
    seen = observe(Probe(source=source, entry_point="_inputs", frameworks=("torch",), makers=makers))
    return [_bytes_of(seen[name]) for name in makers]


def _bytes_of(seen: ObservedCall) -> int:
    return sum(ELEMENT_BYTES * prod(each["shape"]) for each in seen.list_answers() if "shape" in each)


def _find_failure(file: KernelFile, observe: Observe) -> str:
    """Call the model with the inputs. Return why that failed, else an empty text."""
    source, makers = f"{file.reference()}\n\n{_CALL}", {"first": (file.cases(), "draw")}
    seen = observe(Probe(source=source, entry_point="_call", frameworks=("torch",), makers=makers))["first"]
    size = _bytes_of(seen)
    return seen.failure or (f"its answer has {size / 2**20:,.0f} MiB" if size > MAX_CASE_BYTES else "")


def _note_sizes(old: Numbers, new: Numbers, input_bytes: int, notes: Notes) -> None:
    """Say what became smaller. `input_bytes`: of the inputs before."""
    changed = [f"{name} {_shown(old[name])} → {_shown(new[name])}" for name in sorted(old) if new[name] != old[name]]
    if changed:
        notes.left_out.append(f"sizes for large GPUs ({input_bytes / 2**20:,.0f} MiB of inputs): {', '.join(changed)}")


def _listed(value: Number) -> tuple[int | float, ...]:
    return value if isinstance(value, tuple) else (value,)


def _shown(value: Number) -> str:
    return f"({', '.join(map(str, value))})" if isinstance(value, tuple) else str(value)


def _sections(model: ast.ClassDef, numbers: Numbers) -> dict[str, str]:
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
    if numbers:
        inputs += "\n\nSizes and settings of the cases: " + ", ".join(
            f"`{k} = {_shown(v)}`" for k, v in numbers.items()
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


def _manifest(built_with: Sequence[str]) -> dict[str, Any]:
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
        "cases": [{"name": name, "visibility": visibility, "generate": "draw"} for name, visibility in CASES],
    }
