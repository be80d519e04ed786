"""The measured figures, the file that stores them, and the comparison of two runs.

A figure may name another one (`versus`). The comparison uses their ratios, because absolute times differ between
machines and days.
"""

import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DIGITS = 4
# The fewest samples that have a 95th percentile.
MIN_FOR_P95 = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """The measurement of a `series` at a problem or size. `versus`: the key of the figure to divide by."""

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
        """Whether more is better."""
        return self.unit.endswith("/s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a run. `busy_cores`: the cores that other processes used before it. `notes`: what is missing."""

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
        """Return the ratios by key, for figures whose `versus` was measured too."""
        pairs = ((figure, self.find(figure.versus)) for figure in self.figures)
        return {one.key: one.median / other.median for one, other in pairs if other is not None and other.median}


Results = Mapping[str, Part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A ratio that changed, or that only one of the two runs has."""

    part: str
    figure: Figure
    was: float | None
    now: float | None
    is_worse: bool

    def __str__(self) -> str:
        name = f"{self.part}: {self.figure.key}"
        if self.was is None or self.now is None:
            return f"{name} was {'not measured before' if self.was is None else 'measured before, but not now'}"
        moved = max(self.now / self.was, self.was / self.now)
        word = "worse" if self.is_worse else "better"
        times = f"{self.now:.3g} times {self.figure.versus}, was {self.was:.3g}"
        return f"{name} is {times}: {word} by a factor of {moved:.2f}"


def key_of(what: str, series: str, at: str | int) -> str:
    return f"{what} / {series} / {at}"


def reduce(
    samples: Sequence[float], *, what: str, series: str, at: str | int, unit: str = "s", versus: str | None = None
) -> Figure:
    """Summarise at least one sample."""
    ordered = sorted(samples)
    p95 = ordered[math.ceil(0.95 * len(ordered)) - 1] if len(ordered) >= MIN_FOR_P95 else None
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
    """List the ratios that changed by more than `factor`, in parts that both runs have. The worse ones come first."""
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
    """Read the file. Empty if it does not exist."""
    if not path.exists():
        return {}
    return {name: _part(content) for name, content in json.loads(path.read_text()).items()}


def write_results(path: Path, results: Results) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(_lines(name, results[name]) for name in sorted(results)) + "\n}\n")


def _part(content: dict[str, Any]) -> Part:
    return Part(**content | {"figures": tuple(Figure(**figure) for figure in content["figures"])})


def _lines(name: str, part: Part) -> str:
    """Return JSON with one figure per line, so that diffs are readable."""
    head = {key: value for key, value in asdict(part).items() if key != "figures"}
    figures = ({key: value for key, value in asdict(figure).items() if value is not None} for figure in part.figures)
    heads = "".join(f"    {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
    listed = ",\n".join(f"      {json.dumps(figure)}" for figure in figures)
    return f'  {json.dumps(name)}: {{\n{heads}    "figures": [\n{listed}\n    ]\n  }}'


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
