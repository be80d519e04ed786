"""A class: an object is made, its methods are called in turn, and each result and the state afterwards are the answer.

The entry point can also be a function that returns such an object, as in Optax.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.guest.answers.driver_case import DriverCase, gradients_of, set_gradients, snapshot, tensors_in

# Methods of PyTorch's and Flax NNX's modules that only switch a mode, unless the problem declares them.
MODES = ("train", "eval")
# The call that sets or reads `.grad` of the constructor's tensors, if the problem names them.
GRADIENTS = "grad"


def call(solution: Callable[..., object], case: DriverCase) -> object:
    values = case.arguments()
    for name in case.options["gradients"]:
        for tensor in tensors_in(values[name]):
            tensor.requires_grad_()
    made = placed(solution(*values.values()), case.inputs)
    if case.options["weights"]:
        load_weights(made, case.inputs["weights"])
    results: list[object] = []
    for given in case.inputs["calls"]:
        name, arguments = read_call(given)
        if name in MODES and name not in case.options["methods"]:
            method_of(made, name)()
            results.append(None)
        elif name == GRADIENTS and case.options["gradients"]:
            results.append(_gradients(values, arguments, case))
        else:
            # `arguments.py` makes a function.
            taken = case.options["methods"][name]
            ordered = [resolved(arguments[key], results) if key in arguments else case.argument(key) for key in taken]
            results.append(snapshot(method_of(made, name)(*ordered)))
    answer: dict[str, object] = {"results": results}
    if case.options["changes"]:
        answer["changed"] = {name: snapshot({**case.inputs, **values}[name]) for name in case.options["changes"]}
    state = case.options["state"]
    if state:
        answer["state"] = state_of(made) if state is True else {name: attribute_of(made, name) for name in state}
    return answer


def _gradients(values: dict[str, Any], given: dict[str, Any], case: DriverCase) -> object:
    """Set the gradients that the call gives. Without any, return those that the tensors have."""
    for name, gradients in given.items():
        set_gradients(values[name], gradients)
    return None if given else {name: gradients_of(values[name]) for name in case.options["gradients"]}


def read_call(given: Any) -> tuple[str, dict[str, Any]]:
    """Return the method and its arguments: a name alone stands for a call without any."""
    if isinstance(given, str):
        return given, {}
    ((name, arguments),) = given.items()
    return name, arguments


def placed(made: Any, inputs: Any) -> Any:
    """Move a module of PyTorch to the device of the inputs, which the judge chooses."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(made, torch.nn.Module):
        return made
    device = next((tensor.device for tensor in tensors_in(inputs)), None)
    return made if device is None else made.to(device)


def method_of(made: Any, name: str) -> Any:
    torch = sys.modules.get("torch")
    if name == "forward" and torch is not None and isinstance(made, torch.nn.Module):
        return made  # a call of the module, which also runs its hooks
    try:
        return getattr(made, name)
    except AttributeError:
        _require_missing(made, name)
        raise AttributeError(f"{_kind(made)} has no method {name}; define `def {name}(self, …)`") from None


def attribute_of(made: Any, name: str) -> Any:
    try:
        return getattr(made, name)
    except AttributeError:
        _require_missing(made, name)
        raise AttributeError(
            f"{_kind(made)} has no attribute {name}; the problem compares it: set self.{name}"
        ) from None


def _require_missing(made: Any, name: str) -> None:
    """Raise the error that is being handled again if it comes from inside a property of the class."""
    if hasattr(type(made), name):
        raise


def _kind(made: Any) -> str:
    return f"an object of {type(made).__name__}"


def resolved(value: Any, results: list[object]) -> Any:
    """Replace `{result_of: 0}` by the result of the first call, and with `item: 1` by that item of it."""
    if not isinstance(value, dict) or "result_of" not in value or not value.keys() <= {"result_of", "item"}:
        return value
    result: Any = results[value["result_of"]]
    return result[value["item"]] if "item" in value else result


def state_of(made: Any) -> Any:
    torch, nnx = sys.modules.get("torch"), sys.modules.get("flax.nnx")
    if torch is not None and isinstance(made, torch.nn.Module):
        return dict(made.state_dict())
    # Without random keys, which each solution may hold in its own places.
    return nnx.state(made, nnx.Not(nnx.RngState)) if nnx is not None and isinstance(made, nnx.Module) else made


def load_weights(made: Any, weights: dict[str, Any]) -> None:
    """Set the weights of a module of PyTorch or Flax NNX, or attributes of another object.

    Raises ValueError if a module has other names or shapes.
    """
    torch, nnx = sys.modules.get("torch"), sys.modules.get("flax.nnx")
    if torch is not None and isinstance(made, torch.nn.Module):
        _compare(made, shapes_of(made.state_dict()), shapes_of(weights))
        made.load_state_dict(weights)
    elif nnx is not None and isinstance(made, nnx.Module):
        state = nnx.state(made, nnx.Not(nnx.RngState))
        own = nnx.to_pure_dict(state)
        _compare(made, shapes_of(own), shapes_of(weights))
        nnx.replace_by_pure_dict(state, weights)
        nnx.update(made, state)
    else:
        for name, value in weights.items():
            setattr(made, name, value)


def shapes_of(weights: Mapping[Any, Any], prefix: str = "") -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for key, value in weights.items():
        if isinstance(value, Mapping):
            found |= shapes_of(value, f"{prefix}{key}/")
        else:
            found[f"{prefix}{key}"] = tuple(value.shape)
    return found


def _compare(made: Any, own: dict[str, tuple[int, ...]], given: dict[str, tuple[int, ...]]) -> None:
    if own == given:
        return
    raise ValueError(
        f"{_kind(made)} has the weights {_listed(own)}, but the problem sets {_listed(given)}: "
        "give yours these names and shapes"
    )


def _listed(shapes: dict[str, tuple[int, ...]]) -> str:
    return ", ".join(f"{name} {shape}" for name, shape in sorted(shapes.items())) or "none"
