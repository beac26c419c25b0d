"""Find where solutions go wrong: judge every claim, such as an equation, in a run's completions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ...benchmarks.payloads import JSON, DefiniteTarget, IntegrationTarget, QuestionTarget
from ...benchmarks.problem import Problem
from ...benchmarks.solution_steps import problems_of
from ...rewards.verdict import VERSION
from ...rewards.verify.solution_steps import Claim, Judgement, Solution
from ...rewards.workers.errors import WorkerError
from ...rewards.workers.pool import shared_pool
from ..core.errors import UserError
from ..core.requests import FinishReason
from ..stats.steps import StepCounts, write_steps
from ..store.run import Run
from ..store.samples import Prompts, Sample, samples

#: The targets of the tasks with solutions to judge: integrals, and questions of the course.
JUDGED = (IntegrationTarget, DefiniteTarget, QuestionTarget)
#: The number of solutions in a batch, and the seconds for a solution.
BATCH, DEADLINE = 512, 30.0


def judge_steps(
    run: Run | Path | str,
    *,
    limit: int | None = None,
    thoughts: bool = False,
    workers: int | None = None,
    on_progress: Callable[[int], None] = lambda done: None,
    on_solution: Callable[[Sample, Solution], None] = lambda sample, solution: None,
) -> int:
    """Judge the steps in a run's solutions, and store the judgements.

    The solutions are those of problems about integrals and of questions of the calculus course.

    Args:
        run: the run, or its directory.
        limit: the largest number of completions to judge for each model.
        thoughts: whether to read the completions' thinking blocks, too.
        workers: the number of processes, by default one for each usable core. If a cluster is in
            use, the processes are workers of the cluster, by default all of them.
        on_progress: a function that is called with the number of judged completions.
        on_solution: a function that is called with every completion and its judged solution.

    Returns:
        The number of judged completions.

    Raises:
        UserError: the run has no such solutions.
        RunError: the directory is not a run, or is damaged.

    """
    run = Run.of(run)
    if not any(isinstance(problem.target, JUDGED) for problem in run.problems.values()):
        raise UserError(
            f"{run.path} has no integrals and no questions of the course, and steps are judged of "
            "their solutions only"
        )
    rows = _rows(run, limit, thoughts, workers, on_progress, on_solution)
    return write_steps(run.path, rows)


def step_problems(sample: Sample, solution: Solution) -> Iterator[Problem]:
    """Yield the steps of a judged completion, as problems of the task ``derivation_step``."""
    target = sample.problem.target
    problem = str(target.judged)
    if isinstance(target, IntegrationTarget):
        problem = rf"\int {target.integrand} \, d{target.variable}"
    about: dict[str, JSON] = {"solution": sample.completion["key"], "of": sample.key}
    return problems_of(sample.completion["key"], problem, solution, metadata=about)


def _rows(
    run: Run,
    limit: int | None,
    thoughts: bool,
    workers: int | None,
    on_progress: Callable[[int], None],
    on_solution: Callable[[Sample, Solution], None],
) -> Iterator[StepCounts]:
    prompts = Prompts(run)
    tasks = {
        problem.task for problem in run.problems.values() if isinstance(problem.target, JUDGED)
    }
    stops = {task: prompts.stop(task) for task in tasks}
    chosen = _chosen(run, limit)
    done = 0
    while batch := list(islice(chosen, BATCH)):
        items = [_item(sample, stops[sample.problem.task], thoughts) for sample in batch]
        results = shared_pool(workers).map("solution", items, deadline=DEADLINE)
        for sample, result in zip(batch, results, strict=True):
            if not isinstance(result, WorkerError):
                solution = Solution.from_dict(result)
                on_solution(sample, solution)
                yield _steps(sample, solution)
        done += len(batch)
        on_progress(done)


def _chosen(run: Run, limit: int | None) -> Iterator[Sample]:
    """Yield the solutions to judge, at most ``limit`` for each model."""
    of_model: Counter[str] = Counter()
    for sample in samples(run):
        if sample.final and isinstance(sample.problem.target, JUDGED):
            of_model[sample.model] += 1
            if limit is None or of_model[sample.model] <= limit:
                yield sample


def _item(sample: Sample, stop: list[str], thoughts: bool) -> tuple[str, str, dict[str, Any]]:
    """Prepare the arguments of `verify_solution` for a completion."""
    problem, completion = sample.problem, sample.completion
    options = {
        "task": problem.task if isinstance(problem.target, QuestionTarget) else "",
        "variable": problem.target.integrated_over,
        "assumptions": dict(problem.assumptions),
        "stop": stop,
        "thoughts": thoughts,
        "truncated": FinishReason(completion["finish_reason"]).truncated,
    }
    return completion["text"], str(problem.target.judged), options


def _steps(sample: Sample, solution: Solution) -> StepCounts:
    displayed = [claim for claim in solution.claims if claim.displayed]
    first_wrong = solution.first_wrong
    return StepCounts(
        sample.completion["key"],
        sample.model,
        sample.key,
        VERSION,
        solution.outcome,
        solution.claims[first_wrong].kind if first_wrong is not None else "",
        round(solution.progress, 6),
        len(displayed),
        sum(claim.judgement is not Judgement.UNCHECKED for claim in displayed),
        tuple(
            (claim.start, claim.end, str(claim.judgement), claim.kind, _why(claim))
            for claim in solution.claims
        ),
    )


def _why(claim: Claim) -> str:
    """Describe the point that refutes a claim, or the reason why the claim was not checked."""
    if claim.witness is None:
        return claim.detail
    values = claim.witness.described()
    values.pop("difference", "")
    *at, left_value, right = values.values()
    return (
        f"{''.join(f'at {point}: ' for point in at)}{left_value} on the left, {right} on the right"
    )
