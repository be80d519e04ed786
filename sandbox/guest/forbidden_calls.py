"""Watch library functions that a solution must not call, and note the line of the source that called each first.

Every function is replaced in the modules of its library before the student's source is loaded, so honest code meets the
watched one however it imports it. Calls of C functions, and of the functions' own Python code, are also seen where
Python makes them, in every thread, whatever name they have. The usual functions of PyTorch are also seen where PyTorch
dispatches them, below Python, so that methods, layers and other spellings count too.

A call counts if it comes from the source itself, through a module of `torch.nn`, or through library code that was given
the function. Calls that libraries make for their own purposes do not count.
"""

import ast
import linecache
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from importlib import import_module
from inspect import signature
from itertools import islice
from threading import get_ident
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodDescriptorType, ModuleType
from typing import Any

from sandbox.guest.failure import SOURCE_NAME
from sandbox.guest.notes import Origins, Record, is_guest, watch_threads
from sandbox.guest.wire import NoteKind

# The other places of a function of PyTorch: `torch.softmax` covers all of them.
TORCH_PLACES = ("torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.Tensor")
# Other functions that do the same for arrays, and nothing else.
EQUALS = {"einsum": ("numpy._core.multiarray.c_einsum",), "matmul": ("operator.imatmul", "operator.matmul")}
# One of the numbers that `sys.monitoring` leaves to tools.
MONITORING_TOOL = 4
# A call of these by the source ends the watching of PyTorch's operations and methods.
SWITCHES = (
    "torch._C.DisableTorchFunction",
    "torch._C._DisableTorchDispatch",
    "torch._C._ExcludeDispatchKeyGuard",
    "torch._C._pop_torch_dispatch_stack",
    "torch.utils._python_dispatch._disable_current_modes",
    "torch.overrides._pop_mode",
    "torch.utils._python_dispatch._pop_mode",
)
# By these, values leave PyTorch, or a tensor shares memory with something else, and nothing follows them.
EXITS = (
    "torch.as_tensor",
    "torch.asarray",
    "torch.from_dlpack",
    "torch.from_numpy",
    "torch.frombuffer",
    "torch.jit.CompilationUnit",
    "torch.jit.script",
    "torch.jit.trace",
    "torch.to_dlpack",
    "torch.utils.dlpack.from_dlpack",
    "torch.utils.dlpack.to_dlpack",
)
# The operations that stand for a function where PyTorch dispatches it, in place or not. A function that is made of
# such an operation counts too: `cross_entropy` is a `log_softmax`, and all convolutions are one operation.
OPERATIONS = {
    "batch_norm": ("native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update"),
    "conv1d": ("convolution",),
    "conv2d": ("convolution",),
    "conv3d": ("convolution",),
    "cumprod": ("cumprod",),
    "cumsum": ("cumsum",),
    "dropout": ("native_dropout",),
    "elu": ("elu",),
    "embedding": ("embedding",),
    "gelu": ("gelu",),
    "group_norm": ("native_group_norm",),
    "layer_norm": ("native_layer_norm",),
    "leaky_relu": ("leaky_relu",),
    "log_softmax": ("_log_softmax",),
    "logsumexp": ("logsumexp",),
    "max_pool2d": ("max_pool2d_with_indices",),
    "relu": ("relu",),
    "rms_norm": ("_fused_rms_norm",),
    "scaled_dot_product_attention": (
        "_scaled_dot_product_attention_math",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_flash_attention_for_cpu",
    ),
    "sigmoid": ("sigmoid",),
    "silu": ("silu",),
    "softmax": ("_softmax", "_safe_softmax"),
    "softplus": ("softplus",),
    "sort": ("sort",),
    "tanh": ("tanh",),
    "topk": ("topk",),
}


class UnknownFunction(Exception):
    """A name that no installed library has; the author must correct it."""


