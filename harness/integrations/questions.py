"""Problems with prompts, and verdicts on completions, for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...benchmarks.problem import Problem
from ...prompts import ANSWER, Prompt, Rendered, load
from ...rewards.verdict import Status, Verdict
from ..core.errors import UserError
from ..core.policy import Policy
from ..core.requests import Completion, FinishReason, problem_key
from ..run.problems import problems_of
from ..run.scoring.grading import grade
from ..tasks import default_prompt

#: Statuses of completions that are neither correct nor wrong; see `harness.stats.tallies`.
UNDECIDED = (Status.UNDECIDED, Status.TIMEOUT, Status.ERROR)
DEFAULT_POLICY = Policy()


@dataclass(frozen=True, slots=True)
class PromptedQuestion:
    """A problem and the prompt template."""

    problem: Problem
    prompt: Prompt

    @property
    def key(self) -> str:
        """As in ``bee/competition/c001``."""
        return problem_key(self.problem)

    def rendered(self, replies: Mapping[str, str] | None = None) -> Rendered:
        """Return the rendered prompt; ``replies`` are the model's in earlier stages."""
        return self.prompt.render(self.problem, replies)


def questions(
    benchmark: str,
    *,
    prompt: str | None = None,
    shots: int | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> list[PromptedQuestion]:
    """Return the questions of a benchmark, the same as in ``run.py sweep``.

    Args:
        benchmark: As for `harness.sweep`: ``bee``, ``bee/competition``, ``mine.jsonl``.
        prompt: A template's name or path; each task's own by default.
        shots: The number of worked examples, for prompts with examples.
        limit: The number of problems, spread over the subsets; all by default.
        seed: The seed of the limited sample and of generated problems.

    Raises:
        ValueError: The benchmark or the prompt is unknown (`UnknownBenchmarkError`, `PromptError`).
        UserError: The limit is less than 1, or there are no problems.

    """
    if limit is not None and limit < 1:
        raise UserError(f"the number of problems must be at least 1, not {limit}")
    named = None if prompt is None else load(prompt)
    templates: dict[str, Prompt] = {}
    result = []
    for problem in problems_of([benchmark], limit, seed):
        if problem.task not in templates:
            template = named or default_prompt(problem.task)
            templates[problem.task] = template if shots is None else template.with_shots(shots)
        if templates[problem.task].pictures is not None:
            name = templates[problem.task].name
            raise UserError(f"prompt {name!r} shows pictures, which only `sweep` asks")
        result.append(PromptedQuestion(problem, templates[problem.task]))
    if not result:
        raise UserError(f"there are no problems in {benchmark}")
    return result


async def judge(
    problem: Problem,
    text: str,
    policy: Policy = DEFAULT_POLICY,
    *,
    stop: tuple[str, ...] = (),
    truncated: bool = False,
) -> Verdict:
    """Return the verdict on a text, the same as in ``run.py sweep``; computed in a worker.

    Args:
        problem: The problem.
        text: The completion.
        policy: The policy of grading.
        stop: The prompt's stop strings.
        truncated: Whether the token limit ended the text.

    """
    reason = FinishReason.LENGTH if truncated else FinishReason.STOP
    completion = Completion("", problem_key(problem), "", 0, ANSWER, 0, text, finish_reason=reason)
    [verdict] = await grade([(problem, completion)], policy, {problem.task: stop})
    return verdict
