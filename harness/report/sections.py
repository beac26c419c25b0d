"""Sections of reports, and the one exporter: terminal, Markdown, LaTeX, CSV, JSON, HTML page."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ..core.errors import UserError
from ..store.atomic import write_atomically
from .assets import page_style, template
from .figures.figure import Figure

FORMATS = ("markdown", "latex", "csv", "json")


@dataclass(frozen=True)
class Section:
    """A table (if it has headings), its remarks and its figures.

    The first ``names`` columns are names, the others numbers. ``folded``: a page shows the section
    on a click.
    """

    title: str
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    remarks: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    names: int = 1
    folded: bool = False


def print_sections(sections: Sequence[Section], console: Console | None = None) -> None:
    """Print tables with their remarks, as wide as they need to be."""
    console = console or Console()
    for section in sections:
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for place, heading in enumerate(section.headings):
            table.add_column(heading, justify="right" if place >= section.names else "left")
        for row in section.rows:
            table.add_row(*row, style="bold" if "all" in row[: section.names] else None)
        wide = console.options.update(max_width=10_000)
        console.width = max(console.width, console.measure(table, options=wide).maximum)
        if section.title:
            console.print(section.title, style="bold", markup=False, highlight=False)
        if section.headings:
            console.print(table, markup=False)
        print_remarks(section.remarks, console)
        if section is not sections[-1]:
            console.print()


def print_remarks(remarks: Iterable[str], console: Console) -> None:
    """Print lines of text, which the terminal wraps."""
    for line in remarks:
        console.print(line, style="dim", soft_wrap=True, markup=False, highlight=False)


def markdown_table(section: Section) -> str:
    """The table in Markdown."""
    rule = ["---" if at < section.names else "---:" for at in range(len(section.headings))]
    lines = [section.headings, rule, *section.rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_markdown(sections: Sequence[Section]) -> str:
    """The tables in Markdown with titles and remarks."""
    return "\n".join(
        f"### {section.title}\n\n{markdown_table(section)}"
        + "".join(f"\n{remark}\n" for remark in section.remarks)
        for section in sections
    )


def latex_table(section: Section) -> str:
    """The table in LaTeX (booktabs)."""
    columns = "l" * section.names + "r" * (len(section.headings) - section.names)
    body = "".join(f"  {' & '.join(map(_latex_cell, row))} \\\\\n" for row in section.rows)
    return (
        f"\\begin{{tabular}}{{{columns}}}\n  \\toprule\n"
        f"  {' & '.join(map(_latex_text, section.headings))} \\\\\n  \\midrule\n{body}"
        "  \\bottomrule\n\\end{tabular}\n"
    )


def _latex_text(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    for character in "&%$#_{}":
        text = text.replace(character, "\\" + character)
    return text


def _latex_cell(cell: str) -> str:
    """A cell; numbers with a sign are mathematics, so that minus signs are true ones."""
    numeric = any(sign in cell for sign in "+-<") and not cell.strip("+-0123456789.,[]< ")
    if not numeric:
        return _latex_text(cell)
    return "$" + cell.replace("] ", "]").replace("< ", "<").replace(" [", r"\ [") + "$"


def csv_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(rows)
    return buffer.getvalue()


def json_text(value: Any) -> str:
    """A value as JSON; what is no number in JSON (NaN) becomes null."""
    return json.dumps(_without_nan(value), indent=2, ensure_ascii=False) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(one) for one in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def export(
    form: str,
    *,
    markdown: Callable[[], str],
    latex: Callable[[], str],
    csv: Callable[[], str],
    json: Callable[[], str],
) -> str:
    """The text in one of `FORMATS`; raises `UserError` for another."""
    writers = {"markdown": markdown, "latex": latex, "csv": csv, "json": json}
    if form not in writers:
        raise UserError(f"unknown format {form!r}; known: {', '.join(FORMATS)}")
    return writers[form]()


def write_sections(
    path: Path, title: str, subtitle: str, sections: Sequence[Section], remark: str = ""
) -> Path:
    """Write a self-contained HTML page of sections."""
    html = template("sections.html.jinja").render(
        title=title, subtitle=subtitle, sections=sections, remark=remark, style=page_style()
    )
    write_atomically(path, html.encode())
    return path
