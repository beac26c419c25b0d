"""Models of functions u^v m(u), where m is analytic near u = 0.

A model has a power series of m, and a bound of m on a disc. The point u = 0 is called the end. It
stands for an end of the range of integration or summation.

The coefficients come from python-flint's series. Cauchy's estimate bounds the remainder: if
|m| <= M for |u| <= r, the k-th coefficient is at most M r^{-k}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import acb, acb_poly, acb_series, arb, ctx, fmpq, fmpq_poly

from ...reading.expression import build
from ...reading.expression.tree import Expression
from ..ball_arithmetic.jets import Ball

#: Coefficients of a series: with 32, u = r/100 is good for 64 digits; one more for so many binary
#: places.
ORDER, BITS_PER_TERM = 32, 7
#: How often the radius of a disc is squared (from 1/2) to find one without zeros or cuts: down to
#: 2^{-2^{12}}, which is as near to an end as any value is computed.
SHRINKINGS = 12
#: Exact values 0 and 1 at the end. An exact value is a polynomial in pi, which is 0 only if all its
#: coefficients are 0.
AT_ZERO, AT_ONE = fmpq_poly([0]), fmpq_poly([1])

#: How many times larger than at the end the values of a function are on a disc: the smaller, the
#: nearer to the end a series serves, and the fewer digits it loses.
SPREAD = 64


class NoModelError(ValueError):
    """A function is not analytic at u = 0, or no disc was found on which it is analytic."""


def order(bits: int) -> int:
    """The number of coefficients that a series needs for ``bits`` binary places."""
    return max(ORDER, bits // BITS_PER_TERM)


@contextmanager
def series_length(order: int = ORDER) -> Iterator[None]:
    """Set python-flint's global length of power series within a ``with`` block."""
    previous = ctx.cap
    ctx.cap = order
    try:
        yield
    finally:
        ctx.cap = previous


@dataclass(frozen=True, slots=True)
class TaylorModel:
    r"""A function u^valuation m(u) for 0 < u <= radius. The factor m is a power series with an
    error bound.

    Attributes:
        valuation: the exponent of u, chosen so that m(0) is not known to be 0.
        series: the first coefficients of m.
        bound: a ball that contains m(u) for all complex u with \|u\| <= radius.
        radius: the radius of the disc around u = 0.
        at_zero: the exact value m(0) as a polynomial in pi, or None if m(0) is not known exactly.
        written: the original expression if the function is a constant, else None.
        is_power: whether m is constant, so that the function is exactly a multiple of a power.

    """

    valuation: Fraction
    series: Any
    bound: Ball
    radius: arb
    at_zero: fmpq_poly | None = None
    written: Expression | None = None
    is_power: bool = False

    @property
    def coefficients(self) -> list[Ball]:
        """The known coefficients of the power series."""
        return [self.series[k] for k in range(self.series.prec)]

    def within(self, radius: arb) -> TaylorModel:
        """The same model on a smaller disc, with a bound computed from the coefficients.

        If ``radius`` is at least half of the model's radius, the model is returned unchanged.
        """
        if not radius < self.radius / 2:
            return self
        bound = _bound(self.coefficients, self._omitted(radius), radius)
        return replace(self, bound=bound, radius=radius)

    @property
    def remainder(self) -> arb:
        r"""A number C such that the series omits at most C \|u\|^n for \|u\| <= radius / 2.

        The known coefficients are those of u^0, .., u^(n-1).
        """
        if self.is_power:
            return arb(0)
        return arb((2 * abs(self.bound).upper() * self.radius ** (-self.series.prec)).upper())

    def _omitted(self, u: arb) -> arb:
        """A bound of what the series omits on the disc of radius ``u``, for u <= radius / 2."""
        return arb(self.remainder * u**self.series.prec)

    def at(self, u: Ball) -> Ball:
        """The value of the power series on a ball ``u``, which lies within half the radius."""
        return acb_poly(self.coefficients)(u) + _disc(self._omitted(abs(u).upper()))

    def reach(self, bits: int) -> arb:
        """The largest u at which the error is at most 2^-``bits`` times the bound of the series."""
        if self.is_power:
            return arb(2) ** 4096
        if self.series.prec == 1 and self.valuation > 1:
            # nothing but a bound, of what a series leaves out
            return self.radius / 2 * arb(2) ** (-arb(bits) / int(self.valuation))
        return arb((self.radius / 2) * arb(2) ** (-arb(bits) / self.series.prec))


def _bound(coefficients: list[Ball], omitted: arb, radius: arb) -> Ball:
    """A ball for the values of a power series on a disc, where the omitted terms are bounded."""
    for k, coefficient in enumerate(coefficients[1:], 1):
        omitted += abs(coefficient) * radius**k
    return coefficients[0] + _disc(omitted.upper())


def _disc(radius: arb) -> Ball:
    return acb(arb(0, radius), arb(0, radius))


