"""The decision at a first point: wrong answers are refuted at once, right answers get a proof.

Expressions are evaluated directly, by the rules of a `Tape` (a compiled expression). Compiling a
tape would take longer than evaluating a point. The module decides only if every sub-expression of
integrand and answer is real, and if all `Conventions` give the same values. All other answers are
decided by the stages (`stages`) and by `rewards.verify.agreement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from math import inf, log10

from flint import acb, fmpq

from ...numeric.ball_arithmetic import jets
from ...numeric.ball_arithmetic.balls import precision
from ...numeric.ball_arithmetic.compare import POINT_BITS, compare, differ
from ...numeric.ball_arithmetic.functions import RULES
from ...numeric.ball_arithmetic.jets import CONSTANTS, ONE, TEXTBOOK, ZERO, Ball, Jet
from ...numeric.ball_arithmetic.ranges import may_have_pole
from ...numeric.outcome import Outcome, Refutation, show
from ...numeric.sampling.integrand import Integrand, RealPoint
from ...numeric.sampling.pool import BASE_BITS, draw
from ...proof.discontinuities.form import cannot_jump
from ...proof.prover.prove import ProofSearch
from ...reading.expression.traversal import (
    SLOW,
    additive_terms,
    fold,
    is_constant,
)
from ...reading.expression.tree import Call, Expression, Number, Symbol
from ...reading.functions import ELEMENTARY, names
from ...verdict import Status, Witness

#: Larger expressions are compiled: a tape evaluates a part that occurs twice once. 75 or 600
#: change no verdict (tests/mutation/constants.py).
MAX_NODES = 300
#: Points at which F' and f must agree before a proof in cases of signs is tried, which takes 2^n
#: proofs: a wrong answer should fail before. 2 or 8 change no verdict
#: (tests/mutation/constants.py).
POINTS = 4
#: Candidates for real points, the same for all integrands: without a proof, agreement at them
#: accepts no answer.
_ABSCISSAS = tuple(
    map(acb, (0.587494, 1.645602, -0.626091, 5.457242, -1.745540, 0.107179, -9.364262))
)


class _NotHereError(Exception):
    """The expression cannot be evaluated at this point, or its value is not real."""


class _Evaluation:
    """Evaluates expressions at a real point. The result is a pair of value and derivative.

    If ``slope`` is None, only values are computed.

    Attributes:
        values: the balls of the variable and the parameters.
        usage_differs: whether `Conventions` may matter.
        radicals: whether there are roots. An answer may then be right on another branch of a root.

    """

    __slots__ = ("nodes_left", "radicals", "slope", "usage_differs", "values", "variable")

    def __init__(self, variable: str, values: Mapping[str, Ball], slope: Ball | None = ONE) -> None:
        self.variable, self.values, self.slope = variable, values, slope
        self.nodes_left, self.usage_differs, self.radicals = MAX_NODES, False, False

    def total(self, terms: Sequence[Expression]) -> Jet:
        """The value and the derivative of a sum. Constants of integration are left out."""
        known_terms = [
            term for term in terms if type(term) is not Symbol or term.name in self.values
        ]
        value, slope = reduce(jets.add, map(self.jet, known_terms)) if known_terms else (ZERO, None)
        slope = ZERO if slope is None else slope
        if not (value.is_finite() and slope.is_finite() and slope.imag.is_zero()):
            raise _NotHereError
        return value, slope

    def jet(self, node: Expression) -> Jet:
        """The value and the derivative of an expression."""
        if type(node) is Symbol:
            if node.name == self.variable:
                return self.values[node.name], self.slope
            if node.name not in self.values:
                raise _NotHereError
            return self.values[node.name], None
        if type(node) is Number:
            return _number(node.numerator, node.denominator), None
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise _NotHereError
        chain = _CHAINS.get(node.function)
        if chain is not None:  # real where its arguments are
            return reduce(chain, map(self.jet, node.args))
        rule = _PLAIN.get(node.function)
        if rule is not None:
            jet = rule(self.jet(node.args[0]))
        elif node.args:
            jet = _FORMS.get(node.function, _Evaluation._call)(self, node)
        else:
            jet = CONSTANTS[node.function](), None
        if not jet[0].imag.is_zero():
            raise _NotHereError
        return jet

    def _call(self, node: Call) -> Jet:
        rule = RULES.get(node.function)
        if rule is None or node.function in SLOW:
            raise _NotHereError
        self.usage_differs |= node.function in TEXTBOOK
        return rule(*map(self.jet, node.args))

    def _power(self, node: Call) -> Jet:
        base, exponent = node.args
        if type(base) is Call and base.function == "e":
            return jets.exp(self.jet(exponent))
        return self._raised(base, exponent)

    def _root(self, node: Call) -> Jet:
        return self._raised(node.args[0], Call("div", (Number(1), node.args[1])))

    def _raised(self, base: Expression, exponent: Expression) -> Jet:
        ratio, inner = fold(exponent), self.jet(base)
        if ratio is not None and ratio.denominator == 1:
            return jets.pow_integer(ratio.numerator)(inner)
        if ratio is None:
            return jets.power(inner, self.jet(exponent))
        varying = not is_constant(base)
        self.radicals |= varying
        self.usage_differs |= varying and ratio.denominator % 2 == 1
        return jets.pow_rational(ratio.numerator, ratio.denominator, real_root=True)(inner)

    def _sqrt(self, node: Call) -> Jet:
        self.radicals |= not is_constant(node)
        return jets.sqrt(self.jet(node.args[0]))

    def _log(self, node: Call) -> Jet:
        argument, base = map(self.jet, node.args)
        return jets.div(jets.ln(argument), jets.ln(base))

    def _arc_tangent(self, node: Call) -> Jet:
        if may_have_pole(node.args[0], self.variable):
            raise _NotHereError
        return self._call(node)

    def _none(self, node: Call) -> Jet:
        raise _NotHereError


@lru_cache(maxsize=1024)  # the numbers of a batch; some hundred bytes each
def _number(p: int, q: int) -> Ball:
    """Convert the fraction p/q to a ball at the precision of this module, `BASE_BITS`."""
    return acb(p) if q == 1 else acb(fmpq(p, q))


_CHAINS = {
    name: RULES[name]
    for name in names(lambda f: f.arity == (2, None) and f.name in RULES) | {"div"}  # two or more
}
_FORMS: dict[str, Callable[[_Evaluation, Call], Jet]] = {
    "pow": _Evaluation._power,
    "root": _Evaluation._root,
    "sqrt": _Evaluation._sqrt,
    "log": _Evaluation._log,
    "atan": _Evaluation._arc_tangent,
    "acot": _Evaluation._arc_tangent,
    "piecewise": _Evaluation._none,
}
_PLAIN = {
    f.name: RULES[f.name]
    for f in ELEMENTARY
    if f.arguments == "u" and f.name in RULES.keys() - _FORMS.keys() - TEXTBOOK.keys()
}


def decide_at_first_point(
    answer: Expression,
    integrand: Integrand,
    search: ProofSearch,
) -> Outcome | None:
    """Decide whether F' = f, if one sample point and a proof suffice.

    Args:
        answer: F.
        integrand: f.
        search: the search for a proof.

    Returns:
        If the balls of F' and f at the point are disjoint, the outcome is a refutation. The outcome
        is an acceptance if F' = f is proved, F has a value at the point, and F cannot jump. In all
        other cases the result is None.

    """
    if integrand.differentiate:
        return None
    # Refute first: disjoint balls at a point need no proof.
    terms = additive_terms(answer, integrand.variable)
    with precision(BASE_BITS):
        points = _real_points(integrand, 1)
        compared = _compare(terms, integrand.variable, points[0]) if points else None
        if compared is None:
            return None
        slope, refutable = compared
        point = points[0]
        agreement = compare(slope, point.f, enough=-inf)
        if agreement.same is False:
            return _refutation(terms, integrand.variable, point, slope) if refutable else None
        bits = min(BASE_BITS, int(agreement.bits))
    # Agreement of few bits, and answers that may jump, need the points of the other stages.
    if bits < POINT_BITS or not cannot_jump(
        answer, integrand.expression, integrand.variable, terms=terms
    ):
        return None

    # A proof by cases costs more, and is worth the time only if further points agree.
    agreeing, proof = 1, search.whole
    if proof is None and search.is_splittable:
        further = _real_points(integrand, POINTS)[1:]
        if _agree(terms, integrand.variable, further):
            agreeing, proof = agreeing + len(further), search.in_cases
    if proof is None:
        return None
    proof.free()
    return Outcome(
        Status.CORRECT, agreeing, _digits(bits), 1.0, proof="identity", rules=proof.rules
    )


def _agree(terms: Sequence[Expression], variable: str, points: Sequence[RealPoint]) -> bool:
    """Whether the answer agrees with the integrand at all given points, up to rounding."""
    with precision(BASE_BITS):
        slopes = [_compare(terms, variable, point) for point in points]
        return all(
            slope is not None and not differ(slope[0], point.f)
            for slope, point in zip(slopes, points, strict=True)
        )


@lru_cache(maxsize=BASE_BITS)
def _digits(bits: int) -> float:
    return round(bits * log10(2), 1)


def _real_points(integrand: Integrand, count: int) -> list[RealPoint]:
    """Up to ``count`` points at which every sub-expression of the integrand is real."""
    cached = integrand.real_points.get(count)
    if cached is not None:
        return cached
    points: list[RealPoint] = []
    parameters = draw(integrand.parameters, integrand.assumptions, integrand.key)
    for x in _ABSCISSAS:
        values = {integrand.variable: x, **parameters}
        evaluation = _Evaluation(integrand.variable, values, slope=None)
        try:
            value, _ = evaluation.total((integrand.expression,))
        except _NotHereError:
            continue
        plain = not (evaluation.usage_differs or evaluation.radicals)
        points.append(RealPoint(values, value, plain))
        if len(points) == count:
            break
    integrand.real_points[count] = points
    return points


def _compare(
    terms: Sequence[Expression], variable: str, point: RealPoint
) -> tuple[Ball, bool] | None:
    """The value of the answer's derivative at a point, and whether it refutes the answer.

    The result is None if the answer is not real at the point.
    """
    evaluation = _Evaluation(variable, point.values)
    try:
        _, slope = evaluation.total(terms)
    except _NotHereError:
        return None
    return slope, point.plain and not evaluation.usage_differs


def _refutation(
    terms: Sequence[Expression], variable: str, point: RealPoint, slope: Ball
) -> Outcome:
    names = sorted(point.values, key=lambda name: (name != variable, name))
    witness = Witness(
        point=", ".join(f"{name}={show(point.values[name])}" for name in names),
        expected=show(point.f),
        got=show(slope),
        difference=show(slope - point.f),
    )
    constants = {term.name: ZERO for term in terms if type(term) is Symbol}
    refutation = Refutation(constants | point.values, slope, point.f, BASE_BITS)
    return Outcome(Status.INCORRECT, 1, witness=witness, proof="witness", refutation=refutation)
