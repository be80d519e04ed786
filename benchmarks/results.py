"""What was measured: figures, the file that keeps them, and how one run compares with another.

A figure that names another one (`versus`) says how many times as much it is: two machines can be compared by that,
and two days of one machine. Absolute times never are.
"""

import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DIGITS = 4
# Fewer samples say nothing of what one in twenty takes.
LEAST_FOR_P95 = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What `series` took `at` a problem or a size. `versus`: the key of the figure that it is divided by."""

    what: str
    series: str
    at: str | int
    unit: str
    count: int
    median: float
    least: float
    most: float
    p95: float | None = None
    versus: str | None = None

    @property
    def key(self) -> str:
        return key_of(self.what, self.series, self.at)

    @property
    def is_rate(self) -> bool:
        """More is better."""
        return self.unit.endswith("/s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a run. `busy_cores`: how many cores others used before it began. `notes`: what was not measured."""

    date: str
    machine: Mapping[str, str | int]
    versions: Mapping[str, str]
    repeat: int
    busy_cores: float
    notes: Sequence[str]
    figures: Sequence[Figure]

    def find(self, key: str | None) -> Figure | None:
        return next((figure for figure in self.figures if figure.key == key), None)

    def ratios(self) -> dict[str, float]:
        """By key, of the figures whose `versus` was measured too."""
        pairs = ((figure, self.find(figure.versus)) for figure in self.figures)
        return {one.key: one.median / other.median for one, other in pairs if other is not None and other.median}


Results = Mapping[str, Part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A ratio that moved, or that only one of two runs has."""

    part: str
    figure: Figure
    was: float | None
    now: float | None
    is_worse: bool

    def __str__(self) -> str:
        name = f"{self.part}: {self.figure.key}"
        if self.was is None or self.now is None:
            return f"{name} was {'not measured before' if self.was is None else 'measured before, and not now'}"
        moved = max(self.now / self.was, self.was / self.now)
        word = "worse" if self.is_worse else "better"
        times = f"{self.now:.3g} times {self.figure.versus}, was {self.was:.3g}"
        return f"{name} is {times}: {word} by a factor of {moved:.2f}"


def key_of(what: str, series: str, at: str | int) -> str:
    return f"{what} / {series} / {at}"


def reduce(
    samples: Sequence[float], *, what: str, series: str, at: str | int, unit: str = "s", versus: str | None = None
) -> Figure:
    """`samples`: at least one."""
    ordered = sorted(samples)
    p95 = ordered[math.ceil(0.95 * len(ordered)) - 1] if len(ordered) >= LEAST_FOR_P95 else None
    return Figure(
        what=what,
        series=series,
        at=at,
        unit=unit,
        count=len(ordered),
        median=_rounded(statistics.median(ordered)),
        least=_rounded(ordered[0]),
        most=_rounded(ordered[-1]),
        p95=None if p95 is None else _rounded(p95),
        versus=versus,
    )


def compare(old: Results, new: Results, factor: float) -> list[Change]:
    """Every ratio that is more than `factor` times, or less than one `factor`-th of, what it was; the worse ones first.

    Only of parts that both runs have.
    """
    changes = [change for part in old.keys() & new.keys() for change in _changes(part, old[part], new[part], factor)]
    return sorted(changes, key=lambda change: (not change.is_worse, str(change)))


def _changes(name: str, old: Part, new: Part, factor: float) -> Iterator[Change]:
    was, now = old.ratios(), new.ratios()
    for key in was.keys() | now.keys():
        figure = new.find(key) or old.find(key)
        assert figure is not None
        if key not in was or key not in now:
            yield Change(part=name, figure=figure, was=was.get(key), now=now.get(key), is_worse=False)
            continue
        moved = now[key] / was[key]
        if max(moved, 1 / moved) > factor:
            yield Change(part=name, figure=figure, was=was[key], now=now[key], is_worse=(moved < 1) == figure.is_rate)


def read_results(path: Path) -> dict[str, Part]:
    """Empty where there is no such file."""
    if not path.exists():
        return {}
    return {name: _part(content) for name, content in json.loads(path.read_text()).items()}


def write_results(path: Path, results: Results) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(_lines(name, results[name]) for name in sorted(results)) + "\n}\n")


def _part(content: dict[str, Any]) -> Part:
    return Part(**content | {"figures": tuple(Figure(**figure) for figure in content["figures"])})


def _lines(name: str, part: Part) -> str:
    """A figure in each line, so that a difference between two files can be read."""
    head = {key: value for key, value in asdict(part).items() if key != "figures"}
    figures = ({key: value for key, value in asdict(figure).items() if value is not None} for figure in part.figures)
    heads = "".join(f"    {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    listed = ",\n".join(f"      {json.dumps(figure)}" for figure in figures)
    return f'  {json.dumps(name)}: {{\n{heads}    "figures": [\n{listed}\n    ]\n  }}'


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
