"""Figures as files: SVG as on the page; PDF and PNG with Matplotlib (the extra ``plots``)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ...core.errors import UserError, needing
from ...store.atomic import check_output, write_output
from .colours import CLASSES, LIGHT, style_sheet
from .figure import Figure, Shape, svg

_INCH = 110  # pixels


def write_figures(figures: Iterable[Figure], directory: Path) -> list[Path]:
    """Write each figure as SVG, PDF and PNG. The same figure gives the same bytes every time.

    Args:
        figures: the figures, for example from `page.sections.figures`.
        directory: the folder of the files; a missing folder is made.

    Returns:
        The files.

    Raises:
        UserError: Matplotlib is not installed, or the directory cannot be written.

    """
    check_figures(directory)
    import matplotlib

    style = style_sheet()
    written: list[Path] = []
    try:
        with matplotlib.rc_context({"pdf.fonttype": 42}):
            for figure in figures:
                path = directory / f"{figure.name}.svg"
                path.write_text(svg(figure, style), encoding="utf-8")
                written += [path, *_draw(figure, path)]
    except OSError as error:
        raise UserError(f"cannot write {directory}: {error.strerror or error}") from None
    return written


def write_svg(figures: Iterable[Figure], directory: Path) -> list[Path]:
    """Write each figure as SVG; no extra is needed.

    Args:
        figures: the figures.
        directory: the folder of the files; a missing folder is made.

    Returns:
        The files.

    Raises:
        UserError: the directory cannot be written.

    """
    style = style_sheet()
    written = []
    for figure in figures:
        path = directory / f"{figure.name}.svg"
        write_output(path, svg(figure, style).encode())
        written.append(path)
    return written


def check_figures(directory: Path) -> None:
    """Raise `UserError` if Matplotlib is not installed, or the directory cannot be written."""
    check_output(directory / "figure.svg")
    with needing("figures need the extra 'plots'", "plots"):
        import matplotlib  # noqa: F401


def _draw(figure: Figure, path: Path) -> list[Path]:
    from matplotlib import figure as drawing

    size = figure.width / _INCH, figure.height / _INCH
    drawn = drawing.Figure(figsize=size, dpi=200)
    axes = drawn.add_axes((0, 0, 1, 1), xlim=(0, figure.width), ylim=(figure.height, 0))
    axes.axis("off")
    for index, shape in enumerate(figure.shapes):
        x, y = zip(*shape.points, strict=True)
        colour, classes = _colour(shape), shape.style.split()
        if shape.kind == "text":
            points = (
                6.8 if "tick" in classes else 7.2
            )  # Matplotlib's font is wider than a browser's
            weight = "bold" if {"end", "heading"} & set(classes) else "normal"
            axes.text(
                *shape.points[0],
                shape.text,
                color=colour,
                size=points,
                weight=weight,
                ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
                parse_math=False,
                zorder=index,
            )
        elif shape.kind == "line":
            width = 1.3 if "curve" in classes else 0.8
            axes.plot(
                x, y, color=colour, lw=width, ls="--" if "dashed" in classes else "-", zorder=index
            )
        elif shape.kind == "dot":
            filled = "none" if "unsure" in classes else "full"
            axes.plot(x, y, color=colour, marker="o", ms=5, fillstyle=filled, zorder=index)
        else:
            alpha = 0.12 if "band" in classes else shape.opacity
            axes.fill(x, y, color=colour, alpha=alpha, lw=0, zorder=index)
    files = path.with_suffix(".pdf"), path.with_suffix(".png")
    drawn.savefig(files[0], metadata={"CreationDate": None})
    drawn.savefig(files[1], metadata={"Software": None})
    return list(files)


#: Colours of classes that take none from a series or a verdict.
_PLAIN = {
    "grid": "line",
    "tick": "soft",
    "zero": "soft",
    "bar": "accent",
    "dot": "accent",
    "span": "line",
    "bubble": "accent",
}


def _colour(shape: Shape) -> str:
    names = (CLASSES | _PLAIN).items()
    classes = shape.style.split()
    return LIGHT[next((colour for name, colour in names if name in classes), "ink")]
