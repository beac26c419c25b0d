"""The answers of one model in a run, counted as in the tables of Welleck et al."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ....benchmarks.problem import Problem
from ....rewards.verdict import Status
from ...core.errors import UserError
from ...core.program import program
from ...report.numbers import percent
from ...report.published import brittleness_numbers
from ...stats.metrics.fail_at_k import none_at_k
from ...stats.tallies import Estimate, Tally, estimate, is_ranked, tally_samples
from ...store.run import Run
from ...store.verdict_sets import latest_complete
from .search_error import Ranked
from .teacher_forcing import ranked_candidates
from .validation import Ending, endings

NOT_RUN = "not run"
#: The k of the paper's tables.
KS = (1, 10, 50)

Where = Callable[[Problem], bool]
published = brittleness_numbers


@dataclass(frozen=True)
class ModelAnswers:
    """A model's answers in a run, with their verdicts under one policy.

    Attributes:
        run: the run.
        model: the model's hash.
        policy: the name of the set of verdicts.
        with_decoding: whether the time limit of a validation problem includes decoding.

    """

    run: Run
    model: str
    policy: str | None = None
    with_decoding: bool = False

    @property
    def label(self) -> str:
        return str(self.run.models[self.model]["label"])

    @cached_property
    def tallies(self) -> dict[str, Tally]:
        return tally_samples(self.run, self.policy)[self.model]

    @property
    def missing(self) -> int:
        """The number of planned answers that have no verdict yet."""
        entry = self.run.models[self.model]
        judged = sum(tally.samples for tally in self.tallies.values())
        return max(0, int(entry["samples"]) * int(entry["problems"]) - judged)

    @cached_property
    def scorer(self) -> str | None:
        """The name of a set of verdicts by Welleck et al.'s scorer, without a common time limit.

        The named set is the latest such set that is complete. The result is None if there is no
        such set.
        """
        return self._latest_of_scorer(with_deadline=False)

    @cached_property
    def protocol(self) -> str | None:
        """The name of a set of verdicts by Welleck et al.'s scorer, with a common time limit.

        The time limit holds for all candidates of a problem together. The named set is the latest
        such set that is complete. The result is None if there is no such set, or if the answers are
        several unranked samples.
        """
        if self.samples > 1 and not is_ranked(self.run):
            return None  # the limit is for candidates one after another
        return self._latest_of_scorer(with_deadline=True)

    def _latest_of_scorer(self, *, with_deadline: bool) -> str | None:
        names = [
            name
            for name in self.run.policies
            if name.startswith("welleck-") and ("-deadline" in name) == with_deadline
        ]
        latest = latest_complete([self.run], names)
        return latest if latest != self.policy else None

    @cached_property
    def scorer_tallies(self) -> dict[str, Tally]:
        """The counts of each problem's answers, by the set of verdicts that `scorer` names."""
        return tally_samples(self.run, self.scorer)[self.model]

    @cached_property
    def without_timeouts(self) -> dict[str, Tally]:
        """The counts of `scorer_tallies`, but with every answer that times out counted as wrong.

        For sums of validation problems, Welleck et al. count timeouts as wrong.
        """
        correct: dict[str, list[int]] = {}
        for row in self.run.verdicts(self.scorer).rows():
            flags = row["evidence"]["flags"]
            if row["model"] == self.model:
                right = row["status"] == Status.CORRECT and "timeout_is_correct" not in flags
                correct.setdefault(row["problem"], [])
                if right:
                    correct[row["problem"]].append(row["sample"])
        return {
            key: replace(
                tally,
                correct=len(correct[key]),
                first=None if tally.first is None else min(correct[key], default=tally.samples),
            )
            for key, tally in self.scorer_tallies.items()
        }

    @cached_property
    def limit(self) -> float:
        """The time limit in seconds, for the verdicts that `protocol` names."""
        return float(self.run.manifest["policies"][self.protocol]["deadline"])

    @cached_property
    def endings(self) -> dict[str, Ending | None]:
        """For each problem, the candidate that ended the judging, or None (`validation.endings`).

        The verdicts are from the set that `protocol` names.
        """
        decoding: dict[str, float] = {}
        if self.with_decoding:  # candidates of one search have its latency
            for row in self.run.completions.rows():
                spent = decoding.get(row["problem"], 0.0)
                if row["model"] == self.model:
                    decoding[row["problem"]] = max(spent, row.get("latency", 0.0))
        rows = self.run.verdicts(self.protocol).rows()
        return endings((row for row in rows if row["model"] == self.model), self.limit, decoding)

    def protocol_tallies(self, *, credit: bool) -> dict[str, Tally]:
        """The counts of each problem's answers, by the set of verdicts that `protocol` names.

        A problem is cancelled if its time is used up before a candidate is accepted, or if the
        scorer cannot decide on a candidate. A cancelled problem counts as correct if ``credit`` is
        true, and as incorrect otherwise.
        """
        tallies = {}
        for key, tally in self.tallies.items():
            ending = self.endings.get(key)
            solved = ending is not None and (credit or not ending.cancelled)
            first_correct = ending.rank if solved and ending is not None else tally.samples
            tallies[key] = replace(tally, correct=int(solved), unknown=0, first=first_correct)
        return tallies

    @cached_property
    def ranked(self) -> dict[str, Ranked]:
        return ranked_candidates(self.run, self.model, self.policy)

    @cached_property
    def samples(self) -> int:
        return min((tally.samples for tally in self.tallies.values()), default=0)

    def keys(self, where: Where) -> list[str]:
        """The keys of the problems that have judged answers and for which ``where`` is true."""
        return [
            key
            for key, problem in self.run.problems.items()
            if key in self.tallies and where(problem)
        ]

    def fails(self, keys: Sequence[str], k: int, tallies: Mapping[str, Tally]) -> Estimate | None:
        """Fail@k of the problems.

        The result is None if there are no problems, or if a problem has fewer than k answers.
        """
        judged = [tallies[key] for key in keys if key in tallies]
        if not judged or len(judged) < len(keys) or min(tally.samples for tally in judged) < k:
            return None
        return estimate(judged, none_at_k, k)


