"""The three sentences on top of every report: which model is better, where models fail, and how.

The first two sentences summarise the paired comparisons (`stats.paired.wording`). The third
sentence counts the failures (`failures`). Models that were asked different problems are never
ordered.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....rewards.records import Record
from ...core.errors import UserError
from ...core.wording import counted
from ...store.run import Run
from ..compare import By, common_policy, compare
from ..paired import Comparison
from ..paired.wording import Names, listed, short_names, where, which
from .standing import Standing, standings

#: The numbers of failure classes and of models in the third sentence.
_WAYS, _MODELS = 3, 2


@dataclass(frozen=True)
class Findings(Record):
    """Three sentences about runs, and the numbers behind the sentences.

    Attributes:
        which: the better model, the difference, and the confidence.
        where: the perturbation with the largest drop, and further significant drops.
        how: the most frequent classes of failures.
        standings: the score of every model, and the rank among several models.
        common: the number of problems common to all models with a score.

    >>> str(Findings("a solves more.", "", "", (), 0))
    'a solves more.'

    """

    which: str
    where: str
    how: str
    standings: tuple[Standing, ...]
    common: int

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(line for line in (self.which, self.where, self.how) if line)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def sentences(
    *runs: Run | str | os.PathLike[str],
    policy: str | None = None,
    names: Mapping[str, str] | None = None,
    comparisons: Mapping[By, Comparison | None] | None = None,
) -> Findings:
    """The findings of one run, or of several runs together.

    Args:
        runs: runs or their directories.
        policy: the name of the set of verdicts. The default is the latest set that is complete in
            all runs.
        names: a shorter name for each model. The keys are the models' distinct names
            (`stats.compare.system_names`). The default is the last part of each distinct name, if
            the last parts are distinct.
        comparisons: existing comparisons. The keys are ``"model"`` and ``"perturbation"``. None
            marks an impossible comparison.

    Returns:
        The findings.

    Raises:
        UserError: there is no run, or the runs have no verdicts in common.

    Example:
        >>> from calculus_harness import sweep
        >>> print(sentences(sweep(["solver/sympy"], ["drills"], limit=2, out="run")).which)
        sympy solves 100.0 [2.5, 100.0] % of 2 problems of drills/monomials and drills/renamed.

    """
    opened = [Run.of(run) for run in runs]
    if not opened:
        raise UserError("there is nothing to report: name at least one run")
    policy = common_policy(opened, policy)
    # A report passes the comparisons that it has already made.
    by_design = dict(comparisons) if comparisons is not None else {}
    designs: tuple[By, ...] = ("model", "perturbation")
    for by in designs:
        if by not in by_design:
            by_design[by] = _compared(opened, by, policy)
    by_model, by_perturbation = by_design["model"], by_design["perturbation"]
    k = next((comparison.primary_k for comparison in by_design.values() if comparison), 1)
    ranking = standings(opened, policy, k)
    names = short_names(standing.model for standing in ranking) if names is None else names
    shortened = Names(names)
    scored = [standing for standing in ranking if standing.scored]
    # With a single score there is nothing to compare, and the sentence states the score.
    if by_model is None or len(scored) < 2:
        better = [_alone(standing, shortened) for standing in scored[:_MODELS]]
    else:
        better = [which(by_model, names)]
    if len(scored) < len(ranking):
        broken = listed([shortened[standing.model] for standing in ranking if not standing.scored])
        better.append(f"{broken}: nothing but errors, so no score.")
    return Findings(
        which=" ".join(better),
        where=where(by_perturbation, names) if by_perturbation else "",
        how=_how(ranking, shortened),
        standings=ranking,
        common=max((standing.common_problems for standing in ranking), default=0),
    )


def _compared(runs: Sequence[Run], by: By, policy: str) -> Comparison | None:
    try:
        return compare(*runs, by=by, policy=policy)
    except UserError:  # nothing pairs
        return None


def _alone(standing: Standing, names: Mapping[str, str]) -> str:
    assert standing.own is not None
    low, high = standing.own.interval
    return (
        f"{names[standing.model]} solves {100 * standing.own.value:.1f} "
        f"[{100 * low:.1f}, {100 * high:.1f}] "
        f"% of {counted(standing.problems, 'problem')} of {listed(standing.subsets, _MODELS)}."
    )


# --- how ---------------------------------------------------------------------------------------


def _how(standing: Sequence[Standing], names: Mapping[str, str]) -> str:
    clauses = []
    for model in standing[:_MODELS]:
        total = model.failed
        if total <= 0:
            clauses.append(f"{names[model.model]} fails nowhere")
            continue
        ways = ", ".join(
            f"{name} {100 * share / total:.0f} %"
            for name, share in list(model.failures.items())[:_WAYS]
        )
        failed = counted(round(total * model.samples), "failure")
        clauses.append(f"of {names[model.model]}'s {failed} {ways}")
    text = "; ".join(clauses)
    if text.startswith("of "):  # a model's name stays as it is
        text = "O" + text[1:]
    return f"{text}." if text else ""
