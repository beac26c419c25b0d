"""Chooses values for parameters several times, with different orders, signs and cases.

A single choice of values cannot show that ``|a - b|`` differs from ``a - b``, or that ``max(a, 5)``
differs from 5.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import cycle, pairwise, product

from flint import acb, arb

from ...errors import ProblemError
from ...reading.expression.traversal import fold, nodes_of, symbols_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import PIECEWISE
from ...reading.functions.record import AT_INTEGERS
from ..ball_arithmetic.balls import UnusableError
from ..ball_arithmetic.evaluation import evaluate
from .cases import MAX_SCALE, Draw, distinguishes

#: The least and the greatest parameter of a draw; those between are spaced geometrically.
LEAST, GREATEST = 0.21875, 9.71875
#: Larger numbers of an expression are not taken for thresholds of a parameter.
MAX_THRESHOLD = 1e6
#: Where cases are distinguished, parameters are so large and so small, and so many times as
#: large and as small, too.
EXTREME = 2.0**40
#: The same where the steps of a floor up to them are counted one by one: 311 take 0.1 s.
FEW = 2.0**5

#: Sizes of middle draws of `regimes`: below 1, where the integral of x^{-a} at 0 converges, and
#: above.
MIDDLE = (0.546875, 1.671875, 0.8125, 2.890625, 0.390625)
#: A factor, between two powers of two, by which draws lie beyond every number of the expressions.
BEYOND = 2.375
#: Draws of ordinary size beside the two usual ones.
MIDDLE_DRAWS = 3
#: Expressions whose regimes are kept: those of a batch.
KEPT_REGIMES = 1024
#: Factors on both sides of a number in a condition: well beyond, and an eighth beside.
NEAR_FACTORS = (0.5, 0.875, 1.125, 2.0)
#: Kind of a parameter -> its value, from a size and, for a sign or parity, 0 or 1. Whole numbers
#: are 2 and more, of either parity.
_DRAWS_OF_KIND: dict[str, Callable[[float, int], float]] = {
    "positive": lambda size, _: size,
    "negative": lambda size, _: -size,
    "real": lambda size, side: size if side else -size,
    "integer": lambda size, side: float(int(size) // 2 * 2 + 3 - side),
    "signed integer": lambda size, side: (
        (int(size) // 2 * 2 + 3.0 - side) * (1 - int(8 * size) % 2 * 2)
    ),
    "even": lambda size, _: 2.0 * (int(size) + 1),
    "odd": lambda size, _: 2.0 * int(size) + 3.0,
}
#: Those with signs or parities, which are combined in all ways for so many parameters.
_SIDED, MAX_SIDED = frozenset(("real", "integer", "signed integer")), 3
_STEPS = frozenset(function.name for function in PIECEWISE if function.breaks == AT_INTEGERS)

#: Conditions leave so many draws at least; so many are tried to find others. Of three ordered
#: parameters 1 in 6 fits.
MIN_DRAWS, TRIES = 4, 400
_RELATIONS = frozenset(("lt", "le", "ne"))


def draws(
    names: Sequence[str],
    assumptions: Mapping[str, str],
    variable: str,
    expressions: Sequence[Expression],
) -> list[Draw]:
    """Choose values for all parameters, in several ways.

    In some choices, the values ascend in the order of ``names``. In others, the values descend. If
    integrand f or answer F distinguishes cases, there are also choices with very large or very
    small values. Each equality in f or F, such as a = 2, holds for one choice.

    Args:
        names: the parameters, sorted.
        assumptions: the assumptions on parameters
            (`rewards.numeric.sampling.pool.ASSUMPTIONS`).
        variable: the variable of integration.
        expressions: f and F.

    """
    if not names:
        return []
    sizes = _spaced(LEAST, GREATEST, len(names))

    def draw(values: Sequence[float], sides: Iterable[int]) -> Draw:
        return tuple(
            (name, _DRAWS_OF_KIND[assumptions.get(name, "positive")](size, side))
            for name, size, side in zip(names, values, sides, strict=False)
        )

    drawn = [
        draw(sizes, cycle((0, 1))),
        draw(sizes[::-1] if len(sizes) > 1 else [GREATEST], cycle((1, 0))),
    ]
    # Parameters of both signs take all combinations of signs.
    if not _SIDED.isdisjoint(assumptions.values()):
        drawn += [draw(sizes, cycle(sides)) for sides in product((0, 1), repeat=MAX_SIDED)]
    if any(_has_thresholds(node, variable) for tree in expressions for node in nodes_of(tree)):
        threshold = max((n for tree in expressions for n in _numbers(tree)), default=1.0)
        counted = any(_counts(node, names) for tree in expressions for node in nodes_of(tree))
        far = FEW if counted else EXTREME
        scaled = [
            [scale * size for size in sizes] for scale in (BEYOND * threshold / LEAST, far, 1 / far)
        ]
        for values in (*scaled, _spaced(1 / far, far, len(names))):
            drawn += [draw(values, cycle((0, 1))), draw(values[::-1], cycle((1, 0)))]
    # Equalities hold at no random value: each gets a choice of its own.
    usual = dict(drawn[0])
    for tree in expressions:
        for name, special in _special_values(tree):
            value = usual.get(special, special) if isinstance(special, str) else special
            if name in names and not isinstance(value, str):
                drawn.append(tuple((usual | {name: value}).items()))
    return list(dict.fromkeys(drawn))


def regimes(
    names: Sequence[str],
    assumptions: Mapping[str, str],
    expressions: Sequence[Expression],
    conditions: Sequence[Expression] = (),
) -> tuple[list[Draw], list[Draw]]:
    """Choose several sets of values for the parameters of a definite integral, a sum or a limit.

    The formula for the value may change at a threshold of a parameter. Examples are integrals with
    ``|x - a|`` or ``1 - 2 r cos x + r^2`` in the integrand. If the parameters are renamed and their
    order is kept, the choices are the same.

    Args:
        names: the parameters, sorted.
        assumptions: the assumptions on parameters.
        expressions: the integrand, the limits and the answer.
        conditions: comparisons that must hold for all choices.

    Returns:
        Two lists of choices. The first list has values below and above 1, values of medium size,
        and values beyond the largest number in the expressions. The second list may be empty. It
        has further choices, for example if a function distinguishes cases.

    Raises:
        ProblemError: no values were found for which the conditions hold.

    """
    if not names:
        return [()], []
    assumption_items, trees = tuple(sorted(assumptions.items())), (*expressions, *conditions)
    return _regimes(tuple(names), assumption_items, trees, tuple(conditions))


@lru_cache(maxsize=KEPT_REGIMES)
def _regimes(
    names: tuple[str, ...],
    assumption_items: tuple[tuple[str, str], ...],
    expressions: tuple[Expression, ...],
    conditions: tuple[Expression, ...],
) -> tuple[list[Draw], list[Draw]]:
    assumptions = dict(assumption_items)
    all_ = draws(names, assumptions, "", expressions)
    middle = [
        tuple(
            (
                name,
                _DRAWS_OF_KIND[assumptions.get(name, "positive")](
                    MIDDLE[(at + k) % len(MIDDLE)], at + k & 1
                ),
            )
            for at, name in enumerate(names)
        )
        for k in range(MIDDLE_DRAWS)
    ]
    # A formula may change where a parameter passes the largest number in the expressions.
    largest = max((abs(n) for tree in expressions for n in _folded(tree)), default=1.0)
    beyond: list[Draw] = []
    distinct = any(distinguishes(node, "") for tree in expressions for node in nodes_of(tree))
    if largest > 1:
        scales = (BEYOND * largest, 1 / (BEYOND * largest)) if distinct else (BEYOND * largest,)
        beyond = [
            tuple(
                (name, _DRAWS_OF_KIND[assumptions.get(name, "positive")](scale * size, 1))
                for name, size in zip(names, _spaced(1, 4, len(names)), strict=True)
            )
            for scale in scales
        ]
    # Conditions drop choices. If too few are left, values near the conditions' numbers are tried.
    usual = list(dict.fromkeys([*all_[:2], *middle, *beyond]))
    if conditions:
        usual, all_ = ([d for d in drawn if admits(conditions, dict(d))] for drawn in (usual, all_))
        if len(usual) < MIN_DRAWS:
            usual = list(dict.fromkeys([*usual, *_admissible(names, assumptions, conditions)]))
        if not usual:
            raise ProblemError("no values of the parameters were found that fit the conditions")
        all_ = [*usual[:2], *all_]
    if not distinct and _SIDED.isdisjoint(assumptions.values()):
        return usual, []
    return usual, [draw for draw in all_[2:] if draw not in usual]


def _admissible(
    names: tuple[str, ...], assumptions: Mapping[str, str], conditions: Sequence[Expression]
) -> Iterator[Draw]:
    """Yield choices of values for which the conditions hold.

    Some values lie between the numbers in the conditions. Others lie near or beyond these numbers.
    """
    numbers = sorted({abs(n) for tree in conditions for n in _constants(tree)} - {0.0})
    near = [n * factor for n in numbers for factor in NEAR_FACTORS]
    between = [(low + high) / 2 for low, high in pairwise(numbers)]
    sizes = [*MIDDLE, LEAST, GREATEST, *near, *between]
    chance = random.Random(0)
    count = 0
    for _ in range(TRIES):
        draw = tuple(
            (
                name,
                _DRAWS_OF_KIND[assumptions.get(name, "positive")](
                    chance.choice(sizes), chance.randrange(2)
                ),
            )
            for name in names
        )
        if admits(conditions, dict(draw)):
            yield draw
            count += 1
        if count == 2 * MIN_DRAWS:
            return


def _constants(tree: Expression) -> Iterator[float]:
    """Yield the values of constant sub-expressions. Parts of such sub-expressions are left out."""
    if symbols_of(tree) or tree.function in _RELATIONS:
        for operand in tree.args:
            yield from _constants(operand)
    elif (value := _value(tree, ())) is not None:
        yield float(value)


def admits(conditions: Iterable[Expression], values: Mapping[str, float | Fraction]) -> bool:
    """Whether all conditions hold for values of the parameters."""
    draw = tuple((name, float(value)) for name, value in values.items())
    for condition in conditions:
        low, high = condition.args
        gap = _value(Call("add", (high, Call("neg", (low,)))), draw)
        if gap is None or not (gap > 0 or (condition.function == "ne" and gap < 0)):
            return False
    return True


def _value(constant: Expression, draw: Draw) -> arb | None:
    """The value of an expression for a choice of the parameters.

    The result is None if the value is not real or cannot be computed.
    """
    try:
        value = evaluate(constant, {name: acb(value) for name, value in draw})
    except UnusableError:
        return None
    return arb(value.real) if value.is_finite() and value.imag.contains(0) else None


def _folded(tree: Expression) -> Iterator[float]:
    """Yield the rational constants of an expression. A power such as 10^3 is one constant."""
    ratio = fold(tree)
    if ratio is None:
        for operand in tree.args:
            yield from _folded(operand)
    elif abs(ratio) < MAX_SCALE:
        yield float(ratio)


def _spaced(least: float, greatest: float, count: int) -> list[float]:
    """``count`` sizes between ``least`` and ``greatest``, spaced geometrically."""
    step = (greatest / least) ** (1 / max(count - 1, 1))
    # Rounded to few digits: no library's power function decides about a sample point.
    return [float(f"{least * step**i:.4g}") for i in range(count)]


def _has_thresholds(node: Expression, variable: str) -> bool:
    """Whether a function has cases that depend on the sizes of parameters, as an equality's do not.

    Of Kronecker's delta of m and n, values for large m and n say nothing more.
    """
    if not distinguishes(node, variable):
        return False
    equalities = isinstance(node, Call) and node.function == "piecewise"
    return not (equalities and all(case.function in ("eq", "ne") for case in node.args[1::2]))


def _counts(node: Expression, names: Sequence[str]) -> bool:
    """Whether a node is a step function of a symbol that is not a parameter."""
    return node.function in _STEPS and not symbols_of(node) <= set(names)


def _numbers(tree: Expression) -> Iterator[float]:
    for node in nodes_of(tree):
        if isinstance(node, Number) and abs(node.numerator) < MAX_THRESHOLD * node.denominator:
            yield abs(node.numerator) / node.denominator


def _special_values(tree: Expression) -> Iterator[tuple[str, float | str]]:
    """Yield each parameter that is compared by = or !=, and the number or the other parameter."""
    for node in nodes_of(tree):
        if isinstance(node, Call) and node.function in ("eq", "ne"):
            for first_operand, second_operand in pairwise((*node.args, node.args[0])):
                value = fold(second_operand)
                if not isinstance(first_operand, Symbol):
                    continue
                if value is not None:
                    yield first_operand.name, float(value)
                elif isinstance(second_operand, Symbol):
                    yield first_operand.name, second_operand.name
