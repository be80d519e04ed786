"""Watch library functions that a solution must not call, and keep the line of the source that called each first.

Every function is replaced in its module before the student's source is loaded, so honest code meets the watched one
however it imports it. A call counts if it comes from the source itself, or through a module of `torch.nn`. Calls that
libraries make for their own purposes do not count. The usual functions of PyTorch are also seen where PyTorch
dispatches them, below Python, so that methods, layers and other spellings count too.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from sandbox.guest.failure import SOURCE_NAME

LAYERS, GUEST = "/torch/nn/modules/", str(Path(__file__).parent)
# The other places of a function of PyTorch: `torch.softmax` covers all of them.
TORCH_PLACES = ("torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.Tensor")
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
    """`found`: the first line of the source that called each watched function, by the pattern's own name for it."""

    def __init__(self, patterns: Sequence[str]) -> None:
        """Raises UnknownFunction."""
        self.found: dict[str, int] = {}
        self._operations: dict[str, str] = {}
        for pattern in patterns:
            for name, owner, attribute in _targets(pattern):
                self._watch(name, owner, attribute)
            last = pattern.rpartition(".")[2]
            if pattern.startswith("torch."):
                self._operations |= dict.fromkeys(OPERATIONS.get(last, ()), pattern)

    def watching(self) -> AbstractContextManager[object]:
        """Return a context in which PyTorch's operations are watched too."""
        return _dispatch(self._operations, self._note) if self._operations else nullcontext()

    def _watch(self, name: str, owner: Any, attribute: str) -> None:
        function = getattr(owner, attribute)
        if isinstance(function, _Watched):
            return

        def note() -> None:
            if line := _line_of_caller(sys._getframe(2)):
                self._note(name, line)

        if isinstance(owner, ModuleType):
            setattr(owner, attribute, _Watched(function, note))
            return

        @wraps(function)
        def watched(*arguments: Any, **named: Any) -> Any:
            note()
            return function(*arguments, **named)

        setattr(owner, attribute, watched)

    def _note(self, name: str, line: int) -> None:
        self.found.setdefault(name, line)


class _Watched:
    """A function that tells of its calls. Everything else is the function's own, such as a ufunc's `reduce`."""

    def __init__(self, function: Callable[..., Any], note: Callable[[], None]) -> None:
        self.__wrapped__, self._note = function, note

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self._note()
        return self.__wrapped__(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)


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


def _find(place: str) -> Any | None:
    """Return the module, or the class in a module, of this name."""
    try:
        return import_module(place)
    except ImportError:
        module, _, name = place.rpartition(".")
        return getattr(_find(module), name, None) if module else None


def _line_of_caller(frame: FrameType | None) -> int | None:
    """Return the line of the source, unless a library calls for its own purposes. Layers call for the source."""
    while frame is not None and _is_between(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_lineno if frame is not None and frame.f_code.co_filename == SOURCE_NAME else None


def _is_between(file: str) -> bool:
    return LAYERS in file or file.startswith(GUEST)


def _line_below(frame: FrameType | None) -> int | None:
    """Return the innermost line of the source, however deep in a library the frame is."""
    while frame is not None and frame.f_code.co_filename != SOURCE_NAME:
        frame = frame.f_back
    return None if frame is None else frame.f_lineno


def _dispatch(operations: dict[str, str], note: Callable[[str, int], None]) -> AbstractContextManager[object]:
    mode: Any = import_module("torch.utils._python_dispatch").TorchDispatchMode

    class Watching(mode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = operations.get(func.overloadpacket.__name__.removesuffix("_"))
            if name and (line := _line_below(sys._getframe(1))):
                note(name, line)
            return func(*args, **(kwargs or {}))

    watching: AbstractContextManager[object] = Watching()
    return watching
