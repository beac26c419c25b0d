"""`run.py audit`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from ..audits.auditing import audit as find
from ..audits.effects import effects_of
from ..audits.findings import DISPUTED, REFUTED, SUSPECT, UNDECIDED, UNREAD
from ..audits.report import as_entry, as_line, sections_of, write_report
from ..core.errors import UserError
from ..report.sections import print_sections
from .options import cluster_option, json_option, key_values, on_cluster, workers_option

#: Rows of a status that are printed; the report has more, the directory has all.
PRINTED = 5


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=COLUMN,...",
    help="Columns of a table, as in problem=question,reference=gold; roles are problem, reference, "
    "variable, decimal, id, subset and assumptions; integrand says that a problem is one without "
    "an integral sign. What is not said is guessed, and shown.",
)
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    help="Audit N rows drawn at random; the error rate then has an interval.",
)
@click.option("--seed", default=0, show_default=True, help="The seed of the sample.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the rows and the report here; the same command goes on where it was interrupted.",
)
@click.option(
    "--responses",
    metavar="RUN|FILE",
    help="Responses of models: what the wrong references did to accuracy and ranks.",
)
@click.option(
    "--response-columns",
    multiple=True,
    metavar="ROLE=COLUMN,...",
    help="Columns of that file: model, id (of the problem), text (the response), right.",
)
@workers_option
@cluster_option
@json_option
def audit(
    sources: Sequence[str],
    columns: Sequence[str],
    sample: int | None,
    seed: int,
    out: Path | None,
    responses: str | None,
    response_columns: Sequence[str],
    workers: int | None,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Find the wrong references of a problem set, with proof.

    A FILE is a table of problems and answers (JSON Lines, JSON, CSV, TSV, Parquet, hub:NAME), a
    benchmark, or the directory of a run. Formulas are LaTeX or SymPy's notation, problems also
    prose around one integral. Each row is

    \b
      proved      an identity, or a value that is enclosed
      agreed      to many digits wherever it was looked at
      refuted     wrong, and a second computation confirms it
      suspect     right on a part of the domain, in another reading, under a condition
      disputed    refuted, and a second computation contradicts: a fault of ours
      undecided   neither proved nor refuted
      unread      with the place, and what was expected there

    \b
      run.py audit mine.csv
      run.py audit answers.jsonl --columns problem=q,reference=gold --out audits/mine
      run.py audit hub:someone/integrals --sample 500 --out audits/sample
      run.py audit set.jsonl --responses published.csv --out audits/scores

    DIR/report.md and DIR/report.html list every refuted row with the point, both values, a
    corrected answer where one is found, and twenty lines of Python that show it.

    Exit status: 0 no reference is refuted, 1 some are, or there is none that could be read.
    """  # noqa: D301  # click's mark of a paragraph that is not wrapped is a backspace
    from rich.console import Console
    from rich.progress import Progress

    roles, theirs = (
        key_values((item for text in texts for item in text.split(",")), flag)
        for texts, flag in ((columns, "--columns"), (response_columns, "--response-columns"))
    )
    if theirs and responses is None:
        raise UserError("--response-columns has no effect without --responses")
    with on_cluster(cluster), Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("rows", total=sample)

        def show(counts: Counter[str]) -> None:
            description = f"rows, {counts[REFUTED]} refuted"
            bar.update(task, completed=counts.total(), description=description)

        result = find(
            *sources,
            columns=roles,
            sample=sample,
            seed=seed,
            out=out,
            workers=workers,
            on_progress=show,
            say=lambda line: click.echo(line, err=True),
        )
    effects = effects_of(result, responses, theirs, roles) if responses else None
    if out is not None:
        click.echo(f"wrote {write_report(result, effects)} and report.html", err=True)
    if as_json:
        click.echo(json.dumps(_data(result, effects), indent=1, ensure_ascii=False))
    else:
        print_sections(sections_of(result, effects))
        for row in islice(result.rows(REFUTED), PRINTED):
            click.echo("\n" + as_entry(row), nl=False)
        for status in (DISPUTED, SUSPECT, UNDECIDED, UNREAD):
            for row in islice(result.rows(status), PRINTED):
                click.echo(as_line(row))
            if result.counts[status] > PRINTED:
                click.echo(f"{result.counts[status] - PRINTED} more rows are {status}")
    # A set of which no reference was audited must not pass for a right one.
    return 1 if result.counts[REFUTED] or result.error_rate is None else 0


def _data(result: Any, effects: Any) -> dict[str, Any]:
    data: dict[str, Any] = result.to_dict()
    data["refuted"] = result.refuted
    if effects is not None:
        data["effects"] = [
            {name: getattr(row, name) for name in row.__slots__} for row in effects.standings
        ]
    return data