def answers_of(
    runs: Iterable[Run], policy: str | None = None, *, with_decoding: bool = False
) -> list[ModelAnswers]:
    """The answers of each model in each run.

    Args:
        runs: runs.
        policy: the name of the set of verdicts. By default, each run's latest complete set of
            verdicts by our verifier is used.
        with_decoding: see `ModelAnswers`.

    Raises:
        UserError: a run was not judged by our verifier.

    """
    answers = []
    for run in runs:
        own = [name for name in run.policies if not name.startswith("welleck-")]
        chosen = policy or latest_complete([run], own)
        if chosen is None:
            raise UserError(
                f"{run.path} was not judged by our verifier: {program()} score {run.path}"
            )
        answers += [ModelAnswers(run, model, chosen, with_decoding) for model in run.models]
    return answers


def named(name: str) -> Where:
    """Make a function that tests whether a problem is in the subset ``name`` of ``brittleness``."""
    return lambda problem: problem.name == f"brittleness/{name}"


def of_other_benchmarks(problem: Problem) -> bool:
    """Whether a problem comes from a benchmark that is not ``brittleness``.

    The study makes perturbed problems from those problems of other benchmarks that a model solves.
    """
    return problem.benchmark != "brittleness"


def ranked_where(source: ModelAnswers, where: Where) -> list[Ranked]:
    """The ranked candidates of the problems for which ``where`` is true."""
    return [source.ranked[key] for key in source.keys(where) if key in source.ranked]


def percent_or_not_run(value: float | None) -> str:
    """Write a share in percent. For None, write ``not run``."""
    return NOT_RUN if value is None else percent(value)
