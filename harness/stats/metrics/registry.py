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
#: How a metric's interval is computed: from clusters of problems (`stats.intervals`).
IntervalMethod = Literal["clusters"]
#: The tables that show a metric: all; tables on the terminal only if a value is not zero; none. CSV
#: and JSON have every metric.
Visibility = Literal["always", "nonzero", "never"]
Compute = TypeVar("Compute", bound=Callable[..., Any])

ENTRY_POINTS = "calculus_harness.metrics"


@dataclass(frozen=True)
class Metric:
    """A registered metric.

    Attributes:
        name: the heading of the column. The name of a metric over k ends in ``@k`` or ``^k``.
        unit: the unit of the values.
        direction: whether higher or lower is better.
        interval: the method of the interval; None for a metric without interval.
        compute: the function that computes the metric.
        ranked: True for a metric of ranked candidates only, False for a metric of unranked samples
            only, None for both.
        shown: the tables that show the metric.
        column: the metric's name in CSV and JSON.

    >>> metrics()[0].over_k, metrics()[0].heading(4)
    (True, 'pass@4')

    """

    name: str
    unit: Unit
    direction: Direction
    interval: IntervalMethod | None
    compute: Callable[..., Any]
    ranked: bool | None
    shown: Visibility
    column: str

    @property
    def over_k(self) -> bool:
        """Whether the metric has a value for every k."""
        return self.name.endswith(("@k", "^k"))

    def heading(self, k: int = 0) -> str:
        """The heading of the column, for example ``pass@4`` for the metric ``pass@k`` and k = 4.

        Args:
            k: the k, for a metric over k.

        Returns:
            The heading.

        """
        return f"{self.name[:-1]}{k}" if self.over_k else self.name

    def applies(self, group: Group) -> bool:
        """Whether the metric applies to the group.

        A metric of some tasks applies only to groups with a problem of the tasks. A metric of
        ranked candidates applies only to ranked candidates, and a metric of unranked samples only
        to unranked samples.

        Args:
            group: samples of a model.

        Returns:
            Whether the metric applies.

        """
        tasks = {name for name, task in TASKS.items() if self.name in task.metrics}
        fits_task = not tasks or any(problem.task in tasks for problem in group.problems)
        return fits_task and self.ranked in (None, group.ranked)

    def estimates(self, group: Group) -> tuple[Estimate, ...]:
        """The estimates with intervals, for every k.

        The result is empty for a metric that does not apply or has no interval.

        Args:
            group: samples of a model.

        Returns:
            The estimates.

        """
        if self.interval is None or not group.scored or not self.applies(group):
            return ()  # a model that answered nothing but errors has no score
        if self.over_k:
            return tuple(estimate(group.tallies, self.compute, k) for k in group.ks)
        clusters = [tally.cluster for tally in group.tallies]
        return (estimate_mean(clusters, self.compute(group)),)

    def number(self, group: Group) -> float | None:
        """The value of a metric without an interval, or None if the metric does not apply.

        Args:
            group: samples of a model.

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
    shown: Visibility = "always",
    column: str = "",
) -> Callable[[Compute], Compute]:
    """Register a function as a metric of tables, pages and exports.

    Args:
        name: the heading of the column. If the name ends in ``@k`` or ``^k``, the metric has a
            value for every k. The function is then called as ``compute(n, c, k)`` for a problem.
            ``n`` is the problem's number of samples, and ``c`` is the number of correct samples.
        unit: ``"percent"`` (a share between 0 and 1), ``"tokens"``, ``"dollars"``, ``"number"``.
        direction: whether ``"higher"`` or ``"lower"`` is better.
        interval: how the interval is computed. With ``"clusters"``, ``compute(group)`` returns a
            value between 0 and 1 for each problem, in the order of ``group.tallies``. Tables then
            show the mean with an interval. With None, ``compute(group)`` returns a number, or None
            if the metric does not apply.
        ranked: the samples to which the metric applies. True means ranked candidates of a beam
            search, False means unranked samples, and None means both.
        shown: when the terminal and the page have a column for the metric: ``"always"``,
            ``"never"``, or ``"nonzero"`` (if the metric differs from 0 in some row). CSV and JSON
            have every metric.
        column: the name in CSV and JSON. The default is the heading in lower case with underscores.

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
        registered = Metric(name, unit, direction, interval, compute, ranked, shown, title)
        if registered.over_k and interval is None:
            raise ValueError(f"metric {name!r} is over k and needs interval='clusters'")
        for existing in _METRICS.values():
            if existing.compute is not compute and (
                existing.name == name or existing.column == title
            ):
                raise ValueError(f"there is a metric {name!r} (column {title!r}) already")
        _METRICS[name] = registered
        return compute

    return register


def metrics() -> tuple[Metric, ...]:
    """All metrics in the order of the columns, built-in metrics first.

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
