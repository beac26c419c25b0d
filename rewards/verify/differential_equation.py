r"""Verify solutions of differential equations by substitution; no reference answer is needed.

First, the solution must satisfy the equations (*residual*). Second, it must have the initial and
boundary values (*conditions*). Third, it must have as many independent constants as the question
leaves free (*generality*). The order and the conditions determine this number. The rank of a
Jacobian counts the independent constants.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final, Unpack

from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.ball_arithmetic.jets import Ball
from ..numeric.outcome import Budget, DecisionPolicy, Outcome, joined
from ..numeric.sampling.integrand import Integrand, assumption_items
from ..proof.curves import vanishes_on
from ..proof.equality import equality
from ..proof.ranks import ball_of, has_rank, is_invertible
from ..reading.expression.build import ZERO, add, div, mul, neg, number
from ..reading.expression.derivative import DerivativeCache, differentiate
from ..reading.expression.linear import addends
from ..reading.expression.traversal import (
    needs_worker,
    size,
    substitute,
    substitute_all,
    symbols_of,
)
from ..reading.expression.tree import Expression, Symbol
from ..reading.latex import NotClosedFormError, ReadError, to_latex
from ..reading.problem.differential_equation import (
    DifferentialEquation,
    StatedSolution,
    read_differential_equation,
    solutions,
)
from ..verdict import Status, Verdict
from .agreement.branches import unless_inverted
from .answers import (
    AnswerKeywords,
    AnswerOptions,
    NeedsWorkerError,
    find_answer,
    require_worker,
    stated_text,
    verify_in_worker,
)
from .options import with_option
from .values import (
    HALVES,
    PRINCIPAL,
    agreement_on_curve,
    check_variable,
    half_line,
    proved_value,
    same_function,
)

#: Independent variables that an answer may use where the question names none.
_VARIABLES: Final = ({"x"}, {"t"}, {"s"})
_SIGNED_FUNCTION: Final = "not shown where the function has the sign that is assumed"
#: Nodes of a residual: those of textbooks have up to 400.
_LARGEST = 12_000
#: Constant solutions that are looked for, beside the parameters.
_CONSTANT_SOLUTIONS: Final[tuple[Expression, ...]] = (*map(number, (0, 1, -1, 2, -2, 3, -3)),)


def verify_differential_equation(
    completion: str,
    problem: str,
    *,
    assumptions: Mapping[str, str] | None = None,
    **options: Unpack[AnswerKeywords],
) -> Verdict:
    r"""Verify that the final answer of a completion solves a differential equation.

    Args:
        completion: the model's output.
        problem: the equations and conditions in LaTeX (``y'' + y = 0, y(0) = 1, y'(0) = 0``).
        assumptions: assumptions on parameters, as in `verify_antiderivative`. By default,
            parameters are positive.
        options: ``strict``, ``stop``, ``truncated``, ``accept``, ``undecided_reward`` and
            ``deadline``, as for `verify_antiderivative`.

    Returns:
        A `Verdict`. ``evidence.proof`` is ``identity`` or ``agreement``. The flag
        ``uniqueness_not_shown`` means that another solution may satisfy the conditions. The flag
        ``redundant_constants`` means that the answer has more constants than it needs.

    Raises:
        ProblemError: the question is unreadable, or is not a determined system in one variable.

    Example:
        >>> verdict = verify_differential_equation(r"$\boxed{y = Ce^{x^2}}$", "y' = 2xy")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'identity')

    """
    chosen = AnswerOptions(assumptions=assumptions, **options)
    completion = with_option(completion, problem, chosen)
    prepared = _prepared(problem, assumption_items(assumptions))
    answer = find_answer(completion, chosen, symbols=prepared.names)
    if answer.text is None:
        return answer.verdict(answer.status or Status.NO_ANSWER)
    answer.text = stated_text(answer)
    try:
        outcome = _judged(problem, assumption_items(assumptions), answer.text)
        if outcome.status is Status.INCORRECT and prepared.question.may_determine_parameters:
            detail = "the conditions may determine a parameter"
            outcome = replace(outcome, status=Status.UNDECIDED, detail=detail)
    except NeedsWorkerError:
        return verify_in_worker("differential_equation", problem, answer)
    return answer.verdict(outcome.status, outcome)


@lru_cache(maxsize=4096)  # a group of rollouts often has the same answer many times
def _judged(problem: str, assumptions: tuple[tuple[str, str], ...], text: str) -> Outcome:
    return _prepared(problem, assumptions).judge(text)


@lru_cache(maxsize=4096)
def _prepared(problem: str, assumptions: tuple[tuple[str, str], ...]) -> _Judge:
    return _Judge(read_differential_equation(problem), dict(assumptions))


class _Judge:
    def __init__(self, question: DifferentialEquation, assumptions: Mapping[str, str]) -> None:
        self.question = question
        self.names = tuple(sorted(question.names))
        self.assumptions = {**dict(question.assumptions), **assumptions}
        check_variable(question.variable, self.assumptions)

    def judge(self, text: str) -> Outcome:
        """Judge whether all solutions that an answer states are right and general."""
        question = self.question
        try:
            stated = solutions(text, question)
        except ReadError as error:
            closed = isinstance(error, NotClosedFormError)
            status = Status.NOT_CLOSED_FORM if closed else Status.UNPARSEABLE
            return Outcome(status, detail=str(error))
        # Symbols other than constants of integration are errors, except an independent variable
        # without a name in the question.
        families: list[Family] = []
        for solution in stated:
            family = Family(question, solution, self.assumptions)
            if {*family.strangers} in _VARIABLES and question.is_variable_implied:
                (variable,) = family.strangers
                renamed_question = replace(question, variable=variable, is_variable_implied=False)
                return _Judge(renamed_question, self.assumptions).judge(text)
            if family.strangers:
                names = ", ".join(family.strangers)
                return Outcome(Status.INCORRECT, detail=f"symbols that are no constants: {names}")
            families.append(family)
        # Every family has to solve the equation before the number of constants matters.
        budget = Budget()
        outcomes: list[Outcome] = []
        try:
            for family in families:
                outcomes += family.outcomes(text, budget)
                if outcomes[-1].status is not Status.CORRECT:
                    return outcomes[-1]
            outcomes.append(self._general(families))
            if question.asks_all and outcomes[-1].status is Status.CORRECT:
                outcomes.append(self._complete(families))
        except (UnusableError, ValueError) as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        return joined(outcomes)

    def _general(self, families: Sequence[Family]) -> Outcome:
        """Judge whether a solution has as many independent constants as the question requires."""
        question = self.question
        needed = 0 if question.asks_one else max(question.order - len(question.conditions), 0)
        # Without free constants, the conditions should determine the solution.
        if not needed:
            if question.conditions and not all(family.is_unique() for family in families):
                if any(family.has_multiples() for family in families):
                    return Outcome(Status.INCORRECT, detail="so does every multiple of it")
                if all(family.is_zero for family in families):
                    detail = "zero solves it; that nothing else does is not shown"
                    return Outcome(Status.UNDECIDED, detail=detail)
                return Outcome(Status.CORRECT, proof="identity", flags=("uniqueness_not_shown",))
            return Outcome(Status.CORRECT, proof="identity")
        # Too few constants cannot be general. Enough constants may still depend on each other.
        count = max(len(family.constants) for family in families)
        if count < needed:
            detail = f"constants of integration: {count}, of a general solution: {needed}"
            return Outcome(Status.INCORRECT, detail=detail)
        general = next((family for family in families if family.has_rank(needed)), None)
        if general is not None:
            flags = ("redundant_constants",) if len(general.constants) > needed else ()
            return Outcome(Status.CORRECT, proof="identity", flags=flags)
        if all(family.is_dependent(needed) for family in families):
            detail = f"its constants are not independent: {needed} are needed"
            return Outcome(Status.INCORRECT, detail=detail)
        detail = f"that its constants vary in {needed} independent ways is not shown"
        return Outcome(Status.UNDECIDED, detail=detail)

    def _complete(self, families: Sequence[Family]) -> Outcome:
        """Return undecided if an answer lacks a constant solution of the equation."""
        question = self.question
        if question.order != 1 or question.conditions:
            return Outcome(Status.CORRECT, proof="identity")
        parameters = question.names - {question.variable, *question.functions}
        for value in (*_CONSTANT_SOLUTIONS, *map(Symbol, sorted(parameters))):
            solution = StatedSolution({question.functions[0]: value})
            constant = Family(question, solution, self.assumptions)
            solves = all(equality(a, b) is not None for a, b in constant.substituted())
            if solves and not any(family.contains(value) for family in families):
                name = to_latex(value)
                detail = f"all solutions are asked for; the constant {name} is not among them"
                return Outcome(Status.UNDECIDED, detail=detail)
        return Outcome(Status.CORRECT, proof="identity")


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
            if outcome.witness is not None:
                # A solution is a function on an interval; elsewhere radicals may change their sign.
                retry = self._same(lhs, rhs, text, budget, DecisionPolicy())
                on_part = retry.status is Status.CORRECT and retry.coverage
                holds = on_part and self._holds(lhs, rhs)
                outcome = retry if holds else unless_inverted(outcome, lhs, rhs)
            relation = self._relation if outcome.status is not Status.CORRECT else None
            if relation is not None and vanishes_on(add(lhs, neg(rhs)), relation):
                outcome = Outcome(Status.CORRECT, proof="identity")
            elif relation is not None and outcome.status is Status.INCORRECT:
                # Unless all constants are eliminated, the sides are equal on the curve only.
                left_over = (symbols_of(lhs) | symbols_of(rhs)) & {*self.constants}
                if left_over or not self.constants:
                    curve = relation, self.question.variable, self.question.functions[0]
                    outcome = agreement_on_curve(lhs, rhs, curve, self.assumptions)
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
    ) -> Outcome:
        require_worker(needs_worker(lhs) or needs_worker(rhs))
        names = symbols_of(lhs) | symbols_of(rhs)
        if not names:
            return proved_value(lhs, rhs)
        lhs, rhs = sorted((lhs, rhs), key=size)  # the larger side has the smaller domain
        x = self.question.variable if self.question.variable in names else sorted(names)[0]
        assumed = self.assumptions
        if self._relation is not None and policy is not PRINCIPAL:  # ln y has y > 0, on a part
            assumed = {**assumed, self.question.functions[0]: "positive"}
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
