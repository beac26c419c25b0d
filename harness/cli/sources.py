"""Options of several commands that say how to read a benchmark that is a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from ..core.errors import UserError


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How to read a benchmark that is a file (or ``file:``, ``hub:``)."""
    for option in (
        click.option(
            "--skip-broken",
            is_flag=True,
            help="Leave out rows of a file that cannot be used, with a warning.",
        ),
        click.option("--split", metavar="NAME", help="Split of a data set."),
        click.option(
            "--syntax",
            type=click.Choice(["latex", "sympy"]),
            help="Notation of a file's formulas; by default LaTeX.",
        ),
        click.option(
            "--columns",
            multiple=True,
            metavar="FIELD=COLUMN,...",
            help="Columns of a file, as in integrand=problem,antiderivative=answer.",
        ),
    ):
        command = option(command)
    return command


def with_source_options(
    benchmarks: Sequence[str],
    *,
    columns: Sequence[str],
    syntax: str | None,
    split: str | None,
    skip_broken: bool,
) -> tuple[str, ...]:
    """The benchmarks' names with these options added to those that are files."""
    from ...benchmarks.files import is_source, with_columns

    mapped = [column for group in columns for column in group.split(",") if column]
    settings = {"syntax": syntax, "split": split, "skip_broken": "yes" if skip_broken else None}
    given = {name: value for name, value in settings.items() if value is not None}
    if (mapped or given) and not any(map(is_source, benchmarks)):
        raise UserError("--columns, --syntax, --split and --skip-broken are for files (file:PATH)")
    return tuple(with_columns(name, mapped, **given) for name in benchmarks)