def _series(coefficients: list[Ball], order: int) -> Any:
    return acb_series(coefficients, prec=order)


def constant(value: Ball, exact: fmpq_poly | None, written: Expression) -> TaylorModel:
    """Make a model of a constant. The disc of this model is larger than the discs of all others."""
    series = _series([value], ctx.cap)
    return TaylorModel(Fraction(0), series, value, arb(2) ** 4096, exact, written, True)


def monomial(coefficient: int, exponent: Fraction | int, radius: arb) -> TaylorModel:
    """Make a model of a whole number times u^exponent."""
    value, exact = acb(coefficient), fmpq_poly([coefficient])
    series = _series([value], ctx.cap)
    return TaylorModel(Fraction(exponent), series, value, radius, exact, None, True)


def line(start: Ball, exact: fmpq_poly | None, sign: int, radius: arb) -> TaylorModel:
    """Make a model of the function start + sign u."""
    if exact == AT_ZERO:
        return monomial(sign, 1, radius)
    bound, series = start + _disc(radius), _series([start, acb(sign)], ctx.cap)
    return _normal(TaylorModel(Fraction(0), series, bound, radius, exact))


def _normal(model: TaylorModel) -> TaylorModel:
    """Rewrite a model so that the power series m does not begin with zeros.

    The power of u that multiplies the series is raised accordingly.
    """
    coefficients = model.coefficients
    if model.at_zero == AT_ZERO:
        coefficients[0] = acb(0)
    zeros = next((k for k, c in enumerate(coefficients) if not c.is_zero()), None)
    if zeros == 0:
        return model
    radius = model.radius / 2
    if zeros is None:
        # only what the series leaves out
        length = model.series.prec
        remainder = _disc(model.remainder)
        return TaylorModel(model.valuation + length, _series([remainder], 1), remainder, radius)
    order = model.series.prec - zeros
    # (m - known terms) / u^zeros, bounded on half of the disc by the coefficients' bounds
    bound = _bound(coefficients[zeros:], model.remainder * radius**order, radius)
    series = _series(coefficients[zeros:], order)
    return TaylorModel(model.valuation + zeros, series, bound, radius)


def _lowered(model: TaylorModel, valuation: Fraction) -> TaylorModel:
    """Rewrite a model with a lower valuation, which is the exponent of u before the series."""
    shift = model.valuation - valuation
    if not shift:
        return model
    if shift.denominator != 1:
        raise NoModelError("powers of u that differ by no whole number")
    steps = shift.numerator
    series = _series([acb(0)] * steps + model.coefficients, min(ctx.cap, model.series.prec + steps))
    bound = model.bound * _disc(model.radius) ** steps
    return TaylorModel(valuation, series, bound, model.radius, AT_ZERO)


def even(model: TaylorModel) -> TaylorModel | None:
    """Make a model of g(u) + g(-u) from a model of g. The model of g must have whole powers of u.

    If the function is exactly 0, the result is None.
    """
    if model.valuation.denominator != 1:
        raise NoModelError("a power of u that is not whole")
    parity = int(model.valuation) % 2
    if model.is_power and parity:
        return None
    coefficients = [
        2 * c if (k + parity) % 2 == 0 else acb(0) for k, c in enumerate(model.coefficients)
    ]
    bound = _disc(2 * abs(model.bound).upper())
    series = _series(coefficients, model.series.prec)
    return _normal(TaylorModel(model.valuation, series, bound, model.radius))


def add(a: TaylorModel, b: TaylorModel) -> TaylorModel | None:
    """Add two models whose exponents of u differ by a whole number.

    If the sum is exactly 0, the result is None.
    """
    valuation = min(a.valuation, b.valuation)
    radius = min(a.radius, b.radius, key=float)
    a, b = _lowered(a.within(radius), valuation), _lowered(b.within(radius), valuation)
    exact = None if a.at_zero is None or b.at_zero is None else a.at_zero + b.at_zero
    series, bound = a.series + b.series, a.bound + b.bound
    if bound.is_zero() and all(series[k].is_zero() for k in range(series.length())):
        return None
    both = a.is_power and b.is_power
    radius = min(a.radius, b.radius, key=float)
    return _normal(TaylorModel(valuation, series, bound, radius, exact, None, both))


def mul(a: TaylorModel, b: TaylorModel) -> TaylorModel:
    """The product of two models."""
    radius = min(a.radius, b.radius, key=float)
    a, b = a.within(radius), b.within(radius)
    exact = None if a.at_zero is None or b.at_zero is None else a.at_zero * b.at_zero
    written = None
    if a.written is not None and b.written is not None:
        written = build.mul(a.written, b.written)
    series, bound = a.series * b.series, a.bound * b.bound
    both = a.is_power and b.is_power
    radius = min(a.radius, b.radius, key=float)
    return TaylorModel(a.valuation + b.valuation, series, bound, radius, exact, written, both)


