"""Cases of functions of parameters: where a formula with parameters turns into another formula.

``|a|`` is a for positive a and -a for negative a, ``sqrt((a - 3)^2)`` is ``|a - 3|``, and
``arctan(tan a)`` is a up to pi/2 only. Agreement for some values of a says nothing about values for
which such a function takes another case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain

from flint import acb

from ...reading.expression.build import add, neg
from ...reading.expression.traversal import fold, nodes_of, symbols_of
from ...reading.expression.tree import Call, Expression, Symbol
from ...reading.functions import PIECEWISE, RECORDS
from ..ball_arithmetic.balls import Break, Tape, UnusableError, precision
from ..ball_arithmetic.compiler import compile_tape
from ..ball_arithmetic.jets import Ball, Jet
from .events import BITS, between_events, beyond_reach

Draw = tuple[tuple[str, float], ...]

#: Kinds of real parameters, with the sign of the values; 0 for both signs.
SIGNS = {"positive": 1, "negative": -1, "real": 0}
#: The value of a symbol that is no parameter, where cases of parameters are looked for.
OTHER_SYMBOL = 0.703125
#: Larger values of parameters are not tried: integrals with such numbers have no computed value.
MAX_SCALE = 1e60
#: Choices that are added for one answer: three functions with three cases each, and some to spare.
MAX_UNSEEN = 12
#: Functions that distinguish cases.
_CASES = frozenset(function.name for function in PIECEWISE)
_COMPARISONS = frozenset(("lt", "le", "gt", "ge"))
#: Functions with branches: roots, logarithms and inverse functions.
_BRANCHES = frozenset(
    name for name, record in RECORDS.items() if record.branch or record.inverse or name == "arg"
)


def distinguishes(node: Expression, variable: str) -> bool:
    """Whether a node is a function with cases that depend on parameters only, such as |a - b|."""
    if not isinstance(node, Call) or node.function not in _CASES:
        return False
    compared = node.args[1::2] if node.function == "piecewise" else node.args
    symbols = set().union(*(symbols_of(operand) for operand in compared))
    return bool(symbols) and variable not in symbols


def distinguishes_cases(expression: Expression, *, in_logarithms: bool = True) -> bool:
    """Whether a function that distinguishes cases occurs, such as abs, max or floor.

    If ``in_logarithms`` is false, the bars of ``ln|u|`` do not count.
    """
    nodes = list(nodes_of(expression))
    bars = [node.args[0] for node in nodes if node.function == "ln" and not in_logarithms]
    return any(distinguishes(node, "") for node in nodes if node not in bars)


def has_cases(expression: Expression, names: Collection[str]) -> bool:
    """Whether a function of parameters occurs that may take several cases."""
    return any(True for _ in _parts(expression, names))


def _parts(expression: Expression, names: Collection[str]) -> Iterator[Expression]:
    """Yield functions with cases, and the arguments of functions with branches.

    A branch may change where the argument has a zero, a pole or a turning point. A symbol has none.
    """
    for node in nodes_of(expression):
        if not isinstance(node, Call) or symbols_of(node).isdisjoint(names):
            continue
        if distinguishes(node, ""):
            yield node
        if node.function in _COMPARISONS:  # in a condition, turning points count as well
            yield Call("abs", (add(node.args[0], neg(node.args[1])),))
        if _has_branch(node) and symbols_of(node.args[0]) <= set(names):
            yield Call("abs", node.args[:1])
            yield from (Call("abs", (base,)) for base in _squared(node.args[0]))


def _squared(radicand: Expression) -> Iterator[Expression]:
    """Yield the factors of a radicand that have even exponents."""
    factors = [radicand]
    for factor in factors:
        if factor.function in ("mul", "div", "neg"):
            factors += factor.args
        elif factor.function == "pow" and (fold(factor.args[1]) or 1) % 2 == 0:
            yield factor.args[0]


def _has_branch(node: Call) -> bool:
    if node.function == "pow":
        exponent = fold(node.args[1])
        return exponent is None or (
            exponent.denominator != 1 and not isinstance(node.args[0], Symbol)
        )
    return node.function in _BRANCHES and not isinstance(node.args[0], Symbol)


def unseen_cases(
    names: Sequence[str],
    assumptions: Mapping[str, str],
    expressions: Sequence[Expression],
    drawn: Sequence[Draw],
) -> Iterator[Draw]:
    """Yield choices of parameters in cases that no choice before has shown.

    ``max(0, 0.001 - |a - 7.3|)`` is zero except near a = 7.3. Each real parameter takes values
    between the events of the functions with cases, and beyond all numbers in the functions. The
    other parameters keep the values of the first choice.

    Args:
        names: the parameters.
        assumptions: the assumptions on parameters.
        expressions: the problem's expressions, and the answer.
        drawn: the choices so far; at least one if there are parameters.

    Raises:
        UnusableError: there are more than `MAX_UNSEEN` cases, or too many events.

    """
    signs = {name: SIGNS.get(assumptions.get(name, "positive")) for name in names}
    moving = {name: sign for name, sign in signs.items() if sign is not None}
    parts = dict.fromkeys(part for tree in expressions for part in _parts(tree, moving))
    if not parts:
        return
    together = reduce(add, parts)
    other = dict.fromkeys(symbols_of(together), OTHER_SYMBOL)
    tapes = {name: compile_tape(together, name) for name in moving}
    seen = {name: {_cases(tapes[name], name, other | dict(d)) for d in drawn} for name in tapes}
    count = 0
    # A case may need two parameters near their events: each choice with a new case is a start for
    # the other parameters, and so are the choices that are nearest to a change of a case.
    starts = [(dict(drawn[0]), "")]
    for start, moved in starts:
        for name, tape in tapes.items():
            if name == moved:
                continue
            nearest: dict[int, tuple[Ball, dict[str, float]]] = {}
            for x in _candidates(tape, other | start, moving[name]):
                draw = start | {name: x}
                cases = _cases(tape, name, other | draw)
                if cases not in seen[name]:
                    seen[name].add(cases)
                    count += 1
                    if count > MAX_UNSEEN:
                        raise UnusableError("a function of the parameters takes too many cases")
                    starts.append((draw, name))
                    yield tuple(draw.items())
                for brk, gap in _gaps(tape, name, other | draw) if not moved else ():
                    if brk not in nearest or gap < nearest[brk][0]:
                        nearest[brk] = gap, draw
            if len(tapes) > 1:
                starts += [(draw, name) for _, draw in nearest.values()]


def _candidates(tape: Tape, values: Mapping[str, float], sign: int) -> Iterator[float]:
    """Yield values of the variable of an expression between the events, and beyond all numbers."""
    balls = {name: acb(value) for name, value in values.items()}
    great = [float(size.real.mid()) for size in beyond_reach(tape) if size.real < MAX_SCALE]
    for x in chain(between_events(tape, balls, sign), great, (-size for size in great)):
        if x and x * sign >= 0:
            yield x


def _gaps(tape: Tape, variable: str, values: Mapping[str, float]) -> Iterator[tuple[int, Ball]]:
    """Yield the absolute values of the arguments whose zeros separate cases, with their slots."""
    with precision(BITS):
        balls = {name: acb(value) for name, value in values.items()}
        jets = tape.run(balls[variable], balls, derivative=False)
        for brk in tape.breaks:
            gap = jets[brk.slot][0]
            if brk.at == "zero" and gap.is_finite():
                yield brk.slot, abs(gap).mid()


def _cases(tape: Tape, variable: str, values: Mapping[str, float]) -> tuple[int, ...]:
    """The cases that the functions of an expression take, each as a number, and their slopes."""
    with precision(BITS):
        balls = {name: acb(value) for name, value in values.items()}
        jets = tape.run(balls[variable], balls)
        return tuple(number for brk in tape.breaks for number in _case(brk, jets[brk.slot]))


def _case(brk: Break, argument: Jet) -> tuple[int, int]:
    value, slope = argument[0].real, argument[1]
    rising = 0 if slope is None else _sign(slope.real)
    if brk.at == "integer" and value.is_finite():
        return int(float(value.mid().floor())), 0
    return _sign(value), rising


def _sign(value: object) -> int:
    return 1 if value > 0 else -1 if value < 0 else 0  # type: ignore[operator]
