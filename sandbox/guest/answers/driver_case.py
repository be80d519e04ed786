"""One case as a driver sees it: its inputs, the solution's arguments, and copies of results that may change later."""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np

from sandbox.guest.convert import names_of_fields
from sandbox.guest.record import counted

Options = dict[str, Any]
Makers = dict[str, Callable[..., object]]


def read_makers(source: str | None) -> Makers:
    """Run `arguments.py` and return its functions by name. It runs before the student's source."""
    if source is None:
        return {}
    module = sys.modules["arguments"] = ModuleType("arguments")
    exec(compile(source, "arguments.py", "exec"), module.__dict__)
    return {name: value for name, value in vars(module).items() if inspect.isfunction(value)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverCase:
    """`options`: those of the kind, `parameters` (the solution's arguments, in their order) and `counted`.

    `counted` has the names of the arguments that are functions, whose calls are counted.
    """

    inputs: Mapping[str, Any]
    options: Options
    makers: Makers = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the solution by name, in their order."""
        return self.arguments_of(self.options["parameters"])

    def arguments_of(self, names: Sequence[str]) -> dict[str, Any]:
        return {name: self.argument(name) for name in names}

    def number(self, option: str) -> int:
        """Return an option that is a number, or the name of an input that is one."""
        value = self.options[option]
        return int(self.inputs[value] if isinstance(value, str) else value)

    def with_inputs(self, **changed: Any) -> "DriverCase":
        return replace(self, inputs={**self.inputs, **changed})

    def argument(self, name: str) -> Any:
        value = self._made_by(self.makers[name]) if name in self.makers else self.inputs[name]
        return counted(name, value) if name in self.options["counted"] else value

    def _made_by(self, maker: Callable[..., object]) -> Any:
        return maker(*[self.inputs[name] for name in inspect.signature(maker).parameters])


def tensors_in(value: Any) -> Iterator[Any]:
    """Yield the tensors of PyTorch in a tree."""
    if isinstance(value, sys.modules["torch"].Tensor):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from tensors_in(item)


def set_gradients(value: Any, given: Any) -> None:
    """Set `.grad` of a tensor to a copy, or of each tensor in a list, dict or module. None removes it."""
    torch = sys.modules["torch"]
    if isinstance(value, list | tuple):
        for item, gradient in zip(value, given, strict=True):
            set_gradients(item, gradient)
    elif isinstance(value, dict | torch.nn.Module):
        tensors = value if isinstance(value, dict) else dict(value.named_parameters())
        for name, gradient in given.items():
            set_gradients(tensors[name], gradient)
    else:
        value.requires_grad_()
        value.grad = None if given is None else given.clone()


def gradients_of(value: Any) -> Any:
    """Return copies of what `set_gradients` sets. A tensor without a gradient has zeros."""
    torch = sys.modules["torch"]
    if isinstance(value, list | tuple):
        return [gradients_of(item) for item in value]
    if isinstance(value, dict | torch.nn.Module):
        tensors = value if isinstance(value, dict) else dict(value.named_parameters())
        return {name: gradients_of(item) for name, item in tensors.items()}
    return torch.zeros_like(value).detach() if value.grad is None else snapshot(value.grad)


def snapshot(value: Any) -> Any:
    """Return a copy that later calls can't change. JAX's arrays can't change anyway."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: snapshot(item) for key, item in value.items()}
    if isinstance(value, list):
        return [snapshot(item) for item in value]
    if isinstance(value, tuple):
        items = [snapshot(item) for item in value]
        if names_of_fields(type(value)) is None:
            return tuple(items)
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return value.detach().clone()
    if torch is not None and isinstance(value, torch.nn.Module):
        return snapshot(dict(value.state_dict()))
    return value
