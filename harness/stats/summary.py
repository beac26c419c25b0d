"""The results of a run: a row of metrics for each model and subset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..store import counts
from ..store.run import Run
from .metrics import metrics
from .metrics.cost import Cost, cost
from .metrics.labels import Classification, classification
from .metrics.rates import NAMES, rate
from .metrics.usage import Usage, usage_of
from .prices import Prices, spec_of
from .tallies import Estimate, Group, group_samples


@dataclass(frozen=True)
class Row:
    """One line of the table: a model on a subset.

    ``samples`` are those of all ``problems`` together (``planned`` were to be asked). ``estimates``
    have the metrics with an interval, ``numbers`` the others that apply, both by the metric's name.
    ``rates`` are the shares of all samples by `stats.metrics.rates.NAMES`; ``labels`` are for tasks
    whose answers are labels, ``cost`` is there if prices were given. A ``deterministic`` model is
    asked once.
    """

    model: str
    label: str
    subset: str
    problems: int
    planned: int
    samples: int
    estimates: Mapping[str, tuple[Estimate, ...]]
    numbers: Mapping[str, float]
    rates: Mapping[str, float]
    usage: Usage
    labels: Classification | None = None
    cost: Cost | None = None
    deterministic: bool = False

    @property
    def samples_per_problem(self) -> float:
        """The mean number of samples of a problem."""
        return self.samples / self.problems

    @property
    def passes(self) -> tuple[Estimate, ...]:
        """pass@k; of ranked candidates about the k best."""
        return self.estimates["pass@k"]

    @property
    def all_passes(self) -> tuple[Estimate, ...]:
        """pass^k with k > 1; none of ranked candidates."""
        return tuple(one for one in self.estimates["pass^k"] if one.k > 1)

    @property
    def fails(self) -> tuple[Estimate, ...]:
        """Fail@k of ranked candidates."""
        return self.estimates["Fail@k"]

    def to_dict(self) -> dict[str, Any]:
        """The row for JSON; ``metrics`` has every metric by its column's name."""
        every = {
            metric.column: [asdict(one) for one in self.estimates[metric.name]]
            if metric.interval
            else self.numbers.get(metric.name)
            for metric in metrics()
        }
        row = asdict(self) | {
            "passes": [asdict(one) for one in self.passes],
            "reward": self.numbers["reward"],
            "all_passes": [asdict(one) for one in self.all_passes],
            "fails": [asdict(one) for one in self.fails],
            "samples_per_problem": self.samples_per_problem,
            "metrics": every,
        }
        del row["estimates"], row["numbers"]
        return row


@dataclass(frozen=True)
class Summary:
    """The results of a run under one policy of the verifier."""

    run: str
    policy: str | None
    rows: tuple[Row, ...]
    unscored: int = 0
    missing: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The summary for JSON."""
        return {
            "run": self.run,
            "policy": self.policy,
            "rows": [row.to_dict() for row in self.rows],
            "unscored": self.unscored,
            "missing": self.missing,
            "settings": dict(self.settings),
            "notes": list(self.notes),
        }


def summarise(run: Run, policy: str | None = None, prices: Prices | None = None) -> Summary:
    """Count a run's verdicts: a row for each model and subset, and one for all subsets together.

    Args:
        run: a run.
        policy: the verdicts to count, by name; by default the latest complete ones.
        prices: what tokens cost, to say what answers cost.

    Returns:
        The summary; `report.print_summary` prints it.

    Raises:
        RunError: the run has no such verdicts, or is damaged.

    Example:
        >>> from calculus_harness import sweep
        >>> run = sweep(["solver/sympy"], ["drills"], limit=1, out="run")
        >>> summarise(run).rows[0].passes[0].value
        1.0

    """
    policy = policy or run.policy
    rows = tuple(_row(run, group) for group in group_samples(run, policy, prices))
    stored = sum(int(one.get("samples", 0)) for one in counts.totals(run.completions).values())
    judged = sum(int(one["samples"]) for one in counts.totals(run.verdicts(policy)).values())
    planned = sum(entry["samples"] * entry["problems"] for entry in run.models.values())
    lacking = prices.without(spec_of(run, model) for model in run.models) if prices else ""
    return Summary(
        run=str(run.path),
        policy=policy,
        rows=rows,
        unscored=stored - judged,
        missing=max(0, planned - stored),
        settings=run.manifest["identity"],
        notes=(lacking,) if lacking else (),
    )


def _row(run: Run, group: Group) -> Row:
    numbers = {metric.name: metric.number(group) for metric in metrics()}
    return Row(
        model=group.model,
        label=run.models[group.model]["label"],
        subset=group.subset,
        problems=len(group.tallies),
        planned=group.planned,
        samples=group.samples,
        estimates={one.name: one.estimates(group) for one in metrics() if one.interval},
        numbers={name: value for name, value in numbers.items() if value is not None},
        rates={name: rate(name, group) for name in NAMES},
        usage=usage_of(group),
        labels=classification(group),
        cost=cost(group),
        deterministic=bool(run.models[group.model].get("deterministic")),
    )
