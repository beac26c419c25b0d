r"""The progress of right claims on a problem, measured by the size of the remaining integrals.

The cost of an integral is the number of nodes in the integrand and in the substitution of
the variable. A right claim may equate an integral, up to a constant, with other integrals.
The cost of the integral is then at most the sum of the other costs. An integral equal to a
closed form costs nothing. Costs never rise, and the total progress is at most the cost of the
problem. Repetitions, padding, irrelevant identities and a restated question therefore bring no
progress.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import acb

from ...numeric.ball_arithmetic.balls import precision
from ...numeric.ball_arithmetic.domain import uniform
from ...numeric.ball_arithmetic.evaluation import evaluate
from ...numeric.ball_arithmetic.jets import ZERO, Ball
from ...reading.expression.linear import linear
from ...reading.expression.traversal import size, symbols_of
from ...reading.expression.tree import Expression, Number, Symbol
from .operations import Integral, Side
from .scope import Scope
from .substitution import MOST_NODES, substituted

#: Claims that are remembered, and the precision of the factors of integrals.
MAX_RELATIONS, BITS = 200, 128

#: An integrand, its variable, and what that stands for, or the limits.
_Key = tuple[object, str, object]
#: What the value of a definite integral costs beyond that of the indefinite one.
_EVALUATION: _Key = ("value", "", None)


class Progress:
    """Measures how far right claims bring a solution. The cost of an integral is the size."""

    def __init__(self, problem_integral: Integral | None) -> None:
        self.costs: dict[_Key, int] = {_EVALUATION: 1}
        self.relations: list[tuple[_Key, ...]] = []
        self.stated = False  # a claim gives the problem's integral in closed form
        self.problem: _Key | None = None  # questions of the course have no integral to settle
        if problem_integral is None:
            return
        self.problem = (
            _canonical(problem_integral.integrand),
            problem_integral.variable,
            problem_integral.limits,
        )
        self.problem_cost = self.remaining_cost = size(problem_integral.integrand) + bool(
            problem_integral.limits
        )
        self.costs[self.problem] = self.problem_cost
        if problem_integral.limits:
            self._add_evaluation(self.problem)

    def gain(self, lhs: Side, rhs: Side, scope: Scope) -> float:
        """The share of the problem's cost (the size of the integrals) removed by a right claim.

        Args:
            lhs: the left side of the claim.
            rhs: the right side.
            scope: the definitions in force.

        Raises:
            NotReadError: an integral in the claim has an unsupported form.

        """
        if self.problem is None:
            return 0.0
        related = self._related(lhs, rhs, scope)
        if not related or len(self.relations) == MAX_RELATIONS:
            return 0.0
        self.relations.append(related)
        self.stated |= related == (self.problem,)
        self._relax()
        cost_before, self.remaining_cost = (
            self.remaining_cost,
            min(self.remaining_cost, self.costs[self.problem]),
        )
        return (cost_before - self.remaining_cost) / self.problem_cost

    def repeats(self, lhs: Side, rhs: Side, scope: Scope, *, anew: bool) -> bool:
        """Whether an equation relates the same integrals as an earlier right claim.

        The equation may have other factors, such as another sign.

        Args:
            lhs: the left side.
            rhs: the right side.
            scope: the definitions in force.
            anew: whether the equation begins a chain. Such an equation also counts as a repetition
                if an earlier claim has reduced the equation's first integral.

        """
        related = self._related(lhs, rhs, scope)
        reductions = [
            relation
            for relation in self.relations
            if len(relation) > 1 and relation[-1] != _EVALUATION
        ]
        again = anew and any(reduction[0] == related[0] for reduction in reductions if related)
        return len(related) > 1 and (again or set(related) in map(set, reductions))

    def _related(self, lhs: Side, rhs: Side, scope: Scope) -> tuple[_Key, ...]:
        """The integrals in an equation, except integrals that cancel."""
        factors: dict[_Key, Ball] = {}
        for side, sign in ((lhs, 1), (rhs, -1)):
            for key, factor, cost in _integrals(side, scope):
                if key not in self.costs:
                    self.costs[key] = cost
                    if isinstance(key[2], tuple):
                        self._add_evaluation(key)
                factors[key] = factors.get(key, ZERO) + sign * factor
        return tuple(key for key, factor in factors.items() if not factor.contains(ZERO))

    def _add_evaluation(self, definite: _Key) -> None:
        """Record the relation of a definite integral to the indefinite integral."""
        indefinite: _Key = (*definite[:2], None)
        self.costs.setdefault(indefinite, self.costs[definite] - 1)
        self.relations.append((definite, indefinite, _EVALUATION))

    def _relax(self) -> None:
        changed = True
        while changed:
            changed = False
            for related in self.relations:
                for key in related if related[-1] != _EVALUATION else related[:1]:
                    cost = sum(self.costs[other_key] for other_key in related if other_key != key)
                    if cost < self.costs[key]:
                        self.costs[key], changed = cost, True


def _integrals(side: Side, scope: Scope) -> Iterator[tuple[_Key, Ball, int]]:
    """Yield the integrals of a side, each with factor and cost (size)."""
    named = {name: value for name, value in scope.values.items() if value.has(Integral)}
    if not (named or side.has(Integral)):
        return
    side = scope.evaluated(substituted(scope.evaluated(side), named))
    integrals = {
        name: operation
        for name, operation in side.operations.items()
        if isinstance(operation, Integral)
    }
    for factor, name in linear(side.expression, integrals.keys())[1]:
        integral = integrals[name]
        variable = integral.variable
        meaning = None if integral.limits else scope.values.get(variable)
        definitions = {
            symbol: value for symbol, value in scope.values.items() if symbol != variable
        }
        inner = substituted(Side(integral.integrand, {}), definitions)
        cost = size(inner.expression)
        mixed = symbols_of(inner.expression) & (scope.variables - {variable})
        if meaning is not None and (mixed or meaning.has(Integral)):
            cost += size(meaning.expression)  # the integral is over another variable
        unknown = symbols_of(integral.integrand) & side.operations.keys()
        if unknown or (meaning is not None and meaning.has(Integral)):
            cost += MOST_NODES  # of a symbol that is known by its differential only
        about = integral.limits or (_canonical(meaning.expression) if meaning else None)
        cost += integral.limits is not None
        yield (_canonical(inner.expression), variable, about), _value(factor, scope), cost


def _value(factor: Expression, scope: Scope) -> Ball:
    """The value of a constant factor, for fixed sample values of the parameters."""
    factor = substituted(Side(factor, {}), scope.values).expression
    with precision(BITS):
        return evaluate(factor, {name: acb(0.5 + uniform(name)) for name in symbols_of(factor)})


def _canonical(node: Expression) -> object:
    """A hashable form of an expression, independent of the order of terms and factors."""
    if isinstance(node, Number):
        return node.numerator, node.denominator
    if isinstance(node, Symbol):
        return node.name
    arguments = [_canonical(arg) for arg in node.args]
    return node.function, *(
        sorted(arguments, key=repr) if node.function in ("add", "mul") else arguments
    )
