"""Objects that answer differently from what they are: each is read as what it is, or refused."""

from typing import Any, ClassVar

import jax.numpy as jnp
import numpy as np
import torch

from tests.values.runtime.returned import returned


class Liar:
    """An object that is equal to everything and answers every protocol."""

    __array_interface__: ClassVar[Any] = {"shape": (1,), "typestr": "<f4", "data": (0, True), "version": 3}

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __array__(self, *args: object, **kwargs: object) -> np.ndarray[Any, Any]:
        return np.zeros(1)

    def __jax_array__(self) -> object:
        return jnp.zeros(1)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.ndarray


class LyingArray(np.ndarray[Any, Any]):
    def __array_function__(self, *args: object) -> object:
        return True

    def __array_ufunc__(self, *args: object, **kwargs: object) -> object:
        return True

    def __array__(self, *args: object, **kwargs: object) -> np.ndarray[Any, Any]:
        return np.full(3, 42.0)

    def tobytes(self, *_args: object) -> bytes:
        return b"lies"

    @property  # type: ignore[misc]
    def shape(self) -> Any:
        return (1, 2, 3)


class LyingTensor(torch.Tensor):  # type: ignore[misc]
    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return torch.full((9,), 42.0)


class ChangingDict(dict[str, Any]):
    def items(self) -> Any:
        return iter([("lie", 42)] * 10)

    def __iter__(self) -> Any:
        return iter(["lie"])

    def __len__(self) -> int:
        return 10**9

    def __getitem__(self, key: str) -> Any:
        return 42


class ChangingList(list[Any]):
    def __iter__(self) -> Any:
        while True:
            yield 42

    def __len__(self) -> int:
        return 0

    def __getitem__(self, index: Any) -> Any:
        return [42] * 7


class LyingTuple(tuple[Any, ...]):
    def __iter__(self) -> Any:
        return iter([42])

    def __len__(self) -> int:
        return 1


class LyingNumber(float):
    def __float__(self) -> float:
        return 42.0

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LyingText(str):
    def __str__(self) -> str:
        return "lie"

    def encode(self, *_args: object) -> bytes:
        return b"lie"


@returned
def liar() -> object:
    return {"loss": Liar()}


@returned
def lying_array() -> object:
    return np.arange(2.0).view(LyingArray)


@returned
def lying_tensor() -> object:
    return torch.arange(2.0).as_subclass(LyingTensor)


@returned
def changing_dict() -> object:
    return ChangingDict(a=1)


@returned
def changing_list() -> object:
    return ChangingList([1, 2])


@returned
def lying_tuple() -> object:
    return LyingTuple((1, 2))


@returned
def lying_scalars() -> object:
    return [LyingNumber(0.5), LyingText("text")]


@returned
def dict_whose_keys_become_one() -> object:
    return {np.float32(1): 1, np.float32(2): 2} | {LyingText("a"): 1, "b": 2}
