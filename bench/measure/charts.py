"""Draws a run's charts with matplotlib: charts.py RUN. Runs in the bench's virtual environment."""

import itertools
import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
# The same figures give the same file.
matplotlib.rcParams["svg.hashsalt"] = "poi-bench"
matplotlib.rcParams["svg.fonttype"] = "none"
matplotlib.rcParams["font.size"] = 9

from matplotlib import pyplot, ticker

from figures import Figures

OURS, FLOOR, OTHERS = "#c1121f", "#222222", "#9aa5b1"


LABELS = {"toolkit": "poi-import, poi-dedup", "floor whole": "the same work in C"}


def label(name):
    return LABELS.get(name, name)


def color(name):
    return OURS if name == "toolkit" else FLOOR if name.startswith("floor") else OTHERS


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def draw_time(figures, folder):
    size = figures.main_size
    names = ["floor whole", "toolkit"] + figures.names(size, "peer")
    names = [name for name in names if figures.median(name, size)]
    names.sort(key=lambda name: -figures.median(name, size))
    chart, axes = pyplot.subplots(figsize=(8, 0.32 * len(names) + 1.2))
    values = [figures.median(name, size) for name in names]
    bars = axes.barh([label(name) for name in names], values, color=[color(name) for name in names])
    axes.bar_label(bars, [f"{value:.3g} s" for value in values], padding=3)
    axes.margins(x=0.12)
    axes.set_title(f"{size:,} records to a store without duplicates")
    axes.set_xlabel("seconds")
    axes.spines[["top", "right"]].set_visible(False)
    save(chart, folder, "time")


def draw_lines(figures, folder, name, title, unit, value):
    chart, axes = pyplot.subplots(figsize=(9, 5))
    # Twenty colours, and another marker when a colour is used again.
    looks = itertools.product("osv", pyplot.get_cmap("tab20").colors)
    names = []
    for size in figures.sizes:
        names += [known for known in ["floor whole", "toolkit"] + figures.names(size, "peer")
                  if known not in names]
    for known in names:
        points = [(size, value(known, size)) for size in figures.sizes
                  if figures.runs(known, size)]
        if points:
            if color(known) == OTHERS:
                mark, shade = next(looks)
                axes.plot(*zip(*points), marker=mark, markersize=4, label=label(known), linewidth=1,
                          color=shade)
            else:
                axes.plot(*zip(*points), marker="o", markersize=4, label=label(known), linewidth=2.5,
                          color=color(known))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda number, _: f"{number:g}"))
    axes.set_xticks(figures.sizes, [f"{size:,}" for size in figures.sizes])
    axes.set_title(title)
    axes.set_xlabel("records")
    axes.set_ylabel(unit)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    save(chart, folder, name)


def main():
    folder = pathlib.Path(sys.argv[1])
    figures = Figures(json.loads((folder / "raw.json").read_text()))
    draw_time(figures, folder)
    draw_lines(figures, folder, "memory", "Peak memory", "MB",
               lambda name, size: figures.peak(name, size) / 1e6)
    draw_lines(figures, folder, "scaling", "Time per record", "microseconds",
               lambda name, size: figures.median(name, size) / size * 1e6)


if __name__ == "__main__":
    main()
