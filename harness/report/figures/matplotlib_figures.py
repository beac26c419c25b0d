"""Figures for papers, as PNG and SVG, by Matplotlib (the extra ``plots``).

The same runs give the same bytes of SVG: no dates, and ids from a fixed salt.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import UserError
from ...stats.metrics import Row
from ...store import counts
from ..sources import Sources
from .paired import panels
from .svg import ORDER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colour-blind safe (Okabe and Ito, "Color Universal Design", 2008).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: Of the verdicts, in the order of `ORDER`.
VERDICTS = ("#009E73", "#D55E00", "#E69F00", "#F0C05A", "#BBBBBB", "#8E7CC3", "#B4A7D6", "#D9D2E9")
MARKERS = "osD^vPX"
STYLE: Any = {
    "svg.hashsalt": "calculus-harness",
    "svg.fonttype": "none",  # text stays text, to be found and set in the paper's font
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 200,
}


def write_figures(sources: Sources, directory: Path) -> list[Path]:
    """Draw what there is to draw; returns the files, a PNG and an SVG of each figure."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError(
            "figures need the extra 'plots': pip install 'calculus-harness[plots]'"
        ) from None
    written: list[Path] = []
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with matplotlib.rc_context(STYLE):
            for name, draw in (
                ("pass_at_k", _pass_curves),
                ("subsets", _ladder),
                ("verdicts", _verdicts),
                ("tokens", _tokens),
            ):
                figure = Figure(layout="constrained")
                if draw(figure, sources):
                    written += _save(figure, directory / name)
    except OSError as error:
        raise UserError(f"cannot write {directory}: {error.strerror or error}") from None
    return written


def _save(figure: Figure, path: Path) -> Iterator[Path]:
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        target = path.with_suffix(suffix)
        figure.savefig(target, metadata=metadata)
        yield target


def _text(name: str) -> str:
    """A name as it is: a dollar sign would begin mathematics."""
    return name.replace("$", r"\$")


def _pass_curves(figure: Figure, sources: Sources) -> bool:
    """pass@k over k with its intervals, a panel for each model."""
    found = panels(sources)
    if not found:
        return False
    across = min(3, len(found))
    down = -(-len(found) // across)
    figure.set_size_inches(3.4 * across, 2.7 * down)
    axes = figure.subplots(down, across, squeeze=False, sharey=True)
    for at, ax in enumerate(axes.flat):
        if at >= len(found):
            ax.set_axis_off()
            continue
        panel = found[at]
        for place, curve in enumerate(panel.curves):
            colour = COLOURS[place % len(COLOURS)]
            ks = [point.k for point in curve.points]
            ax.plot(
                ks,
                [100 * point.value for point in curve.points],
                color=colour,
                lw=1.5,
                ls="-" if place < len(COLOURS) else "--",
                label=_text(curve.name),
            )
            low, high = zip(*(point.interval for point in curve.points), strict=True)
            ax.fill_between(
                ks, [100 * v for v in low], [100 * v for v in high], color=colour, alpha=0.15, lw=0
            )
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        ax.set_ylim(0, 100)
        ax.set_title(_text(panel.title), fontsize=9)
        ax.set_xlabel("k")
        ax.legend(fontsize=7)
        if at % across == 0:
            ax.set_ylabel("pass@k in percent")
    return True


def _rows(sources: Sources) -> tuple[list[str], list[str], dict[tuple[str, str], Row]]:
    """Models, subsets and the rows by both; "all" only where it is alone."""
    rows = {(row.label, row.subset): row for row in sources.summary.rows if row.passes}
    labels = list(dict.fromkeys(label for label, _ in rows))
    subsets = list(dict.fromkeys(subset for _, subset in rows if subset != "all"))
    return labels, subsets, rows


def _ladder(figure: Figure, sources: Sources) -> bool:
    """pass@1 of every subset, side by side for the models."""
    labels, subsets, rows = _rows(sources)
    if not rows:
        return False
    figure.set_size_inches(max(3.4, 0.8 * len(subsets) + 2.2), 2.9)
    ax: Axes = figure.subplots()
    for place, label in enumerate(labels):
        shift = 0.14 * (place - (len(labels) - 1) / 2)
        points = [
            (i + shift, rows[label, subset].passes[0])
            for i, subset in enumerate(subsets)
            if (label, subset) in rows
        ]
        values = [100 * found.value for _, found in points]
        ends = [
            [100 * abs(found.value - found.interval[side]) for _, found in points]
            for side in (0, 1)
        ]
        ax.errorbar(
            [x for x, _ in points],
            values,
            yerr=ends,
            color=COLOURS[place % len(COLOURS)],
            marker=MARKERS[place % len(MARKERS)],
            ms=4.5,
            lw=1,
            elinewidth=1,
            capsize=2,
            clip_on=False,
            label=_text(label),
        )
    ax.set_xticks(range(len(subsets)), [_text(name) for name in subsets], rotation=20, ha="right")
    ax.set_ylim(0, 100)
    ax.set_ylabel("pass@1 in percent")
    ax.grid(axis="y", lw=0.4, alpha=0.5)
    if len(labels) > 1:
        ax.legend(fontsize=7)
    return True


def _verdicts(figure: Figure, sources: Sources) -> bool:
    """Shares of the verdicts, a bar for each model and subset."""
    rows = [row for row in sources.summary.rows if row.subset != "all"]
    if not rows:
        return False
    several = len({row.label for row in rows}) > 1
    figure.set_size_inches(5.6, 0.3 * len(rows) + 1.1)
    ax: Axes = figure.subplots()
    names = [_text(f"{row.subset} · {row.label}" if several else row.subset) for row in rows]
    starts = [0.0] * len(rows)
    for status, colour in zip(ORDER, VERDICTS, strict=True):
        shares = [100 * row.rates[status] for row in rows]
        if any(shares):
            ax.barh(
                range(len(rows)),
                shares,
                left=starts,
                color=colour,
                height=0.7,
                label=status.replace("_", " "),
            )
            starts = [start + share for start, share in zip(starts, shares, strict=True)]
    ax.set_yticks(range(len(rows)), names)
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("percent of the answers")
    figure.legend(loc="outside upper center", ncols=4, fontsize=7)
    return True


def _tokens(figure: Figure, sources: Sources) -> bool:
    """How many tokens answers take; characters where tokens are not counted."""
    series: dict[str, dict[str, dict[int, int]]] = {"tokens": {}, "characters": {}}
    for run, names in zip(sources.runs, sources.names, strict=True):
        sums = counts.totals(run.completions)
        for model, name in names.items():
            mine = [one for (of, _), one in sums.items() if of == model]
            for what, found in series.items():
                if bins := counts.histogram(mine, what):
                    found[name] = bins
    unit = "tokens" if series["tokens"] else "characters"
    if not series[unit]:
        return False
    figure.set_size_inches(4.2, 2.7)
    ax: Axes = figure.subplots()
    for place, (name, bins) in enumerate(series[unit].items()):
        total = sum(bins.values())
        indices = range(max(1, min(bins)), max(bins) + 2)
        edges = [counts.bin_start(index) for index in indices]
        heights = [100 * bins.get(index, 0) / total for index in indices[:-1]]
        ax.stairs(heights, edges, color=COLOURS[place % len(COLOURS)], lw=1.4, label=_text(name))
    ax.set_xscale("log")
    ax.set_xlabel(f"{unit} of a completion")
    ax.set_ylabel("percent of the answers")
    if len(series[unit]) > 1:
        ax.legend(fontsize=7)
    return True
