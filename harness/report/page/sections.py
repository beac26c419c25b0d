"""Tables with remarks and figures: on the terminal, as Markdown, as a page of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from ...store.jsonl_log import write_atomically
from .assets import asset, template

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Section:
    """A table (the first column names the row), what has to be known of it, and its figure."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    figure: Markup | None = None


def print_sections(sections: Sequence[Section], console: Console | None = None) -> None:
    """Print them, as wide as they need to be."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    console = console or Console()
    for section in sections:
        console.print(section.title, style="bold", markup=False, highlight=False)
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for place, heading in enumerate(section.headings):
            table.add_column(heading, justify="right" if place else "left")
        for row in section.rows:
            table.add_row(*row)
        wide = console.options.update(max_width=10_000)
        console.width = max(console.width, console.measure(table, options=wide).maximum)
        console.print(table, markup=False)
        for remark in section.remarks:
            console.print(remark, style="dim", soft_wrap=True, markup=False, highlight=False)
        console.print()


def as_markdown(sections: Sequence[Section]) -> str:
    """The tables with their remarks; figures are for the page."""
    parts = []
    for section in sections:
        rule = ("---", *["---:"] * (len(section.headings) - 1))
        table = [section.headings, rule, *section.rows]
        lines = "".join(f"| {' | '.join(cell or ' ' for cell in line)} |\n" for line in table)
        remarks = "".join(f"\n{remark}\n" for remark in section.remarks)
        parts.append(f"### {section.title}\n\n{lines}{remarks}")
    return "\n".join(parts)


def write_sections(
    path: Path, title: str, subtitle: str, sections: Sequence[Section], remark: str = ""
) -> Path:
    """A self-contained HTML page."""
    html = template("sections.html.jinja").render(
        title=title,
        subtitle=subtitle,
        sections=sections,
        remark=remark,
        style=asset("page.css"),
    )
    write_atomically(path, html.encode())
    return path
