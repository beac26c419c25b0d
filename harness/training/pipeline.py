"""A training run: supervised fine-tuning, GRPO, and an evaluation before and after.

The directory of a training run:

- ``config.json``: the configuration; a different configuration needs another directory
- ``start/``: the model with random weights, of a training from scratch
- ``sft/``, ``grpo/``: checkpoints, ``log.jsonl`` and, after the stage, ``model/``
- ``evaluation/``: a run (`harness.sweep`) of the models before and after

Finished stages are skipped: the same command resumes a stopped run.
"""

from __future__ import annotations

from functools import partial

from ...benchmarks.payloads import IntegrationTarget
from ...benchmarks.problem import Problem
from ...prompts import load as load_prompt
from ...rewards.records import plain
from ..core.errors import UserError
from ..core.requests import Sampling
from ..core.wording import counted
from ..models import create
from ..models.gguf_weights import weights_folder
from ..run.problems import problems_of
from ..store.run import Run
from .config import Config
from .rows import grpo_rows, sft_rows
from .settings_file import write_settings
from .small_llama import make_llama
from .trainers import refuse_missing, reward_share, train_grpo, train_sft
from .training_run import TrainingRun, made_once


def train(config: Config, into: TrainingRun) -> Run:
    """Train and evaluate as configured, or resume the run.

    Args:
        config: The configuration.
        into: The directory of the training run, with log and progress.

    Returns:
        The run of the evaluation.

    Raises:
        UserError: A setting is wrong, or no training problem is outside the evaluation.

    """
    out, log = into.out, into.log
    refuse_missing(config.report_to)
    settings = plain(config)
    del settings["report_to"]  # a resumed training may be logged elsewhere
    write_settings(out, "config.json", settings)
    prompt = load_prompt(config.data.prompt)
    problems, left_out = _training_problems(config)
    if left_out:
        log(f"left out {left_out} training problems that are in the evaluation")
    models = []
    if config.model.scratch is not None:
        start = out / "start"
        if not start.is_dir():
            log("making a model")
        make = partial(make_llama, size=config.model.scratch, seed=config.seed)
        model = str(made_once(start, make))
    else:
        model = weights_folder(config.model.path)
    if config.sft is not None:
        if not (out / "sft/model").is_dir():
            log(f"fine-tuning on {counted(len(problems), 'problem')} with their references")
            train_sft(
                model,
                sft_rows(problems, prompt, config.data.answer),
                out / "sft",
                model=config.model,
                options=config.sft,
                seed=config.seed,
                report_to=config.report_to,
            )
        model = str(out / "sft/model")
    models.append(model)
    if config.grpo is not None:
        if not (out / "grpo/model").is_dir():
            log(f"reinforcing on {counted(len(problems), 'problem')}")
            train_grpo(
                model,
                grpo_rows(problems, prompt),
                out / "grpo",
                model=config.model,
                reward=config.reward,
                options=config.grpo,
                seed=config.seed,
                report_to=config.report_to,
            )
            if (share := reward_share(out / "grpo/log.jsonl")) is not None:
                log(f"{share:.1%} of that time was spent in the reward")
        models.append(str(out / "grpo/model"))
    log("evaluating before and after")
    evaluation = config.evaluation
    candidates = [create(f"{evaluation.model}/{path}", evaluation.options) for path in models]
    different = list({model.hash: model for model in reversed(candidates)}.values())[::-1]
    if len(different) < len(candidates):
        log("training changed no weight, so that one model is evaluated")
    return into.evaluate(
        different,
        evaluation.benchmarks,
        prompt=config.data.prompt,
        samples=evaluation.samples,
        limit=evaluation.limit,
        seed=config.seed,
        sampling=Sampling(temperature=evaluation.temperature, max_tokens=evaluation.max_tokens),
    )


def _training_problems(config: Config) -> tuple[list[Problem], int]:
    """Return the training problems outside of the evaluation, and the number of the removed
    problems.
    """

    def integral(problem: Problem) -> tuple[str, str]:
        target = problem.target_as(IntegrationTarget)
        return target.integrand, target.variable

    evaluation = problems_of(config.evaluation.benchmarks, config.evaluation.limit, config.seed)
    evaluated = set(map(integral, evaluation))
    problems = problems_of(config.data.benchmarks, config.data.limit, config.seed)
    outside_evaluation = [problem for problem in problems if integral(problem) not in evaluated]
    if not outside_evaluation:
        raise UserError("all training problems are in the evaluation; name other benchmarks")
    return outside_evaluation, len(problems) - len(outside_evaluation)
