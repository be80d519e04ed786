"""Make a package of a function and its tests.

Literal arguments, such as `[1, 2]` and `np.array([3.0])`, become the inputs of a case. Other arguments, such as
`np.zeros(3)`, become a function of `cases.py`. Nothing is evaluated outside of a sandbox, which also finds the types.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.catalog.importing.generator import imports_for
from app.catalog.importing.observation import Declarations, Observe, Probe, declare, find_object
from app.catalog.importing.package_writer import ImportedPackage, Notes, Source, write_package
from app.catalog.importing.program import ImportRefused, frameworks_of

ARRAY_MAKERS = (
    *("np.array", "numpy.array", "np.asarray", "jnp.array", "jnp.asarray"),
    *("torch.tensor", "torch.Tensor"),
)
MAX_CASES = 200
RAISED = 'raise NotImplementedError("replace this line with your solution")'


@dataclass(frozen=True, slots=True)
class LiteralArray:
    """An array in a call. `source`: its Python."""

    values: Any
    source: str


def read_literal(node: ast.expr, known: Mapping[str, Any] | None = None) -> Any:
    """Return the value of a literal, of a call that makes an array of one, or of a known name. Raises ValueError."""
    if isinstance(node, ast.Name) and known and node.id in known:
        return known[node.id]
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ARRAY_MAKERS and node.args:
        return LiteralArray(read_literal(node.args[0]), ast.unparse(node))
    if isinstance(node, ast.List | ast.Tuple):
        return [read_literal(item) for item in node.elts]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        raise ValueError(f"the argument {ast.unparse(node)[:60]} is not a literal") from None


def _value(value: Any, *, is_inside: bool = False) -> Any:
    """Return the value for the manifest. An array inside a list or mapping is marked as one."""
    if isinstance(value, LiteralArray):
        return {"array": value.values} if is_inside else value.values
    if isinstance(value, list | tuple):
        return [_value(item, is_inside=True) for item in value]
    return {key: _value(item, is_inside=True) for key, item in value.items()} if isinstance(value, dict) else value


def _expression(value: Any) -> str:
    """Return the Python expression of the value."""
    if isinstance(value, LiteralArray):
        return value.source
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_expression, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_expression(item)}' for key, item in value.items())}}}"
    return f"float('{value}')" if isinstance(value, float) and value - value != 0 else repr(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTest:
    """A test with its arguments by name. `expected` is None if the source does not say it.

    `generator`: the function of `cases.py` that makes the arguments, if they are not literals.
    """

    name: str
    is_sample: bool
    arguments: Mapping[str, Any] = field(default_factory=dict)
    expected: Any = None
    generator: str = ""

    @property
    def maker(self) -> str:
        """Return the program of a function with the test's name that makes the arguments."""
        listed = ", ".join(f"{name!r}: {_expression(value)}" for name, value in self.arguments.items())
        source = self.generator or f"def {self.name}(seed):\n    return {{{listed}}}\n"
        return "\n".join([*imports_for([source]), "", "", source])

    def case(self) -> dict[str, Any]:
        """Return the case of the manifest."""
        inputs = {name: _value(value) for name, value in self.arguments.items()}
        given = {"generate": self.name} if self.generator else {"inputs": inputs}
        return {"name": self.name, "visibility": "sample" if self.is_sample else "hidden", **given}


def write_tested(
    source: Source, function: ast.FunctionDef, tests: Sequence[FunctionTest], observe: Observe, notes: Notes
) -> ImportedPackage:
    """Add the tests that run in a sandbox as cases, and the types that it sees. Raises ImportRefused."""
    reference = source.files["reference.py"]
    frameworks = frameworks_of([ast.parse(reference), *(ast.parse(test.maker) for test in tests)])
    kept, declared = _declare(reference, function, tests, frameworks, observe, notes)
    manifest = {
        "frameworks": frameworks,
        "entry_point": function.name,
        **declared.keys(),
        "cases": [test.case() for test in kept],
    }
    answers = {test.name: test.expected for test in kept if test.expected is not None}
    files = {**source.files, **_cases_file(kept)}
    if "cases.py" not in files:
        notes.todo.append("draw hidden inputs (`{draw: normal, shape: [100]}`): students can share answers to literals")
    return write_package(replace(source, manifest=manifest, files=files, answers=answers), notes)


def _declare(
    reference: str,
    function: ast.FunctionDef,
    tests: Sequence[FunctionTest],
    frameworks: Sequence[str],
    observe: Observe,
    notes: Notes,
) -> tuple[list[FunctionTest], Declarations]:
    """Return the tests that ran, the first a sample, and what they had in common. Raises ImportRefused."""
    makers = {test.name: (test.maker, test.name) for test in tests}
    probe = Probe(source=reference, entry_point=function.name, frameworks=tuple(frameworks), makers=makers)
    found = observe(probe)
    kept: list[FunctionTest] = []
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
    declared = declare(names_of(function), [found[test.name] for test in kept], notes)
    return [replace(kept[0], is_sample=True), *kept[1:]], declared


def _cases_file(tests: Sequence[FunctionTest]) -> dict[str, str]:
    """Return `cases.py` if some tests need it."""
    generators = [test.generator for test in tests if test.generator]
    head = ['"""The arguments of the original tests that are not literals."""', "", *imports_for(generators)]
    text = "\n\n".join(["\n".join(head).rstrip() + "\n", *generators])
    return {"cases.py": text} if generators else {}


def require_tests(tests: Sequence[FunctionTest], notes: Notes) -> list[FunctionTest]:
    """Return the first tests, samples before the others, with at least one sample. Raises ImportRefused."""
    if not tests:
        raise ImportRefused("no test has a call that can become a case: " + "; ".join(notes.left_out[:3]))
    kept = list(tests[:MAX_CASES])
    if not any(test.is_sample for test in kept):
        notes.todo.append(f"check that students may see {kept[0].name}: the notebook shows none of its tests")
        kept[0] = replace(kept[0], is_sample=True)
    return sorted(kept, key=lambda test: not test.is_sample)


def names_of(function: ast.FunctionDef) -> list[str]:
    signature = function.args
    if signature.vararg or signature.kwarg or signature.kwonlyargs:
        raise ImportRefused(f"{function.name} has * or keyword-only parameters: give it plain parameters")
    return [argument.arg for argument in (*signature.posonlyargs, *signature.args)]


def plain_starter(function: ast.FunctionDef) -> str:
    """Return the function's signature and docstring."""
    doc = ast.get_docstring(function)
    told = f'    """{doc}"""\n' if doc and '"""' not in doc and "\\" not in doc else ""
    return f"def {function.name}({', '.join(names_of(function))}):\n{told}    {RAISED}\n"
