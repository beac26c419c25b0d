"""`run.py pairwise`."""

from __future__ import annotations

from pathlib import Path

import click

from .report import policy_option


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@policy_option
@click.option("--json", "form", flag_value="json", help="JSON on stdout, and no page.")
@click.option("--csv", "form", flag_value="csv", help="CSV on stdout, one number a line.")
@click.option("--latex", "form", flag_value="latex", help="LaTeX tables (booktabs) on stdout.")
@click.option("--markdown", "form", flag_value="markdown", help="Markdown tables on stdout.")
def pairwise(run: Path, policy: str | None, form: str | None) -> None:
    """Analyse items with their perturbed twins.

    For runs of derivations or calculus. Prints accuracy and F1 with paired differences, S, G, None,
    All, Static±, Not P and the final operators behind them, the published tables beside, and writes
    pairwise.html with the figure.
    """
    from ..report.page.sections import print_sections, write_sections
    from ..store.run import Run
    from ..studies.derivations import tables as report
    from ..studies.derivations.pairwise import analyse

    opened = Run(run)
    analyses = analyse(opened, policy)
    if form is not None:
        click.echo(report.export_analyses(analyses, form), nl=False)
        return
    found = report.sections(analyses)
    print_sections(found)
    click.echo(report.REMARK)
    page = write_sections(
        run / "pairwise.html",
        f"Pairwise: {run.resolve().name}",
        ", ".join(analysis.label for analysis in analyses),
        found,
        report.REMARK,
    )
    click.echo(f"wrote {page}", err=True)
