"""A driver that watches calls of library functions, for problems with a requirement on calls.

It is loaded before the student's source, so honest code meets the counted functions however it imports them. Hostile
code can undo the wrappers or count calls itself, so the counts are evidence, not proof.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import Any

from sandbox.guest.forbidden_calls import ForbiddenCalls

Run = Callable[[Callable[..., object], dict[str, Any]], object]
Counts = Counter[str]


def recording(driver: str | None, forbidden: Sequence[str] = ()) -> Run:
    """Return a driver that runs the inner driver, or the solution itself.

    Its answer holds the `answer`, the `calls` of this case by name, and the `forbidden` functions that the source
    called, each with the line. Raises UnknownFunction for a pattern in `forbidden` that no library has.
    """
    inner = _call if driver is None else _load(driver)
    counts: Counts = Counter()
    if "torch" in sys.modules:
        _count_torch(counts, sys.modules["torch"])
    watched = ForbiddenCalls(forbidden)

    def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        counts.clear()
        with watched.watching():
            answer = inner(solution, inputs)
        return {"answer": answer, "calls": dict(counts), "forbidden": dict(watched.found)}

    return run


def _call(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
    return solution(*inputs.values())


def _load(source: str) -> Run:
    namespace: dict[str, Any] = {}
    exec(compile(source, "driver.py", "exec"), namespace)
    run: Run = namespace["run"]
    return run


def _count_torch(counts: Counts, torch: ModuleType) -> None:
    optimizer, scaler = torch.optim.Optimizer, torch.amp.GradScaler
    steps = import_module("torch.optim.optimizer")
    steps.register_optimizer_step_post_hook(lambda *_: counts.update(["optimizer.step"]))
    _wrap(counts, "optimizer.zero_grad", optimizer, "zero_grad")
    _wrap(counts, "backward", torch.autograd, "backward")
    _wrap(counts, "scaler.step", scaler, "step")
    _wrap(counts, "scaler.unscale", scaler, "unscale_")
    _wrap(counts, "scaler.update", scaler, "update")
    for module in (torch.nn.utils, import_module("torch.nn.utils.clip_grad")):
        _wrap(counts, "clip_grad_norm", module, "clip_grad_norm_")
    _wrap(counts, "checkpoint", import_module("torch.utils.checkpoint"), "checkpoint")
    _count_autocast(counts, torch)


def _wrap(counts: Counts, name: str, owner: Any, attribute: str) -> None:
    function = getattr(owner, attribute)

    @wraps(function)
    def counted(*arguments: Any, **named: Any) -> Any:
        counts[name] += 1
        return function(*arguments, **named)

    setattr(owner, attribute, counted)


def _count_autocast(counts: Counts, torch: ModuleType) -> None:
    """Count calls of outermost modules while autocast is on; calls of modules inside them do not count."""
    module, depth = torch.nn.Module, 0
    call = module.__call__

    @wraps(call)
    def counted(self: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal depth
        if depth == 0 and (torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda")):
            counts["autocast"] += 1
        depth += 1
        try:
            return call(self, *arguments, **named)
        finally:
            depth -= 1

    module.__call__ = counted
