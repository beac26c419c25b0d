"""From a stored completion to a verdict: which verifier, with what, under which policy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import rewards
from benchmarks.problem import Problem
from harness.errors import UserError
from harness.requests import Completion, digest
from rewards.verdict import Verdict


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
        """As in ``balls-1.0-5f3a1c``; settings at their defaults add nothing to the hash."""
        return f"{self.method}-{rewards.__version__}-{digest(asdict(self))[:6]}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"verifier": rewards.__version__}


async def grade(
    pairs: Sequence[tuple[Problem, Completion]],
    policy: Policy,
    stop: Mapping[str, tuple[str, ...]],
    deadline: float | None = None,
) -> list[Verdict]:
    """The verdicts on completions of these problems, in order.

    ``stop`` holds each task's stop strings, where a base model begins to invent the next question.
    """
    verdicts: list[Verdict | None] = [None] * len(pairs)
    groups: dict[str, list[int]] = {}
    for position, (problem, completion) in enumerate(pairs):
        if problem.task != "integration":
            raise UserError(f"{problem.id}: the task {problem.task!r} cannot be scored yet")
        options = {
            "variable": problem.target["variable"],
            "assumptions": dict(problem.assumptions),
            "truncated": completion.finish_reason.cut_off,
            "stop": list(stop.get(problem.task, ())),
        }
        groups.setdefault(json.dumps(options, sort_keys=True), []).append(position)
    limits = {} if deadline is None else {"deadline": deadline}
    for options_text, positions in groups.items():
        judged = await rewards.averify_many(
            [pairs[position][1].text for position in positions],
            [str(pairs[position][0].target["integrand"]) for position in positions],
            **asdict(policy),
            **limits,
            **json.loads(options_text),
        )
        for position, verdict in zip(positions, judged, strict=True):
            verdicts[position] = verdict
    return [verdict for verdict in verdicts if verdict is not None]
