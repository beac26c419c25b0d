"""A single deadline for a whole call, with any number of calls of workers."""

from __future__ import annotations

from typing import Any

import pytest

from calculus_harness.rewards import Status, verify_antiderivative, verify_solution
from calculus_harness.rewards.workers import verdicts
from calculus_harness.rewards.workers.deadline import Deadline
from calculus_harness.rewards.workers.errors import WorkerTimeout
from calculus_harness.rewards.workers.pool import shared_pool
from calculus_harness.rewards.workers.verdicts import call_task

SPECIAL = r"\boxed{\operatorname{Li}_2(x)}", r"-\frac{\ln(1-x)}{x}"


def test_parts_of_a_call_share_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines: list[float] = []

    class Slow:
        def call(self, *arguments: Any, deadline: float) -> list[Any]:
            deadlines.append(deadline)
            return [shared_pool().call(*arguments, deadline=10)[0], 3.0]

    monkeypatch.setattr(verdicts, "shared_pool", Slow)
    total = Deadline(20)
    assert verify_antiderivative(*SPECIAL, deadline=total).correct
    assert verify_antiderivative(*SPECIAL, deadline=total).correct
    assert (deadlines, total.left) == ([20, 17], 14)


def test_a_worker_says_how_long_it_worked() -> None:
    result, seconds = shared_pool().call("timed", "integer", "It is 42.", 42, {}, deadline=10)
    assert (result[0], 0 <= seconds < 10) == ("correct", True)


def test_what_is_spent_is_not_given_again() -> None:
    total = Deadline(1)
    total.spend(1)
    late = verify_antiderivative(*SPECIAL, deadline=total)
    assert (late.status, late.evidence.flags) == (Status.TIMEOUT, ("processor_time",))


def test_a_solution_asks_for_no_more_than_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    deadlines: list[float] = []

    class Late:
        def call(self, *_: object, deadline: float, **__: object) -> object:
            deadlines.append(deadline)
            raise WorkerTimeout("too long")

    monkeypatch.setattr(verdicts, "shared_pool", Late)
    text = r"$\int f\,dx = \operatorname{Li}_2(x)$, so \boxed{\operatorname{Li}_2(x)}"
    solution = verify_solution(text, SPECIAL[1], deadline=7)
    assert solution.verdict.status is Status.TIMEOUT
    assert deadlines == [7]


def test_a_task_without_a_whole_call_has_its_own_deadline() -> None:
    assert call_task("integer", "It is 42.", 42, {}, deadline=10)[0] == "correct"
