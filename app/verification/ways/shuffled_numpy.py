"""NumPy with the terms of every sum, mean and matrix product in a random order.

The inputs become arrays of a subclass, which NumPy calls whenever it computes with them or with their results.
"""

from typing import Any

import numpy as np

orders = np.random.default_rng(0)


def call(run: Any, solution: Any, inputs: dict[str, Any]) -> object:
    return plain(run(solution, wrapped(inputs)))


class ShuffledArray(np.ndarray):
    def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **kwargs: Any) -> Any:
        given = tuple(map(plain, inputs))
        if kwargs.get("out"):
            kwargs["out"] = tuple(map(plain, kwargs["out"]))
        if method == "reduce" and ufunc is np.add and given[0].ndim:
            given = (permuted(given[0], kwargs.get("axis", 0)), *given[1:])
        elif method == "__call__" and ufunc is np.matmul and "axes" not in kwargs:
            given = matched(*given)
        return wrapped(getattr(ufunc, method)(*given, **kwargs))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.dot and min(np.ndim(args[0]), np.ndim(args[1])) > 0 and not kwargs:
            return wrapped(np.dot(*matched(plain(args[0]), plain(args[1]))))
        return super().__array_function__(func, types, args, kwargs)


def permuted(x: Any, axis: Any) -> Any:
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for one in axes:
        x = np.take(x, orders.permutation(x.shape[one]), axis=one)
    return x


def matched(a: Any, b: Any) -> tuple[Any, Any]:
    order = orders.permutation(a.shape[-1])
    return np.take(a, order, axis=-1), np.take(b, order, axis=max(b.ndim - 2, 0))


def wrapped(value: Any) -> Any:
    return each(value, lambda array: np.asarray(array).view(ShuffledArray), (np.ndarray, np.generic))


def plain(value: Any) -> Any:
    return each(value, lambda array: array.view(np.ndarray), ShuffledArray)


def each(value: Any, change: Any, kind: Any) -> Any:
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, dict):
        return {key: each(item, change, kind) for key, item in value.items()}
    return type(value)(each(item, change, kind) for item in value) if type(value) in (list, tuple) else value
