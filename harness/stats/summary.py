"""The results of a run: a row of metrics for each model and subset."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...rewards.records import Record
from ..core.prices import Prices
from ..store import counts
from ..store.run import Run
from ..store.verdict_sets import ambiguous_name
from .metrics import metrics
from .metrics.cost import Cost, cost
from .metrics.labels import Classification, classification
from .metrics.rates import NAMES, rate
from .metrics.usage import Usage, usage_of
from .repaired import Repaired, repaired
from .tallies import Estimate, Group, group_samples

#: Outcomes of a simplification that leave an integrand as it was composed (docs/bee.md).
_NOT_SIMPLIFIED = frozenset({"timeout", "memory", "error", "unproven"})


@dataclass(frozen=True)
class Row(Record):
    """A row of the table: a model on a subset.

    Attributes:
        model: the model's hash.
        label: the model's name.
        subset: the subset, or ``all``.
        problems: the number of problems with samples.
        planned: the number of problems in the run's plan.
        samples: the number of judged samples, over all problems.
        estimates: the values of the metrics with an interval, by name.
        numbers: the values of all other applicable metrics, by name.
        rates: for each status of a verdict, and each reason such as ``truncated``, the share of
            samples. The keys are in `stats.metrics.rates.NAMES`.
        usage: tokens and seconds.
        labels: accuracy and F1, for tasks with labels as answers.
        cost: the cost in dollars, if prices were given.
        deterministic: whether the model is deterministic, and therefore asked only once.
        verdicts: the policy's name if the run holds verdicts of several policies. Otherwise the
            text is empty.

    >>> from calculus_harness import summarise, sweep
    >>> row, *others = summarise(sweep(["solver/sympy"], ["drills"], limit=2, out="run")).rows
    >>> row.label, row.problems
    ('solver/sympy', 1)

    """

    computed: ClassVar[tuple[str, ...]] = (
        "passes",
        "reward",
        "all_passes",
        "fails",
        "samples_per_problem",
        "metrics",
    )

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
    verdicts: str = ""

    @property
    def samples_per_problem(self) -> float:
        """The mean number of samples of a problem."""
        return self.samples / self.problems

    @property
    def passes(self) -> tuple[Estimate, ...]:
        """pass@k for each k.

        For ranked candidates, pass@k is the share of problems that the k best candidates solve.
        """
        return self.estimates["pass@k"]

    @property
    def all_passes(self) -> tuple[Estimate, ...]:
        """pass^k for each k > 1. For ranked candidates, the result is empty."""
        return tuple(estimate for estimate in self.estimates["pass^k"] if estimate.k > 1)

    @property
    def fails(self) -> tuple[Estimate, ...]:
        """Fail@k of ranked candidates, for each k."""
        return self.estimates["Fail@k"]

    @property
    def reward(self) -> float | None:
        """The mean reward; None for errors alone."""
        return self.numbers.get("reward")

    @property
    def metrics(self) -> dict[str, tuple[Estimate, ...] | float | None]:
        return {
            metric.column: self.estimates[metric.name]
            if metric.interval
            else self.numbers.get(metric.name)
            for metric in metrics()
        }

    def to_dict(self) -> dict[str, Any]:
        """The row for JSON, with `metrics` instead of estimates and numbers.

        As in all exports, ``model`` is the model's name, and ``model_hash`` is the model's hash.

        Returns:
            The row.

        """
        row = super().to_dict()
        del row["estimates"], row["numbers"], row["verdicts"]  # the summary names its policy
        name = {"model": row.pop("label"), "model_hash": row.pop("model")}
        return name | row


@dataclass(frozen=True)
class Summary(Record):
    """The results of a run under one policy of the verifier.

    Attributes:
        run: the run's directory.
        policy: the name of the set of verdicts.
        rows: a row for each model and subset, and a row for all subsets of a model.
        unscored: the number of completions without a verdict.
        missing: the number of samples without a completion.
        settings: the run's settings from the manifest.
        notes: remarks, for example on models without a price.
        repaired: repaired@t of every model, if wrong answers were tried again.

    >>> Summary("run", "balls-3", rows=()).to_dict()["unscored"]
    0

    """

    run: str
    policy: str | None
    rows: tuple[Row, ...]
    unscored: int = 0
    missing: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    repaired: tuple[Repaired, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The summary for JSON.

        Returns:
            The summary.

        """
        return super().to_dict() | {"rows": [row.to_dict() for row in self.rows]}


