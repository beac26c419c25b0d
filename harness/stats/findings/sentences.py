"""The three sentences on top of every report: which model is better, where it breaks, how it fails.

The first two are what the paired comparisons come to (`stats.paired.wording`), the third counts
the failures (`failures`). Models that were asked different problems are never ordered.
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

#: Ways to fail that the third sentence names of each model, and models that it is about.
_WAYS, _MODELS = 3, 2


@dataclass(frozen=True)
class Findings(Record):
    """What a reader wants to know first, with the numbers that it comes from.

    Attributes:
        which: which model is better, by how much, and how sure that is.
        where: the perturbation that costs most, and what else drops with it.
        how: the most frequent ways to fail.
        standings: every model, ranked on the common problems where there are several.
        common: how many problems all models with a score were asked.

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
        """The sentences, without empty ones."""
        return tuple(line for line in (self.which, self.where, self.how) if line)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def sentences(
    *runs: Run | str | os.PathLike[str],
    policy: str | None = None,
    names: Mapping[str, str] | None = None,
    comparisons: Mapping[By, Comparison | None] | None = None,
) -> Findings:
    """The findings of one run, or of several together.

    Args:
        runs: runs or their directories.
        policy: the verdicts, by name; by default the latest complete ones that all runs have.
        names: shorter names of models, by their distinct names (`stats.compare.system_names`);
            by default the last part of each, where that tells them apart.
        comparisons: those by ``"model"`` and by ``"perturbation"``, where they are made already;
            None for one that is not possible.

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
    made = dict(comparisons) if comparisons is not None else {}
    kinds: tuple[By, ...] = ("model", "perturbation")
    for by in kinds:
        if by not in made:
            made[by] = _compared(opened, by, policy)
    by_model, by_perturbation = made["model"], made["perturbation"]
    k = next((one.primary_k for one in made.values() if one), 1)
    standing = standings(opened, policy, k)
    names = short_names(one.model for one in standing) if names is None else names
    shown = Names(names)
    scored = [one for one in standing if one.scored]
    if by_model is None or len(scored) < 2:
        better = [_alone(one, shown) for one in scored[:_MODELS]]
    else:
        better = [which(by_model, names)]
    if len(scored) < len(standing):
        broken = listed([shown[one.model] for one in standing if not one.scored])
        better.append(f"{broken}: nothing but errors, so no score.")
    return Findings(
        which=" ".join(better),
        where=where(by_perturbation, names) if by_perturbation else "",
        how=_how(standing, shown),
        standings=standing,
        common=max((one.common_problems for one in standing), default=0),
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
    parts = []
    for one in standing[:_MODELS]:
        total = one.failed
        if total <= 0:
            parts.append(f"{names[one.model]} fails nowhere")
            continue
        ways = ", ".join(
            f"{name} {100 * share / total:.0f} %"
            for name, share in list(one.failures.items())[:_WAYS]
        )
        failed = counted(round(total * one.samples), "failure")
        parts.append(f"of {names[one.model]}'s {failed} {ways}")
    text = "; ".join(parts)
    if text.startswith("of "):  # a model's name stays as it is
        text = "O" + text[1:]
    return f"{text}." if text else ""
