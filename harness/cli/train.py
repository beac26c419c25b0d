"""`run.py train` and `generate train`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from ..core.errors import UserError, install
from ..core.program import program
from ..core.wording import counted
from .options import Decorator, cluster_option, on_cluster, refuse_given, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..report.sections import Section
    from ..training.training_run import TrainingRun


@click.group()
def train() -> None:
    """Train a model, with the verifier as the reward. Needs the extra 'train'."""


def run_options(*, trackers: bool = True) -> Decorator:
    """The configuration and the directory of a training run, and the tracker."""
    tracker = click.option(
        "--report-to",
        "trackers",
        multiple=True,
        type=click.Choice(["tensorboard", "trackio", "wandb"]),
        help="Log the training there, too; repeatable. In the file: report_to.",
    )
    return together(
        *([tracker] if trackers else []),
        cluster_option,
        click.option(
            "--config",
            "path",
            required=True,
            type=click.Path(path_type=Path, dir_okay=False),
            help="YAML file of the settings; see docs/training.md.",
        ),
        click.option(
            "--out",
            required=True,
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Output directory: models, logs, the evaluation, a report.",
        ),
    )


@train.command()
@run_options()
def grpo(path: Path, out: Path, cluster: str | None, trackers: tuple[str, ...]) -> None:
    """Warm up by examples, reinforce by GRPO, evaluate.

    The same command goes on where it was stopped. The evaluation, before and after, is an ordinary
    run (DIR/evaluation), with a page and a comparison of every subset with the original problems.
    """
    _train(path, out, "grpo", cluster, trackers)


@train.command()
@run_options()
def sft(path: Path, out: Path, cluster: str | None, trackers: tuple[str, ...]) -> None:
    """Learn from references alone, and evaluate.

    The same command goes on where it was stopped. The evaluation is an ordinary run
    (DIR/evaluation).
    """
    _train(path, out, "sft", cluster, trackers)


def _train(
    path: Path, out: Path, method: str, cluster: str | None, trackers: tuple[str, ...]
) -> None:
    """Train by a configuration of the given kind: "sft" or "grpo"."""
    _prepare("torch", "transformers", "trl")
    from ..report import print_summary, write_page
    from ..report.comparison import print_comparison
    from ..stats.compare import compare
    from ..training.config import load
    from ..training.pipeline import train as run_training

    config = load(path)
    if trackers:
        config = replace(config, report_to=trackers)
    if (config.grpo is not None) != (method == "grpo"):
        other_command = "train sft" if method == "grpo" else "train grpo"
        raise UserError(
            f"{path}: this command is for {method}; for this file there is `{other_command}`"
        )

    run = run_training(config, _into(out, cluster))
    print_summary(run)
    if len(run.models) > 1:
        print_comparison(compare(run))
    if any(problem.pair_parent for problem in run.problems.values()):
        print_comparison(compare(run, by="perturbation"))
    say(f"models and logs are in {out}; a page to open: {write_page(run)}")


def say(text: str) -> None:
    """Tell how far a training is."""
    click.echo(f"train: {text}", err=True)


def _into(out: Path, cluster: str | None) -> TrainingRun:
    """The training run; an unusable cluster is refused before the training."""
    from ..run.progress import Lines  # the trainers show bars of their own
    from ..training.training_run import TrainingRun

    with on_cluster(cluster):
        return TrainingRun(out, say, Lines(), partial(on_cluster, cluster))


@train.command()
@run_options(trackers=False)
def hint(path: Path, out: Path, cluster: str | None) -> None:
    """Train and evaluate HINT's seq2seq baselines.

    The models of Table 3 of Li et al., each with every seed of the configuration. The same command
    resumes a stopped training. The evaluation is an ordinary run (DIR/evaluation).
    """
    _prepare("torch", "transformers")
    from ..report import write_page
    from ..training.config import read
    from ..training.hint.baselines import folders, medians, progress
    from ..training.hint.baselines import train as train_baselines
    from ..training.hint.settings import HintConfig

    config = read(path, HintConfig)
    run = train_baselines(config, _into(out, cluster))
    curves = progress(folders(config, out))
    _show_sections([medians(run), *([curves] if curves else [])], out, "HINT: baselines")
    say(f"models and logs are in {out}; a page to open: {write_page(run)}")


@train.command()
@run_options(trackers=False)
def hint_concepts(path: Path, out: Path, cluster: str | None) -> None:
    """Fine-tune HINT's baselines on the six few-shot concepts.

    Table 4 and Figure 4 of Li et al. The models are from a `train hint`. The same command resumes a
    stopped training.
    """
    _prepare("torch", "transformers")
    from ..training.config import read
    from ..training.hint.concepts import ConceptsConfig, figure_4, table_4
    from ..training.hint.concepts import train as train_concepts

    runs = train_concepts(read(path, ConceptsConfig), _into(out, cluster))
    _show_sections([table_4(runs), figure_4(runs)], out, "HINT: few-shot concepts")


@train.command()
@run_options(trackers=False)
def hint_scaling(path: Path, out: Path, cluster: str | None) -> None:
    """Train baselines of HINT in several sizes.

    Figure 3 of Li et al.: accuracy over parameters and over examples. The same command goes on
    where it was stopped.
    """
    _prepare("torch", "transformers")
    from ..training.config import read
    from ..training.hint.scaling import ScalingConfig, scaling_sections
    from ..training.hint.scaling import train as train_grid

    run = train_grid(read(path, ScalingConfig), _into(out, cluster))
    _show_sections(scaling_sections(run), out, "HINT: scaling")


def _show_sections(sections: Sequence[Section], out: Path, title: str) -> None:
    """Print tables, and write a page with the tables and SVG files of the figures."""
    from ..report.figures.files import write_svg
    from ..report.sections import print_sections, write_sections

    print_sections(sections)
    write_svg((figure for section in sections for figure in section.figures), out)
    say(f"wrote {write_sections(out / 'tables.html', title, str(out), sections)}")


@train.command()
@run_options(trackers=False)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Processes that make pairs.",
)
def integrator(path: Path, out: Path, cluster: str | None, workers: int) -> None:
    """Train a sequence integrator as Lample and Charton's.

    Makes pairs, trains an encoder-decoder on the pairs and asks the model held-out pairs by beam
    search. The same command resumes a stopped training. `sweep --model transformers/DIR/model` asks
    the model.
    """
    _prepare("torch", "transformers", "datasets")
    from ..report import print_summary, write_page
    from ..training.config import read
    from ..training.integrator import IntegratorConfig
    from ..training.integrator import train as train_integrator

    run = train_integrator(read(path, IntegratorConfig), _into(out, cluster), workers=workers)
    print_summary(run)
    say(f"the model is {out / 'model'}; a page to open: {write_page(run)}")


@train.command()
@click.option(
    "--task",
    required=True,
    type=click.Choice(["derivation_step", "calculus_step"]),
    help="What the sequences are about.",
)
@click.option("--steps", type=click.IntRange(2), help="Of the data's derivations: only checked.")
@click.option(
    "--model",
    required=True,
    metavar="PATH",
    help="A directory, a hub's id, package:NAME, or scratch: a small BERT with random weights.",
)
@click.option(
    "--data",
    required=True,
    metavar="DIR",
    help="A folder of `generate derivations` or `generate calculus`.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Output directory: DIR/model, checkpoints, a log.",
)
@click.option("--epochs", default=12.0, show_default=True)
@click.option("--batch-size", default=8, show_default=True)
@click.option("--learning-rate", default=5e-7, show_default=True)
@click.option("--max-tokens", default=256, show_default=True, help="Longer sequences are cut.")
@click.option(
    "--every",
    default=1000,
    show_default=True,
    help="Steps between evaluations; the checkpoint with the best F1 is kept.",
)
@click.option("--warmup", default=0, show_default=True, help="Steps of rising learning rate.")
@click.option("--seed", default=42, show_default=True)
@click.option(
    "--straddle",
    is_flag=True,
    help="Divide train and validation at random, as the released code does, so that an "
    "example's two sequences may be on both sides.",
)
@click.option(
    "--keep-layers",
    default=0,
    show_default=True,
    help="Of a pretrained model: its first layers, so many; 0 for all.",
)
@click.option("--hidden", default=128, show_default=True, help="Of scratch: its width.")
@click.option("--layers", default=2, show_default=True, help="Of scratch.")
@click.option("--heads", default=4, show_default=True, help="Of scratch.")
@click.option("--dropout", default=0.1, show_default=True, help="Of scratch.")
def encoder(out: Path, **options: Any) -> None:
    """Train a sequence classifier on derivations.

    The defaults are the settings of Meadows et al.

    The same command resumes from the last checkpoint. `sweep --model encoder/DIR/model` asks the
    model.
    """
    _prepare("torch", "transformers", "datasets")
    from ..training.encoder import SCRATCH, EncoderSettings
    from ..training.encoder import train as train_encoder

    if options["model"] != SCRATCH:
        refuse_given(["hidden", "layers", "heads", "dropout"], "unless --model is scratch")

    model = train_encoder(EncoderSettings(**options), out, log=say)
    command = f"{program()} sweep --model encoder/{model} --benchmark ..."
    say(f"the model is in {model}; ask it: {command}")


@train.command()
@run_options(trackers=False)
def encoders(path: Path, out: Path, cluster: str | None) -> None:
    """Train and evaluate encoders with several seeds.

    Tables 1 to 3 of Meadows et al., with intervals over the seeds: every encoder of the
    configuration on every set of sequences. The same command resumes a stopped training.
    """
    _prepare("torch", "transformers", "datasets")
    from ..studies.derivations.over_seeds import seed_sections, trained_in
    from ..training.config import read
    from ..training.encoder_grid import EncoderGridConfig
    from ..training.encoder_grid import train as train_grid

    runs = train_grid(read(path, EncoderGridConfig), _into(out, cluster))
    _show_sections(seed_sections(trained_in(runs)), out, "Encoders of derivations")


@click.command("train")
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    required=True,
    metavar="NAME[/SUBSET]",
    help="Where problems come from; repeatable. `ls benchmarks` lists them.",
)
@click.option(
    "--count", type=click.IntRange(1), help="So many different ones, spread over the recipes."
)
@click.option("--seed", default=0, show_default=True, help="The same seed, the same set.")
@click.option(
    "--screen",
    multiple=True,
    metavar="NAME[/SUBSET]",
    help="Leave out what is in this benchmark, up to a factor and names; repeatable.",
)
@click.option(
    "--easier",
    default=0,
    type=click.IntRange(0),
    help="Add so many easier relatives of each problem (after LADDER).",
)
@click.option(
    "--solver",
    metavar="KIND/NAME",
    help="Keep only problems with a reference, or to which this model finds one: solver/sympy.",
)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    help="Template of the prompts, one for each task; direct and definite by default.",
)
@cluster_option
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="A .jsonl file, or a folder."
)
@click.option("--force", is_flag=True, help="Replace what is there.")
def generate_train(
    recipes: tuple[str, ...],
    count: int | None,
    seed: int,
    screen: tuple[str, ...],
    easier: int,
    solver: str | None,
    prompts: tuple[str, ...],
    cluster: str | None,
    out: Path,
    force: bool,
) -> None:
    """Write a set to train on, the easiest problems first.

    Each row has prompt, task, integrand and variable (or problem, a definite integral), reference,
    difficulty and fingerprint. No two are the same up to a constant factor and the names of
    symbols.
    """
    from ...prompts import load
    from ..store.problem_files import check_out, write_rows
    from ..training.training_set import training_set

    check_out(out, force)
    templates = [load(prompt) for prompt in prompts]
    with on_cluster(cluster):
        training = training_set(
            recipes, count=count, seed=seed, screen=screen, easier=easier, solver=solver
        )
    write_rows(training.rows(*templates), out)
    left_out = [f"{counted(training.repeats, 'repeat')}"]
    if screen:
        left_out.append(f"{training.screened} that are in {', '.join(screen)}")
    if solver is not None:
        left_out.append(f"{training.unsolved} without a reference")
    click.echo(
        f"wrote {counted(len(training.problems), 'problem')} to {out}; "
        f"left out: {', '.join(left_out)}",
        err=True,
    )
    if count is not None and training.taken < count:
        click.echo(
            f"warning: the recipes gave {training.taken} different problems, not {count}: "
            "name another --recipe, or ask for fewer",
            err=True,
        )


def _prepare(*packages: str) -> None:
    """Set the environment of torch's import, and refuse a training with missing packages."""
    from importlib.util import find_spec

    # Busy-waiting threads slow down small models on busy cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise UserError(
            f"{' and '.join(missing)} cannot be imported: training needs the extra 'train': "
            f"{install('train')}"
        )
