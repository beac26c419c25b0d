"""A deadline for a call with several tasks in workers."""

from __future__ import annotations


class Deadline:
    """The limit of the total processor time of a call's tasks.

    Args:
        seconds: the processor time of all tasks together.

    Example:
        >>> whole = Deadline(10)
        >>> whole.spend(4)
        >>> whole.left, Deadline.of(whole) is whole, Deadline.of(2.5).left
        (6, True, 2.5)

    """

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    @classmethod
    def of(cls, deadline: float | Deadline) -> Deadline:
        """A `Deadline` from a number of seconds. A `Deadline` is returned unchanged."""
        return deadline if isinstance(deadline, Deadline) else cls(deadline)

    def spend(self, seconds: float) -> None:
        """Subtract the processor time of a task."""
        self.left = max(0, self.left - seconds)
