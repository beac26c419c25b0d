"""Where solutions go wrong: every claim of a run's completions, judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ...rewards.errors import ProblemError
from ...rewards.steps import Judgement, verify_solution
from ...rewards.verdict import VERSION
from ..core.errors import UserError
from ..core.requests import FinishReason
from ..stats.steps import Steps, write_steps
from ..store.run import Run
from ..store.samples import Prompts, samples

TASK = "integration"


def judge_steps(
    run: Run | Path | str,
    *,
    limit: int | None = None,
    on_progress: Callable[[int], None] = lambda done: None,
) -> int:
    """Judge the steps of a run's solutions of indefinite integrals, and store what is found.

    Args:
        run: the run, or its directory.
        limit: judge only so many completions of each model.
        on_progress: called with the number of completions that are done.

    Returns:
        The number of completions that were judged.

    Raises:
        UserError: the run has none of this task.
        RunError: it is not a run, or it is damaged.

    """
    run = Run.of(run)
    if not any(problem.task == TASK for problem in run.problems.values()):
        raise UserError(f"{run.path} has no problems of the task {TASK}, whose steps are judged")
    return write_steps(run.path, _rows(run, limit, on_progress))


def _rows(run: Run, limit: int | None, on_progress: Callable[[int], None]) -> Iterator[Steps]:
    prompts = Prompts(run)
    stop = prompts.stop(TASK)
    done = 0
    of_model: dict[str, int] = {}
    for one in samples(run):
        if not one.final or one.problem.task != TASK:
            continue
        of_model[one.model] = of_model.get(one.model, 0) + 1
        if limit is not None and of_model[one.model] > limit:
            continue
        target = one.problem.target
        try:
            solution = verify_solution(
                one.completion["text"],
                str(target["integrand"]),
                variable=str(target["variable"]),
                assumptions=dict(one.problem.assumptions),
                stop=stop,
                truncated=FinishReason(one.completion["finish_reason"]).truncated,
            )
        except ProblemError:
            continue
        shown = [claim for claim in solution.claims if claim.displayed]
        first = solution.first_wrong
        done += 1
        on_progress(done)
        yield Steps(
            one.completion["key"],
            one.model,
            one.key,
            VERSION,
            solution.outcome,
            solution.claims[first].kind if first is not None else "",
            round(solution.progress, 6),
            len(shown),
            sum(claim.judgement is not Judgement.UNCHECKED for claim in shown),
            tuple(
                (claim.start, claim.end, str(claim.judgement), claim.kind)
                for claim in solution.claims
            ),
        )
