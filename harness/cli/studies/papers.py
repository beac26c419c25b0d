"""`run.py brittleness`, `convert`, `logprobs` and `pairwise`: commands for single papers."""

from __future__ import annotations

from pathlib import Path

import click

from ...core.errors import UserError
from ...core.policy import AnswerFormat
from ...core.program import program
from ...models import create
from ...models.transformers.lample_charton import convert
from ...report.sections import Section, as_markdown, print_sections, write_sections
from ...stats.compare import common_policy
from ...store.run import Run
from ...store.verdict_sets import ambiguous_name
from ...studies.brittleness import tables as brittleness_tables
from ...studies.brittleness.answers import answers_of
from ...studies.brittleness.budgets import decoding
from ...studies.brittleness.teacher_forcing import score_texts
from ...studies.derivations import tables as derivations_tables
from ...studies.derivations.export import export_analyses
from ...studies.derivations.intersections import intersections
from ...studies.derivations.items import NoTwinsError, items_of, pooled
from ...studies.derivations.pairwise import analyse
from ...studies.derivations.prompt_designs import designs_table, prompt_designs
from ..options import answer_format_option, key_values, model_options_option, policy_option


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--policy", help="Verdicts to report, by name; by default our verifier's latest complete."
)
@click.option(
    "--with-decoding",
    is_flag=True,
    help="The limit of validation problems covers their decoding, as in the paper.",
)
@click.option("--markdown", is_flag=True, help="The tables as Markdown on stdout, and no page.")
def brittleness(
    runs: tuple[Path, ...], policy: str | None, with_decoding: bool, markdown: bool
) -> None:
    """Print the tables of "Symbolic Brittleness" for runs.

    The page of each run is written, too, with the published numbers beside ours. Several runs are
    compared by the way of decoding.
    """
    opened = [Run(path) for path in runs]
    for run in opened:
        if policy is not None:
            run.verdicts(policy)  # for its error message
    sources = answers_of(opened, policy, with_decoding=with_decoding)
    if with_decoding and not any(source.protocol for source in sources):
        raise UserError(
            "--with-decoding needs candidates of a beam search with the paper's verdicts: "
            f"{program()} score {runs[0]} --method welleck --deadline 10"
        )
    together = [decoding(sources)]

    def show(tables: list[Section]) -> None:
        print_sections(tables) if not markdown else click.echo(as_markdown(tables))

    for run in opened:
        sections: list[Section] = []
        for source in sources:
            if source.run is run:
                verdicts = ambiguous_name([run], source.policy)
                label = source.label + f", verdicts {verdicts}" * bool(verdicts)
                click.secho(f"{'# ' * markdown}{run.path.name}: {label}", bold=not markdown)
                click.echo()
                own = brittleness_tables.sections(source)
                show(own)
                sections += own
        if not markdown:
            page = write_sections(
                run.path / "brittleness.html",
                f"Brittleness: {run.path.resolve().name}",
                ", ".join(source.label for source in sources if source.run is run),
                [*sections, *together],
                brittleness_tables.REMARK,
            )
            click.echo(f"wrote {page}", err=True)
    show(together)
    click.echo(brittleness_tables.REMARK)


@click.command()
@click.argument("checkpoint", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A folder.")
@click.option("--force", is_flag=True, help="Replace what is there.")
def convert_checkpoint(checkpoint: Path, out: Path, force: bool) -> None:
    """Make a model folder of a checkpoint of Lample and Charton.

    The checkpoint (as fwd_bwd_ibp.pth) is read as weights; nothing in it is executed. The folder is
    for the model kind transformers: `sweep --model transformers/FOLDER`. Needs the extra train.
    """
    if out.exists() and not force:
        raise UserError(f"{out} is there already; --force replaces it")
    convert(checkpoint, out)
    click.echo(f"wrote {out}: sweep --model transformers/{out} --prompt prefix", err=True)


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--model", required=True, metavar="KIND/NAME", help="The model that was asked.")
@model_options_option
@click.option(
    "--candidates",
    default=10,
    show_default=True,
    type=click.IntRange(0),
    help="Of each problem, so many of the best answers.",
)
@answer_format_option
@click.option(
    "--written",
    metavar="TEXT",
    help=r"How this model writes an answer; %s is the reference. By default \boxed{%s}, and %s "
    "alone for prefix tokens.",
)
@click.option("--limit", type=click.IntRange(1), help="At most so many problems.")
def logprobs(
    run: Path,
    model: str,
    model_options: tuple[str, ...],
    candidates: int,
    answer_format: AnswerFormat,
    written: str | None,
    limit: int | None,
) -> None:
    """Ask a model for the likelihood of a run's references.

    The model's own best answers are scored, too. `run.py brittleness` then tells search errors from
    model errors. The same command resumes a stopped scoring.
    """
    scorer = create(model, key_values(model_options, "-M"))
    result = score_texts(
        run,
        scorer,
        candidates=candidates,
        written=written,
        answer_format=answer_format,
        limit=limit,
    )
    click.echo(f"{result.scored} texts scored; they are in {run / 'scores'}", err=True)
    if result.remarks:
        remark = f"{len(result.remarks)} could not be scored, the first: {result.remarks[0]}"
        click.echo(remark, err=True)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@policy_option
@click.option(
    "--pool",
    metavar="NAME",
    help="Take the models of all runs as one, as an encoder for each number of steps.",
)
@click.option("--json", "form", flag_value="json", help="JSON on stdout, and no page.")
@click.option("--csv", "form", flag_value="csv", help="CSV on stdout, one number a line.")
@click.option("--latex", "form", flag_value="latex", help="LaTeX tables (booktabs) on stdout.")
@click.option("--markdown", "form", flag_value="markdown", help="Markdown tables on stdout.")
def pairwise(
    runs: tuple[Path, ...], policy: str | None, pool: str | None, form: str | None
) -> None:
    """Analyse items with perturbed twins.

    For runs of derivations or calculus. Prints accuracy and F1 with paired differences, S, G, None,
    All, Static±, Not P and the operators behind each category, the published tables beside, and
    writes pairwise.html with the figure into the (first) run. For several models, the output has
    the items that all models get right or wrong; for unperturbed problems under the prompts of
    Table 4, F1.
    """
    opened = [Run(path) for path in runs]
    designs = prompt_designs(opened, policy)
    try:
        answered = items_of(opened, policy)
    except NoTwinsError:
        if not designs or pool is not None:
            raise
        answered = []
    if pool is not None and answered:
        answered = [pooled(answered, pool)]
    analyses, common = analyse(answered), intersections(answered)
    if form is not None:
        click.echo(export_analyses(analyses, form, common, designs), nl=False)
        return
    sections = [*derivations_tables.sections(analyses, common), *designs_table(designs)]
    if verdicts := ambiguous_name(opened, common_policy(opened, policy)):
        click.echo(f"Verdicts: {verdicts}")
    print_sections(sections)
    click.echo(derivations_tables.REMARK)
    page = write_sections(
        runs[0] / "pairwise.html",
        f"Pairwise: {', '.join(path.resolve().name for path in runs)}",
        ", ".join(analysis.label for analysis in analyses),
        sections,
        derivations_tables.REMARK,
    )
    click.echo(f"wrote {page}", err=True)
