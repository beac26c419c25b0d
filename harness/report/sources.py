"""The runs of a report, with distinct names for their models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..core.errors import UserError
from ..stats.compare import common_policy, system_names
from ..stats.prices import Prices
from ..stats.summary import Summary, summarise
from ..store.run import Run


@dataclass(frozen=True)
class Sources:
    """One run or several, under one set of verdicts."""

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
        """Open runs; ``policy`` is by default the latest complete one of all."""
        opened = [run if isinstance(run, Run) else Run(run) for run in runs]
        if len({run.path.resolve() for run in opened}) < len(opened):
            raise UserError("a run is named twice")
        if policy is not None or any(run.policies for run in opened):
            policy = common_policy(opened, policy)
        return cls(tuple(opened), policy, prices)

    @cached_property
    def names(self) -> list[dict[str, str]]:
        """For each run, the names of its models by their hashes."""
        return system_names(self.runs)

    @property
    def title(self) -> str:
        return " · ".join(run.path.resolve().name for run in self.runs)

    @cached_property
    def summaries(self) -> list[Summary]:
        """Each run's summary, with the names and the costs."""
        summaries = []
        for run, names in zip(self.runs, self.names, strict=True):
            summary = summarise(run, self.policy, self.prices)
            rows = tuple(replace(row, label=names[row.model]) for row in summary.rows)
            summaries.append(replace(summary, rows=rows))
        return summaries

    @cached_property
    def summary(self) -> Summary:
        """All rows together."""
        if len(self.summaries) == 1:
            return self.summaries[0]
        return Summary(
            run=" ".join(summary.run for summary in self.summaries),
            policy=self.policy,
            rows=tuple(row for summary in self.summaries for row in summary.rows),
            unscored=sum(summary.unscored for summary in self.summaries),
            missing=sum(summary.missing for summary in self.summaries),
            notes=tuple(dict.fromkeys(note for one in self.summaries for note in one.notes)),
        )
