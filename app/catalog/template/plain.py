"""Write an exercise for any numeric parameters: the weighted sum of their mean squares, in each framework."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from app.catalog.parameter import Parameter

PLAIN_FRAMEWORKS = ("numpy", "jax", "torch")
SUMMARY = "Add up the mean squares of the parameters, each with its weight."
FIRST_WEIGHT = 2  # the second parameter has 3, and so on
# The values of symbolic sizes, in turn: for the sample, and for the two hidden cases.
SAMPLE_SIZES, SMALL_SIZES, LARGE_SIZES = (3, 2), (5, 4, 2), (40, 6, 3)
_HIDDEN = (("small", SMALL_SIZES), ("large", LARGE_SIZES))
_EDITORIAL = """## Walkthrough

Square, average, weigh, add up: one reduction for each parameter.

## Complexity

Linear in the number of elements.
"""
_STATEMENT = """## Why this matters

This exercise is a stand-in: it is right as it is, so that everything works while you change it into yours. Here you say
what yours teaches, and where it is met in practice.

## Worked example

| parameter | value | mean of its squares | weight |
|---|---|---|---|
{steps}

The answer is **{answer}**.

## Common pitfalls

- **The mean of the squares** is not the square of the mean.
- **Every parameter has its own weight**, in their order, from 2 on.

## Problem

Write `{signature}`, which returns

$${formula},$$

where the bar is the mean over all elements; of a plain number that is the number itself.

## Output

An array of shape `()` and dtype `float32`.
"""


@dataclass(frozen=True, slots=True)
class _Words:
    """Expressions of a framework, about a flat float array `v`; `answer` is about `total`."""

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
        sentence = "averages magnitudes instead of squares"
        yield "magnitude_for_square", _mistaken(sentence, self._program(mean.format(self._words.magnitude)))
        sentence = "adds up the mean squares without their weights"
        yield "weights_left_out", _mistaken(sentence, self._program(right, weight="1"))
        if any(parameter.is_array for parameter in self.parameters):
            sentence = "squares the mean instead of averaging the squares"
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


@dataclass(frozen=True, slots=True)
class _Term:
    """A parameter with its weight and its value in the worked example."""

    parameter: Parameter
    weight: int
    shape: tuple[int, ...]
    values: list[float]

    @property
    def mean_square(self) -> float:
        return sum(value * value for value in self.values) / len(self.values)


def write_plain(framework: str, entry_point: str, parameters: Sequence[Parameter]) -> dict[str, str]:
    listing = listing_of(framework, entry_point, parameters)
    sizes = {name: SAMPLE_SIZES[i % len(SAMPLE_SIZES)] for i, name in enumerate(_symbols(parameters))}
    terms = [_term(parameter, weight, sizes) for weight, parameter in enumerate(parameters, FIRST_WEIGHT)]
    return {
        "problem.yaml": _manifest(listing, terms),
        "statement.md": _statement(listing, terms),
        "starter.py": listing.starter(),
        "reference.py": listing.reference(),
        "editorial.md": _EDITORIAL,
        **{f"submissions/accepted/{name}.py": text for name, text in listing.accepted()},
        **{f"submissions/wrong_answer/{name}.py": text for name, text in listing.wrong()},
    }


def _symbols(parameters: Sequence[Parameter]) -> list[str]:
    return list(dict.fromkeys(size for each in parameters for size in each.shape or () if isinstance(size, str)))


def _term(parameter: Parameter, weight: int, sizes: dict[str, int]) -> _Term:
    shape = tuple(sizes[size] if isinstance(size, str) else size for size in parameter.shape or ())
    return _Term(parameter, weight, shape, [float(n % 4 + 2) for n in range(prod(shape))])


def _manifest(listing: Listing, terms: Sequence[_Term]) -> str:
    declared = "\n".join(f"  - {_declaration(term.parameter)}" for term in terms)
    worked = "\n".join(f"      {term.parameter.name}: {_literal(term)}" for term in terms)
    symbols = _symbols([term.parameter for term in terms])
    hidden = "\n".join(_hidden_case(name, terms, symbols, sizes) for name, sizes in _HIDDEN)
    return f"""title: title
