"""`run.py sweep`."""

from __future__ import annotations

import json
import math
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from ...rewards.arguments import check_switches
from ..core.errors import UserError
from ..core.program import program
from ..core.requests import problem_key
from ..core.wording import counted
from ..models import Model
from ..report import export_summary, print_summary
from ..report.numbers import dollars
from ..run.budget import CostEstimate, estimates
from ..run.job import Job
from ..run.phases import run_phases, run_turns
from ..run.plan import plan
from ..run.progress import for_stderr
from ..run.spec import Feedback, PhaseFilter, SweepSpec, read_settings
from ..stats.clusters import clusters_of
from ..stats.significance import clusters_needed, detectable, expected_variance
from ..stats.summary import summarise
from ..store import counts
from ..store.atomic import write_output
from ..store.run import Run
from ..store.writer import rescoring
from ..studies import named_phases
from .options import (
    cluster_option,
    json_option,
    model_options_option,
    on_cluster,
    policy_options,
    preset_file,
    source_options,
)
from .sweep_options import cost_options, given_settings, prompt_options, sampling_options, setting

#: The difference, as a share, for which a dry run says how many groups of problems it takes.
_TARGET = 0.05
#: Dollars: a sweep that may cost more, without --max-cost, is confirmed first.
ASK_ABOVE = 5


