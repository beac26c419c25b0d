"""A family of solutions of a differential equation, with constants of integration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Final

from flint import acb

from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.ball_arithmetic.domain import uniform
from ..numeric.ball_arithmetic.jets import ONE, Ball
from ..numeric.outcome import Budget, DecisionPolicy, Outcome
from ..numeric.sampling.integrand import Integrand
from ..proof.curves import points_of, vanishes_on
from ..proof.discontinuities.zeros import with_moduli
from ..proof.equality import equality
from ..proof.ranks import ball_of, balls_of, has_rank, is_invertible
from ..reading.expression.build import ZERO, add, div, mul, neg, number
from ..reading.expression.derivative import DerivativeCache, differentiate
from ..reading.expression.linear import addends
from ..reading.expression.traversal import (
    needs_worker,
    nodes_of,
    size,
    substitute,
    substitute_all,
    symbols_of,
)
from ..reading.expression.tree import Call, Expression, Symbol
from ..reading.functions import RECORDS
from ..reading.problem.differential_equation import (
    DifferentialEquation,
    StatedSolution,
)
from ..verdict import Status
from .agreement.branches import unless_inverted
from .answers import (
    require_worker,
)
from .decision.decide import decide
from .values import (
    HALVES,
    PRINCIPAL,
    equal_on_curve,
    half_line,
    on_interval,
    proved_value,
    same_function,
)

_SIGNED_FUNCTION: Final = "not shown where the function has the sign that is assumed"
#: Nodes of a residual: those of textbooks have up to 400.
_LARGEST = 12_000


#: Sizes of the coordinates at which a real point is sought: arguments of arcsin, populations.
_SCALES: Final = (0.125, -1.0, 10.0, -10.0, 1000.0)


class Family:
    """A solution that an answer states, with the constants of integration."""

    def __init__(
        self, question: DifferentialEquation, solution: StatedSolution, assumed: Mapping[str, str]
    ) -> None:
        self.question, self.solution = question, solution
        sides = solution.implicit or ()
        self.constants, self.strangers = solution.further_names(question)
        self.assumptions = {**dict.fromkeys(self.constants, "real"), **assumed}
        self._derivatives: dict[tuple[str, int], Expression] = {}
        self._known: defaultdict[str, DerivativeCache] = defaultdict(dict)
        self._relation: Expression | None = add(sides[0], neg(sides[1])) if sides else None
        self.needs_sign = question.has_branches and any(
            assumed.get(name) in HALVES for name in question.functions
        )
        if sides:
            self.assumptions[question.functions[0]] = "real"

    @property
    def is_zero(self) -> bool:
        """Whether all formulas of the solution are zero."""
        return all(tree == ZERO for tree in self.solution.formulas.values())

    def derivative(self, function: str, order: int) -> Expression:
        """Differentiate a function. For an implicit solution, the result contains the function."""
        key = function, order
        if key not in self._derivatives:
            x = self.question.variable
            if order == 0:
                self._derivatives[key] = self.solution.formulas.get(function, Symbol(function))
            elif self._relation is None:
                self._derivatives[key] = self._by(x, self.derivative(function, order - 1))
            else:
                slope = self._slope(function)
                lower = self.derivative(function, order - 1)
                along = mul(self._by(function, lower), slope)
                self._derivatives[key] = slope if order == 1 else add(self._by(x, lower), along)
            if size(self._derivatives[key]) > _LARGEST:
                raise UnusableError("the derivatives of the answer are too large")
        return self._derivatives[key]

    def _slope(self, function: str) -> Expression:
        assert self._relation is not None
        denominator = self._by(function, self._relation)
        if denominator == ZERO:
            raise UnusableError(f"the relation says nothing of {function}")
        return neg(div(self._by(self.question.variable, self._relation), denominator))

    def _by(self, name: str, tree: Expression) -> Expression:
        """Differentiate a tree with respect to a symbol."""
        return differentiate(tree, name, self._known[name])

    def put(self, tree: Expression) -> Expression:
        """Substitute the solution into one side of an equation or of a condition."""
        for name, jet in self.question.jets.items():
            if name in symbols_of(tree):
                points = ((self.question.variable, at) for at in jet.at)
                value = substitute_all(self.derivative(jet.function, jet.order), points)
                tree = substitute(tree, name, value)
        for function, formula in self.solution.formulas.items():
            if function in symbols_of(tree):
                tree = substitute(tree, function, formula)
        return self._without_constant(tree)

    def _without_constant(self, tree: Expression) -> Expression:
        """Eliminate each constant in which the relation of an implicit solution is linear."""
        if self._relation is None:
            return tree
        for name in self.constants:
            if name in symbols_of(tree):
                factor = self._by(name, self._relation)
                if factor != ZERO and name not in symbols_of(factor):
                    value = neg(div(substitute(self._relation, name, ZERO), factor))
                    tree = substitute(tree, name, value)
        return tree

    def substituted(self) -> Iterator[tuple[Expression, Expression]]:
        """Insert the solution. Yield each equation, with the highest derivatives on the left."""
        question = self.question
        for lhs, rhs in question.equations:
            terms = [*addends(lhs), *map(neg, addends(rhs))]
            tops = {
                name
                for name, jet in question.jets.items()
                if not jet.at and jet.order == question.orders[jet.function]
            }
            high = [term for term in terms if not tops.isdisjoint(symbols_of(term))]
            lower = [neg(term) for term in terms if tops.isdisjoint(symbols_of(term))]
            pair = self.put(add(*high)), self.put(add(*lower) if lower else ZERO)
            if max(map(size, pair)) > _LARGEST:
                raise UnusableError("the equation with the answer in it is too large")
            yield pair

    def outcomes(self, text: str, budget: Budget) -> Iterator[Outcome]:
        """Yield the outcome of the solution in each equation and in each condition."""
        for lhs, rhs in self.substituted():
            outcome = self._same(lhs, rhs, text, budget)
            assumed = self._implied(outcome)
            if outcome.witness is not None and (self.question.has_branches or assumed):
                # A solution is a function on an interval; elsewhere radicals of the equation may
                # change their sign.
                retry = self._same(lhs, rhs, text, budget, DecisionPolicy(), assumed)
                on_part = retry.status is Status.CORRECT and retry.coverage
                holds = on_part and self._holds(lhs, rhs)
                outcome = retry if holds else outcome
            if outcome.witness is not None:
                outcome = unless_inverted(outcome, lhs, rhs)
            relation = self._relation if outcome.status is not Status.CORRECT else None
            if relation is not None and vanishes_on(add(lhs, neg(rhs)), relation):
                outcome = Outcome(Status.CORRECT, proof="identity")
            elif relation is not None and outcome.status is Status.INCORRECT:
                # Unless all constants are eliminated, the sides are equal on the curve only.
                left_over = (symbols_of(lhs) | symbols_of(rhs)) & {*self.constants}
                if left_over or not self.constants:
                    curve = relation, self.question.variable, self.question.functions[0]
                    outcome = equal_on_curve(lhs, rhs, curve, self.assumptions)
            if outcome.status is Status.INCORRECT and self.needs_sign:
                # where the function has the other sign, a refutation says nothing
                outcome = replace(outcome, status=Status.UNDECIDED, detail=_SIGNED_FUNCTION)
            yield outcome
        for lhs, rhs in self.question.conditions:
            if self._relation is not None:
                yield self._passes(lhs, rhs)
                continue
            outcome = self._same(self.put(lhs), self.put(rhs), text, budget)
            if outcome.status is Status.INCORRECT:
                outcome = replace(
                    outcome, detail=f"a condition is not met {outcome.detail}".strip()
                )
            yield outcome

    def continuity(self, text: str, budget: Budget) -> Iterator[Outcome]:
        """Yield an outcome for each function that has to be continuous.

        The equations say nothing of single points, at which a step may hide. Each derivative below
        the highest has to be an antiderivative of the next one, without jumps; if the equations are
        not linear in the highest one, so has this one. The left side of an implicit solution has to
        be continuous along both axes.
        """
        if self._relation is not None and not self._has_real_points():
            yield Outcome(Status.UNDECIDED, detail="no real point of the curves was found")
        policy = DecisionPolicy(strict_domain=not self.question.has_branches, fixed_roots=True)
        for name, tree, slope in self._with_moduli()._antiderivatives():
            bounds = half_line(self.assumptions.get(name, ""))
            if bounds != (None, None):
                inner = on_interval(Symbol(name), name, *bounds)
                tree = substitute(tree, name, inner)
                slope = mul(substitute(slope, name, inner), differentiate(inner, name))
            names = symbols_of(tree) | symbols_of(slope) | {name}
            integrand = Integrand(slope, name, self.assumptions, f"{slope}", names=names)
            outcome = decide(tree, integrand, policy, text, budget=budget)
            if outcome.status is not Status.CORRECT:
                detail = f"a solution has to be continuous: {outcome.detail}"
                outcome = replace(outcome, status=Status.UNDECIDED, detail=detail)
            yield outcome

    def _has_real_points(self) -> bool:
        """Whether an implicit solution has a real point for some real constants.

        Initial values are such points. A constant in which the relation is linear has a value for
        each point at which this value is real. Otherwise points with a change of sign are sought.
        """
        if self.question.conditions:
            return True  # `_passes`
        relation, y = self._relation, self.question.functions[0]
        assert relation is not None
        names = symbols_of(relation)
        for name in self.constants:
            value = self._without_constant(Symbol(name))
            for scales in product(_SCALES, _SCALES):
                values = {
                    symbol: acb(0.25 + 1.5 * uniform("real point", symbol)) for symbol in names
                }
                for symbol, scale in zip((self.question.variable, y), scales, strict=True):
                    values[symbol] = scale * values.get(symbol, ONE)
                if name in symbols_of(value):
                    values.pop(name)
                    points = points_of(_with_bars(relation), name, y, values, {})
                    if next(points, None) is not None:
                        return True
                    continue
                balls = balls_of([_with_bars(value)], values)
                if balls is not None and balls[0].imag.contains(0):
                    return True
        return False

    def _with_moduli(self) -> Family:
        # Where a relation has an arc tangent of y/x, a modulus of x would add a breakpoint at its
        # pole.
        x = self.question.variable
        formulas = {name: with_moduli(tree, x) for name, tree in self.solution.formulas.items()}
        solution = replace(self.solution, formulas=formulas)
        return Family(self.question, solution, self.assumptions)

    def _antiderivatives(self) -> Iterator[tuple[str, Expression, Expression]]:
        """Yield the name of a variable, a function, and the derivative of this function."""
        x = self.question.variable
        if self._relation is not None:
            for name in (x, self.question.functions[0]):
                yield name, self._relation, self._by(name, self._relation)
            return
        solved = self.question.highest_derivatives()
        for function, order in self.question.orders.items():
            is_solved = function in solved
            trees = [self.derivative(function, k) for k in range(order + 1 + (not is_solved))]
            if is_solved and _has_breaks(trees[0]):
                # |x|/x + 1 has a value where its root's derivative, 0/0, has none.
                trees[order] = self.put(solved[function])
            yield from ((x, *pair) for pair in pairwise(trees))

    def _implied(self, refutation: Outcome) -> dict[str, str]:
        """The assumption y > 0, if an implicit solution has no real value where it is refuted.

        An example: ``ln y = x^2 + C`` says nothing of a negative y.
        """
        if self._relation is None or refutation.refutation is None:
            return {}
        values = dict.fromkeys(symbols_of(self._relation), ONE) | dict(refutation.refutation.point)
        balls = balls_of([self._relation], values)
        is_real = balls is None or balls[0].imag.contains(0)
        return {} if is_real else {self.question.functions[0]: "positive"}

    def _holds(self, lhs: Expression, rhs: Expression) -> bool:
        """Whether two sides of an equation agree near the points at which conditions are stated."""
        jets, x = self.question.jets, self.question.variable
        named = {
            name for pair in self.question.conditions for side in pair for name in symbols_of(side)
        }
        points = {jets[name].at[0] for name in named & {*jets}}
        difference = add(lhs, neg(rhs))
        nearby = (add(point, number(Fraction(sign, 2**20))) for point in points for sign in (1, -1))
        balls = [ball_of(substitute(difference, x, point)) for point in nearby]
        near = [ball is not None and abs(ball) < 1e-20 for ball in balls]
        return all(any(near[at : at + 2]) for at in range(0, len(near), 2))

    def _same(
        self,
        lhs: Expression,
        rhs: Expression,
        text: str,
        budget: Budget,
        policy: DecisionPolicy = PRINCIPAL,
        implied: Mapping[str, str] | None = None,
    ) -> Outcome:
        require_worker(needs_worker(lhs) or needs_worker(rhs))
        names = symbols_of(lhs) | symbols_of(rhs)
        if not names:
            return proved_value(lhs, rhs)
        lhs, rhs = sorted((lhs, rhs), key=size)  # the larger side has the smaller domain
        x = self.question.variable if self.question.variable in names else sorted(names)[0]
        assumed = {**self.assumptions, **(implied or {})}
        integrand = Integrand(rhs, x, assumed, f"{rhs}", names=names)
        return same_function(lhs, integrand, half_line(assumed.get(x, "")), text, budget, policy)

    def _passes(self, lhs: Expression, rhs: Expression) -> Outcome:
        """Judge whether an implicit solution satisfies a condition such as y(0) = 1."""
        jet = self.question.jets.get(lhs.name) if isinstance(lhs, Symbol) else None
        if jet is None or jet.order or self._relation is None:
            detail = "a condition on a derivative of an implicit solution"
            return Outcome(Status.UNDECIDED, detail=detail)
        point = (jet.function, rhs), (self.question.variable, jet.at[0])
        value = substitute_all(self._relation, point)
        if not symbols_of(value):
            return proved_value(value, ZERO)
        if equality(value, ZERO):
            return Outcome(Status.CORRECT, proof="identity")
        return Outcome(Status.UNDECIDED, detail="a condition with parameters")

    def has_multiples(self) -> bool:
        """Whether a solution has no constants, and all multiples of the solution are solutions."""
        if self.constants or self.is_zero or self._relation is not None:
            return False
        scale = Symbol("scale of a solution")
        formulas = {name: mul(scale, tree) for name, tree in self.solution.formulas.items()}
        family = Family(self.question, StatedSolution(formulas), self.assumptions)
        pairs = [
            *family.substituted(),
            *((family.put(lhs), family.put(rhs)) for lhs, rhs in self.question.conditions),
        ]
        return all(equality(lhs, rhs) is not None for lhs, rhs in pairs)

    def _rows(self) -> list[list[Expression]]:
        """The Jacobian matrix: a row for each initial value, a column for each constant."""
        if self._relation is not None:
            return [[self._by(name, self._relation) for name in self.constants]]
        rows: list[list[Expression]] = []
        for function, highest in self.question.orders.items():
            # First by the constants: most solutions are linear in them, and what is left is short.
            row = [self._by(name, self.derivative(function, 0)) for name in self.constants]
            for _ in range(highest):
                rows.append(row)
                row = [self._by(self.question.variable, entry) for entry in row]
        return rows

    def has_rank(self, needed: int) -> bool:
        """Whether the rank of the Jacobian is at least ``needed`` at some point."""
        enough = len(self.constants) >= needed and (self._relation is None or needed == 1)
        return enough and has_rank(self._rows(), needed)

    def is_dependent(self, needed: int) -> bool:
        """Whether it is proved that fewer than ``needed`` constants are independent."""
        if len(self.constants) < needed:
            return True
        if len(self.constants) != needed or needed > 2 or self._relation is not None:
            return False
        rows = self._rows()
        if needed == 1:
            return all(equality(entry, ZERO) is not None for row in rows for entry in row)
        (a, b), (c, d) = rows[:2]
        return len(rows) == 2 and equality(mul(a, d), mul(b, c)) is not None

    def contains(self, value: Expression) -> bool:
        """Whether the solution is ``value`` if all its constants are 0, or all 1, or all -1."""
        trees = [*self.solution.formulas.values()]
        if self._relation is not None:
            trees = [substitute(self._relation, self.question.functions[0], value)]
            value = ZERO
        for chosen in (0, 1, -1):
            tree = substitute_all(trees[0], ((name, number(chosen)) for name in self.constants))
            if tree == value or equality(tree, value) is not None:
                return True
        return False

    def is_unique(self) -> bool:
        """Whether initial values at one point provably determine the solution.

        At this point, the equations must be solvable for the highest derivatives (Picard,
        Lindelöf).
        """
        question, jets = self.question, self.question.jets
        # Conditions of every order below the highest, at one point, make an initial value problem.
        sides = (lhs.name for lhs, _ in question.conditions if isinstance(lhs, Symbol))
        named = [jets[name] for name in sides if name in jets]
        required = {(name, k) for name, order in question.orders.items() for k in range(order)}
        points = {jet.at for jet in named}
        if {(jet.function, jet.order) for jet in named} != required or len(points) != 1:
            return False
        (point,) = points
        # The implicit function theorem needs an invertible Jacobian by the highest derivatives.
        # Finite balls of the other derivatives show Lipschitz continuity near the point.
        function_jets = [name for name, jet in jets.items() if not jet.at]
        highest = [
            name
            for name in function_jets
            if jets[name].order == question.orders[jets[name].function]
        ]
        lower = [name for name in function_jets if name not in highest]
        rows: list[list[Ball]] = []
        try:
            for lhs, rhs in question.equations:
                residual = add(lhs, neg(rhs))
                by = (*highest, *question.functions, *lower)
                slopes = (self.put(differentiate(residual, name)) for name in by)
                balls = [ball_of(substitute(tree, question.variable, point[0])) for tree in slopes]
                rows.append([ball for ball in balls if ball is not None][: len(highest)])
                if None in balls:
                    return False
        except (ValueError, UnusableError):
            return False
        return len(rows) == len(highest) and is_invertible(rows)


def _has_breaks(tree: Expression) -> bool:
    records = (RECORDS.get(node.function) for node in nodes_of(tree) if node.args)
    return any(record is not None and record.breaks for record in records)


def _with_bars(tree: Expression) -> Expression:
    """Write ``ln|u|`` for each ``ln u``: a constant of integration takes up the imaginary part."""
    if not isinstance(tree, Call):
        return tree
    args = tuple(map(_with_bars, tree.args))
    return Call("ln", (Call("abs", args),)) if tree.function == "ln" else Call(tree.function, args)