class ForbiddenCalls:
    """Watches from its creation. The source is loaded later."""

    def __init__(
        self, patterns: Sequence[str], origins: Origins, record: Record, *, follows_values: bool = False
    ) -> None:
        """`follows_values`: others follow values from tensor to tensor, in the thread of the call. Raises
        UnknownFunction.
        """
        self._origins, self._record, self._watches = origins, record, bool(patterns)
        self._operations: dict[str, str] = {}
        self._seen = _Seen(origins, record)
        replaced: dict[int, tuple[Any, str]] = {}
        for pattern in sorted(patterns, key=_is_wildcard):  # a function's own name is the better one to report
            for name, owner, attribute in _targets(pattern):
                function = getattr(owner, attribute)
                self._seen.add(name, attribute, function)
                replaced[id(function)] = function, name
                self._replace(owner, attribute, function, "call", name)
                for place, other in (each.rsplit(".", 1) for each in EQUALS.get(attribute, ())):
                    self._replace(_find(place), other, _get(f"{place}.{other}"), "call", name)
            last = pattern.rpartition(".")[2]
            if pattern.startswith("torch."):
                self._operations |= dict.fromkeys(OPERATIONS.get(last, ()), pattern)
        for module, attribute, value in _other_places(patterns, replaced):
            self._replace(module, attribute, value, "call", replaced[id(value)][1])
        if self._operations or follows_values:
            self._watch_switches(SWITCHES)
        if follows_values:
            self._watch_switches(EXITS)
        if self._operations:
            self._watch_torch()
        watch_threads(origins, self._noting_thread if follows_values else self.watching)
        if patterns:
            self._seen.begin()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the calls of this thread."""
        with self._dispatched(), self._seen.watching() if self._watches else nullcontext():
            yield

    @contextmanager
    def _noting_thread(self) -> Iterator[None]:
        self._record.note("touched", "a thread that begins", self._origins.started[get_ident()])
        with self.watching():
            yield

    def _dispatched(self) -> AbstractContextManager[object]:
        return _dispatch(self._operations, self._note_operation) if self._operations else nullcontext()

    def _note_operation(self, name: str, frame: FrameType) -> None:
        pattern = self._operations.get(name.removesuffix("_"))
        if pattern is not None and (line := self._origins.find_line_below(frame)) is not None:
            self._record.note("call", pattern, line)

    def _watch_torch(self) -> None:
        """Also see operations that are called while no dispatch mode is on."""
        operations = import_module("torch._ops")
        for kind in (operations.OpOverload, operations.OpOverloadPacket):
            self._seen.operations[kind.__call__.__code__] = self._note_operation

    def _watch_switches(self, switches: Sequence[str]) -> None:
        for switch in switches:
            place, _, attribute = switch.rpartition(".")
            if (function := _get(switch)) is not None:
                self._replace(_find(place), attribute, function, "touched", switch)

    def _replace(self, owner: Any, attribute: str, function: Any, kind: NoteKind, name: str) -> None:
        if isinstance(getattr(owner, attribute), _Watched):
            return

        def note(frame: FrameType) -> None:
            self._seen.note(kind, name, frame, attribute)

        if isinstance(owner, ModuleType):
            setattr(owner, attribute, _Watched(function, note))
            return

        @wraps(function)
        def watched(*arguments: Any, **named: Any) -> Any:
            note(sys._getframe(1))
            return function(*arguments, **named)

        setattr(owner, attribute, watched)


class _Watched:
    """A function that tells of its calls. Everything else is the function's own, such as a ufunc's `reduce`."""

    def __init__(self, function: Callable[..., Any], note: Callable[[FrameType], None]) -> None:
        self._function, self._note = function, note

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self._note(sys._getframe(1))
        return self._function(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":
            return signature(self._function)
        value = getattr(self._function, name)
        return _Watched(value, self._note) if name in ("__wrapped__", "_implementation") else value


class _Seen:
    """The calls that Python itself makes: of C functions, and of Python code. It compares functions and not names.

    A code object that several functions share, each with its own closure, tells nothing. Before Python 3.12, a profile
    function sees C functions and methods, in the threads that set it. From then on, `sys.monitoring` sees every call.
    """

    def __init__(self, origins: Origins, record: Record) -> None:
        self._origins, self._record = origins, record
        self._functions: dict[object, tuple[NoteKind, str]] = {}
        self._methods: dict[str, tuple[type, str]] = {}
        self._codes: dict[CodeType, tuple[str, str]] = {}
        self.operations: dict[CodeType, Callable[[str, FrameType], None]] = {}
        self._types: set[type] = set()
        self._disable: Any = None

    def add(self, name: str, attribute: str, function: Any) -> None:
        """Watch the function, and the arrays' method of the same name."""
        self._add(name, attribute, function)
        if name == f"numpy.{attribute}":
            self._add(name, attribute, getattr(sys.modules["numpy"].ndarray, attribute, None))
        if name == f"jax.numpy.{attribute}":
            methods = getattr(import_module("jax._src.numpy.array_methods"), "_array_methods", {})
            self._add(name, attribute, methods.get(attribute))
        for other in EQUALS.get(attribute, ()):
            self._add(name, attribute, _get(other))

    def _add(self, name: str, attribute: str, function: Any) -> None:
        """Watch the function, and those that it wraps."""
        while function is not None:
            if isinstance(function, FunctionType):
                if function.__closure__ is None:
                    self._codes.setdefault(function.__code__, (name, attribute))
            elif type(function).__hash__ is not None:
                self._functions.setdefault(function, ("call", name))
            if isinstance(function, MethodDescriptorType):
                self._methods.setdefault(attribute, (function.__objclass__, name))
            function = getattr(function, "__wrapped__", None)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the calls of this thread."""
        if sys.version_info >= (3, 12):
            yield
            return
        sys.setprofile(self._hear)
        try:
            yield
        finally:
            sys.setprofile(None)

    def begin(self) -> None:
        """Watch the calls of all threads from now on, where Python can."""
        if sys.version_info >= (3, 12):
            monitoring: Any = sys.monitoring
            events, self._disable = monitoring.events, monitoring.DISABLE
            for function in vars(monitoring).values():
                if isinstance(function, BuiltinFunctionType):
                    self._functions[function] = ("touched", f"sys.monitoring.{function.__name__}")
            self._types = {type(function) for function in self._functions}
            monitoring.use_tool_id(MONITORING_TOOL, "Allclose")
            monitoring.register_callback(MONITORING_TOOL, events.CALL, self._hear_call)
            monitoring.register_callback(MONITORING_TOOL, events.PY_START, self._hear_start)
            for code in (*self._codes, *self.operations):
                monitoring.set_local_events(MONITORING_TOOL, code, events.PY_START)
            monitoring.set_events(MONITORING_TOOL, events.CALL)

    def _hear(self, frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call":
            self._hear_function(frame, function)
        elif event == "call":
            self._hear_code(frame)

    def _hear_call(self, code: CodeType, _offset: int, function: Any, _first: Any) -> Any:
        if self._origins.calls_for_itself(code):
            return self._disable
        if type(function) in self._types:
            self._hear_function(sys._getframe(1), function)
        return None

    def _hear_start(self, _code: CodeType, _offset: int) -> None:
        self._hear_code(sys._getframe(1))

    def _hear_function(self, frame: FrameType, function: Any) -> None:
        found = self._functions.get(function)
        if found is None and isinstance(function, BuiltinFunctionType):
            owner, name = self._methods.get(function.__name__, (None, ""))
            found = ("call", name) if owner is not None and isinstance(function.__self__, owner) else None
        if found is not None:
            self.note(*found, frame)

    def _hear_code(self, frame: FrameType) -> None:
        code = frame.f_code
        if code in self._codes:
            name, attribute = self._codes[code]
            self.note("call", name, frame.f_back, attribute)
        elif code in self.operations:
            operation = frame.f_locals["self"]
            packet = getattr(operation, "overloadpacket", operation)
            self.operations[code](packet.__name__, frame)

    def note(self, kind: NoteKind, name: str, frame: FrameType | None, attribute: str | None = None) -> None:
        line = self._origins.find_line(frame, attribute)
        if line is not None and not _draws(frame, name):
            self._record.note(kind, name, line)


def _targets(pattern: str) -> Iterator[tuple[str, Any, str]]:
    """Yield the reported name, the owner and the attribute of each function. Raises UnknownFunction."""
    place, _, last = pattern.rpartition(".")
    owner = _find(place)
    if owner is None or (last != "*" and not callable(getattr(owner, last, None))):
        raise UnknownFunction(f"forbids_calls: no library has {pattern}")
    if last == "*":
        for attribute, value in list(vars(owner).items()):
            if not attribute.startswith("_") and callable(value) and not isinstance(value, type):
                yield f"{place}.{attribute}", owner, attribute
        return
    yield pattern, owner, last
    if place in TORCH_PLACES:
        owners = [found for other in TORCH_PLACES if (found := _find(other)) is not None]
        places = ((found, name) for found in owners for name in (last, f"{last}_") if (found, name) != (owner, last))
        yield from ((pattern, found, name) for found, name in places if callable(getattr(found, name, None)))


def _draws(frame: FrameType | None, forbidden: str) -> bool:
    """Whether the source calls another of NumPy's random methods. They are made of NumPy, and have no frame."""
    while frame is not None and is_guest(frame.f_code):
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename != SOURCE_NAME:
        return False
    random = sys.modules["numpy.random"]
    line, end_line, start, end = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    if line is None or end_line is None:
        return False
    lines = [text.encode() for text in linecache.getlines(SOURCE_NAME)[line - 1 : end_line]]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        call = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    method, owner = call.func.attr, call.func.value
    if method.startswith("_") or method == forbidden.rpartition(".")[2]:
        return False
    kinds = random.Generator, random.RandomState
    found = _find_value(owner, frame) if isinstance(owner, ast.Name | ast.Attribute) else None
    is_random = found is random or isinstance(found, kinds) or isinstance(owner, ast.Call | ast.Subscript)
    return is_random and any(hasattr(kind, method) for kind in kinds)


