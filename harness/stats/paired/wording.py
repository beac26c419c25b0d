"""Summaries of paired comparisons in sentences.

A sentence calls a model better only if the paired difference is significant. The same condition
holds for a sentence about a perturbation that breaks a model. A difference is significant if the p
value is below 0.05 and the interval excludes zero. Holm's method adjusts p values and intervals for
all jointly tested differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...core.wording import counted
from .comparison import Comparison, Contrast, Difference
from .power import POWER

#: The largest numbers of model pairs, further models and further subsets in a sentence.
_PAIRS, _MODELS, _SUBSETS = 2, 3, 4


class Names(dict[str, str]):
    """Short names of models, and full names of all other models."""

    def __missing__(self, name: str) -> str:
        return name


def short_names(names: Iterable[str]) -> dict[str, str]:
    """The last part of each model's name. The full names are kept if two last parts are equal.

    >>> short_names(["openai/a", "vllm/b"])
    {'openai/a': 'a', 'vllm/b': 'b'}
    """
    full = list(names)
    shortened = {name: name.rstrip("/").rpartition("/")[2] for name in full}
    return shortened if len(set(shortened.values())) == len(full) else {name: name for name in full}


def which(comparison: Comparison, names: Mapping[str, str] | None = None) -> str:
    """A sentence on the better model, the difference, and the confidence.

    Args:
        comparison: a comparison of models.
        names: shorter names of models, by name in the comparison.

    Returns:
        The sentence, without a ranking for models with different problems.

    """
    shortened, k = Names(names or {}), comparison.primary_k
    rows = overall(comparison)
    if any(row.unpaired for row in rows):
        text = "The models were asked different problems and have no common order."
        rows = sorted(rows, key=lambda row: -row.pairs)
        return " ".join([text, *(_pair(row, k, shortened, row.second) for row in rows[:_PAIRS])])
    # All models were asked the same problems: compare the best model with the others, by score.
    scores: dict[str, float] = {}
    for row in rows:
        if (difference := row.at(k)) is not None:
            scores |= {row.first: difference.first, row.second: difference.second}
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
    sentences = [_pair(row, k, shortened, order[0]) for row in same[:1] + better[:1]]
    if len(order) > 2 and not same:
        sentences.insert(0, f"{shortened[order[0]]} is first of {len(order)} models.")
    if (undecided := len(same) - 1) > 0:
        sentences.append(f"Nor was one found between {shortened[order[0]]} and {undecided} more.")
    return " ".join(sentences)


def overall(comparison: Comparison) -> list[Contrast]:
    """The contrast of every two models on all common problems."""
    sides: dict[tuple[str, str, str], list[Contrast]] = {}
    for row in comparison.contrasts:
        sides.setdefault((row.system, row.first, row.second), []).append(row)
    return [next((r for r in rows if r.group == "all"), rows[0]) for rows in sides.values()]


def _pair(row: Contrast, k: int, names: Mapping[str, str], subject: str) -> str:
    """Write the sentence that compares two models.

    The subject of the sentence is the better model, or ``subject`` if the difference is not
    significant.
    """
    difference = row.at(k)
    if difference is None:
        return f"{names[row.first]} and {names[row.second]} have too few samples for pass@{k}."
    both = f"{counted(row.pairs, 'problem')} that both were asked"
    sides = (row.first, row.second)
    if difference.stands:
        better, worse = sides if difference.value < 0 else sides[::-1]
        text = f"{names[better]} solves {_size(difference)} points more than {names[worse]}"
        return f"{text} on the {both}{_sure(difference)}."
    named, compared = sides if row.first == subject else sides[::-1]
    value, ends = _signed(difference, -1 if row.first == subject else 1)
    return (
        f"No difference between {names[named]} and {names[compared]} was found on the {both} "
        f"({value} {ends}){_power(difference, row)}."
    )


def _stands(row: Contrast, k: int) -> bool:
    difference = row.at(k)
    return difference is not None and difference.stands


def _size(difference: Difference) -> str:
    """Write a significant difference without the sign, such as ``38 [34, 42]``."""
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
    """The number of decimals to write the ends of an interval in percent.

    A wide interval needs no decimals. For a narrow interval, the number is large enough to show
    that both ends differ from 0.

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
    """A sentence on perturbations with a significantly lower pass@k, the largest drop first.

    Args:
        comparison: a comparison of perturbations with their originals.
        names: shorter names of models, by name in the comparison.

    Returns:
        The sentence.

    """
    shortened = Names(names or {})
    k = comparison.primary_k
    lines = [
        (row, difference) for row in comparison.contrasts if (difference := row.at(k)) is not None
    ]
    if not lines:
        return ""
    drops = sorted(
        (
            (row, difference)
            for row, difference in lines
            if difference.stands and difference.value < 0
        ),
        key=lambda line: line[1].value,
    )
    several = len({row.system for row, _ in lines}) > 1
    # Without a significant drop, the lowest difference and the power tell how much could have been
    # missed.
    if not drops:
        row, difference = min(lines, key=lambda line: line[1].value)
        value, ends = _signed(difference)
        whose = f" of {shortened[row.system]}" if several else ""
        return (
            f"No drop under perturbation was found in {counted(len(lines), 'comparison')}; the "
            f"lowest is {row.group}{whose} with {value} {ends}{_power(difference, row)}."
        )
    row, difference = drops[0]
    text = (
        f"{shortened[row.system]} breaks most under {row.group}: {_size(difference)} points less "
        f"than on the {counted(row.pairs, 'original')}{_sure(difference)}"
    )
    # Further drops of the same system, then other systems with a drop.
    also = [
        f"{other_row.group} ({_signed(drop)[0]})"
        for other_row, drop in drops[1:]
        if other_row.system == row.system
    ]
    if also:
        text += f"; so do {listed(also, _SUBSETS)}" if len(also) > 1 else f"; so does {also[0]}"
    systems = dict.fromkeys(
        shortened[other_row.system] for other_row, _ in drops if other_row.system != row.system
    )
    if systems:
        text += f". Drops of {listed(list(systems), _MODELS)} stand as well"
    return f"{text}."


def listed(names: Sequence[str], limit: int = 8) -> str:
    """Write names as a list in a sentence, such as ``a, b and 3 more`` for a limit of 2."""
    if len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
