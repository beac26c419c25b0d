"""`run.py reproduce`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ...core.errors import UserError
from ...report.sections import as_markdown, print_sections
from ...studies.reproductions.catalogue import (
    Reproduction,
    checked,
    described,
    reproduction,
    sections,
)
from ...studies.reproductions.items import item_section
from ...studies.reproductions.measurements import (
    FILE,
    Measurement,
    differences,
    measurement,
    record_path,
    recorded,
    write,
)
from ...studies.reproductions.measures import MEASURES
from ..options import json_option

#: In the folder of results: the commands that have ended well, one a line.
FINISHED = "finished.txt"


@click.command()
@click.argument("name", required=False)
@click.option("--model", metavar="KIND/NAME", help="The model to ask, where that is open.")
@click.option("--small", is_flag=True, help="At the reduced size that the table names.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the results; by default runs/reproduce/NAME.",
)
@click.option("--dry-run", is_flag=True, help="Print the commands, and run nothing.")
@click.option(
    "--record", is_flag=True, help="Keep the numbers as this package's own (docs/reproduce.md)."
)
@click.option(
    "--check",
    is_flag=True,
    help="Repeat the cheap ones, or that of the NAME, and compare with the recorded numbers.",
)
@click.option("--markdown", is_flag=True, help="Without a NAME: the tables as Markdown.")
@json_option
@click.pass_context
def reproduce(
    ctx: click.Context,
    name: str | None,
    model: str | None,
    small: bool,
    out: Path | None,
    dry_run: bool,
    record: bool,
    check: bool,
    markdown: bool,
    as_json: bool,
) -> None:
    """Repeat a published table or figure.

    Without a NAME, list all reproductions.

    The same command resumes a stopped reproduction.
    """
    if check:
        if model or small or dry_run or record or markdown or as_json:
            raise UserError("--check goes with a NAME and --out only")
        _check(ctx, [reproduction(name)] if name else checked(), out)
        return
    if name is None:
        if model or small or out or dry_run or record:
            raise UserError("--model, --small, --out, --dry-run and --record need a NAME")
        _list(markdown, as_json)
        return
    if markdown or as_json:
        raise UserError("--markdown and --json are for the list; leave out the NAME")
    named = reproduction(name)
    if record and (named.measure == "" or bool(named.small) != small):
        raise UserError(_no_record(named))
    folder = out or Path("runs") / "reproduce" / (f"{name}-small" if small else name)
    model = model or (named.own_model if record else None) or None
    lines = named.command_lines(str(folder), model, small=small)
    if dry_run:
        click.echo("\n".join(map(shlex.join, lines)))
        return
    folder.mkdir(parents=True, exist_ok=True)
    _run(ctx, lines, folder / FINISHED)
    if named.measure and bool(named.small) == small:
        result = _measured(named, folder)
        click.echo(json.dumps(dict(result.values), indent=2))
        if record:
            write(result, record_path(name))
            click.echo(f"recorded in {record_path(name)}", err=True)


def _no_record(named: Reproduction) -> str:
    if not named.measure:
        return f"{named.name} has no measure: its numbers are not recorded"
    size = "the reduced size: --small" if named.small else "the whole size: leave out --small"
    return f"what is recorded of {named.name} is {size}"


def _measured(named: Reproduction, folder: Path) -> Measurement:
    """The numbers of a finished reproduction, written to the folder of results."""
    values = MEASURES[named.measure](folder)
    result = measurement(named.name, named.measured_commands, values, named.seed)
    write(result, folder / FILE)
    return result


def _check(ctx: click.Context, reproductions: list[Reproduction], out: Path | None) -> None:
    """Measure anew, and end with status 1 if a number differs."""
    different: list[str] = []
    for named in reproductions:
        stored = recorded(named.name)
        if stored.commands != named.measured_commands:
            different.append(f"{named.name}: other commands than those recorded")
            continue
        with TemporaryDirectory() as temporary:
            folder = (out or Path(temporary)) / named.name
            folder.mkdir(parents=True, exist_ok=True)
            lines = named.command_lines(
                str(folder), named.own_model or None, small=bool(named.small)
            )
            _run(ctx, lines, folder / FINISHED)
            different += differences(_measured(named, folder), stored)
    for line in different:
        click.echo(line)
    click.echo(f"{len(reproductions)} checked: {len(different) or 'no'} differences", err=True)
    if different:
        sys.exit(1)


def _list(markdown: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(described(), indent=2, ensure_ascii=False))
    elif markdown:
        click.echo(as_markdown([*sections(), item_section()]), nl=False)
    else:
        print_sections([*sections(), item_section()])


def _run(ctx: click.Context, lines: list[list[str]], finished: Path) -> None:
    """Run commands in turn, without the commands that ended well before."""
    done = finished.read_text(encoding="utf-8").splitlines() if finished.exists() else []
    root = ctx.find_root()
    for line in lines:
        command = shlex.join(line)
        if command in done:
            click.echo(f"done before: {command}", err=True)
            continue
        click.echo(f"$ {root.info_name} {command}", err=True)
        try:
            status = click.Group.main(root.command, line, root.info_name, standalone_mode=False)
        except SystemExit as stop:
            status = stop.code
        if status:
            click.echo(f"stopped: {command} ended with status {status}", err=True)
            sys.exit(status)
        with finished.open("a", encoding="utf-8") as file:
            file.write(f"{command}\n")
