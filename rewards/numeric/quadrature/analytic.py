"""Integrands on complex boxes, for python-flint's rigorous integration.

`acb.integral` evaluates f on boxes around the path. For some boxes, a flag asks for a proof that f
is analytic on the box. If such a box touches a branch cut or a kink of a function, the value must
be a ball that is not finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flint import acb, arb, fmpq

from ...reading.expression.traversal import SLOW, fold, needs_worker, nodes_of
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import names
from ...reading.functions.record import COSTLY, ELEMENTARY, Function
from ..ball_arithmetic import jets
from ..ball_arithmetic.functions import RULES
from ..ball_arithmetic.jets import Ball
from .work import SPECIAL, spend

#: f on a box; the flag asks for a proof that f is analytic there.
BoxFunction = Callable[[Ball, bool], Ball]

#: An operation on the box, the flag and the values of operands.
Step = Callable[..., Ball]

_NAN = jets.NAN


def box_function(
    expression: Expression,
    variable: str,
    values: Mapping[str, Ball],
    functions: Mapping[str, Callable[[Ball], Ball]] | None = None,
) -> BoxFunction | None:
    """Convert an expression to a function of complex boxes.

    The result is None if a function in the expression is not supported. Constants are computed at
    the working precision of this call.

    Args:
        expression: the integrand.
        variable: the variable of integration.
        values: the values of the parameters.
        functions: maps symbols to the analytic functions that they represent.

    """
    given_functions = functions or {}
    for node in nodes_of(expression):
        if isinstance(node, Call) and node.args and node.function not in _SUPPORTED:
            return None
    steps: list[tuple[Callable[..., Ball], tuple[int, ...]]] = []
    slots: dict[Expression, int] = {}

    def compile_(node: Expression) -> int:
        slot = slots.get(node)
        if slot is not None:
            return slot
        if isinstance(node, Symbol) and node.name in given_functions:
            step, args = _given(given_functions[node.name])
        else:
            step, args = _step(node, variable, values)
        operands = tuple(compile_(arg) for arg in args)
        steps.append((step, operands))
        slots[node] = len(steps) - 1
        return slots[node]

    compile_(expression)
    special = sum(isinstance(node, Call) and node.function in SLOW for node in slots)
    units = len(steps) + special * SPECIAL

    def evaluate(z: Ball, analytic: bool) -> Ball:
        spend(units)
        results: list[Ball] = []
        for step, operands in steps:
            if len(operands) == 1:
                results.append(step(z, analytic, results[operands[0]]))
            elif len(operands) == 2:
                results.append(step(z, analytic, results[operands[0]], results[operands[1]]))
            else:
                results.append(step(z, analytic, *[results[at] for at in operands]))
        return results[-1]

    return evaluate


def _given(function: Callable[[Ball], Ball]) -> tuple[Step, tuple[Expression, ...]]:
    return (lambda z, a: function(z)), ()


def _step(
    node: Expression, variable: str, values: Mapping[str, Ball]
) -> tuple[Step, tuple[Expression, ...]]:
    """The operation of a node, and the nodes of the operands.

    The operation is a function of the box, the flag of `BoxFunction`, and the operands' values.
    """
    if isinstance(node, Number):
        constant = acb(fmpq(node.numerator, node.denominator))
        return (lambda z, a: constant), ()
    if isinstance(node, Symbol):
        if node.name == variable:
            return (lambda z, a: z), ()
        parameter = values[node.name]
        return (lambda z, a: parameter), ()
    if not node.args:
        named = jets.CONSTANTS[node.function]
        return (lambda z, a: named()), ()
    if node.function in ("pow", "root"):
        return _power(node)
    return _SUPPORTED[node.function], node.args


def _power(node: Call) -> tuple[Callable[..., Ball], tuple[Expression, ...]]:
    base, exponent = node.args
    if node.function == "root":
        exponent = Call("div", (Number(1), exponent))
    if isinstance(base, Call) and base.function == "e":
        return (lambda z, a, w: w.exp()), (exponent,)
    ratio = fold(exponent)
    if ratio is None:
        return (lambda z, a, u, w: u.pow(w, analytic=a)), (base, exponent)
    p, q = ratio.numerator, ratio.denominator
    if q == 1:
        return (lambda z, a, u: u**p), (base,)
    if q == 2:
        return (lambda z, a, u: u.sqrt(analytic=a) ** p), (base,)
    power = acb(fmpq(p, q))
    if q % 2 == 0:
        return (lambda z, a, u: u.pow(power, analytic=a)), (base,)

    def odd_root(z: Ball, a: bool, u: Ball) -> Ball:
        """The real power u^(p/q) for an odd q, also for negative u."""
        root = u.real_abs(analytic=a).pow(power, analytic=a)
        return root * u.real_sgn(analytic=a) if p % 2 else root

    return odd_root, (base,)


def _sum(z: Ball, a: bool, total: Ball, *terms: Ball) -> Ball:
    for term in terms:
        total = total + term
    return total


def _product(z: Ball, a: bool, product: Ball, *factors: Ball) -> Ball:
    for factor in factors:
        product = product * factor
    return product


def _plain(name: str) -> Callable[..., Ball]:
    """Make the operation that evaluates a meromorphic function on boxes.

    At a pole, the resulting ball is not finite. The integration relies on this.
    """
    rule = RULES[name]
    return lambda z, a, u: rule((u, None))[0]


def _off_segment(u: Ball) -> bool:
    """Whether a box does not meet the branch cuts (-oo, -1] and [1, oo) of arcsin and artanh."""
    real, imag = u.real, u.imag
    return bool(not imag.contains(0) or (real > -1 and real < 1))


def _off_imaginary(u: Ball) -> bool:
    """Whether a box does not meet the branch cuts of arctan, the imaginary axis beyond +-i."""
    real, imag = u.real, u.imag
    return bool(not real.contains(0) or (imag > -1 and imag < 1))


def _cut(name: str, off_cut: Callable[[Ball], bool]) -> Callable[..., Ball]:
    rule = RULES[name]

    def step(z: Ball, a: bool, u: Ball) -> Ball:
        if a and not off_cut(u):
            return _NAN
        return rule((u, None))[0]

    return step


def _logarithm(z: Ball, a: bool, u: Ball, base: Ball) -> Ball:
    return u.log(analytic=a) / base.log(analytic=a)


def _acosh(z: Ball, a: bool, u: Ball) -> Ball:
    if a and u.imag.contains(0) and not u.real > 1:
        return _NAN
    return u.acosh()


def _bessel_j(z: Ball, a: bool, order: Ball, u: Ball) -> Ball:
    """The Bessel function J. If the order is not whole, J has a branch cut on the negative axis."""
    if a and not (order.real.is_integer() or _off_negative(u)):
        return _NAN
    return u.bessel_j(order)


def _lgamma(z: Ball, a: bool, u: Ball) -> Ball:
    return u.lgamma() if not a or _off_negative(u) else _NAN


def _off_negative(u: Ball) -> bool:
    return bool(not u.imag.contains(0) or u.real > 0)


def _is_meromorphic(function: Function) -> bool:
    """Whether a function has one argument, no branches, and an evaluation time that is bounded."""
    simple = function.arguments == "u" and function.cost in (ELEMENTARY, COSTLY)
    single = not (function.domain or function.branch or function.breaks)
    return simple and single and bool(function.derivative)


_SUPPORTED: dict[str, Callable[..., Ball]] = {
    "add": _sum,
    "mul": _product,
    "neg": lambda z, a, u: -u,
    "div": lambda z, a, u, v: u / v,
    "pow": _product,  # `_power` has the operation
    "root": _product,
    "sqrt": lambda z, a, u: u.sqrt(analytic=a),
    "ln": lambda z, a, u: u.log(analytic=a),
    "log": _logarithm,
    "abs": lambda z, a, u: u.real_abs(analytic=a),
    "sgn": lambda z, a, u: u.real_sgn(analytic=a),
    "heaviside": lambda z, a, u: u.real_heaviside(analytic=a),
    "floor": lambda z, a, u: u.real_floor(analytic=a),
    "ceil": lambda z, a, u: u.real_ceil(analytic=a),
    "frac": lambda z, a, u: u - u.real_floor(analytic=a),
    "asin": _cut("asin", _off_segment),
    "acos": _cut("acos", _off_segment),
    "atanh": _cut("atanh", _off_segment),
    "atan": _cut("atan", _off_imaginary),
    "asinh": _cut("asinh", _off_imaginary),
    "acosh": _acosh,
    "bessel_j": _bessel_j,
    "lgamma": _lgamma,
    **{name: _plain(name) for name in names(_is_meromorphic) & RULES.keys()},
}


def _max_min(name: str) -> Callable[..., Ball]:
    def step(z: Ball, a: bool, *values: Ball) -> Ball:
        result = values[0]
        for value in values[1:]:
            result = getattr(result, name)(value, analytic=a)
        return result

    return step


_SUPPORTED["max"] = _max_min("real_max")
_SUPPORTED["min"] = _max_min("real_min")


def integrate(
    function: BoxFunction, lower: arb, upper: arb, bits: int, evaluations: int
) -> Ball | None:
    """A rigorous enclosure of the integral, at python-flint's working precision.

    The result is None if the enclosure is too wide.

    Args:
        function: the integrand, from `box_function`.
        lower: the lower limit, finite.
        upper: the upper limit, finite.
        bits: the desired accuracy, both relative and absolute.
        evaluations: the largest allowed number of evaluations of the integrand.

    """
    goal = arb(2) ** -bits
    value = acb.integral(
        function,
        acb(lower),
        acb(upper),
        rel_tol=goal,
        abs_tol=goal,
        eval_limit=evaluations,
        depth_limit=2 * bits,
    )
    good = value.is_finite() and value.real.rad() < goal * 2**SLACK * (1 + abs(value.real))
    return value if good else None


#: Bits by which a result may miss the wanted accuracy, which is 216 bits for 60 digits: a wider
#: result means that the evaluations did not suffice.
SLACK = 40
#: Most intervals on which f is bounded in the search for large values, and most halvings of an
#: interval: a peak of width 1 at 10^30 needs 100 halvings, and two intervals at each.
MAX_INTERVALS, MAX_HALVINGS = 3_000, 160
#: Where the bound of |f| is at most 2^SPREAD times a value, an interval is not halved further: the
#: error that is added is at least so much smaller than the goal (2^-bits).
SPREAD = 12


def integrate_where_large(
    function: BoxFunction, lower: arb, upper: arb, bits: int, evaluations: int
) -> Ball | None:
    """Enclose an integral whose integrand f is negligible on most of the range.

    The range is halved up to `MAX_HALVINGS` times. If a bound of f proves that the integral over an
    interval is negligible, the bound of this integral is added to the error. If the bound of f is
    near to a value of f, `integrate` is applied to the interval. All other intervals are halved.
    """
    goal = arb(2) ** -(bits + SPREAD)
    queue = [(lower, upper, 0)]
    large: list[tuple[arb, arb]] = []
    error = arb(0)
    for _ in range(MAX_INTERVALS):
        if not queue:
            break
        low, high, depth = queue.pop()
        middle = arb(((low + high) / 2).mid())
        # The bound on an interval decides: negligible, resolved (near to a value), or halved.
        bound = abs(function(acb(low.union(high)), False)).upper()
        if bound * (high - low) < goal:
            error += bound * (high - low)
            continue
        value = abs(function(acb(middle), False)).upper()
        if depth == MAX_HALVINGS or (bound.is_finite() and bound < value * 2**SPREAD):
            if large and bool(large[-1][1] == low):
                large[-1] = (large[-1][0], high)
            else:
                large.append((low, high))
            continue
        queue += [(middle, high, depth + 1), (low, middle, depth + 1)]
    else:
        return None
    total = acb(arb(0, error.upper()))
    for low, high in large:
        value = integrate(function, low, high, bits, evaluations // max(len(large), 1))
        if value is None:
            return None
        total += value
    return total


#: Evaluations of one rigorous integration: `work.ONE_INTEGRAL` for an integrand of 60 operations.
BOX_EVALUATIONS = 25_000
#: How many times fewer they are with special functions, a few among about five times as many other
#: operations, each of which counts as `work.SPECIAL`.
SLOWER = 6


def integrated(
    function: BoxFunction, low: arb, high: arb, bits: int, evaluations: int
) -> Ball | None:
    """Integrate by `integrate`, or by `integrate_where_large` if `integrate` fails."""
    value = integrate(function, low, high, bits, evaluations)
    if value is None and evaluations == BOX_EVALUATIONS:
        value = integrate_where_large(function, low, high, bits, evaluations)
    return value


def evaluations_of(expression: Expression) -> int:
    """The number of evaluations that a rigorous integration may use. Slow functions get fewer."""
    return BOX_EVALUATIONS // SLOWER if needs_worker(expression) else BOX_EVALUATIONS