def summarise(
    run: Run | str | os.PathLike[str], policy: str | None = None, prices: Prices | None = None
) -> Summary:
    """Summarise a run's verdicts: a row for each model and subset, and a row for all subsets.

    Args:
        run: a run or its directory.
        policy: the name of the set of verdicts to count. The default is the latest complete set.
        prices: the prices of tokens, for the costs of answers.

    Returns:
        The summary, which `report.print_summary` prints.

    Raises:
        RunError: the run has no verdicts with the name ``policy``, or the run is damaged.

    Example:
        >>> from calculus_harness import sweep
        >>> run = sweep(["solver/sympy"], ["drills"], limit=1, out="run")
        >>> summarise(run).rows[0].passes[0].value
        1.0

    """
    run = Run.of(run)
    policy = policy or run.policy
    verdicts = ambiguous_name([run], policy)
    rows = tuple(_row(run, group, verdicts) for group in group_samples(run, policy, prices))
    stored, judged = counts.samples(run.completions), counts.samples(run.verdicts(policy))
    planned = sum(entry["samples"] * entry["problems"] for entry in run.models.values())
    lacking = prices.without(run.spec_of(model) for model in run.models) if prices else ""
    return Summary(
        run=str(run.path),
        policy=policy,
        rows=rows,
        unscored=stored - judged,
        missing=max(0, planned - stored),
        settings=run.manifest["identity"],
        notes=(*([lacking] if lacking else []), *unsimplified(run)),
        repaired=repaired(run, policy),
    )


def unsimplified(run: Run) -> list[str]:
    """Write a remark for each subset with integrands whose simplification failed.

    The integrands of the subsets were made by a substitution. An unsimplified integrand shows the
    substitution and makes the problem easier (docs/bee.md).
    """
    counts: dict[str, Counter[str]] = {}
    for problem in run.problems.values():
        outcome = problem.metadata.get("simplify")
        if isinstance(outcome, str):
            counts.setdefault(problem.name, Counter())[outcome] += 1
    lines = []
    for name, outcomes in counts.items():
        remaining = {key: count for key, count in outcomes.items() if key in _NOT_SIMPLIFIED}
        if remaining:
            why = ", ".join(f"{count} {key}" for key, count in sorted(remaining.items()))
            total = outcomes.total()
            lines.append(
                f"{name}: {sum(remaining.values())} of {total} problems stand as composed, not "
                f"simplified ({why}); compare --breakdown simplify counts them apart."
            )
    return lines


def _row(run: Run, group: Group, verdicts: str) -> Row:
    numbers = {metric.name: metric.number(group) for metric in metrics()}
    return Row(
        model=group.model,
        label=run.models[group.model]["label"],
        subset=group.subset,
        problems=len(group.tallies),
        planned=group.planned,
        samples=group.samples,
        estimates={
            metric.name: tuple(
                e.with_missing(len(group.tallies), group.planned) for e in metric.estimates(group)
            )
            for metric in metrics()
            if metric.interval
        },
        numbers={name: value for name, value in numbers.items() if value is not None},
        rates={name: rate(name, group) for name in NAMES},
        usage=usage_of(group),
        labels=classification(group),
        cost=cost(group),
        deterministic=bool(run.models[group.model].get("deterministic")),
        verdicts=verdicts,
    )
