"""`run.py runs`, `score` and `drop`: stored runs, without asking any model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from ..core.errors import UserError
from ..core.policy import Policy
from ..core.program import program
from ..core.wording import counted
from ..report import export_summary, print_summary
from ..report.changes import print_changes
from ..report.numbers import percent
from ..report.sections import Section, print_sections
from ..run.progress import for_stderr
from ..run.scoring import score as score_run
from ..stats.summary import summarise
from ..stats.verdict_changes import changes
from ..store import counts
from ..store.overview import Overview, overview, runs_under
from ..store.run import Run
from ..store.verdict_sets import latest_complete
from ..store.writer import rescoring
from ..studies.certificates import check_method, store_certificates
from .options import cluster_option, json_option, on_cluster, policy_options


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@policy_options
@click.option(
    "--against",
    metavar="POLICY",
    help="Show what changed from these verdicts; by default from the latest complete others.",
)
@click.option(
    "--certificates",
    is_flag=True,
    help="Store why each verdict holds, for `check`; about doubles the time.",
)
@click.option(
    "--lanes",
    type=click.IntRange(1),
    help="Processes that each judge whole shards of a large run; by default one for 12 cores.",
)
@cluster_option
@json_option
def score(
    run: Path,
    against: str | None,
    certificates: bool,
    lanes: int | None,
    cluster: str | None,
    as_json: bool,
    **strictness: Any,
) -> None:
    """Judge a run's answers, without asking any model.

    Verdicts are stored separately for every version and policy of the verifier; only missing
    verdicts are made. Changes from earlier verdicts are shown, with the reasons.
    """
    policy = Policy(**strictness)
    if certificates:
        check_method(policy)
    opened = Run(run)
    if against is not None:
        opened.verdicts(against)  # for its error message
    other_policies = [name for name in opened.policies if name != policy.name]
    former_policy = against or latest_complete([opened], other_policies)
    with on_cluster(cluster):
        with for_stderr() as progress:
            scored = score_run(run, policy=policy, progress=progress, lanes=lanes)
        if certificates:
            store_certificates(run, policy)
    changed = changes(scored, former_policy, policy.name) if former_policy else None
    summary = summarise(scored, policy.name)
    if as_json:
        result = json.loads(export_summary(summary, "json"))
        result["changes"] = changed.to_dict() if changed else None
        click.echo(json.dumps(result, indent=2, ensure_ascii=False))
        return
    print_summary(summary)
    if changed:
        print_changes(changed)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="runs")
@json_option
def runs(folder: Path, as_json: bool) -> None:
    """List runs: what was asked of whom, how much is stored.

    FOLDER is looked through; by default `runs`, where sweeps go without --out.
    """
    if not folder.is_dir():
        raise UserError(
            f"there is no folder {folder}; `{program()} runs FOLDER` looks through another"
        )
    listed = [overview(path) for path in runs_under(folder)]
    if as_json:
        click.echo(json.dumps([run.to_dict() for run in listed], indent=2, ensure_ascii=False))
        return
    rows = tuple(row for run in listed if not run.error for row in _rows(run))
    damaged = tuple(run.error for run in listed if run.error)
    if not rows:
        click.echo(f"there are no runs in {folder}", err=True)
    else:
        headings = ("run", "model", "made", "benchmarks", "problems", "answers", "correct (%)")
        print_sections([Section("", headings, rows, names=2)])
    for error in damaged:
        click.echo(f"warning: {error}", err=True)


def _rows(run: Overview) -> list[tuple[str, ...]]:
    """A row for each model; values equal to the row above are left out."""
    path_cell, about = run.path, (run.created[:10], ", ".join(run.benchmarks))
    rows: list[tuple[str, ...]] = []
    for model in run.models:
        answers = str(model.answers)
        if model.answers != model.planned:
            answers += f" of {model.planned}"
        correct = percent(model.correct / model.judged) if model.judged else ""
        rows.append((path_cell, model.label, *about, str(run.problems), answers, correct))
        path_cell, about = "", ("", "")
    return rows or [(path_cell, "(no model)", *about, str(run.problems), "0", "")]


@click.command(
    epilog="\b\nrun.py drop runs/mini --model openai/gpt-5-mini\n"
    "run.py drop runs/mini --policy balls-5-strict"
)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--model", metavar="LABEL", help="A model with its answers and verdicts.")
@click.option("--policy", metavar="NAME", help="The verdicts of a policy; answers stay.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def drop(run: Path, model: str | None, policy: str | None, yes: bool) -> None:
    """Remove a model, or the verdicts of a policy, from a run.

    For good: answers of a model that is dropped have to be asked, and paid for, again. A label may
    be cut short where it still means a single model.
    """
    if (model is None) == (policy is None):
        raise UserError("drop takes --model LABEL or --policy NAME")
    with rescoring(run) as opened:
        if model is not None:
            hashes = opened.models_named(model)
            labels = [opened.labels[model_hash] for model_hash in hashes]
            if len(hashes) > 1:
                raise UserError(
                    f"{model!r} means {counted(len(hashes), 'model')}: {', '.join(labels)}"
                )
            if len(opened.models) == 1:
                raise UserError(
                    f"{labels[0]} is the only model of {run}; remove the folder instead"
                )
            (model_hash,) = hashes
            totals = counts.totals(opened.completions)
            answers = sum(int(sums["rows"]) for (of, _), sums in totals.items() if of == model_hash)
            _confirm(f"remove {labels[0]} and its {counted(answers, 'answer')} from {run}?", yes)
            opened.drop_model(model_hash)
            click.echo(
                f"removed {labels[0]} with {counted(answers, 'answer')} from {run}", err=True
            )
        if policy is not None:
            opened.verdicts(policy)  # for its error message
            _confirm(f"remove the verdicts {policy} from {run}?", yes)
            opened.drop_policy(policy)
            click.echo(f"removed the verdicts {policy} from {run}", err=True)


def _confirm(question: str, yes: bool) -> None:
    """Ask on a terminal; elsewhere only --yes will do."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(f"{question} Nobody can answer here: say --yes")
    click.confirm(question, abort=True, err=True)
