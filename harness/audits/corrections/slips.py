"""Names the slip in a wrong reference: slips are undone one at a time until the values fit.

The names are those of the red team (`studies.redteam.slips`): a sign, a number, a dropped term or
factor, another function, an inner factor, a sign in an exponent. Further slips are a wrong factor
of the whole reference, and a derivative in place of an antiderivative. Values are compared at a
few points. A candidate that fits is a proposal, which the verifier has to prove.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice

from ....rewards.numeric.ball_arithmetic.balls import UnusableError
from ....rewards.reading.expression.build import add, div, mul, neg, number, power
from ....rewards.reading.expression.traversal import (
    additive_terms,
    is_constant,
    needs_worker,
    nodes_of,
    symbols_of,
)
from ....rewards.reading.expression.tree import Call, Expression, Number, Symbol
from ....rewards.reading.latex import to_latex
from ...stats.findings.failures import Sampled, Values, minus, near, ratio
from ...studies.redteam.slips import SWAPS

#: A proposal: the name of the slip, and the reference without the slip.
Repair = tuple[str, Expression]
#: The largest number of candidates for a reference; a candidate takes 0.1 to 0.3 ms.
MAX_CANDIDATES = 1200
#: Constants that people forget as factors, besides rational numbers.
_CONSTANTS: tuple[tuple[Expression, float], ...] = (
    (Call("pi"), math.pi),
    (Call("e"), math.e),
    *((Call("ln", (Number(n),)), math.log(n)) for n in (2, 3, 5, 10)),
    *((Call("sqrt", (Number(n),)), math.sqrt(n)) for n in (2, 3, 5)),
    (Call("sqrt", (Call("pi"),)), math.sqrt(math.pi)),
    *((mul(Call("pi"), Call("sqrt", (Number(n),))), math.pi * math.sqrt(n)) for n in (2, 3)),
)
#: The largest number of addends whose partial sums are compared with the missing term.
_ADDENDS = 8
#: The largest denominator of a rational factor that is named.
_DENOMINATOR = 60


def repairs(
    f: Expression, reference: Expression, variable: str, order: int = 1
) -> Iterator[Repair]:
    r"""Proposals for the right reference, the likeliest first.

    Args:
        f: the right derivative of the reference, or the right reference itself.
        reference: the wrong reference.
        variable: the variable.
        order: 1 for an antiderivative, 0 for a function or a number.

    >>> from calculus_harness.rewards.reading.latex import read, to_latex
    >>> f, wrong = (read(text)[0].expression for text in (r"\ln x", r"x \ln x + x"))
    >>> [(kind, to_latex(right)) for kind, right in islice(repairs(f, wrong, "x"), 1)]
    [('a sign', 'x \\ln\\left(x\\right) - x')]

    """
    if needs_worker(f) or needs_worker(reference):
        return
    try:
        target, stated = Sampled(f, variable), Sampled(reference, variable)
    except UnusableError:
        return
    # From cheap to expensive: a factor is a ratio of values, a wrong term a residual; changed trees
    # must be evaluated one by one.
    c = ratio(_at_order(stated, order), target.values)
    if c is not None and not near(c, 1):
        yield from by_factor(c, reference, sorted(symbols_of(reference) - {variable}))
    yield from _by_term(reference, target, stated, order)
    atoms = _atoms(f, reference, variable)
    for slip, candidate in islice(_undone(reference, atoms, variable), MAX_CANDIDATES):
        try:
            values = _at_order(Sampled(candidate, variable), order)
        except UnusableError:
            continue
        if _same(values, target.values):
            yield slip, candidate
    # Missing terms last, as a combination of many atoms may fit by chance.
    yield from _by_dropped_term(reference, target, stated, atoms, order)
    if order and _same(stated.values, target.slopes):
        yield "a derivative in place of an antiderivative", reference


def undone(
    reference: Expression, variable: str, fits: Callable[[Expression], bool]
) -> Iterator[Repair]:
    """Proposals for a question whose right answer is no formula that is known.

    Args:
        reference: the wrong reference.
        variable: the variable.
        fits: whether an expression may be the right answer.

    """
    factors = [(f"a factor {k}", div(reference, Number(k))) for k in range(2, 10)]
    changes = everything_undone(reference, variable)
    candidates = chain([("a sign", neg(reference)), *factors], islice(changes, MAX_CANDIDATES))
    different = {candidate: slip for slip, candidate in candidates}
    yield from ((slip, candidate) for candidate, slip in different.items() if fits(candidate))


def everything_undone(reference: Expression, variable: str) -> Iterator[Repair]:
    """The formulas that a single slip may have turned into a reference."""
    return _undone(reference, _atoms(reference, reference, variable), variable)


def _at_order(sampled: Sampled, order: int) -> Values:
    return sampled.slopes if order else sampled.values


def _same(a: Values, b: Values) -> bool:
    c = ratio(a, b)
    return c is not None and near(c, 1)


def coefficient(c: complex, symbols: Sequence[str] = ()) -> Expression | None:
    r"""A number as a fraction, or a fraction times a constant; None for other numbers.

    >>> from calculus_harness.rewards.reading.latex import to_latex
    >>> to_latex(coefficient(-1.5))
    '-\\frac{3}{2}'

    """
    if abs(c.imag) > 1e-9 * abs(c):
        return None
    units: list[tuple[Expression, float]] = []
    for at, name in enumerate(sorted(symbols)):  # the values that `Sampled` gives them
        units += [
            (power(Symbol(name), Number(exponent)), ((3 + 2 * at) / 7) ** exponent)
            for exponent in (1, -1, 2, -2)
        ]
    units.append((Number(1), 1.0))
    for constant, size in _CONSTANTS:
        units += [(constant, size), (div(Number(1), constant), 1 / size)]
    for formula, size in units:
        q = Fraction(c.real / size).limit_denominator(_DENOMINATOR)
        if q and abs(float(q) * size - c.real) <= 1e-9 * abs(c.real) and abs(q) < 1000:
            return mul(number(q), formula) if formula != Number(1) else number(q)
    return None


def by_factor(c: complex, reference: Expression, symbols: Sequence[str] = ()) -> Iterator[Repair]:
    """The reference divided by its ratio to the right value, if the ratio is a simple number.

    Powers of the ``symbols`` count as simple, if the ratio is of the values of `Sampled`.
    """
    if near(c, -1):
        yield "a sign", neg(reference)
        return
    # The values that `Sampled` gives symbols are rational, too: both factors are proposed.
    for factor in dict.fromkeys((coefficient(c), coefficient(c, symbols))):
        if factor is not None:
            yield f"a factor {to_latex(factor)}", div(reference, factor)


def _by_term(
    reference: Expression, target: Sampled, stated: Sampled, order: int
) -> Iterator[Repair]:
    """Repairs of a wrong sign or coefficient of an addend, or of a superfluous addend."""
    residual = [minus(a, b) for a, b in zip(_at_order(stated, order), target.values, strict=True)]
    terms = additive_terms(reference, target.variable)
    for at, term in enumerate(terms if len(terms) > 1 else ()):
        try:
            # If the residual is c times an addend, the right addend is 1 - c times this addend.
            c = ratio(residual, _at_order(Sampled(term, target.variable), order))
        except UnusableError:
            continue
        factor = None if c is None else coefficient(1 - c)
        if c is not None and near(c, 1):
            yield "an extra term", add(*terms[:at], *terms[at + 1 :])
        elif c is not None and near(c, 2):
            yield "a sign", add(*terms[:at], neg(term), *terms[at + 1 :])
        elif factor is not None:
            yield "a coefficient", add(*terms[:at], mul(factor, term), *terms[at + 1 :])


def _atoms(f: Expression, reference: Expression, variable: str) -> list[Expression]:
    """Candidates for missing terms and factors: powers of the variable, occurring functions."""
    parameters = sorted((symbols_of(f) | symbols_of(reference)) - {variable})
    powers = [power(x, Number(n)) for x in _symbol(variable) for n in (1, 2, 3, -1)]
    atoms: dict[Expression, None] = dict.fromkeys((*powers, *map(Symbol, parameters)))
    for tree in (f, reference):
        for node in nodes_of(tree):
            if isinstance(node, Call) and not is_constant(node, variable):
                atoms[node] = None
                if node.function == "div":
                    atoms[Call("ln", (Call("abs", (node.args[1],)),))] = None
    return list(atoms)[:24]


def _symbol(variable: str) -> list[Symbol]:
    """The variable as a list; an empty list for a number."""
    return [Symbol(variable)] if variable else []


def _by_dropped_term(
    reference: Expression, target: Sampled, stated: Sampled, atoms: Sequence[Expression], order: int
) -> Iterator[Repair]:
    """Repairs by a missing term: a multiple of an atom or of a product of two atoms."""
    missing = [minus(b, a) for a, b in zip(_at_order(stated, order), target.values, strict=True)]
    products = [mul(a, b) for at, a in enumerate(atoms[:10]) for b in atoms[at:10]]
    for atom in (*atoms, *products):
        try:
            c = ratio(missing, _at_order(Sampled(atom, target.variable), order))
        except UnusableError:
            continue
        factor = None if c is None else coefficient(c)
        if factor is not None:
            yield "a dropped term", add(reference, mul(factor, atom))
    if not target.variable and missing[0] and (constant := coefficient(missing[0])) is not None:
        yield "a dropped term", add(reference, constant)
    # Addends of f whose antiderivative is missing: the slip has a name, but no repair is known.
    addends = [addend.values for addend in target.addends][:_ADDENDS]
    for chosen in range(1, 2 ** len(addends) - 1):
        summed = [_sum(values) for values in zip(*_subset(addends, chosen), strict=True)]
        if _same(missing, summed):
            yield "a dropped term", reference
            return


def _subset(values: Sequence[Values], chosen: int) -> list[Values]:
    return [value for at, value in enumerate(values) if chosen >> at & 1]


def _sum(values: Sequence[complex | None]) -> complex | None:
    finite = [value for value in values if value is not None]
    return sum(finite) if len(finite) == len(values) else None


def _undone(tree: Expression, atoms: Sequence[Expression], variable: str) -> Iterator[Repair]:
    """All expressions from which a single slip makes the tree."""
    for candidates in (_numbers, _functions, _signs):
        for slip, node in _everywhere(tree, candidates):
            yield slip, node
    for factor in (*_symbol(variable), *atoms, Number(2), Number(3), div(Number(1), Number(2))):
        for _, node in _everywhere(tree, lambda node, by=factor: _factors(node, by, variable)):
            yield "a dropped factor", node
    terms = (Number(1), *_symbol(variable), Number(2), *atoms[:8])
    for term in (*terms, *map(neg, terms)):
        yield from _everywhere(tree, lambda node, by=term: _terms(node, by, variable))


def _everywhere(tree: Expression, candidates: object) -> Iterator[Repair]:
    """The tree with a changed node, for all nodes and all of the nodes' changes."""
    yield from candidates(tree)  # type: ignore[operator]
    if isinstance(tree, Call):
        for at, arg in enumerate(tree.args):
            for slip, changed in _everywhere(arg, candidates):
                yield slip, Call(tree.function, (*tree.args[:at], changed, *tree.args[at + 1 :]))


