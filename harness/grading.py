"""From a stored completion to a verdict: which verifier, with what, under which policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.problem import Problem
from harness.errors import UserError
from harness.requests import Completion
from rewards.verdict import Verdict
from rewards.version import VERSION
from rewards.workers import averify_many


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
        if task != "integration":
            raise UserError(f"answers to the task {task!r} cannot be scored by this version")
        group = [pairs[position] for position in positions]
        judged = await averify_many(
            [completion.text for _, completion in group],
            [str(problem.target["integrand"]) for problem, _ in group],
            variable=[problem.target["variable"] for problem, _ in group],
            assumptions=[dict(problem.assumptions) for problem, _ in group],
            truncated=[completion.finish_reason.cut_off for _, completion in group],
            stop=list(stop.get(task, ())),
            **asdict(policy),
        )
        verdicts.update(zip(positions, judged, strict=True))
    return [verdicts[position] for position in range(len(pairs))]
