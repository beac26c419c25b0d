"""Planning: models, problems and prompts are resolved, or the sweep is refused, before the first
request.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ...benchmarks.problem import Problem
from ...prompts import PictureError, Prompt, PromptError
from ...prompts import load as load_prompt
from ...prompts import names as prompt_names
from ...rewards.arguments import check_method
from ...rewards.records import plain
from ..core.errors import ModelError, UserError
from ..core.prices import Prices
from ..core.requests import Sampling, digest, problem_key
from ..models import Capability, Model, create
from ..store.manifest import Identity
from ..tasks import default_prompt, refuse_unreadable
from .job import Job, Limits, RenderedProblem, continued
from .problems import problems_of
from .spec import SweepSpec

#: Broken pictures that an error message names; it counts all.
_NAMED = 3


def plan(
    spec: SweepSpec,
    *,
    models: Sequence[str | Model] | None = None,
    problems: Sequence[Problem] | None = None,
) -> Job:
    """Resolve a sweep without any request.

    Args:
        spec: the sweep.
        models: models, or names of models, instead of the names in ``spec.model``.
        problems: the problems. If given, ``spec.benchmark`` is only a name in the run.

    Returns:
        The job, with resolved models, problems and prompts.

    Raises:
        UserError: a name is unknown, or the settings do not fit together.

    >>> spec = SweepSpec(("solver/sympy",), ("bee/qualifier",), limit=3)
    >>> plan(spec).size
    3

    """
    spec = SweepSpec.of(**plain(spec))
    if problems is None:
        problems = problems_of(spec.benchmark, spec.limit, spec.seed)
    if not problems:
        raise UserError(f"there are no problems in {', '.join(spec.benchmark)}")
    if any(problem.task == "integration" for problem in problems):
        check_method(spec.policy.method)  # HINT's scorer of that name needs no package
    named = load_prompt(spec.prompt) if spec.prompt is not None else None
    tasks = {problem.task for problem in problems}
    refuse_unreadable(tasks, spec.policy)
    prompts = {task: named or default_prompt(task) for task in tasks}
    if spec.num_fewshot is not None:
        prompts = {task: prompt.with_shots(spec.num_fewshot) for task, prompt in prompts.items()}
    if (system := spec.system_message) is not None:
        prompts = {task: prompt.with_system_message(system) for task, prompt in prompts.items()}
    if (pictures := spec.pictures) is not None:
        prompts = {task: prompt.with_pictures(pictures) for task, prompt in prompts.items()}
    sampling = spec.sampling
    if 0 < sampling.beams < spec.samples:
        raise UserError(
            f"a beam search of width {sampling.beams} has no {spec.samples} best answers"
        )
    identity = Identity(tuple(dict.fromkeys(spec.benchmark)), prompts, sampling, spec.seed)
    out = spec.out or Path("runs") / f"{problems[0].benchmark}-{digest(identity.to_dict())[:8]}"
    job = Job(
        identity=identity,
        models=tuple(
            create(model, spec.model_option) if isinstance(model, str) else model
            for model in models or spec.model
        ),
        problems=tuple(problems),
        samples=spec.samples,
        out=Path(out),
        limit=spec.limit,
        primary_k=spec.primary_k,
        limits=Limits(
            spec.max_cost,
            spec.max_tokens_total,
            Prices.read(Path(spec.prices)) if spec.prices is not None else None,
        ),
        turns=spec.turns,
        feedback=spec.feedback,
    )
    if spec.max_cost is not None:
        _refuse_unpriced(job)
    if job.stages > 1 and sampling.beams:
        raise UserError("a beam search needs a prompt of one stage")
    if len({model.hash for model in job.models}) < len(job.models):
        names = ", ".join(model.label for model in job.models)
        raise UserError(
            f"a model is named twice: {names}; a run keeps one set of answers of each, whatever "
            "its server; ask another server for another --out"
        )
    job = replace(job, first=_rendered(job))
    if spec.turns > 1:
        _refuse_turns(spec, job)
    for model in job.models:
        _refuse_impossible(model, sampling, prompts.values(), job)
    return job


def _rendered(job: Job) -> dict[str, RenderedProblem]:
    """All problems as rendered for the first stage; raises `PromptError` for broken pictures."""
    rendered_by_key: dict[str, RenderedProblem] = {}
    broken: list[str] = []
    for problem in job.problems:
        try:
            rendered_by_key[problem_key(problem)] = job.render(problem)
        except PictureError as error:
            broken.append(str(error))
    if broken:
        rest_note = f"; and {len(broken) - _NAMED} more" if len(broken) > _NAMED else ""
        raise PromptError(
            f"{len(broken)} of {len(job.problems)} problems have no picture: "
            f"{'; '.join(broken[:_NAMED])}{rest_note}"
        )
    return rendered_by_key


def _refuse_turns(spec: SweepSpec, job: Job) -> None:
    """Raise `UserError` if wrong answers cannot be tried again in the same conversation."""
    styles = {rendered.prompt.style for rendered in job.first.values()}
    fixed = [model.spec for model in job.models if model.deterministic]
    reasons = {
        "they continue a chat, and the prompt is a text to complete": styles != {"chat"},
        "the prompt has stages": job.stages > 1,
        "a beam search has none": job.identity.sampling.beams > 0,
        "the problems of phases depend on the first answers": spec.phases is not None,
        f"{', '.join(fixed)} gives the same answer again": bool(fixed),
    }
    for reason, holds in reasons.items():
        if holds:
            raise UserError(f"--turns {spec.turns} is not possible here: {reason}")
    for prompt in job.identity.prompts.values():
        continued(prompt, spec.turns)  # raises for one that cannot be continued


def _refuse_unpriced(job: Job) -> None:
    """Raise `UserError` if a limit on cost cannot be kept because a price is missing."""
    for model in job.models:
        if not model.deterministic and job.limits.price(model) is None:
            raise UserError(
                f"--max-cost needs the price of {model.spec}: dollars per million tokens, in a "
                "file for --prices (docs/reports.md)"
            )


def _refuse_impossible(
    model: Model, sampling: Sampling, prompts: Iterable[Prompt], job: Job
) -> None:
    """Raise `ModelError` if the sweep needs a capability that a model lacks."""
    styles = {rendered.prompt.style for rendered in job.first.values()}
    needed = {
        Capability.CHAT: "chat" in styles,
        Capability.PICTURES: any(rendered.prompt.pictures for rendered in job.first.values()),
        Capability.TEXT: "completion" in styles,
        Capability.TOP_K: sampling.top_k > 0,
        Capability.MIN_P: sampling.min_p > 0,
        Capability.GROUPED: sampling.grouped,
        Capability.BEAMS: sampling.beams > 0,
        Capability.LOGPROBS: sampling.logprobs,
    }
    able = model.capabilities
    lacking = [capability for capability, need in needed.items() if need and capability not in able]
    if lacking:
        names = ", ".join(prompt.name for prompt in prompts)
        raise ModelError(
            f"model {model.spec} has no {' and no '.join(lacking)}, which this sweep needs "
            f"(prompt {names}); it has {', '.join(sorted(able)) or 'none of these'}"
            + model.hint(lacking)
            + (for_chat(job) if lacking == [Capability.TEXT] and Capability.CHAT in able else "")
        )


def for_chat(job: Job) -> str:
    """A remark with the presets, or else the prompts, for the same problems in a chat."""
    first_problem = job.problems[0]
    prompts = set()
    for name in prompt_names(first_problem.task):
        try:
            if load_prompt(name).render(first_problem).style == "chat":
                prompts.add(name)
        except PromptError:  # one with pictures, or of other problems
            continue
    presets = {
        path.stem
        for path in sorted((Path(__file__).parents[1] / "presets").rglob("*.toml"))
        if (settings := tomllib.loads(path.read_text(encoding="utf-8"))).get("prompt") in prompts
        and set(settings.get("benchmark", ())) & set(job.identity.benchmarks)
    }
    if presets:
        return f"; for a chat there is --preset {' or '.join(sorted(presets))}"
    return f"; for a chat there is --prompt {' or '.join(sorted(prompts))}" if prompts else ""