def _on_a_disc(
    model: TaylorModel, function: Callable[[Ball], Ball], relative: bool = True
) -> tuple[TaylorModel, Ball]:
    """Shrink the disc of a model until a function is analytic on the model's values.

    The result is the model on the smaller disc, and a ball that contains the function's values. On
    the smaller disc, the function is at most `SPREAD` times as large as at u = 0. If ``relative``
    is false, the function is at most `SPREAD` times (1 + its absolute value at u = 0).
    """
    at_end = abs(function(model.series[0])).upper()
    largest = SPREAD * at_end if relative else SPREAD * (1 + at_end)
    for k in range(SHRINKINGS + 1):
        image = function(model.bound)
        if image.is_finite() and not abs(image).upper() > largest:
            return model, image
        model = model.within(model.radius / 4 * arb(2) ** (1 - 2**k))
    raise NoModelError("no disc without a pole or a cut")


def power(model: TaylorModel, exponent: Fraction | Ball) -> TaylorModel:
    """A model raised to a real exponent. The exponent is a rational number or a ball.

    Raises:
        NoModelError: the exponent is not whole, and the model is not positive at u = 0; or the
            exponent is a ball, and the function has a factor u^v.

    """
    is_rational = isinstance(exponent, Fraction)
    is_integer = is_rational and exponent.denominator == 1
    if is_integer and 0 < exponent <= 64:
        return reduce(mul, [model] * exponent.numerator)
    leading = model.series[0]
    is_positive = bool(leading.real > 0 and leading.imag.is_zero())
    if not (is_integer or is_positive) or (model.valuation and not is_rational):
        raise NoModelError("a power of a number that is not positive")
    ball = acb(fmpq(exponent.numerator, exponent.denominator)) if is_rational else exponent
    model, image = _on_a_disc(
        model, lambda u: 1 / u.pow(-ball) if is_integer else u.pow(ball, analytic=True)
    )
    # a whole power of a negative number, too, has its logarithm on one branch near m(0)
    series = model.series.inv() if exponent == -1 else (model.series.log() * ball).exp()
    exact = model.at_zero if model.at_zero == AT_ONE else None
    if is_integer and model.at_zero is not None and model.at_zero.degree() == 0:
        exact = fmpq_poly([model.at_zero[0] ** int(exponent)])
    valuation = model.valuation * exponent if is_rational else Fraction(0)
    return TaylorModel(valuation, series, image, model.radius, exact, None, model.is_power)


#: Functions with a series in python-flint, and each as a function of balls that is not finite
#: where it is not analytic.
_ANALYTIC: dict[str, Callable[[Ball], Ball]] = {
    "exp": lambda u: u.exp(),
    "ln": lambda u: u.log(analytic=True),
    "atan": lambda u: u.atan() if bool(abs(u) < 1) or bool(abs(u.real) > 0) else acb("nan"),
    "erf": lambda u: u.erf(),
    "erfc": lambda u: u.erfc(),
    "erfi": lambda u: u.erfi(),
    "gamma": lambda u: u.gamma(),
    "lgamma": lambda u: u.lgamma() if bool(u.real > 0) else acb("nan"),
    "sin": lambda u: u.sin(),
    "cos": lambda u: u.cos(),
}


def apply(name: str, model: TaylorModel) -> TaylorModel:
    """Apply a named function to a model that has no negative power of u.

    Raises:
        NoModelError: the function has no series, or is not analytic at the model's value.

    """
    analytic = _ANALYTIC.get(name)
    if analytic is None or model.valuation < 0 or model.valuation.denominator != 1:
        raise NoModelError(name)
    model = _lowered(model, Fraction(0))
    # the product of 3/5 and 5/3 is known as 1, not only near to it
    start = acb(1) if model.at_zero == AT_ONE else model.series[0]
    quarters = _quarter_turns(model.at_zero) if name in ("sin", "cos") else None
    if quarters is not None:
        start = acb(0)
    model, image = _on_a_disc(model, analytic, relative=name == "exp")
    series = _series([start, *model.coefficients[1:]], model.series.prec)
    if quarters is None:
        series = getattr(series, "log" if name == "ln" else name)()
    else:
        quarters += name == "cos"  # cos z = sin(z + pi/2)
        series = series.cos() if quarters % 2 else series.sin()
        series = -series if quarters % 4 >= 2 else series
    integer = series[0].real.unique_fmpz()
    is_exact = integer is not None and bool(series[0] == int(integer))
    exact = fmpq_poly([int(integer)]) if is_exact else None
    return _normal(TaylorModel(Fraction(0), series, image, model.radius, exact))


def _quarter_turns(exact: fmpq_poly | None) -> int | None:
    """Divide an exact value by pi/2. The result is None unless the quotient is an integer."""
    if exact is None or exact.degree() > 1 or exact[0] or (2 * exact[1]).q != 1:
        return None
    return int((2 * exact[1]).p)
