"""The registry of metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, Literal, TypeVar

from ...tasks import TASKS
from ..tallies import Estimate, Group, estimate, estimate_mean

Unit = Literal["percent", "tokens", "dollars", "number"]
Direction = Literal["higher", "lower"]
#: How a metric's interval is made: by resampling clusters of problems (`stats.intervals`).
IntervalMethod = Literal["clusters"]
#: Where a metric is shown besides CSV and JSON, which have all: in every table; in a terminal's
#: table only where it is not zero; in none.
Shown = Literal["always", "nonzero", "never"]
Compute = TypeVar("Compute", bound=Callable[..., Any])

ENTRY_POINTS = "calculus_harness.metrics"


@dataclass(frozen=True)
class Metric:
    """A registered metric.

    Attributes:
        name: the heading of its column, for a metric over k without its value.
        unit: of its values.
        direction: whether higher or lower is better.
        interval: how its interval is made, if it has one.
        compute: the function that `metric` was applied to.
        ranked: whether it is only for ranked candidates (True), or not for them (False).
        shown: where it is shown besides CSV and JSON.
        column: its name in CSV and JSON.

    >>> metrics()[0].over_k, metrics()[0].heading(4)
    (True, 'pass@4')

    """

    name: str
    unit: Unit
    direction: Direction
    interval: IntervalMethod | None
    compute: Callable[..., Any]
    ranked: bool | None
    shown: Shown
    column: str

    @property
    def over_k(self) -> bool:
        """Whether there is a value for every k."""
        return self.name.endswith(("@k", "^k"))

    def heading(self, k: int = 0) -> str:
        """The name, for a metric over k with its k: ``pass@4``.

        Args:
            k: the k, for a metric over k.

        Returns:
            The heading.

        """
        return f"{self.name[:-1]}{k}" if self.over_k else self.name

    def applies(self, group: Group) -> bool:
        """Whether it is for a task of these samples, and for ranked ones or not as they are.

        Args:
            group: samples of one model.

        Returns:
            Whether the metric is for them.

        """
        tasks = {name for name, task in TASKS.items() if self.name in task.metrics}
        known = not tasks or any(problem.task in tasks for problem in group.problems)
        return known and self.ranked in (None, group.ranked)

    def estimates(self, group: Group) -> tuple[Estimate, ...]:
        """The estimates with their intervals, one for every k; none where it does not apply.

        Args:
            group: samples of one model.

        Returns:
            The estimates.

        """
        if self.interval is None or not group.scored or not self.applies(group):
            return ()  # a model that answered nothing but errors has no score
        if self.over_k:
            return tuple(estimate(group.tallies, self.compute, k) for k in group.ks)
        return (estimate_mean(group.tallies, self.compute(group)),)

    def number(self, group: Group) -> float | None:
        """The value of a metric without an interval; None where it does not apply.

        Args:
            group: samples of one model.

        Returns:
            The value.

        """
        if self.interval is not None or not self.applies(group):
            return None
        if self.direction == "higher" and not group.scored:
            return None  # what praises answers says nothing where there are only errors
        value: float | None = self.compute(group)
        return value


_METRICS: dict[str, Metric] = {}


def metric(
    name: str,
    unit: Unit = "percent",
    direction: Direction = "higher",
    interval: IntervalMethod | None = None,
    *,
    ranked: bool | None = None,
    shown: Shown = "always",
    column: str = "",
) -> Callable[[Compute], Compute]:
    """Register a function as a metric, which all tables, pages and exports then show.

    Args:
        name: the heading of its column. A name that ends in ``@k`` or ``^k`` has a value for every
            k; the function then estimates it for one problem, from ``n`` samples of which ``c`` are
            correct: ``compute(n, c, k) -> float``.
        unit: ``"percent"`` (a share between 0 and 1), ``"tokens"``, ``"dollars"``, ``"number"``.
        direction: whether ``"higher"`` or ``"lower"`` is better.
        interval: ``"clusters"``: ``compute(group)`` returns a value between 0 and 1 for each
            problem, in the order of ``group.tallies``; their mean is shown with its interval.
            None: ``compute(group)`` returns the number, or None where it does not apply.
        ranked: only for ranked candidates of a beam search (True), or not for them (False).
        shown: in tables ``"always"``, in the terminal's and the page's only where it is
            ``"nonzero"`` for some row, or ``"never"``. CSV and JSON have every metric.
        column: its name in CSV and JSON; by default the heading in lower case with underscores.

    Returns:
        A decorator that returns the function unchanged.

    Raises:
        ValueError: the name is taken, or a metric over k was registered without an interval.

    Example::

        @metric("solved twice", interval="clusters")
        def solved_twice(group: Group) -> list[float]:
            return [float(tally.correct > 1) for tally in group.tallies]

    """

    def register(compute: Compute) -> Compute:
        title = column or name.lower().replace("@", "_at_").replace("^", "_hat_").replace(" ", "_")
        made = Metric(name, unit, direction, interval, compute, ranked, shown, title)
        if made.over_k and interval is None:
            raise ValueError(f"metric {name!r} is over k and needs interval='clusters'")
        for known in _METRICS.values():
            if known.compute is not compute and (known.name == name or known.column == title):
                raise ValueError(f"there is a metric {name!r} (column {title!r}) already")
        _METRICS[name] = made
        return compute

    return register


def metrics() -> tuple[Metric, ...]:
    """All metrics in the order of their columns, the built-in ones first.

    Returns:
        The metrics.

    >>> [metric.heading(4) for metric in metrics()][:3]
    ['pass@4', 'Fail@4', 'accuracy']

    """
    _load_entry_points()
    return tuple(_METRICS.values())


@cache
def _load_entry_points() -> None:
    for point in entry_points(group=ENTRY_POINTS):
        point.load()
