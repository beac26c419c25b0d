"""A training run from start to report: make or take a model, warm it up, reinforce, evaluate.

    config.json     what was asked for; another configuration needs another directory
    start/          the model made from scratch, where there is one
    sft/, grpo/     checkpoints, log.jsonl and, when finished, model/
    evaluation/     a run (`harness.sweep`) of the model before and after

Every part that is finished is passed over, so the same command goes on where it was stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...benchmarks.problem import Problem
from ...prompts import load as load_prompt
from ..core.errors import UserError
from ..core.requests import Sampling
from ..models import create
from ..run.plan import problems_of
from ..run.progress import Progress
from ..run.sweep import sweep
from ..store.run import Run
from .config import Config
from .data import rows, taught
from .directory import reserve
from .scratch import make
from .trainers import reinforce, reward_share, warm_start


def train(
    config: Config,
    out: Path,
    *,
    say: Callable[[str], None] = lambda text: None,
    progress: Progress | None = None,
) -> Run:
    """Carry out a configuration in ``out``, as far as that was not done; the evaluation's run."""
    reserve(out, "config.json", config.to_dict())
    prompt = load_prompt(config.data.prompt)
    problems, left_out = _to_train_on(config)
    if left_out:
        say(f"left out {left_out} training problems that the evaluation asks")
    models = []
    if config.model.scratch is not None:
        start = out / "start"
        if not start.is_dir():
            say("making a model")
            part = out / "start.part"
            make(part, config.model.scratch, config.seed)
            part.rename(start)
        model = str(start)
    else:
        model = config.model.path
    if config.sft is not None:
        if not (out / "sft/model").is_dir():
            say(f"warming up on {len(problems)} problems with their references")
            lessons = taught(problems, prompt, config.data.answer)
            warm_start(
                model,
                lessons,
                out / "sft",
                model=config.model,
                options=config.sft,
                seed=config.seed,
            )
        model = str(out / "sft/model")
    models.append(model)
    if config.grpo is not None:
        if not (out / "grpo/model").is_dir():
            say(f"reinforcing on {len(problems)} problems")
            reinforce(
                model,
                rows(problems, prompt),
                out / "grpo",
                model=config.model,
                reward=config.reward,
                options=config.grpo,
                seed=config.seed,
            )
            if (share := reward_share(out / "grpo/log.jsonl")) is not None:
                say(f"{share:.1%} of that time was spent in the reward")
        models.append(str(out / "grpo/model"))
    say("evaluating before and after")
    evaluation = config.evaluation
    return sweep(
        [create(f"{evaluation.model}/{path}", evaluation.options) for path in models],
        evaluation.benchmarks,
        prompt=config.data.prompt,
        samples=evaluation.samples,
        limit=evaluation.limit,
        seed=config.seed,
        sampling=Sampling(temperature=evaluation.temperature, max_tokens=evaluation.max_tokens),
        out=out / "evaluation",
        progress=progress,
    )


def _to_train_on(config: Config) -> tuple[list[Problem], int]:
    """The training problems but for those of the evaluation, whatever they are called there."""

    def mark(problem: Problem) -> tuple[object, object]:
        return problem.target["integrand"], problem.target["variable"]

    asked = problems_of(config.evaluation.benchmarks, config.evaluation.limit, config.seed)
    marks = set(map(mark, asked))
    problems = problems_of(config.data.benchmarks, config.data.limit, config.seed)
    kept = [problem for problem in problems if mark(problem) not in marks]
    if not kept:
        raise UserError("there is nothing to train on that is not asked in the evaluation")
    return kept, len(problems) - len(kept)
