"""What a paired comparison comes to, in a sentence that its numbers say.

A model is called better, and a perturbation is said to break a model, only if the paired difference
stands in its family: the p value and the interval, both adjusted by Holm's method, exclude zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...core.wording import counted
from .comparison import POWER, Comparison, Contrast, Difference

#: Pairs of models, other models and other subsets that a sentence names.
_PAIRS, _MODELS, _SUBSETS = 2, 3, 4


class Names(dict[str, str]):
    """Shorter names of models; a model without one keeps its own."""

    def __missing__(self, name: str) -> str:
        return name


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The last part of each model's name, where that tells them all apart, else the whole.

    >>> short_names(["openai/a", "vllm/b"])
    {'openai/a': 'a', 'vllm/b': 'b'}

    """
    full = list(names)
    last = {name: name.rstrip("/").rpartition("/")[2] for name in full}
    return last if len(set(last.values())) == len(full) else {name: name for name in full}


def which(comparison: Comparison, names: Mapping[str, str] | None = None) -> str:
    """Which model is better, by how much, and how sure that is.

    Args:
        comparison: of models.
        names: shorter names of models, by their names in the comparison.

    Returns:
        The sentence. Models that were asked different problems are only compared in pairs.

    """
    shown, k = Names(names or {}), comparison.primary_k
    rows = overall(comparison)
    if any(row.unpaired for row in rows):
        text = "The models were asked different problems and have no common order."
        rows = sorted(rows, key=lambda row: -row.pairs)
        return " ".join([text, *(_pair(row, k, shown, row.second) for row in rows[:_PAIRS])])
    # All were asked the same: the first model against the others, in the order of their scores.
    scores: dict[str, float] = {}
    for row in rows:
        if (one := row.at(k)) is not None:
            scores |= {row.first: one.first, row.second: one.second}
    order = sorted(scores, key=lambda name: -scores[name])
    if not order:
        return f"There are too few samples for pass@{k}."
    against = {
        row.second if row.first == order[0] else row.first: row
        for row in rows
        if order[0] in (row.first, row.second)
    }
    ordered = [against[name] for name in order[1:]]
    same = [row for row in ordered if not _stands(row, k)]
    better = [row for row in ordered if row not in same]
    parts = [_pair(row, k, shown, order[0]) for row in same[:1] + better[:1]]
    if len(order) > 2 and not same:
        parts.insert(0, f"{shown[order[0]]} is first of {len(order)} models.")
    if (rest := len(same) - 1) > 0:
        parts.append(f"Nor was one found between {shown[order[0]]} and {rest} more.")
    return " ".join(parts)


def overall(comparison: Comparison) -> list[Contrast]:
    """The contrasts on all problems that pair, of every two models one."""
    sides: dict[tuple[str, str, str], list[Contrast]] = {}
    for row in comparison.contrasts:
        sides.setdefault((row.system, row.first, row.second), []).append(row)
    return [next((r for r in rows if r.group == "all"), rows[0]) for rows in sides.values()]


def _pair(row: Contrast, k: int, names: Mapping[str, str], first: str) -> str:
    """What a comparison of two models comes to: of the better one, or else of the ``first``."""
    difference = row.at(k)
    if difference is None:
        return f"{names[row.first]} and {names[row.second]} have too few samples for pass@{k}."
    both = f"{counted(row.pairs, 'problem')} that both were asked"
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
    plan, groups = difference.design, counted(row.clusters, "group")
    if plan is None or plan.detectable > 1:
        verb = "is" if row.clusters == 1 else "are"
        return f"; {groups} of problems {verb} too few to see any"
    return (
        f"; with these {groups} of problems a true one of {100 * plan.detectable:.0f} points "
        f"would be seen in {100 * POWER:.0f} % of such runs"
    )


def where(comparison: Comparison, names: Mapping[str, str] | None = None) -> str:
    """The perturbation that costs most of those that stand, and what else drops with it.

    Args:
        comparison: of perturbations with their originals.
        names: shorter names of models, by their names in the comparison.

    Returns:
        The sentence.

    """
    shown = Names(names or {})
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
        whose = f" of {shown[row.system]}" if several else ""
        return (
            f"No drop under perturbation was found in {counted(len(lines), 'comparison')}; the "
            f"lowest is {row.group}{whose} with {value} {ends}{_power(one, row)}."
        )
    row, one = drops[0]
    text = (
        f"{shown[row.system]} breaks most under {row.group}: {_size(one)} points less than on the "
        f"{counted(row.pairs, 'original')}{_sure(one)}"
    )
    also = [
        f"{other.group} ({_signed(drop)[0]})"
        for other, drop in drops[1:]
        if other.system == row.system
    ]
    if also:
        text += f"; so do {listed(also, _SUBSETS)}" if len(also) > 1 else f"; so does {also[0]}"
    others = dict.fromkeys(shown[other.system] for other, _ in drops if other.system != row.system)
    if others:
        text += f". Drops of {listed(list(others), _MODELS)} stand as well"
    return f"{text}."


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names as a list in a sentence; of too many, how many more."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
