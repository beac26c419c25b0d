"""The three sentences on top of every report: which model is better, where it breaks, how it fails.

Each statement comes from the numbers beside it. A model is called better, and a perturbation is
said to break a model, only if the paired difference stands in its family: the p value and the
interval, both adjusted by Holm's method, exclude zero. Models that were asked different problems
are never ordered.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....rewards.records import Record
from ...core.errors import UserError
from ...store.run import Run
from ..compare import By, common_policy, compare
from ..paired import POWER, Comparison, Contrast, Difference
from .standing import Standing, standings

#: Ways to fail that the third sentence names of each model, and models that it is about.
_WAYS, _MODELS = 3, 3
#: Pairs of models that the first sentence is about, and other subsets that the second names.
_PAIRS, _SUBSETS = 2, 4


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
        names: shorter names of models, by their distinct names (`stats.compare.system_names`).
        comparisons: those by ``"model"`` and by ``"perturbation"``, where they are made already;
            None for one that is not possible.

    Returns:
        The findings.

    Raises:
        UserError: there is no run, or the runs have no verdicts in common.

    Example:
        >>> from calculus_harness import sweep
        >>> print(sentences(sweep(["solver/sympy"], ["drills"], limit=2, out="run")).which)
        solver/sympy solves 100.0 [2.5, 100.0] % of 1 problem of drills/powers.

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
    shown = _Names(names or {})
    common = max((one.common_problems for one in standing), default=0)
    return Findings(
        which=_which(by_model, standing, shown),
        where=_where(by_perturbation, standing, shown),
        how=_how(standing, shown),
        standings=standing,
        common=common,
    )


def _compared(runs: Sequence[Run], by: By, policy: str) -> Comparison | None:
    try:
        return compare(*runs, by=by, policy=policy)
    except UserError:  # nothing pairs
        return None


class _Names(dict[str, str]):
    """Shorter names of models; a model without one keeps its own."""

    def __missing__(self, name: str) -> str:
        return name


# --- which -------------------------------------------------------------------------------------


def _which(
    comparison: Comparison | None, standing: Sequence[Standing], names: Mapping[str, str]
) -> str:
    unscored = [names[one.model] for one in standing if not one.scored]
    errors = f" {_listed(unscored)}: nothing but errors, so no score." if unscored else ""
    scored = [one for one in standing if one.scored]
    if not scored:
        return errors.strip()
    if comparison is None or len(scored) < 2:
        return " ".join(_alone(one, names) for one in scored[:_MODELS]) + errors
    rows = overall(comparison)
    if any(one.rank is None or one.problems != scored[0].problems for one in scored):
        return _apart(rows, comparison.primary_k, names) + errors
    # All were asked the same: the first model against the others, in the order of their ranks.
    first = scored[0].model
    against = {
        row.second if row.first == first else row.first: row
        for row in rows
        if first in (row.first, row.second)
    }
    ordered = [against[one.model] for one in scored[1:] if one.model in against]
    same = [row for row in ordered if not _stands(row, comparison.primary_k)]
    better = [row for row in ordered if row not in same]
    parts = [_pair(row, comparison.primary_k, names, first) for row in (same + better)[:_PAIRS]]
    if len(scored) > 2 and not same:
        parts.insert(0, f"{names[first]} is first of {len(scored)} models.")
    if (rest := len(same) - _PAIRS) > 0:
        parts.append(f"Nor was one found between {names[first]} and {rest} more.")
    return " ".join(parts) + errors


def overall(comparison: Comparison) -> list[Contrast]:
    """The contrasts on all problems that pair, of every two models one."""
    sides: dict[tuple[str, str, str], list[Contrast]] = {}
    for row in comparison.contrasts:
        sides.setdefault((row.system, row.first, row.second), []).append(row)
    return [next((r for r in rows if r.group == "all"), rows[0]) for rows in sides.values()]


def _alone(one: Standing, names: Mapping[str, str]) -> str:
    assert one.own is not None
    low, high = one.own.interval
    return (
        f"{names[one.model]} solves {100 * one.own.value:.1f} [{100 * low:.1f}, {100 * high:.1f}] "
        f"% of {_count(one.problems, 'problem')} of {_listed(one.subsets, _SUBSETS)}."
    )


def _apart(rows: Sequence[Contrast], k: int, names: Mapping[str, str]) -> str:
    """Of models that were asked different problems, what pairs, the most pairs first."""
    text = "The models were asked different problems and have no common order."
    rows = sorted(rows, key=lambda row: -row.pairs)
    parts = [_pair(row, k, names, row.second) for row in rows[:_PAIRS]]
    return " ".join([text, *parts])


def _pair(row: Contrast, k: int, names: Mapping[str, str], first: str) -> str:
    """What a comparison of two models comes to: of the better one, or else of the ``first``."""
    difference = row.at(k)
    if difference is None:
        return f"{names[row.first]} and {names[row.second]} have too few samples for pass@{k}."
    both = f"{_count(row.pairs, 'problem')} that both were asked"
    sides = (row.first, row.second)
    if difference.stands:
        one, other = sides if difference.value < 0 else sides[::-1]
        more = f"{names[one]} solves {_size(difference)} points more than {names[other]}"
        return f"{more} on the {both}{_sure(difference)}."
    one, other = sides if row.first == first else sides[::-1]
    value, ends = _signed(difference, -1 if row.first == first else 1)
    return (
        f"No difference between {names[one]} and {names[other]} was found on the {both} "
        f"({value} {ends}){_power(difference, row)}."
    )


def _stands(row: Contrast, k: int) -> bool:
    difference = row.at(k)
    return difference is not None and difference.stands


def _size(difference: Difference) -> str:
    """A difference that stands, without its sign: ``38 [34, 42]``."""
    low, high = sorted(100 * abs(end) for end in difference.interval)
    digits = digits_for(low / 100, high / 100)
    return f"{100 * abs(difference.value):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _signed(difference: Difference, sign: int = 1) -> tuple[str, str]:
    ends = sorted(sign * end for end in difference.interval)
    digits = digits_for(*ends)
    low, high = (_number(end, digits) for end in ends)
    return _number(sign * difference.value, digits), f"[{low}, {high}] points"


def _number(value: float, digits: int) -> str:
    text = f"{100 * value:+.{digits}f}".replace("-", "−")
    return "0" if not text.strip("+−0.") else text


def digits_for(low: float, high: float) -> int:
    """The decimals of percentage points: no more than the interval knows, none that hides 0.

    >>> digits_for(0.34, 0.42), digits_for(0.004, 0.12), digits_for(0.0004, 0.01)
    (0, 1, 2)

    """
    nearest = min(abs(low), abs(high)) * 100
    if high - low >= 0.05 and (nearest >= 1 or low <= 0 <= high):
        return 0
    return 2 if 0 < nearest < 0.1 else 1


def _sure(difference: Difference) -> str:
    p = difference.p if difference.adjusted is None else difference.adjusted
    return " (p < 0.001)" if p < 0.001 else f" (p = {p:.3f})"


def _power(difference: Difference, row: Contrast) -> str:
    plan, groups = difference.design, _count(row.clusters, "group")
    if plan is None or plan.detectable > 1:
        return f"; {groups} of problems are too few to see any"
    return (
        f"; with these {groups} of problems a true one of {100 * plan.detectable:.0f} points "
        f"would be seen in {100 * POWER:.0f} % of such runs"
    )


# --- where -------------------------------------------------------------------------------------


def _where(
    comparison: Comparison | None, standing: Sequence[Standing], names: Mapping[str, str]
) -> str:
    if comparison is None:
        return ""
    k = comparison.primary_k
    lines = [(row, one) for row in comparison.contrasts if (one := row.at(k)) is not None]
    if not lines:
        return ""
    drops = sorted(
        ((row, one) for row, one in lines if one.stands and one.value < 0),
        key=lambda line: line[1].value,
    )
    several = len({row.system for row, _ in lines}) > 1
    if not drops:
        row, one = min(lines, key=lambda line: line[1].value)
        value, ends = _signed(one)
        whose = f" of {names[row.system]}" if several else ""
        return (
            f"No drop under perturbation was found in {_count(len(lines), 'comparison')}; the "
            f"lowest is {row.group}{whose} with {value} {ends}{_power(one, row)}."
        )
    row, one = drops[0]
    text = (
        f"{names[row.system]} breaks most under {row.group}: {_size(one)} points less than on the "
        f"{_count(row.pairs, 'original')}{_sure(one)}"
    )
    also = [
        f"{other.group} ({_signed(drop)[0]})"
        for other, drop in drops[1:]
        if other.system == row.system
    ]
    if also:
        text += f"; so do {_listed(also, _SUBSETS)}" if len(also) > 1 else f"; so does {also[0]}"
    others = dict.fromkeys(names[other.system] for other, _ in drops if other.system != row.system)
    if others:
        text += f". Drops of {_listed(list(others), _MODELS)} stand as well"
    return f"{text}."


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
        failed = _count(round(total * one.samples), "failure")
        parts.append(f"of {names[one.model]}'s {failed} {ways}")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:] + "." if text else ""


# --- words -------------------------------------------------------------------------------------


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _listed(names: Sequence[str], most: int = 8) -> str:
    """Names as a list in a sentence; of too many, how many more."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
