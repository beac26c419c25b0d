"""Sections of reports, with exports to the terminal, Markdown, LaTeX, CSV, JSON and HTML."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ...rewards.errors import suggest
from ..core.errors import UserError
from ..store.atomic import write_output
from .assets import page_style, template
from .figures.figure import Figure

FORMATS = ("markdown", "latex", "csv", "json")


@dataclass(frozen=True)
class Section:
    """A table (if headings are given), with remarks and figures.

    The first ``names`` columns contain names, and the other columns numbers. On a page, a
    ``folded`` section is shown after a click. ``notes`` (remarks) and ``programs`` (code), which
    have summaries, are also shown after a click.
    """

    title: str
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    remarks: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    names: int = 1
    folded: bool = False
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)

    @property
    def anchor(self) -> str:
        """The name of the section in a page's addresses.

        >>> Section("pass@k over k").anchor
        'section-pass-k-over-k'

        """
        return "-".join(["section", *re.findall(r"[a-z0-9]+", self.title.lower())])


def print_sections(sections: Sequence[Section], console: Console | None = None) -> None:
    """Print tables with remarks. On a terminal, tables are fitted to the width."""
    console = console or Console()
    for section in sections:
        if section.title:
            print_remarks((section.title,), console, style="bold")
        remarks = section.remarks
        if section.headings:
            width = console.width if console.is_terminal else _WIDEST
            pieces, left_out = fit(section, width)
            for piece in pieces:
                console.width = width
                console.print(_table(piece), markup=False)
            if left_out:
                remarks = (f"Zero everywhere: {', '.join(left_out)}.", *remarks)
        print_remarks(remarks, console)
        for lines in section.notes.values():
            print_remarks(lines, console)
        if section is not sections[-1]:
            console.print()


def print_small(section: Section, console: Console) -> None:
    """Print a small table in one piece. If the table is too wide, cells wrap, names last."""
    if section.title:
        print_remarks((section.title,), console, style="bold")
    table = _table(section)
    names = table.columns[: section.names]
    for column in names:
        column.no_wrap = True
    # A table that no cell fits into is cut on the right of each column, through the numbers.
    wide = console.options.update(width=_WIDEST)
    if console.measure(table, options=wide).minimum > console.width:
        for column in names:
            column.no_wrap = False
    console.print(table, markup=False)


_WIDEST = 10_000


def fit(section: Section, width: int) -> tuple[list[Section], list[str]]:
    """A table, divided into tables of a terminal's width.

    Args:
        section: the table.
        width: the terminal's width, in characters.

    Returns:
        The tables, and the headings of omitted columns. If the table is too wide, columns of zeros
        are omitted. A still too wide table is divided into tables with repeated names. If the names
        and one column are too wide, the caller has to wrap cells.

    """
    if _width(section) <= width:
        return [section], []
    columns = range(section.names, len(section.headings))
    # Empty columns are left out first, then columns of zeros, which tell the least.
    filled = [column for column in columns if any(row[column] for row in section.rows)]
    zero = [column for column in filled if all(row[column] in _ZERO for row in section.rows)]
    if zero == filled:
        zero = []
    visible = [column for column in filled if column not in zero]
    left_out = [section.headings[column] for column in zero]
    wrapped = any(_width(with_columns(section, [column])) > width for column in visible)
    # The remaining columns are stacked in as few tables as possible, each with the names.
    groups: list[list[int]] = []
    for column in visible:
        if groups and _width(with_columns(section, [*groups[-1], column]), wrapped) <= width:
            groups[-1].append(column)
        else:
            groups.append([column])
    return [with_columns(section, group) for group in groups or [[]]], left_out


_ZERO = ("", "0", "0.0", "0.00")


def with_columns(section: Section, columns: Sequence[int]) -> Section:
    """The table reduced to the names and given columns."""
    chosen = [*range(section.names), *columns]
    return replace(
        section,
        headings=tuple(section.headings[column] for column in chosen),
        rows=tuple(tuple(row[column] for column in chosen) for row in section.rows),
    )


def _width(section: Section, wrapped: bool = False) -> int:
    """The width of a table in characters; with ``wrapped``, after wrapping of texts."""
    console = Console(width=_WIDEST)
    measured = console.measure(_table(section), options=console.options)
    return measured.minimum if wrapped else measured.maximum


def _table(section: Section) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for index, heading in enumerate(section.headings):
        cells = [row[index] for row in section.rows]
        figures = index >= section.names and all(map(_is_figure, cells))
        table.add_column(
            heading,
            justify="right" if figures else "left",
            min_width=max(map(len, cells), default=0) if figures else None,
            no_wrap=figures,
            overflow="fold",
        )
    for row in section.rows:
        table.add_row(*row, style="bold" if "all" in row[: section.names] else None)
    return table


def _is_figure(cell: str) -> bool:
    """Whether a cell is an unbreakable number, possibly with an interval."""
    return len(cell) <= _LONGEST_FIGURE and (not cell or cell[0] in "+-−<$" or cell[0].isdigit())


#: `0.0021 [0.0012, 0.0034], 12.5 timed out`
_LONGEST_FIGURE = 40


def print_remarks(remarks: Iterable[str], console: Console, style: str = "dim") -> None:
    """Print lines of text, which the terminal wraps."""
    for line in remarks:
        console.print(line, style=style, soft_wrap=True, markup=False, highlight=False)


def markdown_table(section: Section) -> str:
    """The table in Markdown."""
    rule = ["---" if at < section.names else "---:" for at in range(len(section.headings))]
    lines = [section.headings, rule, *section.rows]
    return "".join(f"| {' | '.join(map(_markdown_cell, line))} |\n" for line in lines)


def _markdown_cell(cell: str) -> str:
    """A cell with escaped bars and stars."""
    escaped = cell.replace("|", "\\|")
    return escaped if "`" in cell else escaped.replace("*", "\\*")


def as_markdown(sections: Sequence[Section]) -> str:
    """The tables in Markdown with titles and remarks."""
    return "\n".join(
        (f"### {section.title}\n\n" if section.title else "")
        + markdown_table(section)
        + "".join(f"\n{remark}\n" for remark in section.remarks)
        for section in sections
    )


def latex_table(section: Section) -> str:
    """The table in LaTeX (booktabs), with the title as a comment."""
    title = f"% {section.title}\n" if section.title else ""
    columns = "l" * section.names + "r" * (len(section.headings) - section.names)
    body = "".join(f"  {' & '.join(map(_latex_cell, row))} \\\\\n" for row in section.rows)
    return (
        f"{title}\\begin{{tabular}}{{{columns}}}\n  \\toprule\n"
        f"  {' & '.join(map(_latex_text, section.headings))} \\\\\n  \\midrule\n{body}"
        "  \\bottomrule\n\\end{tabular}\n"
    )


_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
    | {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
)


def _latex_text(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return text.translate(_LATEX)


def _latex_cell(cell: str) -> str:
    """A cell in LaTeX. Numbers with a sign are set as mathematics, for the right minus sign."""
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
    """A value as JSON. NaN becomes null, because JSON has no NaN."""
    return json.dumps(_without_nan(value), indent=2, ensure_ascii=False) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def export(
    form: str,
    sections: Sequence[Section],
    lines: tuple[Sequence[str], Iterable[Sequence[object]]],
    data: Any,
) -> str:
    """The text in one of `FORMATS`; raises `UserError` for any other format.

    Markdown and LaTeX are made from ``sections``, CSV from ``lines`` (headings and rows), and JSON
    from ``data``.
    """
    match form:
        case "markdown":
            return as_markdown(sections)
        case "latex":
            return "\n".join(map(latex_table, sections))
        case "csv":
            return csv_table(*lines)
        case "json":
            return json_text(data)
    raise UserError(f"unknown format {form!r}; {suggest(form, FORMATS)}")


def export_sections(form: str, sections: Sequence[Section]) -> str:
    """Tables in one of `FORMATS`. CSV has a line for each cell; JSON has the rows of each table."""
    cells = (
        (section.title, number, heading, cell)
        for section in sections
        for number, row in enumerate(section.rows, 1)
        for heading, cell in zip(section.headings, row, strict=True)
    )
    data = [
        {"title": section.title, "headings": section.headings, "rows": section.rows}
        | {"remarks": section.remarks}
        for section in sections
    ]
    return export(form, sections, (("table", "row", "column", "value"), cells), data)


def write_sections(
    path: Path, title: str, subtitle: str, sections: Sequence[Section], remark: str = ""
) -> Path:
    """Write a self-contained HTML page of sections."""
    html = template("sections.html.jinja").render(
        title=title, subtitle=subtitle, sections=sections, remark=remark, style=page_style()
    )
    write_output(path, html.encode())
    return path
