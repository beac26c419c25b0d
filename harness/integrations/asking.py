"""What any other program needs of us: problems with their prompts, and a verdict on an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...benchmarks.problem import Problem
from ...prompts import ANSWER, Prompt, Rendered, default_for, load
from ...rewards.verdict import Status, Verdict
from ..core.errors import UserError
from ..core.requests import Completion, FinishReason, problem_key
from ..run.grade import Policy, grade
from ..run.plan import problems_of

#: Not wrong, but not decided either (`harness.stats.metrics` says how such samples are counted).
UNDECIDED = (Status.UNDECIDED, Status.TIMEOUT, Status.ERROR)
NO_POLICY = Policy()


@dataclass(frozen=True, slots=True)
class Question:
    """A problem and the template that it is asked with."""

    problem: Problem
    prompt: Prompt

    @property
    def key(self) -> str:
        """As in ``bee/competition/c001``."""
        return problem_key(self.problem)

    def rendered(self, said: Mapping[str, str] | None = None) -> Rendered:
        """What the model is shown, after the stages in which it has ``said``."""
        return self.prompt.render(self.problem, said)


def questions(
    benchmark: str,
    *,
    prompt: str | None = None,
    shots: int | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[Question]:
    """The questions of a benchmark, the same that ``run.py sweep`` would ask.

    Args:
        benchmark: as for `harness.sweep`: ``bee``, ``bee/competition``, ``mine.jsonl``.
        prompt: a template's name or path; by default each task's own.
        shots: how many worked examples, for prompts that show some.
        limit: how many problems, spread over the subsets; all by default.
        seed: of the sample that a limit takes, and of generated problems.

    Raises `ValueError` (`UnknownBenchmarkError`, `PromptError`) or `UserError` with one clear line.

    """
    if limit is not None and limit < 1:
        raise UserError(f"the number of problems must be at least 1, not {limit}")
    named = None if prompt is None else load(prompt)
    templates: dict[str, Prompt] = {}
    found = []
    for problem in problems_of([benchmark], limit, seed):
        if problem.task not in templates:
            template = named or default_for(problem.task)
            templates[problem.task] = template if shots is None else template.with_shots(shots)
        found.append(Question(problem, templates[problem.task]))
    if not found:
        raise UserError(f"there are no problems in {benchmark}")
    return found


async def judge(
    problem: Problem,
    text: str,
    policy: Policy = NO_POLICY,
    *,
    stop: tuple[str, ...] = (),
    cut_off: bool = False,
) -> Verdict:
    """The verdict of ``run.py sweep`` on the same text; in a worker, so that nothing can stall.

    ``stop`` are the prompt's stop strings; ``cut_off`` says that the token limit ended the text.
    """
    reason = FinishReason.LENGTH if cut_off else FinishReason.STOP
    said = Completion("", problem_key(problem), "", 0, ANSWER, 0, text, finish_reason=reason)
    [verdict] = await grade([(problem, said)], policy, {problem.task: stop})
    return verdict
