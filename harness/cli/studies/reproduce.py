"""`run.py reproduce`."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import click

from ...core.errors import UserError
from ...report.sections import as_markdown, print_sections
from ...studies.reproductions import described, reproduction, sections
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
    markdown: bool,
    as_json: bool,
) -> None:
    """Repeat a published table or figure.

    Without a NAME, list them all.

    The same command goes on where it was stopped.
    """
    if name is None:
        if model or small or out or dry_run:
            raise UserError("--model, --small, --out and --dry-run are for one reproduction's NAME")
        _list(markdown, as_json)
        return
    if markdown or as_json:
        raise UserError("--markdown and --json are for the list; leave out the NAME")
    folder = out or Path("runs") / "reproduce" / (f"{name}-small" if small else name)
    lines = reproduction(name).command_lines(str(folder), model, small=small)
    if dry_run:
        click.echo("\n".join(map(shlex.join, lines)))
        return
    folder.mkdir(parents=True, exist_ok=True)
    _run(ctx, lines, folder / FINISHED)


def _list(markdown: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(described(), indent=2, ensure_ascii=False))
    elif markdown:
        click.echo(as_markdown(sections()), nl=False)
    else:
        print_sections(sections())


def _run(ctx: click.Context, lines: list[list[str]], finished: Path) -> None:
    """Run commands in turn, but for those that have ended well before."""
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