def _find_value(node: ast.expr, frame: FrameType) -> Any:
    """Return the value of a name, or of an attribute of one. None for anything else."""
    if isinstance(node, ast.Attribute):
        return getattr(_find_value(node.value, frame), node.attr, None)
    return frame.f_locals.get(node.id, frame.f_globals.get(node.id)) if isinstance(node, ast.Name) else None


def _is_wildcard(pattern: str) -> bool:
    return pattern.endswith("*")


def _get(name: str) -> Any | None:
    place, _, attribute = name.rpartition(".")
    return getattr(_find(place), attribute, None)


def _find(place: str) -> Any | None:
    """Return the module, or the class in a module, of this name."""
    try:
        return import_module(place)
    except ImportError:
        module, _, name = place.rpartition(".")
        return getattr(_find(module), name, None) if module else None


def _other_places(
    patterns: Sequence[str], replaced: Mapping[int, tuple[Any, str]]
) -> Iterator[tuple[ModuleType, str, Any]]:
    """Yield where else the modules of NumPy and JAX have the functions. PyTorch's are seen below Python."""
    roots = tuple({f"{pattern.partition('.')[0]}." for pattern in patterns} - {"torch."})
    for name, module in list(sys.modules.items()):
        if f"{name}.".startswith(roots) and isinstance(module, ModuleType):
            for attribute, value in list(vars(module).items()):
                if id(value) in replaced:
                    yield module, attribute, value


def _dispatch(operations: Mapping[str, str], note: Callable[[str, FrameType], None]) -> AbstractContextManager[object]:
    mode: Any = import_module("torch.utils._python_dispatch").TorchDispatchMode

    class Watching(mode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = func.overloadpacket.__name__
            if name.removesuffix("_") in operations:
                note(name, sys._getframe(1))
            return func(*args, **(kwargs or {}))

    watching: AbstractContextManager[object] = Watching()
    return watching