def _numbers(node: Expression) -> Iterator[Repair]:
    if isinstance(node, Number):
        q = Fraction(node.numerator, node.denominator)
        for value in (q - 1, q + 1, 2 * q, q / 2, q - 2, q + 2, *([1 / q] if q else [])):
            yield "a number", number(value)


def _functions(node: Expression) -> Iterator[Repair]:
    if not isinstance(node, Call) or len(node.args) != 1 or node.function in ("neg", "abs"):
        return
    for intended, written in SWAPS.items():
        if written == node.function:
            yield "another function", Call(intended, node.args)
    if node.function in SWAPS:
        yield "another function", Call(SWAPS[node.function], node.args)
    for factor in (Fraction(1, 2), Fraction(2), Fraction(1, 3), Fraction(3)):
        yield "an inner factor", Call(node.function, (mul(number(factor), node.args[0]),))
    if node.function == "exp":
        yield "a sign in an exponent", Call("exp", (neg(node.args[0]),))


def _signs(node: Expression) -> Iterator[Repair]:
    if isinstance(node, Call) and node.function == "pow":
        yield "a sign in an exponent", Call("pow", (node.args[0], neg(node.args[1])))
    yield "a sign", neg(node)


def _factors(node: Expression, factor: Expression, variable: str) -> Iterator[Repair]:
    if isinstance(node, Number) or (isinstance(node, Call) and not is_constant(node, variable)):
        yield "", mul(node, factor)
        if not isinstance(factor, Number):
            yield "", div(node, factor)


def _terms(node: Expression, term: Expression, variable: str) -> Iterator[Repair]:
    if (isinstance(node, Call) and node.args and not is_constant(node, variable)) or isinstance(
        node, Symbol
    ):
        is_there = neg(term) in additive_terms(node, variable)
        yield "an extra term" if is_there else "a dropped term", add(node, term)
