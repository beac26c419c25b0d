"""From a stored completion to a verdict: which verifier, with what, under which policy."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...benchmarks.problem import Problem
from ...rewards.arithmetic import verify_integer
from ...rewards.batch import averify_many
from ...rewards.labels import verify_label
from ...rewards.verdict import Verdict
from ...rewards.version import VERSION
from ..core.errors import UserError
from ..core.requests import Completion


@dataclass(frozen=True, slots=True)
class Policy:
    """How strictly to judge; with the verifier's version it names a set of verdicts.

    ``strict`` takes an answer only from a box; ``strict_domain`` and ``require_continuous`` are
    those of `rewards.verify_antiderivative`.
    """

    method: str = "balls"
    strict: bool = False
    strict_domain: bool = False
    require_continuous: bool = False

    @property
    def name(self) -> str:
        """As in ``balls-1`` or ``balls-1-strict``: the method, its version, what is not default."""
        switches = [name for name, value in asdict(self).items() if value is True]
        return "-".join([self.method, VERSION, *switches])

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"verifier": VERSION}


async def grade(
    pairs: Sequence[tuple[Problem, Completion]],
    policy: Policy,
    stop: Mapping[str, tuple[str, ...]],
) -> list[Verdict]:
    """The verdicts on completions of these problems, in order.

    ``stop`` holds each task's stop strings, where a base model begins to invent the next question.
    """
    tasks: dict[str, list[int]] = {}
    for position, (problem, _) in enumerate(pairs):
        tasks.setdefault(problem.task, []).append(position)
    verdicts: dict[int, Verdict] = {}
    for task, positions in tasks.items():
        if task not in _GRADERS:
            raise UserError(f"answers to the task {task!r} cannot be scored by this version")
        group = [pairs[position] for position in positions]
        judged = await _GRADERS[task](group, policy, tuple(stop.get(task, ())))
        verdicts.update(zip(positions, judged, strict=True))
    return [verdicts[position] for position in range(len(pairs))]


Pairs = Sequence[tuple[Problem, Completion]]


async def _antiderivatives(pairs: Pairs, policy: Policy, stop: tuple[str, ...]) -> list[Verdict]:
    return await averify_many(
        [completion.text for _, completion in pairs],
        [str(problem.target["integrand"]) for problem, _ in pairs],
        variable=[problem.target["variable"] for problem, _ in pairs],
        assumptions=[dict(problem.assumptions) for problem, _ in pairs],
        truncated=[completion.finish_reason.cut_off for _, completion in pairs],
        stop=list(stop),
        **asdict(policy),
    )


def _by_text(verify: Callable[..., Verdict], target: str) -> Grader:
    """For verifiers that only read text: they are quick, and need no worker."""

    async def judge(pairs: Pairs, policy: Policy, stop: tuple[str, ...]) -> list[Verdict]:
        def all_of_them() -> list[Verdict]:
            return [
                verify(
                    completion.text,
                    problem.target[target],
                    strict=policy.strict,
                    stop=stop,
                    truncated=completion.finish_reason.cut_off,
                )
                for problem, completion in pairs
            ]

        return await asyncio.to_thread(all_of_them)

    return judge


Grader = Callable[[Pairs, Policy, tuple[str, ...]], Awaitable[list[Verdict]]]

#: Task -> how its answers are judged.
_GRADERS: dict[str, Grader] = {
    "integration": _antiderivatives,
    "derivation_step": _by_text(verify_label, "label"),
    "calculus_step": _by_text(verify_label, "label"),
    "arithmetic": _by_text(verify_integer, "value"),
}
