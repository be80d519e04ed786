"""Compiles a Triton kernel as far as Triton's intermediate code, which needs no GPU.

The interpreter runs more than a GPU can: blocks whose size is no power of two, functions of NumPy, any Python. So each
kernel is compiled before it is interpreted, once for each set of types and constants.

With the interpreter, `triton.jit` makes no functions that can be compiled, also in Triton's own library. They are made
here, with copies of their modules' names in which the other functions are replaced too.
"""

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.compiler.code_generator import CodeGenerator
from triton.compiler.errors import CompilationError
from triton.runtime.interpreter import GridExecutor, InterpretedFunction
from triton.runtime.jit import JITFunction, mangle_type

from sandbox.guest.failure import SOURCE_NAME

# Any GPU of Triton's: what differs between them comes later than the intermediate code.
TARGET = GPUTarget("cuda", 80, 32)
PLAIN_FUNCTION = "the kernel calls {name}, which is no function for GPUs: write @triton.jit above its `def`"

_generate_call = CodeGenerator.call_Function
_functions: dict[FunctionType, Any] = {}
_namespaces: dict[int, dict[str, Any]] = {}
_compiled: set[tuple[FunctionType, str]] = set()


class NotCompiled(Exception):
    """Triton can't compile the kernel."""


def install() -> None:
    CodeGenerator.call_Function = _call


def check(executor: GridExecutor, given: Mapping[str, Any]) -> None:
    """Compile the kernel of a launch. `given`: its arguments by name. Raises NotCompiled."""
    kernel = _original(executor.fn)
    constants = {name: value for name, value in given.items() if name in executor.constexprs or value is None}
    types = {name: "constexpr" if name in constants else mangle_type(value) for name, value in given.items()}
    key = (kernel, repr((types, constants)))
    if key in _compiled:
        return
    try:
        _compile(_compilable(kernel), types, constants)
    except Exception as error:
        told = _innermost(error)
        raise NotCompiled(f"Triton can't compile kernel {kernel.__name__}: {told}") from None
    _compiled.add(key)


def _compile(kernel: Any, types: Mapping[str, str], constants: Mapping[str, Any]) -> None:
    backend = make_backend(TARGET)
    options, context = backend.parse_options({}), ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = ASTSource(fn=kernel, signature=types, constexprs=constants)
    source.make_ir(TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)


def _innermost(error: BaseException) -> BaseException:
    """Return the error in the function of the source, and not the one in the library that it calls."""
    while isinstance(error, CompilationError) and isinstance(error.__cause__, CompilationError):
        error = error.__cause__
    return error


def _original(rewritten: FunctionType) -> FunctionType:
    """Return the function of which the interpreter made this one."""
    found = (fn for fn, other in InterpretedFunction.rewritten_fn.items() if other is rewritten)
    return next(found, rewritten)


def _compilable(function: FunctionType) -> Any:
    if function not in _functions:
        copy = FunctionType(
            function.__code__,
            _names_of(function.__globals__),
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        copy.__dict__.update(function.__dict__)
        copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
        copy.__annotations__, copy.__kwdefaults__ = function.__annotations__, function.__kwdefaults__
        _functions[function] = JITFunction(copy)
    return _functions[function]


def _names_of(module: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a module's names, with functions that can be compiled."""
    if id(module) not in _namespaces:
        names = _namespaces[id(module)] = dict(module)
        for name, value in module.items():
            if isinstance(value, InterpretedFunction):
                names[name] = _compilable(value.fn)
    return _namespaces[id(module)]


def _call(generator: CodeGenerator, node: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    if isinstance(function, InterpretedFunction):
        function = _compilable(function.fn)
    code = getattr(function, "__code__", None)
    if code is not None and code.co_filename == SOURCE_NAME:
        raise CompilationError(generator.jit_fn.src, node, PLAIN_FUNCTION.format(name=code.co_name))
    return _generate_call(generator, node, function, *arguments)
