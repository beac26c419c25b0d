"""Steps as rewards: for a completion, and for each token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...verdict import Verdict
from ...workers.pool import DEFAULT_DEADLINE
from .result import Solution
from .solution import verify_solution


def verify_steps(
    completion: str,
    integrand: str,
    *,
    variable: str | None = None,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    deadline: float = DEFAULT_DEADLINE,
) -> Verdict:
    r"""Verify the final answer. The reward of the verdict is the progress of the steps.

    Args:
        completion: the model's output. All arguments are as for `verify_solution`.
        integrand: f, or a definite integral, in LaTeX.
        variable: the variable of an indefinite integral.
        assumptions: assumptions on parameters.
        strict: whether the final answer needs a box.
        stop: the prompt's stop strings.
        truncated: whether the token limit cut the completion off.
        deadline: total seconds of processor time for the work in a worker.

    Returns:
        The `Verdict` of the final answer; the ``reward`` is `Solution.progress`.

    Raises:
        ProblemError: as for `verify_solution`; or the problem is a question of the course other
            than an integral. The steps then bring no reward.

    Example:
        >>> verify_steps(r"$\int xe^x\,dx = xe^x - \int e^x\,dx$ and then?", "xe^x").reward
        0.5

    """
    solution = verify_solution(
        completion,
        integrand,
        task="steps",
        variable=variable,
        assumptions=assumptions,
        strict=strict,
        stop=stop,
        truncated=truncated,
        deadline=deadline,
    )
    return replace(solution.verdict, reward=solution.progress)


def token_rewards(
    solution: Solution, offsets: Sequence[tuple[int, int]], *, wrong: float = 0.0
) -> list[float]:
    r"""The reward of each token of a completion, for trainers that use process rewards.

    Args:
        solution: the verified completion.
        offsets: start and end of each token in the completion, as from a tokenizer's
            ``return_offsets_mapping``.
        wrong: the reward of the first wrong claim.

    Returns:
        The progress (gain) of each claim at the last token of the claim, and 0 elsewhere.

    Example:
        >>> text = r"$\int 2x\,dx = x^2 + C$"
        >>> solution = verify_solution(text, "2x")
        >>> token_rewards(solution, [(0, 1), (1, 12), (12, 22), (22, 23)])
        [0.0, 0.0, 1.0, 0.0]

    """
    rewards = [0.0] * len(offsets)
    for index, claim in enumerate(solution.claims):
        value = wrong if index == solution.first_wrong else claim.gain
        tokens = [
            at for at, (start, end) in enumerate(offsets) if start < claim.end and start < end
        ]
        if tokens and value:
            rewards[tokens[-1]] += value
    return rewards
