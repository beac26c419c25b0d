"""Find the problems that a model fails: ask the model, and count the verdicts on the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....benchmarks.problem import Parent, Problem
from ....rewards.verdict import Status
from ...core.errors import RunError, UserError
from ...core.policy import Policy
from ...core.requests import FinishReason, problem_key
from ...core.wording import counted
from ...run.job import Job
from ...run.phases import extended
from ...run.progress import Progress
from ...run.runner import Session, run_job
from ...stats.intervals import clopper_pearson
from ...store.counts import UNKNOWN
from ...store.run import Run

#: The number of attempts at a request without an answer, as when a server is down for a moment.
ATTEMPTS = 3
#: The suffix of the subset of problems that are asked again.
AGAIN = "-again"


class LimitReached(Exception):  # noqa: N818 (not an error: the search ends)
    """The limit of cost or tokens is reached, and answers are missing."""


@dataclass(slots=True)
class AnswerCounts:
    """Counts of the verdicts on a model's answers to a problem.

    Attributes:
        samples: the number of judged answers.
        correct: the number of correct answers.
        unknown: the number of answers that may be correct. The verdict on such an answer is
            undecided, or the model or the verifier ended with an error or timeout.
        status: the verdict on the first answer.

    """

    samples: int = 0
    correct: int = 0
    unknown: int = 0
    status: str = ""

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a verdict."""
        self.samples += 1
        reason = row["finish_reason"]
        cut = reason in (FinishReason.ERROR, FinishReason.TIME_LIMIT)
        self.correct += row["status"] == Status.CORRECT
        self.unknown += row["status"] in UNKNOWN or cut
        if not row["sample"]:
            self.status = str(reason if cut else row["status"])


class Oracle:
    """Asks one or two models, and decides which problems are failures.

    A failure is a problem without correct or undecided answers. If ``below`` is given, a failure is
    instead a problem with a low pass rate: the 95 % interval of the pass rate ends below ``below``.
    If there are two models, a failure of the first model counts only if the second model solves the
    problem.
    """

    def __init__(
        self,
        job: Job,
        policy: Policy,
        progress: Progress,
        session: Session,
        *,
        below: float | None = None,
        confirm: bool = True,
    ) -> None:
        self.job, self.policy, self.progress, self.session = job, policy, progress, session
        self.below = below
        self.models = [model.hash for model in job.models]
        self.outcomes: dict[tuple[str, str], AnswerCounts] = {}
        sampling = job.identity.sampling
        self.ranked = sampling.beams > 0
        self.sampled = (
            sampling.temperature > 0
            and not self.ranked
            and any(not model.deterministic for model in job.models)
        )
        self.confirms = confirm and self.sampled
        if below is not None:
            self._refuse_too_few(below)
        self._read = 0

    def _refuse_too_few(self, below: float) -> None:
        samples = self.job.samples
        if clopper_pearson(0, samples)[1] < below:
            return
        enough = next(
            (n for n in range(samples, 10_000) if clopper_pearson(0, n)[1] < below), 10_000
        )
        raise UserError(
            f"no failure could be told with {counted(samples, 'sample')}: even of 0 correct ones "
            f"the interval ends at {clopper_pearson(0, samples)[1]:.2f}, not below {below:g}; "
            f"say -n {enough}"
        )

    def ask(self, problems: Sequence[Problem]) -> None:
        """Ask the models the given problems, and judge the answers.

        Problems that already have all answers are not asked again.

        Raises:
            LimitReached: answers are missing because of a limit.
            RunError: answers are missing for another reason, such as a server that is down.

        """
        self.job = extended(self.job, problems)
        # A server may be down for a while; an exhausted limit will not change.
        for _ in range(ATTEMPTS):
            run = run_job(
                self.job, policy=self.policy, progress=self.progress, session=self.session
            )
            self._count(run)
            missing = self._missing(problems)
            if not missing:
                return
            if not self.job.limits.none:
                raise LimitReached(str(self.job.limits))
        raise RunError(
            f"{counted(missing, 'answer')} missing in {run.path}, on which the search depends; the "
            "same command asks again"
        )

    def _missing(self, problems: Sequence[Problem]) -> int:
        """The number of answers that still have to be asked or judged, over all given problems."""
        return sum(
            max(0, self.job.samples_of(model) - outcome.samples)
            for model in self.job.models
            for problem in problems
            for outcome in [self.outcomes.get((model.hash, problem_key(problem)), AnswerCounts())]
        )

    def _count(self, run: Run) -> None:
        """Count the verdicts that were written since the last call."""
        for number, (_, row) in enumerate(run.verdicts(self.policy.name).heads()):
            if number >= self._read:
                self.outcomes.setdefault((row["model"], row["problem"]), AnswerCounts()).add(row)
                self._read = number + 1

    def outcome(self, problem: Problem, model: int = 0) -> AnswerCounts:
        """The counts of a model's answers to a problem."""
        return self.outcomes[self.models[model], problem_key(problem)]

    def fails(self, problem: Problem) -> bool:
        """Whether a problem counts as a failure (see `Oracle`)."""
        own = self.outcome(problem)
        failed = self._high(own) < self.below if self.below is not None else not self._best(own)
        return failed and (len(self.models) < 2 or self.solves(problem, 1))

    def solves(self, problem: Problem, model: int = 0) -> bool:
        """Whether a model solves a problem.

        For ranked answers, for a single answer, and if the field ``below`` is None, one correct
        answer is enough. In all other cases, the 95 % interval of the pass rate must begin above
        ``below``.
        """
        own = self.outcome(problem, model)
        if self.below is None or self.ranked or own.samples == 1:
            return own.correct > 0
        return clopper_pearson(own.correct, own.samples)[0] > self.below

    @staticmethod
    def _best(own: AnswerCounts) -> int:
        """The largest possible number of correct answers, if all undecided answers are correct."""
        return own.correct + own.unknown

    def _high(self, own: AnswerCounts) -> float:
        """The upper end of the 95 % interval of the pass rate, if all undecided answers are
        correct.

        For ranked answers and for a single answer, there is no interval. The result is then 1 if an
        answer is correct or undecided, else 0.
        """
        if self.ranked or own.samples == 1:
            return float(self._best(own) > 0)
        return clopper_pearson(self._best(own), own.samples)[1]

    def failures(self, problems: Sequence[Problem]) -> tuple[list[Problem], int]:
        """Ask the models the problems, and find the failures.

        If the model's answers are sampled, the failures are asked again, with new random seeds.

        Args:
            problems: the problems.

        Returns:
            The failures, and the number of failures that the repetition did not confirm.

        Raises:
            LimitReached: answers are missing because of a limit.
            RunError: answers are missing for another reason.

        """
        self.ask(problems)
        failed = [problem for problem in problems if self.fails(problem)]
        if not self.confirms or not failed:
            return failed, 0
        self.ask([again(problem) for problem in failed])
        confirmed = [problem for problem in failed if self.fails(again(problem))]
        return confirmed, len(failed) - len(confirmed)

    def deciding(self, problem: Problem) -> AnswerCounts:
        """The counts of the answers that decide whether a problem is a failure.

        If the problem was asked a second time, the earlier answers do not count.
        """
        return self.outcome(again(problem) if self.confirms else problem)


def again(problem: Problem) -> Problem:
    """Copy a problem under another name, so that its samples get other random seeds."""
    return replace(
        problem,
        id=f"{problem.id}{AGAIN}",
        subset=f"{problem.subset}{AGAIN}",
        parents=(Parent(problem.id, "again"),),
        pair_parent=problem.id,
        perturbation="again",
    )
