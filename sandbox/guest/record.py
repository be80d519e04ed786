"""A driver that watches calls of library functions, for problems with a requirement on calls.

It is loaded before the student's source, so honest code meets the counted functions however it imports them. Hostile
code can undo the wrappers or count calls itself, so the counts are evidence, not proof. What the source must not do is
noted (`notes`) as soon as it happens.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import Any

from sandbox.guest.dynamic_code import watch_code
from sandbox.guest.forbidden_calls import ForbiddenCalls
from sandbox.guest.notes import Origins, Record
from sandbox.guest.student_program import Run, load_driver

Counts = Counter[str]

# The source must import these anew, which is noted, and gets copies that watch nothing.
WATCHERS = (
    "dynamic_code",
    "forbidden_calls",
    "kernel_watch",
    "notes",
    "record",
    "triton",
    "triton_compile",
    "triton_language",
)
# The calls of the case that runs, by name.
counts: Counts = Counter()


def counted(name: str, function: Any) -> Any:
    """Return a function that counts its calls as `name`. A value that can't be called is returned as it is."""
    if not callable(function):
        return function

    def call(*arguments: Any, **named: Any) -> Any:
        counts[name] += 1
        return function(*arguments, **named)

    return call


def recording(driver: str | None, forbidden: Sequence[str] = (), kernel_parameters: Sequence[str] | None = None) -> Run:
    """Return a driver that runs the inner driver, or the solution itself.

    Its answer holds the `answer`, the `calls` of this case by name, and whether the record of notes `is_kept`.
    `kernel_parameters`: those of a solution whose Triton `kernels` are watched. Raises UnknownFunction for a pattern in
    `forbidden` that no library has.
    """
    inner = load_driver(driver)
    if "torch" in sys.modules:
        _count_torch(sys.modules["torch"])
    kernels = None
    if kernel_parameters is not None:
        kernels = import_module("sandbox.guest.kernel_watch").KernelWatch(kernel_parameters)
    origins, record = Origins(), Record()
    watched = ForbiddenCalls(forbidden, origins, record, follows_values=kernel_parameters is not None)
    watch_code(origins, record)
    for name in WATCHERS:
        sys.modules.pop(f"{__package__}.{name}", None)
        vars(sys.modules[str(__package__)]).pop(name, None)

    def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        counts.clear()
        with watched.watching():
            answer = inner(kernels.watched(solution) if kernels else solution, inputs)
        told = kernels.tell() if kernels else None
        return {"answer": answer, "calls": dict(counts), "kernels": told, "is_kept": record.is_kept()}

    return run


def _count_torch(torch: ModuleType) -> None:
    optimizer, scaler = torch.optim.Optimizer, torch.amp.GradScaler
    steps = import_module("torch.optim.optimizer")
    steps.register_optimizer_step_post_hook(lambda *_: counts.update(["optimizer.step"]))
    _wrap("optimizer.zero_grad", optimizer, "zero_grad")
    _wrap("backward", torch.autograd, "backward")
    _wrap("scaler.step", scaler, "step")
    _wrap("scaler.unscale", scaler, "unscale_")
    _wrap("scaler.update", scaler, "update")
    for module in (torch.nn.utils, import_module("torch.nn.utils.clip_grad")):
        _wrap("clip_grad_norm", module, "clip_grad_norm_")
    _wrap("checkpoint", import_module("torch.utils.checkpoint"), "checkpoint")
    _count_autocast(torch)


def _wrap(name: str, owner: Any, attribute: str) -> None:
    function = getattr(owner, attribute)
    setattr(owner, attribute, wraps(function)(counted(name, function)))


def _count_autocast(torch: ModuleType) -> None:
    """Count calls of outermost modules while autocast is on; calls of modules inside them do not count."""
    module, depth = torch.nn.Module, 0
    call = module.__call__

    @wraps(call)
    def recorded(self: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal depth
        if depth == 0 and (torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda")):
            counts["autocast"] += 1
        depth += 1
        try:
            return call(self, *arguments, **named)
        finally:
            depth -= 1

    module.__call__ = recorded
