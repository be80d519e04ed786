"""Compiles a Triton kernel as far as Triton's intermediate code, which needs no GPU.

The interpreter runs more than a GPU can: blocks whose size is no power of two, functions of NumPy, any Python. So each
kernel is compiled before it is interpreted, once for each set of types and constants. What is interpreted has the same
text and the same global names, and uses Triton's language only.

With the interpreter, `triton.jit` makes no functions that can be compiled, also in Triton's own library. They are made
here, with global names in which the other functions are replaced too.
"""

import ast
from collections.abc import Callable, Mapping
from inspect import getclosurevars
from types import FunctionType, MethodType
from typing import Any

import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.compiler.code_generator import CodeGenerator
from triton.compiler.errors import CompilationError
from triton.runtime import interpreter
from triton.runtime.interpreter import GridExecutor, InterpretedFunction
from triton.runtime.jit import JITFunction, MockTensor, get_jit_fn_file_line, mangle_type

from sandbox.guest.triton_language import TENSORS, Language, NotCompiled

# Any GPU of Triton's: what differs between them comes later than the intermediate code.
TARGET = GPUTarget("cuda", 80, 32)
CHANGED = "the global {name} was another object when a kernel that uses it was launched first"

_generate_call = CodeGenerator.call_Function


class Compiler:
    """Make one before the source runs, when Triton is as it shall stay."""

    def __init__(self) -> None:
        self._functions: dict[FunctionType, _Function] = {}
        self._compiled: set[tuple[FunctionType, str]] = set()
        InterpretedFunction.rewrite = lambda function: self._find(function.fn).interpreted
        CodeGenerator.call_Function = lambda generator, *given: self._generate_call(generator, *given)
        self._language = Language()

    def check(self, executor: GridExecutor, given: Mapping[str, Any]) -> None:
        """Compile the kernel of a launch. `given`: its arguments by name. Raises NotCompiled."""
        try:
            self._language.check_unchanged()
            for function in self._functions.values():
                function.check_unchanged()
            self._language.check_values(given)
            self._compile(executor, given)
        except Exception as error:
            raise NotCompiled(f"Triton can't compile kernel {executor.fn.__name__}: {_innermost(error)}") from None

    def _compile(self, executor: GridExecutor, given: Mapping[str, Any]) -> None:
        kernel = next(function for function in self._functions.values() if function.interpreted is executor.fn)
        constants = {name: value for name, value in given.items() if name in executor.constexprs or value is None}
        types = {name: "constexpr" if name in constants else _type_of(value) for name, value in given.items()}
        key = (kernel.original, repr((types, constants)))
        if key not in self._compiled:
            _compile(kernel.compiled, types, constants)
            self._compiled.add(key)

    def _find(self, function: FunctionType) -> "_Function":
        if function not in self._functions:
            self._functions[function] = found = _Function(function, self._language)
            found.link(self._find)
        return self._functions[function]

    def _generate_call(self, generator: CodeGenerator, node: Any, function: Any, given: list[Any], named: Any) -> Any:
        if isinstance(function, MethodType) and isinstance(function.__self__, tl.tensor):
            forwards = getclosurevars(function).nonlocals.get("fn")  # `x.sum()` is `tl.sum(x)`
            if isinstance(forwards, InterpretedFunction):
                function, given = forwards, [function.__self__, *given]
        if isinstance(function, InterpretedFunction):
            function = self._find(function.fn).compiled
        return _generate_call(generator, node, function, given, named)


class _Function:
    """A function of kernels, for the compiler and for the interpreter. Raises NotCompiled."""

    def __init__(self, function: FunctionType, language: Language) -> None:
        self.original, self._linked = function, dict[str, Any]()
        copy = FunctionType(
            function.__code__, self._linked, function.__name__, function.__defaults__, function.__closure__
        )
        copy.__dict__.update(function.__dict__)
        copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
        copy.__annotations__, copy.__kwdefaults__ = function.__annotations__, function.__kwdefaults__
        self.compiled = JITFunction(copy)
        tree = self.compiled.parse()
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self._names = {name: value for name, value in function.__globals__.items() if name in used}
        self._is_own = not language.owns(function)
        if self._is_own:
            language.check_text(tree, self._names)
        self.interpreted = self._interpret(
            tree, language.names_for(self._names) if self._is_own else function.__globals__
        )

    def link(self, find: Callable[[FunctionType], "_Function"]) -> None:
        """Give the compiler the global names, with functions that it can compile."""
        for name, value in self._names.items():
            self._linked[name] = find(value.fn).compiled if isinstance(value, InterpretedFunction) else value

    def check_unchanged(self) -> None:
        for name, value in self._names.items() if self._is_own else ():
            if self.original.__globals__.get(name) is not value:
                raise NotCompiled(CHANGED.format(name=name))

    def _interpret(self, tree: ast.Module, names: dict[str, Any]) -> Any:
        file, line = get_jit_fn_file_line(self.compiled)
        changed = ast.fix_missing_locations(interpreter.FunctionRewriter.ast_transformer.visit(tree))
        ast.increment_lineno(changed, line - 1)
        names.setdefault("interpreter_semantic", interpreter.interpreter_semantic)  # what is assigned goes through it
        made: dict[str, Any] = {}
        exec(compile(changed, file, "exec", dont_inherit=True), names, made)
        return made[self.original.__name__]


def _type_of(value: Any) -> str:
    """Return the type of an argument, without its address."""
    found: str = mangle_type(MockTensor(value.dtype) if type(value) in TENSORS else value)
    return found


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
