"""Plots of the figures as SVG, with direct labels, readable on light and dark pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from benchmarks.report import SUBJECTS, Subject, find_figures, short
from benchmarks.results import Figure, Results

# Each color has a contrast of 3.8 to 4.9 with both #ffffff and #0d1117.
INK = "#757d88"
COLORS = ("#2f7fd6", "#d0601a", "#1f9254", "#c44f8f", "#8b6fd0", "#a37b12", "#1e8f8f")
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "allclose",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "savefig.transparent": True,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    "grid.color": INK,
}
UNITS = {"s": "seconds", "ms": "milliseconds"}
WIDTH = 10.0
COLUMNS = 2
LINE_PANEL_HEIGHT = 2.8
ROW_HEIGHT = 0.27
FRAME_HEIGHT = 0.75
# The distance of two labels at the ends of lines, as a share of the panel's height.
LABEL_GAP = 0.085


def write_plots(folder: Path, results: Results) -> None:
    """Write a file for each plot in `SUBJECTS` that `results` has figures for."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        for plot in dict.fromkeys(subject.plot for subject in SUBJECTS if subject.plot):
            drawn = {
                subject: figures
                for subject in SUBJECTS
                if subject.plot == plot and subject.part in results
                if (figures := find_figures(results[subject.part], subject))
            }
            if drawn:
                _save(folder / f"{plot}.svg", drawn)


def _save(path: Path, drawn: Mapping[Subject, Sequence[Figure]]) -> None:
    figures = next(iter(drawn.values()))
    picture = _draw_lines(drawn) if isinstance(figures[0].at, int) else _draw_rows(figures)
    picture.savefig(path, bbox_inches="tight", metadata={"Date": None})
    plt.close(picture)


def _draw_lines(drawn: Mapping[Subject, Sequence[Figure]]) -> Any:
    """Draw a panel for each subject, with lines over the size."""
    picture, panels = _panels(len(drawn), LINE_PANEL_HEIGHT)
    for panel, (subject, figures) in zip(panels, drawn.items(), strict=True):
        panel.set_title(subject.title)
        panel.set_xscale("log")
        panel.set_yscale("log")
        sizes = sorted({int(figure.at) for figure in figures})
        panel.set_xticks(sizes, [f"{size // 1000}k" if size >= 10_000 else f"{size:,}" for size in sizes])
        panel.xaxis.set_minor_locator(NullLocator())
        ends = []
        for color, series in zip(COLORS, dict.fromkeys(figure.series for figure in figures), strict=False):
            line = sorted((figure for figure in figures if figure.series == series), key=lambda figure: int(figure.at))
            places, medians = [figure.at for figure in line], [figure.median for figure in line]
            panel.plot(places, medians, color=color, marker="o", markersize=4)
            panel.fill_between(
                places, [one.least for one in line], [one.most for one in line], color=color, alpha=0.18, linewidth=0
            )
            ends.append((line[-1], color))
        panel.set_xlabel(subject.rows)
        _count_up(panel.yaxis, figures[0].unit)
        _label_ends(panel, ends)
    return picture


def _label_ends(panel: Any, ends: Sequence[tuple[Figure, str]]) -> None:
    """Write the name of each line at its right end, moved up if it would cover another name."""
    panel.get_ylim()  # settles the axis
    to_share = panel.transData + panel.transAxes.inverted()
    placed = -1.0
    for figure, color in sorted(ends, key=lambda end: end[0].median):
        share = to_share.transform((figure.at, figure.median))[1]
        placed = max(share, placed + LABEL_GAP)
        panel.annotate(
            figure.series,
            (1.02, placed),
            xycoords="axes fraction",
            color=color,
            va="center",
            fontsize=8,
            annotation_clip=False,
        )


def _draw_rows(figures: Sequence[Figure]) -> Any:
    """Draw a panel for each problem on a shared axis, with a row for each series and a dot at the median."""
    places, series = (
        list(dict.fromkeys(names)) for names in zip(*((one.at, one.series) for one in figures), strict=True)
    )
    picture, panels = _panels(len(places), FRAME_HEIGHT + ROW_HEIGHT * len(series), share_x=True)
    colors = dict(zip(series, COLORS, strict=False))
    for panel, place in zip(panels, places, strict=True):
        panel.set_title(str(place))
        panel.set_xscale("log")
        panel.margins(x=0.15)
        drawn = [figure for figure in figures if figure.at == place]
        panel.set_ylim(len(series) - 0.5, -0.5)
        panel.set_yticks(range(len(drawn)), [figure.series for figure in drawn])
        panel.tick_params(axis="y", length=0)
        panel.grid(visible=False, axis="y")
        panel.spines["left"].set_visible(False)
        for row, figure in enumerate(drawn):
            color = colors.get(figure.series, INK)
            panel.plot([figure.least, figure.most], [row, row], color=color, linewidth=3, alpha=0.4)
            panel.plot([figure.median], [row], color=color, marker="o", markersize=6)
            panel.annotate(
                short(figure.median),
                (figure.most, row),
                xytext=(7, 0),
                textcoords="offset points",
                color=color,
                va="center",
            )
        _count_up(panel.xaxis, figures[0].unit)
    return picture


def _panels(count: int, height: float, *, share_x: bool = False) -> tuple[Any, list[Any]]:
    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    picture, grid = plt.subplots(
        rows,
        columns,
        figsize=(WIDTH * columns / COLUMNS, height * rows),
        squeeze=False,
        sharex=share_x,
        layout="constrained",
    )
    panels = list(grid.flat)
    for unused in panels[count:]:
        unused.set_visible(False)
    for panel in panels:
        panel.tick_params(labelbottom=True)
    return picture, panels[:count]


def _count_up(axis: Any, unit: str) -> None:
    """Label a logarithmic axis with plain numbers, even if it spans less than a decade."""
    axis.set_label_text(UNITS.get(unit, unit))
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
