"""Judge claims about functions defined only by an equation of the question.

An example is y in y' = 2xy. A claim about y has to hold for the solutions of the equation.
"""

from __future__ import annotations

from dataclasses import replace

from .....numeric.ball_arithmetic.balls import UnusableError
from .....numeric.outcome import Outcome
from .....reading.expression.build import ONE, ZERO, add, mul, neg
from .....reading.expression.derivative import differentiate
from .....reading.expression.linear import NotLinearError, linear, root
from .....reading.expression.traversal import nodes_of, symbols_of
from .....reading.expression.tree import Call, Expression, Symbol
from .....reading.problem.differential_equation import StatedSolution
from .....verdict import Status
from ...extents import NotReadError
from ...operations import Derivative, Differential, Integral, Operation, Side, Value
from ...result import Judgement
from ...scope import Equation, Scope, is_constant_name
from ...substitution import (
    differentiated_often,
    free_symbols,
    replaced,
    substituted,
    without,
)
from ..equality import Finding, compare
from ..work import Work
from .flows import Flow, at_point, on_curve

#: What a comparison that the verifier of a question does costs, in slots: a text has 40 of them.
#: The median takes 1 ms, as 300 slots do, and the longest 83 ms. No claim of 799 solutions changes
#: with half or twice as many slots; six are unchecked with 40 000 (`tests/mutation/constants.py`).
FAMILY_COST = 5_000
#: What an equation costs that cannot be written without derivatives: a text has 100 of them. The
#: longest of 44 took 0.4 ms, and ten times as many slots change no claim.
FAILED_COST = 2_000
#: Where equations are compared: further away one term may hide the others. No claim of 799
#: solutions changes up to 6, and two are unchecked up to 1.5.
NEAR = (-3.0, 3.0)
#: Names of the constants of a solution.
_CONSTANTS = frozenset("ABCDKMNck")
_JUDGEMENTS = {Status.CORRECT: Judgement.CORRECT, Status.INCORRECT: Judgement.INCORRECT}


def constants_of(names: set[str], scope: Scope) -> set[str]:
    """The names that stand for constants of integration: customary letters that nothing defines."""
    return {
        name
        for name in names - scope.symbols - scope.values.keys()
        if name.partition("_")[0] in _CONSTANTS
    }


