"""Turn the student's source, and the driver's if there is one, into a callable."""

import inspect
import io
import linecache
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from sandbox.guest.failure import SOURCE_NAME
from sandbox.guest.wire import RunTask

Inputs = dict[str, Any]
Program = Callable[[Inputs], object]
Run = Callable[[Callable[..., object], Inputs], object]


class CannotBeJudged(Exception):
    """The source does not meet the problem's form. The text says what to change. `kind` names what is missing."""

    def __init__(self, message: str, kind: str = "CannotBeJudged") -> None:
        super().__init__(message)
        self.kind = kind


def load(task: RunTask) -> Program:
    """Run the sources. Raises CannotBeJudged, or whatever the student's module raises (SyntaxError included)."""
    driver = load_driver(task.driver)
    module = _run_source(task.source)
    solution = _entry_point(module, task)
    if task.arguments is not None:
        _check_signature(solution, task.entry_point, task.arguments)
    for name, arguments in task.definitions:
        _check_definition(module, name, arguments)
    return lambda inputs: driver(solution, inputs)


def load_driver(source: str | None) -> Run:
    """Return the driver's `run`; without a driver, one that calls the solution with the inputs in their order.

    Loaded before the student's source, which may replace anything in the modules that a driver uses.
    """
    if source is None:
        return lambda solution, inputs: solution(*inputs.values())
    module = ModuleType("driver")
    sys.modules["driver"] = module
    exec(compile(source, "driver.py", "exec"), module.__dict__)
    run: Run = module.__dict__["run"]
    return run


def _run_source(source: str) -> ModuleType:
    code = _compile(source.removeprefix("\ufeff"))
    module = ModuleType("solution")
    module.__file__ = SOURCE_NAME
    sys.modules["solution"] = module  # dataclasses and pickle look up classes by module
    exec(code, module.__dict__)
    return module


def _compile(source: str) -> Any:
    lines = io.StringIO(source, newline=None).readlines()  # as the compiler counts them, unlike `str.splitlines`
    linecache.cache[SOURCE_NAME] = (len(source), None, lines, SOURCE_NAME)  # no file to check against: kept for good
    try:
        return compile(source, SOURCE_NAME, "exec", dont_inherit=True)
    except (SyntaxError, MemoryError, RecursionError):
        raise
    except ValueError as error:  # NUL bytes, lone surrogates
        raise CannotBeJudged(f"the source is not valid Python text: {error}", "SyntaxError") from None


def _entry_point(module: ModuleType, task: RunTask) -> Callable[..., object]:
    name = task.entry_point
    if name not in module.__dict__:
        kind = (
            "ClassNotFound" if any(each.startswith(f"{name}.") for each, _ in task.definitions) else "FunctionNotFound"
        )
        raise CannotBeJudged(f"the source does not define {name}; define {task.call} at the top level", kind)
    found = module.__dict__[name]
    _require_plain(found, name)
    if not callable(found):
        raise CannotBeJudged(f"{name} can't be called; it must be a function: {task.call}")
    solution: Callable[..., object] = found
    return solution


def _check_definition(module: ModuleType, name: str, arguments: tuple[str, ...]) -> None:
    """Check another function, or a method such as `Norm.forward` of a class. Raises CannotBeJudged."""
    owner, _, method = name.partition(".")
    found = module.__dict__.get(owner)
    if not method:
        if not callable(found):
            message = f"the source does not define {name}; define {_written(name, arguments)} at the top level"
            raise CannotBeJudged(message, "FunctionNotFound")
        _require_plain(found, name)
        _check_signature(found, name, arguments)
    elif inspect.isclass(found):  # a function that returns objects shows their methods only when it is called
        defined = inspect.getattr_static(found, method, None)
        if defined is None:
            wanted = _written(method, ("self", *arguments))
            raise CannotBeJudged(f"{owner} has no method {method}; define {wanted} in the class", "MethodNotFound")
        _require_plain(defined, name)
        if inspect.isfunction(defined):
            _check_signature(defined, name, ("self", *arguments))


def _require_plain(function: object, name: str) -> None:
    """Raises CannotBeJudged for `async def`, which returns no value when it is called."""
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise CannotBeJudged(f"{name} is an `async def`, which the judge can't call; write `def {name.split('.')[-1]}`")


def _written(name: str, arguments: tuple[str, ...]) -> str:
    return f"{name}({', '.join(arguments)})"


def _check_signature(solution: Callable[..., object], name: str, arguments: tuple[str, ...]) -> None:
    """If a callable has no signature, or a false one, the call itself fails."""
    try:
        signature = inspect.signature(solution)
    except Exception:
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        raise CannotBeJudged(_mismatch(signature, name, arguments)) from None


def _mismatch(signature: inspect.Signature, name: str, arguments: tuple[str, ...]) -> str:
    parameters = signature.parameters.values()
    called = f"the problem calls it with {len(arguments)}{': ' if arguments else ''}{', '.join(arguments)}"
    unmet = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if unmet:
        return f"`{name}` has keyword-only parameters without a default ({', '.join(unmet)}); {called}"
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in positional)
    amount = "at least " if required < len(positional) or len(positional) < len(signature.parameters) else ""
    count = required if amount else len(positional)
    if amount and len(arguments) > len(positional):
        amount, count = "at most ", len(positional)
    return f"`{name}` takes {amount}{count} parameter{'s' * (count != 1)}; {called}"