@click.command()
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="TOML file of settings, named like the flags; flags win over it.",
)
@click.option(
    "--preset",
    metavar="NAME",
    help="A published protocol's settings: antiderivbench, brittleness, definite, hint, ...",
)
@click.option(
    "--save-config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write all settings of this sweep to a TOML file for --config.",
)
@setting(
    "--model",
    multiple=True,
    metavar="KIND/NAME",
    help="Model to ask; repeatable. `ls models` lists the kinds. Options of this model alone "
    "follow its name: 'openai/a;base-url=http://127.0.0.1:8000/v1'.",
)
@model_options_option
@setting(
    "--benchmark",
    multiple=True,
    metavar="NAME[/SUBSET]",
    help="Problems to ask, or a file of them; repeatable. `ls benchmarks` lists them.",
)
@source_options
@setting(
    "--phases",
    metavar="NAME",
    help="Then ask what is made of the problems that the model solved: brittleness.",
)
@setting(
    "--phase-filter",
    type=click.Choice(get_args(PhaseFilter)),
    help="Of solved problems that are perturbed: all (none), or only those that pass the filters "
    "on functions and lengths of the paper (published).",
)
@prompt_options
@setting(
    "--pictures",
    type=click.Path(exists=True, file_okay=False),
    metavar="FOLDER",
    help="Handwritten symbols, a folder for each, for prompts that show pictures.",
)
@setting(
    "--turns",
    type=click.IntRange(1),
    help="Up to so many turns: after a wrong answer the model tries again, told of it by "
    "--feedback, and in a second arm told nothing.",
)
@setting(
    "--feedback",
    type=click.Choice(get_args(Feedback)),
    help="What a wrong answer is told: that it is wrong, where F' and f differ, or its first "
    "wrong step.",
)
@setting(
    "-n",
    "--samples",
    type=click.IntRange(1),
    help="Samples of each problem; more extend an earlier run.",
)
@setting(
    "--limit",
    type=click.IntRange(1),
    help="At most so many problems, spread over the subsets; more extend a run.",
)
@setting("--seed", type=int, help="Determines problems and samples.")
@sampling_options
@setting(
    "--beams",
    type=int,
    metavar="WIDTH",
    help="Beam search instead of sampling; -n says how many of the best are kept.",
)
@setting("--logprobs", is_flag=True, help="Keep the log-probability of every token.")
@setting(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run directory; by default one under runs/ that the settings determine.",
)
@setting(
    "--primary-k",
    type=click.IntRange(1),
    metavar="K",
    help="pass@K is what comparisons will be about; declared when the run is made (1).",
)
@policy_options
@click.option(
    "--retry-errors", is_flag=True, help="Ask the samples again that are stored as errors."
)
@cost_options
@click.option("--yes", is_flag=True, help=f"Do not ask before what may cost over ${ASK_ABOVE}.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show the prompts, the size and what it may cost, and ask nothing.",
)
@cluster_option
@json_option
@click.pass_context
def sweep(
    ctx: click.Context,
    /,
    config: Path | None,
    preset: str | None,
    save_config: Path | None,
    retry_errors: bool,
    yes: bool,
    dry_run: bool,
    cluster: str | None,
    as_json: bool,
    **_: Any,
) -> int:
    """Ask models for answers, score them, and print the table.

    The same command resumes a stopped sweep. A larger -n or --limit, or another model, extends the
    run.
    """
    files = [preset_file(preset)] if preset is not None else []
    files += [config] if config is not None else []
    settings: dict[str, Any] = {}
    for file in files:
        settings |= read_settings(file)
    in_file = settings.pop("dry-run", False)
    check_switches(**{"dry-run": in_file})
    spec = SweepSpec.of(**(settings | given_settings(ctx)))
    phases = named_phases(spec.phases, spec.phase_filter or "none") if spec.phases else ()
    job = plan(spec)
    if save_config is not None:
        _save(spec, save_config)
    if dry_run or in_file:
        _print_plan(job, as_json)
        return 0
    if not yes and job.limits.max_cost is None:
        _confirm_cost(job)
    try:
        with on_cluster(cluster), for_stderr() as progress:
            ask = run_turns if job.turns > 1 else partial(run_phases, phases=phases)
            run = ask(job, policy=spec.policy, progress=progress, retry_errors=retry_errors)
    except KeyboardInterrupt:
        if not Run.exists(job.out):
            raise  # nothing was begun
        totals = counts.totals(Run(job.out).completions)
        stored = sum(int(sums["rows"]) for sums in totals.values())
        again = f"{program()} {shlex.join(sys.argv[1:])}"
        print(
            f"interrupted: {counted(stored, 'answer')} stored in {job.out}; "
            f"this goes on from there:\n  {again}",
            file=sys.stderr,
        )
        sys.exit(130)
    summary = summarise(run, spec.policy.name, job.limits.prices)
    if as_json:
        click.echo(export_summary(summary, "json"), nl=False)
    else:
        print_summary(summary)
    print(
        f"The run is in {run.path}; a page to open: {program()} report {run.path}", file=sys.stderr
    )
    failed: dict[str, bool] = {}  # of each model, whether all its answers are errors
    for (model_hash, _problem), sums in counts.totals(run.completions).items():
        failed[model_hash] = failed.get(model_hash, True) and sums["rows"] == sums.get("errors", 0)
    with rescoring(run.path) as opened:
        missing = any(job.missing(model, opened.stored) for model in job.models)
    return int(missing or any(failed.get(model.hash) for model in job.models))


def _save(spec: SweepSpec, path: Path) -> None:
    write_output(path, spec.to_toml().encode())
    click.echo(f"wrote the settings to {path}", err=True)


def _confirm_cost(job: Job) -> None:
    """Ask before a sweep with a cost above `ASK_ABOVE`; refuse the sweep without a terminal."""
    if not any(job.limits.price(model) for model in job.models):
        return
    dollars = sum(estimate.most_dollars or 0.0 for estimate in estimates(job))
    if dollars <= ASK_ABOVE:
        return
    cost = f"this sweep may cost up to ${dollars:.2f} (--dry-run shows how much is likely)"
    if not sys.stdin.isatty():
        raise UserError(f"{cost}; say --yes, or set a limit with --max-cost")
    click.confirm(f"{cost}. Go on?", abort=True, err=True)