class Claimed:
    """An equation in a solution, perhaps about the functions of ``flow``.

    The functions of a `Flow` are defined only by an equation of the question.
    """

    def __init__(
        self, flow: Flow, scope: Scope, sides: tuple[Side, Side], work: Work, key: str
    ) -> None:
        self.flow, self.scope, self.work, self.key = flow, scope, work, key
        used: dict[str, Side] = {}
        self.sides_as_written = sides
        self.sides = tuple(
            scope.written_out(scope.evaluated(flow.with_values(side)), used) for side in sides
        )
        self.operations = {
            name: operation for side in self.sides for name, operation in side.operations.items()
        }
        self.used = frozenset(used)
        names: set[str] = set().union(*map(free_symbols, self.sides)) - {*flow.functions}
        self.constants = constants_of(names, scope)
        self.strangers = names - {flow.variable, *scope.symbols, *self.constants}

    def judge(self) -> Finding:
        """Judge the equation. Record a right equation with constants of integration.

        Raises:
            NotReadError: the equation cannot be read.

        """
        finding, stated = self._judged(), self._stated
        question = self.flow.question
        open_parameters = question is not None and question.may_determine_parameters
        if finding.judgement is Judgement.INCORRECT and open_parameters:
            return Finding(Judgement.UNCHECKED, detail="a parameter may be determined")
        if finding.judgement is Judgement.CORRECT and self.constants and stated is not None:
            self.flow.relations.append((stated, frozenset(self.constants)))
        return finding

    def _judged(self) -> Finding:
        """Judge the equation for all solutions of the question, and for the solution in the text.

        Raises:
            NotReadError: the equation cannot be read.

        """
        if self._has(Differential) and not all(
            side.has(Differential) or side.expression == ZERO for side in self.sides
        ):
            raise NotReadError("a differential on one side")
        if self.flow.curve is not None:
            return self._on_curve()
        stated = self._stated
        if stated is not None and stated.implicit is None:
            return self._explicit(*stated.formulas.values())
        try:
            finding = self._along(self.flow)
        except NotReadError:
            plugged = self.plugged()
            if plugged is not None:
                return plugged
            if stated is None or self.flow.question is None or not self.constants:
                raise
            self.work.spend(FAMILY_COST)
            substituted_family = _finding(self.flow.solves(stated, conditions=False))
            # tan(x + C)^2 = (x + y)^2 also holds on a branch that is no solution.
            wrong = substituted_family.judgement is Judgement.INCORRECT
            return Finding(Judgement.UNCHECKED) if wrong else substituted_family
        if finding.judgement is not Judgement.INCORRECT:
            return finding
        plugged = self.plugged()
        if self.strangers or self.constants - _usual(self.constants):
            detail = _unknown(self.strangers or self.constants)
            return plugged or Finding(Judgement.UNCHECKED, detail=detail)
        if plugged is not None and plugged.judgement is not Judgement.INCORRECT:
            return plugged
        if stated is not None and not self.constants and self.flow.question is not None:
            return self._particular(stated, finding)
        if self._is_about_a_root:
            return Finding(Judgement.UNCHECKED, detail="an equation that may be solved")
        if self._has(Derivative) and any(name[0] in "kK" for name in self.constants):
            return Finding(Judgement.UNCHECKED, detail=_unknown(self.constants))  # y' = ky
        if plugged is not None:
            return plugged
        special = bool(self.flow.special) or self._is_below_the_order
        if special or _usual({*self.scope.solved} | self.used):
            return Finding(Judgement.UNCHECKED, detail="a solution that is not known")
        return self._unless_homogeneous(finding)

    def plugged(self) -> Finding | None:
        """Insert the latest formula for the function into the equation, and judge the result.

        The result is None if the text has no such formula. The equation is judged wrong only if it
        has constants or unknown letters, and if the formula contains all these letters. Without
        unknown letters, the formula must also be a general solution.
        """
        if len(self.flow.functions) != 1 or self.flow.curve is not None:
            return None
        (name,) = self.flow.functions
        side = self.flow.stated.get(name)
        if side is None:
            return None
        formula = self.scope.written_out(self.scope.evaluated(side), {})
        if formula.operations or name in symbols_of(formula.expression):
            return None
        sides = []
        for side_as_written in self.sides_as_written:
            values = {
                key: substituted(
                    differentiated_often(formula, self.flow.variable, operation.order),
                    {self.flow.variable: Side(operation.at, {})},
                )
                for key, operation in side_as_written.operations.items()
                if isinstance(operation, Value) and operation.function == name
            }
            put = substituted(without(side_as_written, values), {name: formula})
            sides.append(self.scope.written_out(self.scope.evaluated(put), {}))
        plain = Flow(self.flow.variable, (), {}, self.flow.assumptions)
        anti = any(side.has(Integral) for side in sides)
        trees = [plain.tree(side, self.scope, rate=anti) for side in sides]
        finding = self._same(trees[0], trees[1])
        formula_symbols = symbols_of(formula.expression)
        letters = self.constants | self.strangers
        shared = bool(letters) and letters <= formula_symbols
        shared &= bool(self.strangers) or name in self.flow.general
        problem_symbols = {
            self.flow.variable,
            *(self.flow.question.names if self.flow.question else ()),
        }
        # y(1) = 1 + c + 1 of x^3 + cx + d: the text may have found d.
        hidden = (
            formula_symbols
            & (symbols_of(trees[0]) | symbols_of(trees[1])) - letters - problem_symbols
        )
        if finding.judgement is Judgement.INCORRECT and (hidden or not shared):
            return Finding(Judgement.UNCHECKED, detail="a solution that is not known")
        return finding

    def _along(self, flow: Flow) -> Finding:
        """Judge whether the equation is an identity for all solutions of the question."""
        try:
            return self._same(*self._pair(flow))
        except NotReadError:
            self.work.spend(FAILED_COST)  # perhaps for derivatives that grow too large
            raise

    def _same(self, lhs: Expression, rhs: Expression) -> Finding:
        equation = self._equation(lhs, rhs)
        finding = compare(equation, 0, self.flow.assumptions, self.key, self.work)
        return replace(finding, loose=bool(self.strangers))

    def _equation(self, lhs: Expression, rhs: Expression) -> Equation:
        names = symbols_of(lhs) | symbols_of(rhs)
        variable = next((n for n in (self.flow.variable, *self.flow.functions) if n in names), "")
        return Equation(
            Side(lhs, {}),
            Side(rhs, {}),
            variable or self.flow.variable,
            {},
            False,
            self.used,
            frozenset(names),
            ((Side(Symbol(variable), {}), NEAR),) if variable else (),
            self.scope.ranges,
            self.scope.symbols,
        )

    @property
    def ansatz(self) -> Equation | None:
        """The equation as an ansatz with unknown coefficients, such as 1 = A(1-y) + By.

        An ansatz has no independent variable. The result is None for other equations.
        """
        names = set().union(*map(free_symbols, self.sides))
        letters = (self.constants | self.strangers) - _usual(self.constants)
        if any(side.operations for side in self.sides) or self.flow.variable in names:
            return None
        if not letters or _usual(self.constants) or self.flow.curve is not None:
            return None
        return self._equation(*(side.expression for side in self.sides))

    def _pair(self, flow: Flow) -> tuple[Expression, Expression]:
        """Two expressions without constants of integration, equal if the equation holds.

        Raises:
            NotReadError: the constants cannot be eliminated.

        """
        anti = any(
            isinstance(self.operations.get(name), Integral)
            for side in self.sides
            for name in symbols_of(side.expression)
        )
        try:
            lhs, rhs = (flow.tree(side, self.scope, rate=anti) for side in self.sides)
        except NotReadError:
            if not anti:
                raise
            return self._pair_of_integral(flow)
        # Solve the equation for the constant: differentiation then eliminates the constant.
        constants = self.constants & (symbols_of(lhs) | symbols_of(rhs))
        if not constants:
            return lhs, rhs
        if len(constants) > 1:
            raise NotReadError("several constants of integration")
        try:
            return flow.total(root(add(lhs, neg(rhs)), *constants)), ZERO
        except NotLinearError:
            raise NotReadError("a constant of integration within a function") from None
        except ValueError as error:
            raise NotReadError(str(error)) from None

    def _pair_of_integral(self, flow: Flow) -> tuple[Expression, Expression]:
        r"""As `_pair`, if an integral has a factor: ``y = x^{-2}\left(\int x^4\,dx + C\right)``.

        The equation is solved for the integral. Both expressions are derivatives of the integral.
        """
        lhs, rhs = self.sides
        names = {
            name: operation
            for name, operation in self.operations.items()
            if isinstance(operation, Integral) and operation.limits is None
        }
        if len(names) != 1:
            raise NotReadError("several integrals with factors")
        ((name, integral),) = names.items()
        plain = {key: operation for key, operation in self.operations.items() if key != name}
        tree = flow.tree(Side(add(lhs.expression, neg(rhs.expression)), plain), self.scope)
        value = root(tree, name)
        # The constant of integration belongs to the integral, if both have the same factor.
        for constant in self.constants & symbols_of(value):
            value, terms = linear(value, {constant})
            same = self._same(add(*(factor for factor, _ in terms)), neg(ONE)).judgement
            if same is not Judgement.CORRECT:
                raise NotReadError("a constant of integration beside an integral")
        inner = flow.tree(Side(integral.integrand, plain), self.scope)
        speed = flow.tree(Side(Symbol(name), {name: Differential(integral.variable)}), self.scope)
        return flow.total(value), mul(inner, speed)

    def _unless_homogeneous(self, finding: Finding) -> Finding:
        """The finding, or ``unchecked`` if the claim holds for the homogeneous equation."""
        flow = self.flow.homogeneous
        if flow is not None and self._along(flow).judgement is not Judgement.INCORRECT:
            return Finding(Judgement.UNCHECKED, detail="it may be about the homogeneous equation")
        return finding

    def _explicit(self, formula: Expression) -> Finding:
        """Judge ``y = formula`` by inserting the formula into the differential equation."""
        finding = self._residual(formula, self.flow)
        right = finding.judgement is Judgement.CORRECT
        question = self.flow.question
        if right and not self.constants and question is not None and question.conditions:
            met = self.flow.solves(
                StatedSolution({self.flow.functions[0]: formula}), conditions=True
            )
            if met.status is not Status.CORRECT:
                return Finding(Judgement.UNCHECKED, detail="a solution with other values")
        if right and self.constants:
            self.flow.general.add(self.flow.functions[0])
        if finding.judgement is not Judgement.INCORRECT:
            return finding
        varies = self.flow.variable in symbols_of(formula)
        asserted = _usual(self.constants) == self.constants and varies
        asserted &= bool(self.constants) or bool(question and question.conditions)
        homogeneous = self.flow.homogeneous
        if homogeneous is not None and asserted:
            at_home = self._residual(formula, homogeneous).judgement
            asserted = at_home is Judgement.INCORRECT
        if self.strangers or not asserted:
            return Finding(Judgement.UNCHECKED, detail="it may be a trial")
        return finding

    def _residual(self, formula: Expression, flow: Flow) -> Finding:
        if len(flow.functions) > 1 or not flow.slopes:
            raise NotReadError("one formula of a system")
        table, tree = {}, formula
        try:
            for name in flow.slopes:
                table[name] = tree
                tree = differentiate(tree, flow.variable)
        except ValueError as error:
            raise NotReadError(str(error)) from None
        (*_, top) = flow.slopes.values()
        return self._same(tree, replaced(top, table))

    def _particular(self, stated: StatedSolution, finding: Finding) -> Finding:
        """Judge an implicit solution without constants of integration."""
        self.work.spend(FAMILY_COST)
        question = self.flow.question
        assert question is not None
        outcome = self.flow.solves(stated, conditions=False)
        names = set().union(*map(free_symbols, self.sides))
        relates = {self.flow.variable, *self.flow.functions} <= names
        if self.flow.variable not in names and all(map(self._divides, self.sides)):
            return finding  # partial fractions of y
        if outcome.status is Status.INCORRECT and question.conditions and relates:
            return self._unless_homogeneous(finding)
        if outcome.status is Status.CORRECT and question.conditions:
            outcome = self.flow.solves(stated, conditions=True)
            if outcome.status is Status.CORRECT:
                return _finding(outcome)
        return Finding(Judgement.UNCHECKED, detail="a solution with other values, or a condition")

    def _divides(self, side: Side) -> bool:
        """Whether a denominator of a side has a function of the flow."""
        return any(
            isinstance(node, Call)
            and node.function == "div"
            and not symbols_of(node.args[1]).isdisjoint(self.flow.functions)
            for node in nodes_of(side.expression)
        )

    @property
    def _stated(self) -> StatedSolution | None:
        """The equation as an explicit or implicit solution.

        The result is None for several functions, or for a side with derivatives or
        integrals.
        """
        if any(side.operations for side in self.sides) or len(self.flow.functions) != 1:
            return None
        lhs, rhs = (side.expression for side in self.sides)
        (name,) = self.flow.functions
        if lhs == Symbol(name) and symbols_of(rhs).isdisjoint(self.flow.slopes):
            return StatedSolution({name: rhs})
        return StatedSolution({}, (lhs, rhs))

    @property
    def _is_below_the_order(self) -> bool:
        """Whether the equation may use the initial values, as ``y' = 3x^2 + 2`` after ``y'' = 6x``.

        Such an equation has neither a constant nor the highest derivative of the differential
        equation.
        """
        question = self.flow.question
        if question is None or not question.conditions or self.constants:
            return False

        def depth(name: str) -> int:
            operation = self.operations[name]
            inner = (
                symbols_of(operation.of) & self.operations.keys()
                if isinstance(operation, Derivative)
                else ()
            )
            return isinstance(operation, Derivative) + max(map(depth, inner), default=0)

        highest = max(map(depth, self.operations), default=0)
        return highest < max(question.orders.values()) and not self._has(Integral, Differential)

    @property
    def _is_about_a_root(self) -> bool:
        """Whether the equation may state a zero of a term, or a value inserted for y."""
        functions = [self.flow.concerns(side) for side in self.sides]
        if self._has(Derivative):
            moving = {self.flow.variable, *self.flow.functions}
            written = set().union(*(symbols_of(side.expression) for side in self.sides))
            bare = {
                operation.of
                for name, operation in self.operations.items()
                if isinstance(operation, Derivative) and name in written
            }
            alone = [isinstance(side.expression, Symbol) for side in self.sides]
            varies = all(free_symbols(side) & moving for side in self.sides)
            names = {Symbol(name) for name in self.flow.functions}
            return not varies and any(alone) and bare <= names
        if self._has(Differential, Integral) or self.constants:
            return False
        return not all(functions)

    def _has(self, *classes: type[Operation]) -> bool:
        return any(side.has(*classes) for side in self.sides)

    def _on_curve(self) -> Finding:
        """Judge the equation at points of the function's curve.

        If the question names a point and the equation has no variables apart from y', the equation
        is judged at this point.
        """
        flow = self.flow
        lhs, rhs = (flow.tree(side, self.scope) for side in self.sides)
        names = symbols_of(lhs) | symbols_of(rhs)
        if self.constants or self.strangers:
            raise NotReadError(_unknown(self.constants | self.strangers))
        functions = {Symbol(name) for name in flow.functions}
        trees = [side.expression for side in self.sides]
        trees += [
            operation.of
            for operation in self.operations.values()
            if isinstance(operation, Derivative) and operation.of not in functions
        ]
        # Without x and y, the equation can only be about the point of the question.
        written = set().union(*map(symbols_of, trees)) - self.operations.keys()
        about_point = not written & {flow.variable, *flow.functions}
        self.work.spend(FAMILY_COST)
        if about_point and flow.point:
            return self._same(*(at_point(tree, flow) for tree in (lhs, rhs)))
        if not names & {flow.variable, *flow.functions}:
            return self._same(lhs, rhs)
        try:
            finding = _finding(on_curve(lhs, rhs, flow))
        except (UnusableError, ValueError) as error:
            raise NotReadError(str(error)) from None
        wrong = finding.judgement is Judgement.INCORRECT
        if wrong and (about_point or not self._has(Derivative)):
            return Finding(Judgement.UNCHECKED, detail="it may be about a point of the curve")
        return finding


def _finding(outcome: Outcome) -> Finding:
    judgement = _JUDGEMENTS.get(outcome.status, Judgement.UNCHECKED)
    return Finding(judgement, max(outcome.points, 1), outcome.witness, outcome.detail)


def _usual(constants: set[str]) -> set[str]:
    """The constants with a customary name of a constant of integration, such as C."""
    return {name for name in constants if is_constant_name(name)}


def _unknown(names: set[str]) -> str:
    return f"{', '.join(sorted(names))} unknown"
