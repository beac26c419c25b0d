"""`run.py ls`: the registries, a check of the references, and an overlap with another set."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from ... import prompts
from ...benchmarks import load
from ...benchmarks.files.table import is_source
from ...benchmarks.fingerprint import Overlap, overlap
from ...benchmarks.registry import names
from ..audits.auditing import audit
from ..audits.findings import DISPUTED, REFUTED, STATUSES, UNDECIDED, UNREAD
from ..audits.report import as_line
from ..core.errors import UserError
from ..core.program import program
from ..run import listing
from ..run.problems import problems_of
from .options import json_option, refuse_given, source_options, with_source_options


@click.command()
@click.argument(
    "what",
    required=False,
    default="all",
    type=click.Choice(["all", "benchmarks", "models", "prompts", "tasks"]),
)
@click.argument("name", required=False)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="NAME[/SUBSET]",
    help="Only these benchmarks, or a file; repeatable.",
)
@click.option("--show", metavar="NAME|FILE.jinja", help="Print this prompt's file.")
@click.option("--validate", is_flag=True, help="Audit every reference answer, as `audit` does.")
@click.option(
    "--overlap",
    "against",
    metavar="FILE",
    help="Screen a set, such as training data, for problems of the benchmarks; "
    "--columns and so on are about it.",
)
@source_options
@json_option
def ls(
    what: str,
    name: str | None,
    show: str | None,
    benchmarks: tuple[str, ...],
    validate: bool,
    against: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """List benchmarks, models, prompts and tasks.

    With a NAME, a single entry with all options. Or audit the references (--validate), or look for
    an overlap with another set (--overlap). Exit status 1: a reference is refuted, unreadable or
    undecided, or the sets overlap.
    """
    if (show is not None) + (against is not None) + validate + (name is not None) > 1:
        raise UserError("a NAME, --show, --validate and --overlap exclude each other")
    if what not in ("all", "benchmarks"):
        refuse_given(["benchmarks", "validate", "against"], f"on a list of {what}")
    if show is not None:
        if what not in ("all", "prompts"):
            raise UserError("--show is for prompts: ls prompts --show NAME")
        click.echo(prompts.load(show).source, nl=False)
        return
    if against is not None:
        path = against if is_source(against) else f"file:{against}"
        options["skip_broken"] = True  # a training set need not be perfect to be screened
        (path,) = with_source_options([path], **options)
        sys.exit(_print_overlap(benchmarks, path, as_json))
    benchmarks = with_source_options(benchmarks, **options)
    if validate:
        sys.exit(_validate(benchmarks, as_json))
    lists = listing.everything(what, benchmarks)
    if name is not None:
        lists = {what: listing.only(lists, what, name)}
    if as_json:
        click.echo(json.dumps(lists, indent=2, ensure_ascii=False))
        return
    for heading, rows in lists.items():
        click.secho(heading, bold=True)
        width = max((len(row["name"]) for row in rows), default=0)
        for row in rows:
            click.echo(f"  {row['name']:<{width}}  {listing.describe(row)}")
            if name is not None:
                for line in listing.details(row):
                    click.echo(f"  {line}".rstrip())
        if heading == "models" and name is None:
            click.echo(f"  `{program()} ls models KIND` describes one with its options.")
        click.echo()


def _validate(benchmarks: tuple[str, ...], as_json: bool) -> int:
    """Print the audit of the references; 1 for a wrong or undecided reference."""
    sources = benchmarks or tuple(f"{name}/all" for name in names())
    result = audit(*sources, say=lambda line: click.echo(line, err=True))
    if as_json:
        rows = [row for status in _NOT_SHOWN_RIGHT for row in result.rows(status)]
        data = result.to_dict() | {"failed": rows}
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        for row in result.rows(*_NOT_SHOWN_RIGHT):
            click.echo(as_line(row))
        click.echo(
            ", ".join(f"{n} {status}" for status in STATUSES if (n := result.counts[status]))
        )
    return 1 if any(result.counts[status] for status in _NOT_SHOWN_RIGHT) else 0


#: Statuses of references that are not shown to be right in any sense.
_NOT_SHOWN_RIGHT = (REFUTED, DISPUTED, UNDECIDED, UNREAD)


def _print_overlap(benchmarks: Sequence[str], against: str, as_json: bool) -> int:
    """Print the problems of a set that are also in the benchmarks; 1 for an overlap."""
    ours = problems_of(benchmarks or [f"{name}/all" for name in names()], None, 0)
    result = overlap(ours, load(against))
    if as_json:
        click.echo(json.dumps(_overlap_row(result), indent=2, ensure_ascii=False))
    else:
        for match in result.matches:
            doubt = "" if match.confirmed else "  (by fingerprint; the verifier cannot tell)"
            click.echo(f"{match.first}  =  {match.second}{doubt}")
        for name, why in result.unreadable:
            click.echo(f"not compared: {name}: {why}", err=True)
        click.echo(
            f"{len(result.matches)} of {result.compared} problems are the same as one of "
            f"{len(ours)}, up to a constant factor and names"
        )
    return 1 if result.matches else 0


def _overlap_row(result: Overlap) -> dict[str, Any]:
    return {
        "compared": result.compared,
        "matches": [
            {"ours": match.first, "theirs": match.second, "confirmed": match.confirmed}
            for match in result.matches
        ],
        "unreadable": dict(result.unreadable),
    }