def _costs(estimate: CostEstimate) -> str:
    """An estimate as a line."""
    about = "" if estimate.counted else "about "
    line = f"{estimate.label}: {counted(estimate.answers, 'answer')} missing: prompts of {about}"
    line += f"{counted(estimate.prompt_tokens, 'token')}, "
    line += f"{counted(estimate.most_tokens, 'token')} at most in all"
    if estimate.most_dollars is not None:
        line += f" (${dollars(estimate.most_dollars)})"
    if estimate.usual_tokens is not None:
        line += f"; {estimate.usual_tokens:.0f} if they are like the stored ones"
        if estimate.usual_dollars is not None:
            line += f" (${dollars(estimate.usual_dollars)})"
    return line


def _print_plan(job: Job, as_json: bool) -> None:
    """Print the first prompt of every subset, the lengths of prompts, and the size of the sweep."""
    # Problems of a subset share a prompt template: the first of each subset stands for all.
    subsets: dict[str, list[str]] = {}
    for problem in job.problems:
        subsets.setdefault(problem.name, []).append(problem_key(problem))
    first_prompts = {name: job.first[keys[0]].prompt for name, keys in subsets.items()}
    lengths = {model.label: _tokens(job, model) for model in job.models}
    groups, detects = _power(job)
    if as_json:
        plan = {
            "out": str(job.out),
            "models": [
                model.config | {"label": model.label, "prompt_tokens": lengths[model.label]}
                for model in job.models
            ],
            "problems": {name: len(keys) for name, keys in subsets.items()},
            "samples": job.samples,
            "stages": job.stages,
            "completions": job.size,
            "groups": groups,
            "detects": detects if math.isfinite(detects) else None,
            "estimates": [estimate.to_dict() for estimate in estimates(job)],
            "first_prompts": {name: prompt.to_dict() for name, prompt in first_prompts.items()},
        }
        click.echo(json.dumps(plan, indent=2, ensure_ascii=False))
        return
    for name, prompt in first_prompts.items():
        click.echo(f"--- {subsets[name][0]} ({prompt.style}) ---\n{prompt}\n")
    of_each = ", ".join(f"{len(keys)} of {name}" for name, keys in subsets.items())
    for label, tokens in lengths.items():
        if tokens is None:
            characters = sum(len(str(rendered.prompt)) for rendered in job.first.values())
            length = (
                f"{counted(characters, 'character')} (this kind of model has no tokenizer at hand)"
            )
        else:
            length = f"{counted(tokens, 'token')}"
        click.echo(f"{label}: {length} in one prompt of every problem")
    for estimate in estimates(job):
        click.echo(_costs(estimate))
    # The power tells before any request whether the planned sample can answer a question.
    many = clusters_needed(expected_variance(job.samples), _TARGET)
    could = (
        f"a true difference of {100 * detects:.0f} points between two models would be found in 80 %"
    )
    click.echo(
        f"{counted(groups, 'group')} of problems with a common origin, each of which counts once: "
        + (
            f"{could} of such runs"
            if detects <= 1
            else "too few to find any difference of two models"
        )
        + f"; for {100 * _TARGET:.0f} points it takes about {many} groups with so many samples"
    )
    stages = f" in {job.stages} stages" if job.stages > 1 else ""
    once = ", 1 of a deterministic model" if any(m.deterministic for m in job.models) else ""
    click.echo(
        f"{counted(len(job.models), 'model')} x {counted(len(job.problems), 'problem')} "
        f"({of_each}) x {counted(job.samples, 'sample')}{once}{stages} = {job.size} completions "
        f"of at most {job.identity.sampling.max_tokens} tokens, to be stored in {job.out}"
    )


def _power(job: Job) -> tuple[int, float]:
    """The groups of problems with a common origin, and the detectable difference."""
    groups = len(
        set(clusters_of({problem_key(problem): problem for problem in job.problems}).values())
    )
    return groups, detectable(expected_variance(job.samples), groups)


def _tokens(job: Job, model: Model) -> int | None:
    """The tokens of all first-stage prompts, for models with a tokenizer."""
    counts = [model.count_tokens(rendered.prompt) for rendered in job.first.values()]
    counted_prompts = [count for count in counts if count is not None]
    return sum(counted_prompts) if len(counted_prompts) == len(counts) else None
