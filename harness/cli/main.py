"""The command line: parses, calls one function for each command, prints.

Results go to stdout, messages to stderr. Exit status: 0 all right, 1 what was asked about is not so
(an answer that is wrong, a reference that is not proven, a sweep that did not get all answers), 2 a
mistake of the user's, 3 undecided, 130 interrupted.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import UserError, suggest
from .brittleness import brittleness, logprobs
from .compare import compare
from .generate.problems import generate
from .options import key_values, model_options_option, plain_warnings, preset_file
from .overlap import print_overlap
from .pairwise import pairwise
from .report import export_samples, report, view
from .serve import serve_reward
from .sources import source_options, with_source_options
from .train import train

if TYPE_CHECKING:
    from ...rewards.verdict import Verdict
    from ..core.requests import Sampling
    from ..models import Model
    from ..run.grade import Policy
    from ..run.plan import Job
    from ..stats.metrics import Summary


class Commands(click.Group):
    """Suggests near misses for a mistyped command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            hint = suggest(args[0], self.list_commands(ctx))
            raise click.UsageError(f"no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="calculus-harness", prog_name="calculus-harness")
def cli() -> None:
    """Benchmarks and a trustworthy verifier for models that do calculus."""


def main() -> None:
    """Run the command line; a user's mistake is one line and exit status 2."""
    try:
        plain_warnings()
        sys.exit(cli.main(prog_name=Path(sys.argv[0]).name, standalone_mode=False) or 0)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        fail(error.format_message())
    except (KeyboardInterrupt, click.Abort):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        sys.exit(0)
    except ValueError as error:
        if not _is_mistake(error):
            raise
        fail(str(error))


def fail(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def _is_mistake(error: ValueError) -> bool:
    """Whether an error is the user's, as those of the packages below this one are."""
    from ...benchmarks import UnknownBenchmarkError
    from ...benchmarks.bee.augmented import AugmentationError
    from ...benchmarks.brittleness import DerivationError
    from ...benchmarks.derivations.examples import NoExampleError
    from ...benchmarks.files import ProblemFileError
    from ...prompts import PromptError
    from ...rewards import ProblemError

    ours = (
        AugmentationError,
        DerivationError,
        NoExampleError,
        ProblemError,
        ProblemFileError,
        PromptError,
        UnknownBenchmarkError,
        UserError,
    )
    return isinstance(error, ours)


# --- options that several commands share -------------------------------------------------------


def _read_config(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """Take a file's values as defaults, so that flags win over them."""
    if path is not None:
        ctx.default_map = {**(ctx.default_map or {}), **_settings(ctx, path)}
    return path


def _read_preset(ctx: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """The same for a file of ours; a file of the user's wins over it."""
    if name is not None:
        ctx.default_map = {**_settings(ctx, preset_file(name)), **(ctx.default_map or {})}
    return name


def _settings(ctx: click.Context, path: Path) -> dict[str, Any]:
    import tomllib

    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: {error}") from None
    names: dict[str, str] = {}
    for option in ctx.command.params:
        flags = [flag[2:] for flag in option.opts if flag.startswith("--")]
        names |= {flag: str(option.name) for flag in flags if flag not in ("config", "help")}
    for name, value in values.items():
        if name not in names:
            raise UserError(f"{path}: unknown setting {name!r}; {suggest(name, names)}")
        if isinstance(value, dict):
            values[name] = [f"{key}={_plain(item)}" for key, item in value.items()]
    return {names[name]: value for name, value in values.items()}


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


config_option = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    is_eager=True,
    expose_value=False,
    callback=_read_config,
    help="TOML file of settings, named like the flags; flags win over it.",
)
preset_option = click.option(
    "--preset",
    is_eager=True,
    expose_value=False,
    callback=_read_preset,
    metavar="NAME",
    help="A published protocol's settings: antiderivbench, brittleness.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How strictly to judge."""
    for option in (
        click.option(
            "--method",
            default="balls",
            show_default=True,
            type=click.Choice(["balls", "published", "welleck"]),
            help="Our verifier, or that of AntiderivBench (published) or Welleck et al.",
        ),
        click.option(
            "--require-continuous",
            is_flag=True,
            help="Refuse an antiderivative that jumps where the integrand does not.",
        ),
        click.option(
            "--strict-domain",
            is_flag=True,
            help="F' = f with principal branches on the whole real domain.",
        ),
        click.option("--strict", is_flag=True, help="Only a boxed answer is an answer."),
    ):
        command = option(command)
    return command


def _policy(method: str, strict: bool, strict_domain: bool, require_continuous: bool) -> Policy:
    from ..run.grade import Policy

    return Policy(method, strict, strict_domain, require_continuous)


# --- sweep -------------------------------------------------------------------------------------


@cli.command()
@config_option
@preset_option
@click.option(
    "--model",
    "models",
    multiple=True,
    required=True,
    metavar="KIND/NAME",
    help="Model to ask; repeatable. `ls models` lists the kinds.",
)
@model_options_option
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    required=True,
    metavar="NAME[/SUBSET]",
    help="Problems to ask, or a file of them; repeatable. `ls benchmarks` lists them.",
)
@source_options
@click.option(
    "--phases",
    metavar="NAME",
    help="Then ask what is made of the problems that the model solved: brittleness.",
)
@click.option("--prompt", metavar="NAME|FILE.jinja", help="Template; by default the task's own.")
@click.option(
    "--num-fewshot",
    "shots",
    type=click.IntRange(0),
    help="Worked examples in the prompt, for templates that show any.",
)
@click.option(
    "-n",
    "--samples",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Samples of each problem; more extend an earlier run.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="At most so many problems, spread over the subsets; more extend a run.",
)
@click.option("--seed", default=0, show_default=True, help="Determines problems and samples.")
@click.option("--temperature", default=1.0, show_default=True, type=click.FloatRange(0))
@click.option("--top-p", default=1.0, show_default=True, type=click.FloatRange(0, 1, min_open=True))
@click.option("--top-k", default=0, help="Sample among the K likeliest tokens only.")
@click.option("--min-p", default=0.0, help="Leave out tokens below this share of the likeliest.")
@click.option(
    "--beams",
    default=0,
    metavar="WIDTH",
    help="Beam search instead of sampling; -n says how many of the best are kept.",
)
@click.option("--grouped", is_flag=True, help="All samples of a problem in one request.")
@click.option("--logprobs", is_flag=True, help="Keep the log-probability of every token.")
@click.option("--max-tokens", default=16_384, show_default=True, type=click.IntRange(1))
@click.option("--stop", multiple=True, metavar="TEXT", help="Ends a completion; repeatable.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run directory; by default one under runs/ that the settings determine.",
)
@click.option(
    "--primary-k",
    type=click.IntRange(1),
    metavar="K",
    help="pass@K is what comparisons will be about; declared when the run is made (1).",
)
@policy_options
@click.option("--dry-run", is_flag=True, help="Show the prompts and the size, and ask nothing.")
@json_option
def sweep(
    models: tuple[str, ...],
    model_options: tuple[str, ...],
    benchmarks: tuple[str, ...],
    columns: tuple[str, ...],
    syntax: str | None,
    split: str | None,
    skip_broken: bool,
    phases: str | None,
    prompt: str | None,
    shots: int | None,
    samples: int,
    limit: int | None,
    seed: int,
    temperature: float,
    top_p: float,
    top_k: int,
    min_p: float,
    beams: int,
    grouped: bool,
    logprobs: bool,
    max_tokens: int,
    stop: tuple[str, ...],
    out: Path | None,
    primary_k: int | None,
    dry_run: bool,
    as_json: bool,
    **strictness: Any,
) -> int:
    """Ask models for answers, score them, and print the table.

    The same command goes on where it was stopped, whatever stopped it. A larger -n or --limit, or
    another model, extends the run.
    """
    from ..run.phases import named, run_phases
    from ..run.plan import plan
    from ..run.progress import for_stderr

    later = named(phases) if phases is not None else ()
    job = plan(
        models,
        with_source_options(
            benchmarks, columns=columns, syntax=syntax, split=split, skip_broken=skip_broken
        ),
        prompt=prompt,
        shots=shots,
        samples=samples,
        limit=limit,
        seed=seed,
        sampling=_sampling(
            temperature=temperature,
            top_p=top_p,
            top_k=top_k,
            min_p=min_p,
            beams=beams,
            grouped=grouped,
            logprobs=logprobs,
            max_tokens=max_tokens,
            stop=stop,
        ),
        options=key_values(model_options, "-M"),
        out=out,
        primary_k=primary_k,
    )
    if dry_run:
        _print_plan(job, as_json)
        return 0
    policy = _policy(**strictness)
    try:
        with for_stderr() as progress:
            run = run_phases(job, later, policy=policy, progress=progress)
    except KeyboardInterrupt:
        from ..store.run import Run

        if not Run.exists(job.out):
            raise  # nothing was begun
        stored = sum(1 for _ in Run(job.out).completions.heads())
        again = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
        print(
            f"interrupted: {stored} answers are stored in {job.out}; this goes on from there:\n"
            f"  {again}",
            file=sys.stderr,
        )
        sys.exit(130)
    _print_summary(run.summary(policy.name), as_json)
    print(f"The run is in {run.path}; a page to open: run.py report {run.path}", file=sys.stderr)
    answered = {row["key"] for _, row in run.completions.heads()}
    return int(any(job.missing(model, answered) for model in job.models))


def _sampling(**values: Any) -> Sampling:
    from ..core.requests import Sampling

    try:
        return Sampling(**values)
    except ValueError as error:
        raise UserError(str(error)) from None


def _print_plan(job: Job, as_json: bool) -> None:
    """The first prompt of every subset, how long prompts are, and how much would be asked."""
    subsets: dict[str, list[str]] = {}
    for problem in job.problems:
        subsets.setdefault(problem.name, []).append(f"{problem.name}/{problem.id}")
    first = {name: job.first[keys[0]].prompt for name, keys in subsets.items()}
    lengths = {model.label: _tokens(job, model) for model in job.models}
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
            "first_prompts": {name: prompt.to_dict() for name, prompt in first.items()},
        }
        click.echo(json.dumps(plan, indent=2, ensure_ascii=False))
        return
    for name, prompt in first.items():
        click.echo(f"--- {subsets[name][0]} ({prompt.style}) ---\n{prompt}\n")
    counted = ", ".join(f"{len(keys)} of {name}" for name, keys in subsets.items())
    for label, tokens in lengths.items():
        if tokens is None:
            characters = sum(len(str(asked.prompt)) for asked in job.first.values())
            length = f"{characters} characters (this kind of model has no tokenizer at hand)"
        else:
            length = f"{tokens} tokens"
        click.echo(f"{label}: {length} in one prompt of every problem")
    stages = f" in {job.stages} stages" if job.stages > 1 else ""
    click.echo(
        f"{len(job.models)} model(s) x {len(job.problems)} problems ({counted}) "
        f"x {job.samples} sample(s){stages} = {job.size} completions of at most "
        f"{job.identity.sampling.max_tokens} tokens, to be stored in {job.out}"
    )


def _tokens(job: Job, model: Model) -> int | None:
    """The tokens of all first-stage prompts, where the model can count them."""
    counts = [model.count_tokens(asked.prompt) for asked in job.first.values()]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _print_summary(summary: Summary, as_json: bool) -> None:
    from ..report import export_summary, print_summary

    if as_json:
        click.echo(export_summary(summary, "json"), nl=False)
    else:
        print_summary(summary)


# --- score, report -----------------------------------------------------------------------------


@cli.command()
@click.argument("run", type=click.Path(path_type=Path))
@policy_options
@click.option(
    "--against",
    metavar="POLICY",
    help="Show what changed from these verdicts; by default from the latest complete others.",
)
@json_option
def score(run: Path, against: str | None, as_json: bool, **strictness: Any) -> None:
    """Judge a run's answers, without asking any model.

    Verdicts are kept apart for every version and policy of the verifier; only those that are
    missing are made. What changed from the earlier ones is shown, with the reasons.
    """
    from ..report import export_summary
    from ..report.changes import print_changes
    from ..run.progress import for_stderr
    from ..run.sweep import score as score_run
    from ..stats.verdict_changes import changes
    from ..store.run import Run
    from ..store.verdict_sets import latest_complete

    policy = _policy(**strictness)
    opened = Run(run)
    if against is not None:
        opened.verdicts(against)  # for its error message
    others = [name for name in opened.policies if name != policy.name]
    before = against or latest_complete([opened], others)
    with for_stderr() as progress:
        scored = score_run(run, policy=policy, progress=progress)
    found = changes(scored, before, policy.name) if before else None
    summary = scored.summary(policy.name)
    if as_json:
        result = json.loads(export_summary(summary, "json"))
        result["changes"] = found.to_dict() if found else None
        click.echo(json.dumps(result, indent=2, ensure_ascii=False))
        return
    _print_summary(summary, as_json=False)
    if found:
        print_changes(found)


for command in (report, compare, export_samples, view):
    cli.add_command(command)


# --- verify ------------------------------------------------------------------------------------


@cli.command()
@click.option("--integrand", required=True, metavar="LATEX", help="What was to be integrated.")
@click.option(
    "--answer",
    required=True,
    metavar="TEXT",
    help="The answer: LaTeX, or a whole completion; - reads stdin.",
)
@click.option("--variable", default="x", show_default=True)
@click.option(
    "--assume",
    multiple=True,
    metavar="SYMBOL=KIND",
    help="Kind of a parameter (positive unless said otherwise); repeatable.",
)
@policy_options
@json_option
def verify(
    integrand: str,
    answer: str,
    variable: str,
    assume: tuple[str, ...],
    as_json: bool,
    **strictness: Any,
) -> None:
    """Judge one answer. Exit status: 0 correct, 1 not correct, 3 undecided."""
    from ... import rewards

    verdict = rewards.verify_antiderivative(
        sys.stdin.read() if answer == "-" else answer,
        integrand,
        variable=variable,
        assumptions=key_values(assume, "--assume"),
        **strictness,
    )
    if as_json:
        click.echo(json.dumps(verdict.to_dict(), indent=2, ensure_ascii=False))
    else:
        _print_verdict(verdict)
    if verdict.correct:
        return
    undecided = (rewards.Status.UNDECIDED, rewards.Status.TIMEOUT, rewards.Status.ERROR)
    sys.exit(3 if verdict.status in undecided else 1)


def _print_verdict(verdict: Verdict) -> None:
    evidence = verdict.evidence
    lines = [("answer", verdict.answer), ("found by", evidence.extracted_by)]
    lines += [("read as", evidence.reading), ("because", evidence.detail)]
    if evidence.witness:
        lines += [
            ("at", evidence.witness.point),
            ("integrand", evidence.witness.expected),
            ("derivative", evidence.witness.got),
        ]
    elif evidence.points:
        lines.append(("agrees", f"at {evidence.points} points to {evidence.digits:.0f} digits"))
    if evidence.coverage is not None:
        lines.append(("coverage", f"{100 * evidence.coverage:.1f} % of the real domain"))
    lines.append(("notes", ", ".join(evidence.flags)))
    lines.append(("method", f"{evidence.method}, {1000 * evidence.seconds:.1f} ms"))
    colours = {"correct": "green", "incorrect": "red"}
    click.secho(
        verdict.status.replace("_", " "), fg=colours.get(verdict.status, "yellow"), bold=True
    )
    for name, value in lines:
        if value:
            click.echo(f"  {name:<11}{value}")


# --- ls ----------------------------------------------------------------------------------------


@cli.command()
@click.argument(
    "what",
    required=False,
    default="all",
    type=click.Choice(["all", "benchmarks", "models", "prompts"]),
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    metavar="NAME[/SUBSET]",
    help="Only these benchmarks, or a file; repeatable.",
)
@click.option("--validate", is_flag=True, help="Prove every reference answer.")
@click.option(
    "--overlap",
    metavar="FILE",
    help="Screen a set, such as training data, for problems of the benchmarks; "
    "--columns and so on are about it.",
)
@source_options
@json_option
def ls(
    what: str,
    benchmarks: tuple[str, ...],
    validate: bool,
    overlap: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """List benchmarks, models and prompts.

    Or prove the references (--validate), or look for an overlap with another set (--overlap). Exit
    status 1: a reference is not proven, or there is an overlap.
    """
    from ..run import listing

    if overlap is not None:
        from ...benchmarks.files import is_source

        place = overlap if is_source(overlap) else f"file:{overlap}"
        options["skip_broken"] = True  # a training set need not be perfect to be screened
        (place,) = with_source_options([place], **options)
        sys.exit(print_overlap(benchmarks, place, as_json))
    benchmarks = with_source_options(benchmarks, **options)
    if validate:
        sys.exit(_validate(benchmarks, as_json))
    found = listing.everything(what, benchmarks)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for heading, rows in found.items():
        click.secho(heading, bold=True)
        width = max((len(row["name"]) for row in rows), default=0)
        for row in rows:
            click.echo(f"  {row['name']:<{width}}  {listing.describe(row)}")
            if "example" in row:
                click.echo(f"  {'':<{width}}  {row['example']}")
        click.echo()


def _validate(benchmarks: tuple[str, ...], as_json: bool) -> int:
    from ..run.listing import validate

    report = validate(benchmarks, say=lambda line: click.echo(line, err=True))
    if as_json:
        click.echo(json.dumps(report, indent=2, ensure_ascii=False))
    elif report["failed"]:
        failed = report["failed"]
        click.echo(f"{failed['problem']}: not proven ({failed['status']}): {failed['why']}")
    else:
        click.echo(
            f"{report['proven']} references proven, {report['partly']} of them on a part of the "
            f"real domain only; {report['without']} problems have none"
        )
    return 1 if report["failed"] else 0


cli.add_command(generate)
cli.add_command(train)
cli.add_command(serve_reward)
cli.add_command(brittleness)
cli.add_command(logprobs)
cli.add_command(pairwise)
