"""inspect_ai: every benchmark and subset as a task, and the scorer ``verified``.

    inspect eval calculus_harness/bee_competition --model openai/gpt-5-mini -T prompt=direct

Found through the entry point ``inspect_ai`` of the distribution.
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    accuracy,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from ...benchmarks import registry
from ...benchmarks.problem import Problem
from ...prompts import load
from ..core.errors import UserError
from ..core.policy import Policy
from ..report.inspect_logs import messages, score_of
from ..report.lm_eval_logs import reference, task_name
from .questions import PromptedQuestion, judge, questions


@scorer(metrics=[accuracy(), stderr()])
def verified(strict: bool = False, undecided: str = "unscored") -> Scorer:
    """Score whether the answer is proven correct; the verdict is in the score's metadata.

    Args:
        strict: Take an answer only from a box.
        undecided: The score of undecided answers: ``unscored`` (inspect_ai reports the number and
            leaves the answers out of metrics), or ``incorrect``, as in `harness.stats.tallies`.

    Raises:
        ValueError: ``undecided`` has another value.

    """
    if undecided not in ("unscored", "incorrect"):
        raise ValueError(f"undecided must be 'unscored' or 'incorrect', not {undecided!r}")
    policy = Policy(strict=strict)

    async def score(state: TaskState, target: Target) -> Score:
        verdict = await judge(
            Problem.from_dict(state.metadata["problem"]),
            state.output.completion,
            policy,
            stop=tuple(state.metadata["stop"]),
            truncated=state.output.stop_reason in ("max_tokens", "model_length"),
        )
        return score_of(verdict, policy.name, leave_out=undecided == "unscored")

    return score


@solver
def in_stages(prompt: str, shots: int | None = None) -> Solver:
    """Ask a prompt of several stages; each stage includes the replies to earlier stages."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        template = load(prompt) if shots is None else load(prompt).with_shots(shots)
        question = PromptedQuestion(Problem.from_dict(state.metadata["problem"]), template)
        replies: dict[str, str] = {}
        for stage in template.stages:
            state.messages = messages(question.rendered(replies))
            limit = template.max_tokens.get(stage)
            state = await (generate(state, max_tokens=limit) if limit else generate(state))
            replies[stage] = state.output.completion
        return state

    return solve


def problems(
    benchmark: str,
    prompt: str | None = None,
    shots: int | None = None,
    limit: int | None = None,
    seed: int = 0,
    strict: bool = False,
    undecided: str = "unscored",
) -> Task:
    """Return a task with the problems of a benchmark, a file (``mine.jsonl``) or a hub's data set.

    ``limit`` is spread over the subsets (inspect_ai's own ``--limit`` takes the first samples); the
    other arguments are passed to `questions.questions` and `verified`.
    """
    questions_ = questions(benchmark, prompt=prompt, shots=shots, limit=limit, seed=seed)
    templates = {question.prompt.name: question.prompt for question in questions_}
    # Default prompts have one stage: only a named prompt can have several.
    if len(templates) > 1 and any(len(template.stages) > 1 for template in templates.values()):
        raise UserError(f"{benchmark} has several tasks; name one of its subsets")
    template = questions_[0].prompt
    name = template.name if prompt is None else prompt
    stop = sorted({string for template in templates.values() for string in template.stop})
    return Task(
        dataset=MemoryDataset([_sample(question) for question in questions_], name=benchmark),
        solver=in_stages(name, shots) if len(template.stages) > 1 else generate(),
        scorer=verified(strict=strict, undecided=undecided),
        config=GenerateConfig(stop_seqs=stop or None),
    )


def _sample(question: PromptedQuestion) -> Sample:
    problem = question.problem
    return Sample(
        id=question.key,
        input=messages(question.rendered()),
        target=reference(problem),
        metadata={
            "problem": problem.to_dict(),
            "stop": list(question.prompt.stop),
            "subset": problem.name,
        },
    )


def _declare(name: str, benchmark: str) -> None:
    def declared(
        prompt: str | None = None,
        shots: int | None = None,
        limit: int | None = None,
        seed: int = 0,
        strict: bool = False,
        undecided: str = "unscored",
    ) -> Task:
        return problems(benchmark, prompt, shots, limit, seed, strict, undecided)

    task(name=name)(declared)


task(problems)
for _benchmark in registry.names():
    _declare(_benchmark, _benchmark)
    for _subset in registry.resolve(f"{_benchmark}/all"):
        _declare(task_name(_subset.name), _subset.name)
