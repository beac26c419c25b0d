"""Environment of TRL: tools that check during a rollout (``environment_factory``).

    GRPOTrainer(
        reward_funcs=antiderivative_reward,        # judges the last message
        environment_factory=environment_factory(checks=3), train_dataset=problems,
        # a column "integrand", or as for `make_reward`
    )

TRL 1.16 (``GRPOTrainer.__init__``) makes an environment for each rollout, passes the row to
``reset``, and offers every public method as a tool. The method's docstring becomes the tool's
schema.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..for_trl import make_reward
from ..scoring import Rubric
from .tools import checked, step_checked

NO_MORE = "no checks are left: answer now"


class CheckEnvironment:
    """The tools that a model may call in one rollout."""

    def __init__(self, rubric: Rubric, checks: int) -> None:
        self._rubric, self._checks = rubric, checks
        self._target: Any = None
        self._row: dict[str, Any] = {}
        self._left = checks

    def reset(self, **row: Any) -> None:
        """Begin a rollout for one row of the data set."""
        columns = {name: [value] for name, value in row.items()}
        # Columns have the same meaning as for the reward of the task.
        reward = make_reward(self._rubric.task)
        [rollout] = reward.rollouts(None, [""], None, columns)
        self._target = rollout.target
        self._row = {
            "variable": rollout.variable,
            "assumptions": rollout.assumptions,
            "task": rollout.task,
        }
        self._left = self._checks

    def check_antiderivative(self, answer: str) -> str:
        """Check whether a formula is an antiderivative of the integrand of the problem.

        Args:
            answer: The antiderivative to check, in LaTeX, without a box.

        Returns:
            "correct", "incorrect" with a reason, "unreadable" with a reason, or "undecided".

        """
        return self._judged(lambda: checked(answer, self._target, self._rubric, **self._row))

    def check_step(self, step: str) -> str:
        r"""Check whether the equations of a step are right.

        Args:
            step: The equations, in LaTeX, such as \int xe^x\,dx = xe^x - \int e^x\,dx.

        Returns:
            A line for each equation: "correct", "incorrect" or "undecided", with the equation.

        """
        return self._judged(lambda: step_checked(step, self._target, self._rubric))

    def _judged(self, judge: Callable[[], str]) -> str:
        if self._left < 1:
            return NO_MORE
        self._left -= 1
        return judge()


def environment_factory(*, checks: int = 3, **rubric: Any) -> Callable[[], CheckEnvironment]:
    """Make TRL's ``environment_factory``.

    Args:
        checks: the largest number of checks in a rollout.
        rubric: fields of `scoring.Rubric`.

    Returns:
        A function that makes an environment.

    Raises:
        ValueError: a field has a bad value.
        TypeError: a field is unknown.

    """
    made_rubric = Rubric(**rubric)
    return lambda: CheckEnvironment(made_rubric, checks)
