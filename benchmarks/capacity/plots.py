"""Plots of the simulated scenarios, and of the check."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from benchmarks.capacity.costs import MEASURED_RUN, RUN_AGE, RUN_VERDICT, SIMULATED_RUN
from benchmarks.capacity.scenarios import Outcome
from benchmarks.capacity.simulation import MINUTE_SECONDS
from benchmarks.plots import COLORS, STYLE, WIDTH
from benchmarks.results import Part

PANEL_HEIGHT = 2.6
SENT, BUSY = COLORS[:2]


def write_plots(folder: Path, outcomes: Sequence[Outcome], part: Part) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        _save(folder / "capacity-busy.svg", _draw_scenarios(outcomes))
        _save(folder / "capacity-check.svg", _draw_check(part))


def _save(path: Path, picture: Any) -> None:
    picture.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(picture)


def _draw_scenarios(outcomes: Sequence[Outcome]) -> Any:
    """Draw a panel for each scenario: submissions a second, and the slots in use, over the minutes."""
    picture, panels = plt.subplots(1, len(outcomes), figsize=(WIDTH, PANEL_HEIGHT), layout="constrained")
    for panel, outcome in zip(panels, outcomes, strict=True):
        log, fleet = outcome.log, outcome.fleet
        minutes = range(max(log.sent))
        slots = fleet.workers * fleet.slots * MINUTE_SECONDS
        rates = [outcome.scenario.sample * log.sent[minute] / MINUTE_SECONDS for minute in minutes]
        used = [100 * min(1.0, log.slot_seconds[minute] / slots) for minute in minutes]
        panel.set_title(outcome.scenario.name)
        panel.set_xlabel("minutes")
        panel.plot(minutes, rates, color=SENT)
        panel.set_ylim(0)
        panel.set_ylabel("submissions a second", color=SENT)
        beside = panel.twinx()
        beside.plot(minutes, used, color=BUSY)
        beside.set_ylim(0, 100)
        beside.grid(visible=False)
        beside.set_ylabel("slots in use, %", color=BUSY)
    return picture


def _draw_check(part: Part) -> Any:
    """Draw a panel for each time of the check, with a dot for each quantile."""
    titles = {RUN_VERDICT: "Seconds to the verdict", RUN_AGE: "Seconds in the queue"}
    picture, panels = plt.subplots(1, len(titles), figsize=(WIDTH, PANEL_HEIGHT), layout="constrained")
    for panel, (what, title) in zip(panels, titles.items(), strict=True):
        panel.set_title(title)
        for color, series in zip(COLORS, (MEASURED_RUN, SIMULATED_RUN), strict=False):
            figures = [each for each in part.figures if (each.what, each.series) == (what, series)]
            places = range(len(figures))
            panel.plot(places, [each.median for each in figures], color=color, marker="o", label=series)
            panel.set_xticks(places, [str(each.at) for each in figures])
        panel.set_ylim(0)
        panel.legend(frameon=False, loc="upper left")
    return picture
