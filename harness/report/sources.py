"""The runs of a report, with distinct names for the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..core.errors import UserError
from ..core.prices import Prices
from ..stats.compare import By, common_policy, compare, system_names
from ..stats.findings import Findings, sentences
from ..stats.findings.standing import common_problems
from ..stats.paired import Comparison
from ..stats.paired.wording import short_names
from ..stats.summary import Row, Summary, summarise
from ..stats.tallies import Tally, tally_samples
from ..store.run import Run


@dataclass(frozen=True)
class Sources:
    """Runs, with the verdicts of a single policy."""

    runs: tuple[Run, ...]
    policy: str | None
    prices: Prices | None = None

    @classmethod
    def open(
        cls,
        runs: Sequence[Run | Path | str],
        policy: str | None = None,
        prices: Prices | None = None,
    ) -> Sources:
        """Open runs. The default policy is the latest policy with complete verdicts in all runs."""
        opened = [run if isinstance(run, Run) else Run(run) for run in runs]
        if len({run.path.resolve() for run in opened}) < len(opened):
            raise UserError("a run is named twice")
        if policy is not None or any(run.policies for run in opened):
            policy = common_policy(opened, policy)
        return cls(tuple(opened), policy, prices)

    @cached_property
    def names(self) -> list[dict[str, str]]:
        """For each run, the names of the models by the model's hash."""
        return system_names(self.runs)

    @cached_property
    def short_names(self) -> dict[str, str]:
        """The last part of each model's name, if all last parts differ; else the full names."""
        return short_names(name for names in self.names for name in names.values())

    @cached_property
    def short_rows(self) -> tuple[Row, ...]:
        """The rows of the summary with the short names."""
        return tuple(replace(row, label=self.short_names[row.label]) for row in self.summary.rows)

    @cached_property
    def shared_subsets(self) -> frozenset[str]:
        """The subsets with problems that all models were asked.

        Models without questions of a subset do not count, and neither do models without a score.
        ``all`` is included if every model was asked the same problems.
        """
        problems_by_subset: dict[str, list[frozenset[tuple[str, str]]]] = {}
        for run, tallies in self._scored:
            subsets: dict[str, set[tuple[str, str]]] = {"all": set()}
            for key in tallies:
                identity = key, run.problem(key).content_hash
                subsets.setdefault(run.problem(key).name, set()).add(identity)
                subsets["all"].add(identity)
            for name, keys in subsets.items():
                problems_by_subset.setdefault(name, []).append(frozenset(keys))
        return frozenset(name for name, sets in problems_by_subset.items() if len(set(sets)) == 1)

    @cached_property
    def common_problems(self) -> frozenset[str]:
        """The keys of the problems common to all models with a score."""
        return frozenset(common_problems(self._scored))

    @property
    def _scored(self) -> list[tuple[Run, Mapping[str, Tally]]]:
        """Every model with a score: the run and the tallies."""
        return [
            (run, tallies)
            for run in (self.runs if self.policy else ())
            for tallies in tally_samples(run, self.policy).values()
            if any(tally.scored for tally in tallies.values())
        ]

    @cached_property
    def comparable_rows(self) -> tuple[Row, ...]:
        """The comparable rows, with the same asked problems for all models."""
        return tuple(row for row in self.short_rows if row.subset in self.shared_subsets)

    def comparison(self, by: By) -> Comparison | None:
        """The comparison of the runs by model or by perturbation; None without pairs."""
        if by not in self._comparisons:
            try:
                self._comparisons[by] = compare(*self.runs, by=by, policy=self.policy)
            except UserError:
                self._comparisons[by] = None
        return self._comparisons[by]

    @cached_property
    def _comparisons(self) -> dict[By, Comparison | None]:
        return {}

    @cached_property
    def findings(self) -> Findings | None:
        """The sentences on top and every model's standing; None without verdicts."""
        if self.policy is None:
            return None
        groupings: tuple[By, ...] = ("model", "perturbation")
        comparisons = {by: self.comparison(by) for by in groupings}
        return sentences(
            *self.runs, policy=self.policy, names=self.short_names, comparisons=comparisons
        )

    @property
    def title(self) -> str:
        return " · ".join(run.path.resolve().name for run in self.runs)

    @cached_property
    def summaries(self) -> list[Summary]:
        """The summary of each run, with the names and costs of models."""
        summaries = []
        for run, names in zip(self.runs, self.names, strict=True):
            summary = summarise(run, self.policy, self.prices)
            rows = tuple(replace(row, label=names[row.model]) for row in summary.rows)
            again = tuple(replace(row, label=names[row.model]) for row in summary.repaired)
            summaries.append(replace(summary, rows=rows, repaired=again))
        return summaries

    @cached_property
    def summary(self) -> Summary:
        """The rows of all runs together."""
        if len(self.summaries) == 1:
            return self.summaries[0]
        return Summary(
            run=" ".join(summary.run for summary in self.summaries),
            policy=self.policy,
            rows=tuple(row for summary in self.summaries for row in summary.rows),
            unscored=sum(summary.unscored for summary in self.summaries),
            missing=sum(summary.missing for summary in self.summaries),
            repaired=tuple(row for summary in self.summaries for row in summary.repaired),
            notes=tuple(
                dict.fromkeys(note for run_summary in self.summaries for note in run_summary.notes)
            ),
        )
