r"""Limits of functions of two variables, such as ``\lim_{(x,y)\to(0,0)} \frac{x^2y}{x^2+y^2}``.

A function has no limit if it has different limits along two curves through the point. A number is
proved to be the limit in one of three ways: the function is continuous at the point, or depends on
the distance from the point only, or is a quotient of polynomials whose denominator is of a lower
order than the numerator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from flint import acb, arb, fmpq, fmpq_poly

from ..numeric.ball_arithmetic.balls import precision
from ..numeric.ball_arithmetic.evaluation import evaluate
from ..numeric.expansions.series import NotExpandedError, UndefinedError
from ..reading.expression.build import ZERO, add, mul, neg, power
from ..reading.expression.traversal import all_nodes, needs_worker, size, substitute, symbols_of
from ..reading.expression.tree import Call, Expression, Number, Symbol
from ..reading.functions import names
from ..reading.functions.record import ODD
from .equality import equality
from .limits import Limit, limit, same
from .prover.normal import normal_forms
from .prover.tower import attempted

#: The parameter of curves and a name for proofs; no text has them.
_T: Final = "t of the curve"
#: Curves (a t^p, b t^q + c t^r) through the origin, as (a, p, b, q, c, r).
_CURVES: Final = (
    *((a, 1, b, 1, 0, 1) for a, b in ((1, 0), (0, 1), (1, 1), (1, -1), (1, 2), (-1, 0), (0, -1))),
    *(
        (1, p, b, q, 0, 1)
        for p, q in ((1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2))
        for b in (1, -1)
    ),
    *((1, 1, b, 1, 1, r) for b in (1, -1) for r in (2, 3)),
)
#: Degree of a denominator: those of textbooks have up to 18, and roots of degree 100 take 0.1 s.
_DEGREE: Final = 100
#: Nodes of a function: those of textbooks have up to 40, and 400 take a second.
_NODES: Final = 300
#: Weights (p, q) of x and y in the order of a polynomial. Any pair is sound; with others, more
#: denominators such as x^4 + y^10 have a definite lowest form.
_WEIGHTS: Final = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2), (1, 4), (4, 1))
#: Bits of enclosures, and the size of the square in which a function is enclosed. No answer of
#: tests/rewards/cases/course_questions.json changes with 64 bits and 2^-10.
_BITS, _SQUARE = 128, arb(0, 2.0**-20)
_BROKEN: Final = names(lambda function: bool(function.breaks)) | {"piecewise"}
#: Functions of u whose absolute value is at most |u|, and those for which it is at most 1.
_BELOW_ARGUMENT: Final = names(lambda f: f.parity == ODD and 0 < f.steepest <= 1) | {"abs"}
_BELOW_ONE: Final = names(lambda f: f.range is not None and f.range[0] >= -1 and f.range[1] <= 1)


def plane_limit(
    expression: Expression, variables: tuple[str, str], at: tuple[Expression, Expression]
) -> Limit:
    r"""Find the limit of a function of two variables, with a proof.

    Args:
        expression: the function, without parameters.
        variables: the names of the variables.
        at: the point.

    Raises:
        NotExpandedError: the limit was not found.
        UndefinedError: the function has no real values on the curves that are tried.

    >>> from calculus_harness.rewards.reading.latex import read
    >>> tree = read(r"\frac{xy}{x^2+y^2}", symbols="xy")[0].expression
    >>> plane_limit(tree, ("x", "y"), (Number(0), Number(0))).exists
    False

    """
    for name, value in zip(variables, at, strict=True):
        if value != ZERO:
            expression = substitute(expression, name, add(value, Symbol(name)))
    if (
        symbols_of(expression) - {*variables}
        or needs_worker(expression)
        or size(expression) > _NODES
    ):
        raise NotExpandedError("a function of two variables with parameters, or too long")
    # Two curves with different limits refute a limit. The limit along the first curve is the only
    # candidate, which needs a proof for all other ways to the point.
    candidate: Limit | None = None
    for curve in _CURVES:
        try:
            along = limit(_on(expression, variables, curve), _T, ZERO, 1)
        except (NotExpandedError, UndefinedError):
            continue
        if not along.exists:
            return along
        with suppress(NotExpandedError):
            if candidate is not None and not same(candidate, along, {}):
                return Limit(reason="the limits along two curves differ")
        candidate = candidate or along
    if candidate is None:
        raise UndefinedError("no real values on curves through the point")
    if candidate.value is not None and any(_proofs(expression, variables, candidate.value)):
        return candidate
    raise NotExpandedError("a limit in two variables that is not proved")


def _on(expression: Expression, variables: tuple[str, str], curve: tuple[int, ...]) -> Expression:
    a, p, b, q, c, r = curve
    x, y = (Number(a), p), ((Number(b), q), (Number(c), r))
    powers = [mul(size, power(Symbol(_T), Number(exponent))) for size, exponent in (x, *y)]
    along = substitute(expression, variables[0], powers[0])
    return substitute(along, variables[1], add(*powers[1:]))


def _proofs(
    expression: Expression, variables: tuple[str, str], value: Expression
) -> Iterator[bool]:
    """Try the proofs that a function tends to its limit along the first curve."""
    x, y = (Symbol(name) for name in variables)
    if {node.function for node in all_nodes(expression)}.isdisjoint(_BROKEN):
        yield _is_continuous(expression, variables)
        radius = Call("sqrt", (add(power(x, Number(2)), power(y, Number(2))),))
        radial = substitute(substitute(expression, y.name, ZERO), x.name, radius)
        yield equality(expression, radial) is not None
    bounded = _with_bounds(add(expression, neg(value)), variables, {})
    yield _vanishes(bounded, variables)
    squares = normal_forms(power(bounded, Number(2)), x.name, {})
    yield from (_vanishes(square, variables) for square in squares[:1])


def _is_continuous(expression: Expression, variables: tuple[str, str]) -> bool:
    """Whether an enclosure shows that a function without breaks is real around the origin."""
    with precision(_BITS):
        value = evaluate(expression, dict.fromkeys(variables, acb(_SQUARE)))
    return bool(value.is_finite() and value.imag.is_zero())


def _with_bounds(
    tree: Expression, variables: tuple[str, str], bounds: dict[Expression, str]
) -> Expression:
    """Replace sin u by u b, and cos u by b, with a symbol b for a number from -1 to 1."""
    if symbols_of(tree).isdisjoint(variables) or not tree.args:
        return tree
    args = tuple(_with_bounds(arg, variables, bounds) for arg in tree.args)
    if tree.function in _BELOW_ARGUMENT | _BELOW_ONE:
        bound = Symbol(bounds.setdefault(tree, f"bound {len(bounds)}"))
        return mul(args[0], bound) if tree.function in _BELOW_ARGUMENT else bound
    return Call(tree.function, args)


def _vanishes(tree: Expression, variables: tuple[str, str]) -> bool:
    """Whether a quotient of polynomials tends to 0. The other symbols are bounded."""
    tower, quotient = attempted(
        lambda tower: tower.field.normal(tower.value(tree)), variable="", assumptions={}
    )
    if quotient is None or any(g.function != "symbol" for g in tower.field.used(quotient)):
        return False
    if quotient.den.total_degree() > _DEGREE:  # its roots take long
        return False
    x, y = (tower.symbol(name).num.degrees().index(1) for name in variables)
    if any(sum(powers) != powers[x] + powers[y] for powers in quotient.den.monoms()):
        return False
    numerator = {(powers[x], powers[y]) for powers in quotient.num.monoms()}
    denominator = {(powers[x], powers[y]): c for powers, c in quotient.den.terms()}
    for p, q in _WEIGHTS:
        least = min(p * i + q * j for i, j in denominator)
        form = {(i, j): c for (i, j), c in denominator.items() if p * i + q * j == least}
        if all(p * i + q * j > least for i, j in numerator) and _is_definite(form):
            return True
    return False


def _is_definite(form: Mapping[tuple[int, int], fmpq]) -> bool:
    """Whether a form of weighted powers of x and y has no real zero but the origin."""
    for x in (1, -1):
        line = fmpq_poly()
        for (i, j), coefficient in form.items():
            line += fmpq_poly([0] * j + [coefficient * x**i])
        roots: list[tuple[Any, int]] = line.numer().complex_roots()  # type: ignore[assignment]
        if line.is_zero() or any(root.imag.contains(0) for root, _ in roots):
            return False
    return sum(1 for i, _ in form if i == 0) == 1
