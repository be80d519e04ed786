"""The code of the plain exercise, in the words of each framework."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.catalog.parameter import Parameter


@dataclass(frozen=True, slots=True)
class _Words:
    """`square` and the like are expressions of a value `v`, a flat float array; `answer` of `total`."""

    imports: str
    flat: str
    mean: str
    product: str
    count: str
    norm: str
    magnitude: str
    answer: str


_WORDS = {
    "numpy": _Words(
        imports="import numpy as np",
        flat="np.asarray({}, dtype=np.float64).ravel()",
        mean="np.mean({})",
        product="v @ v",
        count="v.size",
        norm="np.linalg.norm(v)",
        magnitude="np.abs(v)",
        answer="np.float32(total)",
    ),
    "jax": _Words(
        imports="import jax.numpy as jnp",
        flat="jnp.asarray({}, dtype=jnp.float32).ravel()",
        mean="jnp.mean({})",
        product="jnp.dot(v, v)",
        count="v.size",
        norm="jnp.linalg.norm(v)",
        magnitude="jnp.abs(v)",
        answer="total",
    ),
    "torch": _Words(
        imports="import torch",
        flat="torch.as_tensor({}, dtype=torch.float32).reshape(-1)",
        mean="torch.mean({})",
        product="torch.dot(v, v)",
        count="v.numel()",
        norm="torch.linalg.vector_norm(v)",
        magnitude="torch.abs(v)",
        answer="total",
    ),
}


@dataclass(frozen=True, slots=True)
class Listing:
    framework: str
    entry_point: str
    parameters: tuple[Parameter, ...]

    def starter(self) -> str:
        raised = 'raise NotImplementedError("replace this line with your solution")'
        return f"{self._words.imports}\n\n\n{self._signature}\n    {raised}\n"

    def reference(self) -> str:
        return self._program(self._words.mean.format("v * v"))

    def accepted(self) -> Iterator[tuple[str, str]]:
        yield "with_products", self._program(f"{self._words.product} / {self._words.count}")
        yield "with_norms", self._program(f"{self._words.norm} ** 2 / {self._words.count}")

    def wrong(self) -> Iterator[tuple[str, str]]:
        mean = self._words.mean
        right = mean.format("v * v")
        sentence = "averages magnitudes where the problem asks for squares"
        yield "magnitude_for_square", _mistaken(sentence, self._program(mean.format(self._words.magnitude)))
        sentence = "adds up the mean squares without their weights"
        yield "weights_left_out", _mistaken(sentence, self._program(right, weight="1"))
        if any(parameter.is_array for parameter in self.parameters):
            sentence = "squares the mean where the problem asks for the mean of the squares"
            yield "square_of_the_mean", _mistaken(sentence, self._program(f"{mean.format('v')} ** 2"))
        if len(self.parameters) > 1:
            sentence = f"leaves {self._names[-1]} out"
            yield "last_left_out", _mistaken(sentence, self._program(right, names=self._names[:-1]))

    @property
    def _words(self) -> _Words:
        return _WORDS[self.framework]

    @property
    def _names(self) -> list[str]:
        return [parameter.name for parameter in self.parameters]

    @property
    def _signature(self) -> str:
        return f"def {self.entry_point}({', '.join(self._names)}):"

    def _program(self, term: str, *, weight: str = "weight", names: Sequence[str] | None = None) -> str:
        given = self._names if names is None else names
        values = ", ".join(given) + ("," if len(given) == 1 else "")
        return f"""{self._words.imports}


{self._signature}
    total = 0.0
    for weight, value in enumerate(({values}), start=2):
        v = {self._words.flat.format("value")}
        total += {weight} * {_grouped(term)}
    return {self._words.answer}
"""


def listing_of(framework: str, entry_point: str, parameters: Sequence[Parameter]) -> Listing:
    return Listing(framework, entry_point, tuple(parameters))


def _mistaken(sentence: str, program: str) -> str:
    return f'"""Mistake: {sentence}."""\n\n{program}'


def _grouped(term: str) -> str:
    return f"({term})" if " " in term and not term.endswith(")") else term
