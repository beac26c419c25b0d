"""Functions that only an equation defines: y of y' = 2xy, and y of x^2 + y^2 = 25.

A claim about y is judged for all solutions at once. For y' = F(x, y), a solution runs through each
point (x, y). A claim without constants therefore holds for all solutions if the claim is an
identity in x and y after y' is replaced by F. For y'' = F, the independent variables are x, y and
y'. Equations of higher order are treated alike. The derivative of an implicit function is the slope
of the curve. A claim about an implicit function has to hold at the points of the curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from .....numeric.ball_arithmetic.balls import UnusableError
from .....numeric.outcome import Budget, Outcome
from .....proof.curves import vanishes_on
from .....reading.expression.build import ONE, ZERO, add, div, mul, neg
from .....reading.expression.derivative import differentiate
from .....reading.expression.linear import NotLinearError, linear
from .....reading.expression.traversal import fold, size, substitute, symbols_of
from .....reading.expression.tree import Expression, Symbol
from .....reading.problem.differential_equation import DifferentialEquation, StatedSolution
from .....verdict import Status
from ....families import Family
from ....values import equal_on_curve
from ...extents import NotReadError
from ...operations import Derivative, Differential, Integral, Side, Value
from ...scope import Scope
from ...substitution import (
    LARGEST_DERIVATIVE,
    free_symbols,
    replaced,
    without,
)
from ..work import Work

#: What a look at a stated solution costs, in slots: a text has 100 of them. A look takes 1 ms in
#: the median of 198, which is 300 slots, and 83 ms at most.
RELATION_COST = 2_000


@dataclass(frozen=True)
class Flow:
    """The functions defined by an equation of the question instead of a formula.

    Attributes:
        variable: the independent variable.
        functions: the names of the functions.
        slopes: the derivative of each function, and of each lower derivative.
        assumptions: assumptions on parameters, such as ``positive``.
        curve: G, if the curve G(x, y) = 0 defines the function; else None.
        point: the point of the value in question.
        question: the differential equation, if any.
        stated: for each function, the latest formula in the text. The formula may be a trial.
        special: the functions for which the text may now mean a particular solution.
        relations: the solutions with constants in the text, each with the names of the
            constants.
        general: the functions whose latest formula is a solution with constants.

    """

    variable: str
    functions: tuple[str, ...]
    slopes: Mapping[str, Expression]
    assumptions: Mapping[str, str]
    curve: Expression | None = None
    point: Mapping[str, Expression] = field(default_factory=dict)
    question: DifferentialEquation | None = None
    stated: dict[str, Side] = field(default_factory=dict)
    general: set[str] = field(default_factory=set)
    special: set[str] = field(default_factory=set)
    relations: list[tuple[StatedSolution, frozenset[str]]] = field(default_factory=list)

    @property
    def is_of_differential_equation(self) -> bool:
        """Whether a differential equation, not a curve, defines the unknown functions."""
        return self.question is not None

    def state(self, name: str, formula: Side) -> None:
        """Record the formula that the text states for a function, perhaps as a trial solution."""
        if self.variable in free_symbols(formula):
            self.stated[name] = formula
            self.general.discard(name)

    def specialise(self) -> None:
        """Record a value of a constant in the text, which then means a particular solution."""
        self.special.update(self.functions)

    @cached_property
    def homogeneous(self) -> Flow | None:
        """The solutions of the linear equation without the terms free of the functions.

        The result is None without such terms, or for a nonlinear equation.
        """
        slopes: dict[str, Expression] = {}
        changed = False
        for name, slope in self.slopes.items():
            try:
                inhomogeneity, terms = linear(slope, self.slopes.keys())
            except NotLinearError:
                return None
            slopes[name] = add(*[mul(factor, Symbol(key)) for factor, key in terms] or [ZERO])
            changed |= fold(inhomogeneity) != 0
        return replace(self, slopes=slopes, question=None) if changed else None

    def total(self, tree: Expression) -> Expression:
        """The derivative of an expression whose functions solve the differential equation."""
        if not symbols_of(tree).isdisjoint({*self.functions} - self.slopes.keys()):
            raise NotReadError("an equation that is not solved for the highest derivative")
        terms = [differentiate(tree, self.variable)]
        for name in sorted(symbols_of(tree) & self.slopes.keys()):
            terms.append(mul(differentiate(tree, name), self.slopes[name]))
        total = add(*[term for term in terms if term != ZERO] or [ZERO])
        if size(total) > LARGEST_DERIVATIVE:
            raise NotReadError("a derivative that grows too large")
        return total

    def concerns(self, *sides: Side) -> bool:
        """Whether a side has one of the unknown functions."""
        return any(not free_symbols(side).isdisjoint(self.functions) for side in sides)

    def with_values(self, side: Side) -> Side:
        """Replace values of functions by the question's numbers, such as y(0) by 1."""
        if self.question is None:
            return side
        jets, table = self.question.jets, {}
        initial_values = {
            jets[jet_symbol.name]: jet_value
            for jet_symbol, jet_value in self.question.conditions
            if isinstance(jet_symbol, Symbol) and jet_symbol.name in jets
        }
        for name, operation in side.operations.items():
            if isinstance(operation, Value) and operation.function in self.functions:
                for jet, value in initial_values.items():
                    if (
                        jet[::2] == (operation.function, (operation.at,))
                        and jet.order == operation.order
                    ):
                        table[name] = Side(value, {})
        return without(side, table)

    def tree(self, side: Side, scope: Scope, *, rate: bool = False) -> Expression:
        """Write a side as an expression in the independent variables.

        If ``rate`` is True, the result is the derivative of the side. The functions in the side
        solve the equation.

        Raises:
            NotReadError: the side has an undifferentiated integral or limit.

        """
        try:
            return self._rate(side, scope) if rate else self._value(side.expression, side, scope)
        except (ValueError, NotLinearError) as error:
            raise NotReadError(str(error)) from None

    def _value(self, node: Expression, side: Side, scope: Scope) -> Expression:
        table: dict[str, Expression] = {}
        for name in symbols_of(node) & side.operations.keys():
            operation = side.operations[name]
            if isinstance(operation, Differential):
                table[name] = self._speed(operation.variable, scope)
            elif isinstance(operation, Derivative):
                top = self._rate(Side(operation.of, side.operations), scope)
                by = self._speed(operation.variable, scope)
                table[name] = top if by == ONE else div(top, by)
            else:
                raise NotReadError("an integral or a limit of an unknown function")
        return replaced(node, table)

    def _rate(self, side: Side, scope: Scope) -> Expression:
        integrals: dict[str, Integral] = {
            name: operation
            for name, operation in side.operations.items()
            if isinstance(operation, Integral) and operation.limits is None
        }
        constant_term, terms = linear(side.expression, integrals.keys())
        rates = [self.total(self._value(constant_term, side, scope))]
        for factor, name in terms:
            if symbols_of(factor) & {self.variable, *self.slopes, *side.operations}:
                raise NotReadError("a factor of an integral that is not constant")
            integral = integrals[name]
            inner = self._value(integral.integrand, side, scope)
            rates.append(mul(factor, inner, self._speed(integral.variable, scope)))
        return add(*rates)

    def _speed(self, name: str, scope: Scope) -> Expression:
        if name == self.variable:
            return ONE
        if name in self.slopes:
            return self.slopes[name]
        if name in scope.values:
            value = scope.written_out(scope.evaluated(scope.values[name]), {})
            return self._rate(value, scope)
        raise NotReadError(f"nothing relates {name} and {self.variable}")

    def contradicts(self, values: Mapping[str, Expression], scope: Scope, work: Work) -> bool:
        """Whether values of constants violate the question's conditions in every stated solution.

        The text may have given the same name to constants of several solutions.
        """
        if self.question is None or not self.question.conditions:
            return False
        constant_values = {name: scope.values[name].expression for name in scope.solved} | dict(
            values
        )
        concerned = [
            stated
            for stated, names in self.relations
            if names & values.keys() and names <= constant_values.keys()
        ]
        for stated in concerned:
            work.spend(RELATION_COST)
            outcome = self.solves(_with_constants(stated, constant_values), conditions=True)
            if outcome.status is not Status.INCORRECT:
                return False
        return bool(concerned)

    def solves(self, stated: StatedSolution, *, conditions: bool) -> Outcome:
        """Whether a stated solution, general or not, solves the differential equation.

        If ``conditions`` is True, the solution must also satisfy the conditions of the question.
        """
        question = self.question
        assert question is not None
        equation = question if conditions else replace(question, conditions=())
        family = Family(equation, stated, self.assumptions)
        if family.strangers:
            return Outcome(Status.UNDECIDED, detail=f"{', '.join(family.strangers)} unknown")
        try:
            outcomes = list(family.outcomes("a claim", Budget()))
        except (UnusableError, ValueError) as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        wrong = [outcome for outcome in outcomes if outcome.status is not Status.CORRECT]
        return wrong[0] if wrong else outcomes[0]


def _with_constants(stated: StatedSolution, values: Mapping[str, Expression]) -> StatedSolution:
    formulas = {name: replaced(tree, values) for name, tree in stated.formulas.items()}
    if stated.implicit is None:
        return StatedSolution(formulas)
    lhs, rhs = stated.implicit
    return StatedSolution(formulas, (replaced(lhs, values), replaced(rhs, values)))


def on_curve(lhs: Expression, rhs: Expression, flow: Flow) -> Outcome:
    """Whether two expressions are equal at the points of the curve ``flow.curve``."""
    assert flow.curve is not None
    if vanishes_on(add(lhs, neg(rhs)), flow.curve):
        return Outcome(Status.CORRECT, proof="identity")
    curve = flow.curve, flow.variable, flow.functions[0]
    return equal_on_curve(rhs, lhs, curve, flow.assumptions)


def at_point(tree: Expression, flow: Flow) -> Expression:
    """Insert the coordinates of the question's point, ``flow.point``, into an expression."""
    for name, value in flow.point.items():
        tree = substitute(tree, name, value)
    return tree