summary: summary
difficulty: beginner
estimated_minutes: 10
tags: [{listing.framework}, reduction]
license: license

# What a box imports; fewer start faster.
frameworks: [{listing.framework}]
entry_point: {listing.entry_point}
parameters:
{declared}
returns: {{type: {listing.framework}, shape: [], dtype: float32, doc: "the weighted sum of mean squares"}}

# `allclose problem verify` measures how far right answers differ and wrong ones are off, and says what to write here.
tolerance: {{rtol: 1.0e-5, atol: 1.0e-5}}
limits: {{wall_seconds: 5, memory_mib: 512}}

cases:
  - name: worked_example
    visibility: sample
    doc: The numbers of the statement.
    inputs:
{worked}
  # Hidden inputs are drawn anew for every revision, so that no answer can be known before.
{hidden}

hints:
  - The mean of the squares, not the square of the mean.
quiz:
  - question: Which of the two is never smaller?
    choices: [The mean of the squares, The square of the mean]
    answer: 0
    explanation: Their difference is the variance.
"""


def _declaration(parameter: Parameter) -> str:
    keys = [f"name: {parameter.name}", f"type: {parameter.type}"]
    if parameter.is_array:
        keys += [f"shape: [{', '.join(map(str, parameter.shape or ()))}]", f"dtype: {parameter.dtype}"]
    doc = "an array of numbers" if parameter.is_array else "a number"
    return "{" + ", ".join(keys) + f', doc: "{doc}"}}'


def _literal(term: _Term) -> str:
    if not term.parameter.is_array:
        return _number(term.values[0])
    values = iter(term.values)
    return str(_nested(values, term.shape)).replace("'", "")


def _nested(values: Iterator[float], shape: Sequence[int]) -> Any:
    if not shape:
        return _number(next(values))
    return [_nested(values, shape[1:]) for _ in range(shape[0])]


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.6g}"


def _hidden_case(name: str, terms: Sequence[_Term], symbols: list[str], sizes: tuple[int, ...]) -> str:
    given = {symbol: sizes[i % len(sizes)] for i, symbol in enumerate(symbols)}
    lines = [f"      {term.parameter.name}: {_draw(term.parameter, given)}" for term in terms]
    return "\n".join([f"  - name: {name}", "    inputs:", *lines])


def _draw(parameter: Parameter, sizes: dict[str, int]) -> str:
    if parameter.type == "float":
        return "{draw: uniform, low: 1.5, high: 3}"
    if parameter.type == "int":
        return "{draw: integers, low: 2, high: 9}"
    shape = ", ".join(str(sizes.get(str(size), size)) for size in parameter.shape or ())
    if "float" in str(parameter.dtype):
        return f"{{draw: normal, shape: [{shape}], loc: 2}}"
    return f"{{draw: integers, shape: [{shape}], low: 1, high: 9}}"


def _statement(listing: Listing, terms: Sequence[_Term]) -> str:
    formula = " + ".join(rf"{t.weight} \, \overline{{{_symbol(t.parameter.name)}^2}}" for t in terms)
    steps = "\n".join(
        f"| `{t.parameter.name}` | {_literal(t)} | {_number(t.mean_square)} | {t.weight} |" for t in terms
    )
    answer = _number(sum(t.weight * t.mean_square for t in terms))
    signature = f"{listing.entry_point}({', '.join(t.parameter.name for t in terms)})"
    return _STATEMENT.format(formula=formula, steps=steps, answer=answer, signature=signature)


def _symbol(name: str) -> str:
    escaped = name.replace("_", r"\_")
    return name if len(name) == 1 else rf"\mathrm{{{escaped}}}"
