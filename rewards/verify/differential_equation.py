r"""Verify solutions of differential equations by substitution; no reference answer is needed.

The equations hold when the solution and its derivatives are put into them (*residual*), initial and
boundary values are met (*conditions*), and constants vary in as many directions as order and
conditions leave, which the rank of a Jacobian in balls shows (*generality*).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from ..arguments import ACCEPTANCES, Acceptance, check_choice
from ..numeric.ball_arithmetic.balls import UnusableError
from ..numeric.ball_arithmetic.jets import Ball
from ..numeric.outcome import Budget, DecisionPolicy, Outcome
from ..numeric.sampling.integrand import Integrand, assumption_items
from ..proof.curves import vanishes_on
from ..proof.ranks import ball_of, has_rank, is_invertible
from ..reading.expression.build import ZERO, add, div, mul, neg, number
from ..reading.expression.derivative import differentiate
from ..reading.expression.traversal import needs_worker, size, substitute, symbols_of
from ..reading.expression.tree import Expression, Symbol
from ..reading.latex import NotClosedFormError, ReadError, to_latex
from ..reading.problem.differential_equation import (
    DifferentialEquation,
    Solution,
    read_differential_equation,
    solutions,
)
from ..verdict import Status, Verdict
from ..workers.deadline import Deadline
from ..workers.pool import DEFAULT_DEADLINE
from .answers import (
    NeedsWorkerError,
    find_answer,
    require_worker,
    stated_text,
    verify_in_worker,
)
from .decision.decide import decide
from .values import compare_values, equality

_POLICY: Final = DecisionPolicy(strict_domain=True)
#: Names of constants of integration. Letters of functions and variables are none, so that
#: ``y = f`` and ``y = y_h`` state nothing.
_CONSTANT: Final = re.compile(
    r"(?:[A-EKMNPQRa-dkmnpqrs]|alpha|beta|gamma|delta|lambda|mu|phi|varphi|theta)(?:_\w+)?"
)
#: Nodes of a residual: those of textbooks have up to 400.
_LARGEST = 12_000
#: Constant solutions that are looked for, beside the parameters.
_CONSTANT_SOLUTIONS: Final = (0, 1, -1, 2, -2, 3, -3)


def verify_differential_equation(
    completion: str,
    problem: str,
    *,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    accept: Acceptance = "agreement",
    undecided_reward: float = 0.0,
    deadline: float | Deadline = DEFAULT_DEADLINE,
) -> Verdict:
    r"""Verify that the final answer of a completion solves a differential equation.

    Args:
        completion: the model's output.
        problem: the equation or a system in LaTeX, with initial or boundary conditions, as in
            ``y'' + y = 0, y(0) = 1, y'(0) = 0``.
        assumptions: kinds of parameters, as in `verify_antiderivative`; positive by default.
        strict: require a box.
        stop: the prompt's stop strings. Text after the first of them is ignored.
        truncated: the completion was cut off by the token limit.
        accept: ``proof`` accepts only where the residual is proved zero.
        undecided_reward: the reward of an undecided answer.
        deadline: seconds of processor time, for an item that has to run in a worker.

    Returns:
        A `Verdict`. ``evidence.proof`` is ``identity`` or ``agreement``; the flags name what is not
        shown: ``uniqueness_not_shown``, ``redundant_constants``.

    Raises:
        ProblemError: the question is unreadable, or no determined system for functions of one
            variable.

    Example:
        >>> verdict = verify_differential_equation(r"$\boxed{y = Ce^{x^2}}$", "y' = 2xy")
        >>> verdict.correct, verdict.evidence.proof
        (True, 'identity')

    """
    check_choice("accept", accept, ACCEPTANCES)
    asked = _prepared(problem, assumption_items(assumptions))
    answer = find_answer(
        completion, strict=strict, stop=stop, truncated=truncated, symbols=asked.names
    )
    if answer.text is None:
        return answer.verdict(answer.status or Status.NO_ANSWER)
    answer.text = stated_text(answer, completion, strict, stop, truncated)
    try:
        outcome = asked.judge(answer.text)
    except NeedsWorkerError:
        return verify_in_worker(
            "differential_equation",
            completion,
            problem,
            answer,
            deadline=deadline,
            assumptions=assumptions,
            strict=strict,
            stop=stop,
            truncated=truncated,
            accept=accept,
            undecided_reward=undecided_reward,
        )
    return answer.verdict(outcome.status, outcome, accept=accept, undecided_reward=undecided_reward)


@lru_cache(maxsize=4096)
def _prepared(problem: str, assumptions: tuple[tuple[str, str], ...]) -> _Judge:
    return _Judge(read_differential_equation(problem), dict(assumptions))


class _Judge:
    """Judges answers to one question."""

    def __init__(self, asked: DifferentialEquation, assumptions: Mapping[str, str]) -> None:
        self.asked = asked
        self.names = tuple(sorted(asked.names))
        self.kinds = {**dict(asked.kinds), **assumptions}

    def judge(self, text: str) -> Outcome:
        """Whether all solutions that an answer states are solutions, and general enough."""
        asked = self.asked
        try:
            stated = solutions(text, asked)
        except ReadError as error:
            closed = isinstance(error, NotClosedFormError)
            status = Status.NOT_CLOSED_FORM if closed else Status.UNPARSEABLE
            return Outcome(status, detail=str(error))
        families: list[_Family] = []
        for solution in stated:
            family = _Family(asked, solution, self.kinds)
            if family.strangers:
                names = ", ".join(family.strangers)
                return Outcome(Status.INCORRECT, detail=f"symbols that are no constants: {names}")
            families.append(family)
        budget = Budget()
        outcomes: list[Outcome] = []
        try:
            for family in families:
                outcomes += family.outcomes(text, budget)
                if outcomes[-1].status is not Status.CORRECT:
                    return outcomes[-1]
            outcomes.append(self._general(families))
            if asked.asks_all and outcomes[-1].status is Status.CORRECT:
                outcomes.append(self._complete(families))
        except (UnusableError, ValueError) as error:
            return Outcome(Status.UNDECIDED, detail=str(error))
        return _joined(outcomes)

    def _general(self, families: Sequence[_Family]) -> Outcome:
        """Whether one family has as many independent constants as the question leaves free."""
        asked = self.asked
        needed = 0 if asked.asks_one else max(asked.order - len(asked.conditions), 0)
        flags: list[str] = []
        if not needed:
            if asked.conditions and not all(family.is_unique() for family in families):
                flags.append("uniqueness_not_shown")
                if any(family.has_multiples() for family in families):
                    return Outcome(Status.INCORRECT, detail="so does every multiple of it")
                if all(family.is_zero for family in families):
                    detail = "zero solves it; that nothing else does is not shown"
                    return Outcome(Status.UNDECIDED, detail=detail)
            return Outcome(Status.CORRECT, proof="identity", flags=tuple(flags))
        most = max(len(family.constants) for family in families)
        if most < needed:
            detail = f"constants of integration: {most}, of a general solution: {needed}"
            return Outcome(Status.INCORRECT, detail=detail)
        general = next((family for family in families if family.has_rank(needed)), None)
        if general is not None:
            if len(general.constants) > needed:
                flags.append("redundant_constants")
            return Outcome(Status.CORRECT, proof="identity", flags=tuple(flags))
        if all(family.is_dependent(needed) for family in families):
            detail = f"its constants are not independent: {needed} are needed"
            return Outcome(Status.INCORRECT, detail=detail)
        detail = f"that its constants vary in {needed} independent ways is not shown"
        return Outcome(Status.UNDECIDED, detail=detail)

    def _complete(self, families: Sequence[_Family]) -> Outcome:
        """Whether constant solutions are among the families, where all solutions are asked for."""
        asked = self.asked
        if asked.order != 1 or asked.conditions:
            return Outcome(Status.CORRECT, proof="identity")
        parameters = asked.names - {asked.variable, *asked.functions}
        values: list[Expression] = [number(each) for each in _CONSTANT_SOLUTIONS]
        for value in (*values, *map(Symbol, sorted(parameters))):
            constant = _Family(asked, Solution({asked.functions[0]: value}), self.kinds)
            solves = all(
                equality(left, right) is not None for left, right in constant.substituted()
            )
            if solves and not any(family.contains(value) for family in families):
                shown = to_latex(value)
                detail = f"all solutions are asked for; the constant {shown} is not among them"
                return Outcome(Status.UNDECIDED, detail=detail)
        return Outcome(Status.CORRECT, proof="identity")


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome of several: the first that is not correct, else the weakest."""
    wrong = next((each for each in outcomes if each.status is not Status.CORRECT), None)
    if wrong is not None:
        return wrong
    coverages = [each.coverage for each in outcomes if each.coverage is not None]
    agreed = [each for each in outcomes if each.proof != "identity"]
    return replace(
        (agreed or outcomes)[0],
        points=max(each.points for each in outcomes),
        coverage=min(coverages, default=None),
        flags=tuple(dict.fromkeys(flag for each in outcomes for flag in each.flags)),
        rules=tuple(sorted({rule for each in outcomes for rule in each.rules})),
    )


class _Family:
    """A solution with its constants, put into the equations."""

    def __init__(
        self, asked: DifferentialEquation, solution: Solution, kinds: Mapping[str, str]
    ) -> None:
        self.asked, self.solution = asked, solution
        sides = solution.implicit or ()
        used = set().union(*map(symbols_of, (*solution.formulas.values(), *sides)))
        free = used - asked.names
        self.constants = tuple(sorted(name for name in free if _CONSTANT.fullmatch(name)))
        self.strangers = sorted(free - {*self.constants})
        self.strangers += sorted(used & {*asked.functions}) if not sides else []
        self.kinds = {**dict.fromkeys(self.constants, "real"), **kinds}
        self._derivatives: dict[tuple[str, int], Expression] = {}
        self._relation: Expression | None = add(sides[0], neg(sides[1])) if sides else None
        if sides:
            self.kinds[asked.functions[0]] = "real"

    @property
    def is_zero(self) -> bool:
        """Whether it is the zero solution."""
        return all(tree == ZERO for tree in self.solution.formulas.values())

    def derivative(self, function: str, order: int) -> Expression:
        """A derivative of the solution; of an implicit one in its variable and its function."""
        key = function, order
        if key not in self._derivatives:
            x = self.asked.variable
            if order == 0:
                self._derivatives[key] = self.solution.formulas.get(function, Symbol(function))
            elif self._relation is None:
                self._derivatives[key] = differentiate(self.derivative(function, order - 1), x)
            else:
                slope = self._slope(function)
                before = self.derivative(function, order - 1)
                along = mul(differentiate(before, function), slope)
                made = slope if order == 1 else add(differentiate(before, x), along)
                self._derivatives[key] = made
            if size(self._derivatives[key]) > _LARGEST:
                raise UnusableError("the derivatives of the answer are too large")
        return self._derivatives[key]

    def _slope(self, function: str) -> Expression:
        assert self._relation is not None
        below = differentiate(self._relation, function)
        if below == ZERO:
            raise UnusableError(f"the relation says nothing of {function}")
        return neg(div(differentiate(self._relation, self.asked.variable), below))

    def put(self, tree: Expression) -> Expression:
        """A side of an equation or a condition with the solution in it."""
        for name, jet in self.asked.jets.items():
            if name in symbols_of(tree):
                value = self.derivative(jet.function, jet.order)
                for at in jet.at:
                    value = substitute(value, self.asked.variable, at)
                tree = substitute(tree, name, value)
        for function, formula in self.solution.formulas.items():
            if function in symbols_of(tree):
                tree = substitute(tree, function, formula)
        return self._without_constant(tree)

    def _without_constant(self, tree: Expression) -> Expression:
        """Of an implicit solution whose relation is linear in its constant: without that."""
        if self._relation is None:
            return tree
        for name in self.constants:
            if name in symbols_of(tree):
                factor = differentiate(self._relation, name)
                if factor == ZERO or name in symbols_of(factor):
                    continue
                value = neg(div(substitute(self._relation, name, ZERO), factor))
                tree = substitute(tree, name, value)
        return tree

    def substituted(self) -> Iterator[tuple[Expression, Expression]]:
        """The sides of each equation, arranged as the highest derivatives and all other terms."""
        asked = self.asked
        for left, right in asked.equations:
            terms = [*_addends(left), *map(neg, _addends(right))]
            tops = {
                name
                for name, jet in asked.jets.items()
                if not jet.at and jet.order == asked.orders[jet.function]
            }
            high = [term for term in terms if not tops.isdisjoint(symbols_of(term))]
            others = [neg(term) for term in terms if tops.isdisjoint(symbols_of(term))]
            pair = self.put(add(*high)), self.put(add(*others) if others else ZERO)
            if max(map(size, pair)) > _LARGEST:
                raise UnusableError("the equation with the answer in it is too large")
            yield pair

    def outcomes(self, text: str, budget: Budget) -> Iterator[Outcome]:
        """The outcomes for each equation and each condition, up to the first that fails."""
        for left, right in self.substituted():
            outcome = self._same(left, right, text, budget)
            if outcome.status is Status.INCORRECT and outcome.witness is not None:
                # A solution is a function on an interval; elsewhere radicals may change their sign.
                other = self._same(left, right, text, budget, DecisionPolicy())
                if other.status is Status.CORRECT and other.coverage and self._holds(left, right):
                    outcome = other
            relation = self._relation if outcome.status is not Status.CORRECT else None
            if relation is not None and vanishes_on(add(left, neg(right)), relation):
                outcome = Outcome(Status.CORRECT, proof="identity")
            yield outcome
        for left, right in self.asked.conditions:
            if self._relation is not None:
                yield self._passes(left, right)
                continue
            outcome = self._same(self.put(left), self.put(right), text, budget)
            if outcome.status is Status.INCORRECT:
                outcome = replace(
                    outcome, detail=f"a condition is not met {outcome.detail}".strip()
                )
            yield outcome

    def _holds(self, left: Expression, right: Expression) -> bool:
        """Whether two sides agree beside each place at which a condition is stated."""
        jets, x = self.asked.jets, self.asked.variable
        named = {
            name for pair in self.asked.conditions for side in pair for name in symbols_of(side)
        }
        places = {jets[name].at[0] for name in named & {*jets}}
        difference = add(left, neg(right))
        beside = (add(place, number(Fraction(sign, 2**20))) for place in places for sign in (1, -1))
        balls = [ball_of(substitute(difference, x, place)) for place in beside]
        near = [ball is not None and abs(ball) < 1e-20 for ball in balls]
        return all(any(near[at : at + 2]) for at in range(0, len(near), 2))

    def _same(
        self,
        left: Expression,
        right: Expression,
        text: str,
        budget: Budget,
        policy: DecisionPolicy = _POLICY,
    ) -> Outcome:
        """Whether two sides are the same function."""
        require_worker(needs_worker(left) or needs_worker(right))
        names = symbols_of(left) | symbols_of(right)
        if not names:
            outcome = compare_values(left, right)
            proof = equality(left, right) if outcome.status is Status.CORRECT else None
            kind, rules = ("identity", proof.rules) if proof else ("agreement", ())
            return replace(outcome, proof=kind, rules=rules)
        if size(left) > size(right):  # the larger side has the smaller domain
            left, right = right, left
        x = self.asked.variable if self.asked.variable in names else sorted(names)[0]
        kinds = self.kinds
        if self._relation is not None and policy is not _POLICY:  # ln y has y > 0, on a part
            kinds = {**kinds, self.asked.functions[0]: "positive"}
        integrand = Integrand(right, x, kinds, f"{right}", names=names)
        return decide(left, integrand, policy, text, order=0, budget=budget, as_identity=True)

    def _passes(self, left: Expression, right: Expression) -> Outcome:
        """Whether an implicit solution passes through a point that a condition names."""
        jet = self.asked.jets.get(left.name) if isinstance(left, Symbol) else None
        if jet is None or jet.order or self._relation is None:
            detail = "a condition on a derivative of an implicit solution"
            return Outcome(Status.UNDECIDED, detail=detail)
        at = substitute(self._relation, jet.function, right)
        value = substitute(at, self.asked.variable, jet.at[0])
        if equality(value, ZERO):
            return Outcome(Status.CORRECT, proof="identity")
        if symbols_of(value):
            return Outcome(Status.UNDECIDED, detail="a condition with parameters")
        return replace(compare_values(value, ZERO), proof="agreement")

    def has_multiples(self) -> bool:
        """Whether all multiples of a solution without constants solve everything as well."""
        if self.constants or self.is_zero or self._relation is not None:
            return False
        scale = Symbol("scale of a solution")
        formulas = {name: mul(scale, tree) for name, tree in self.solution.formulas.items()}
        family = _Family(self.asked, Solution(formulas), self.kinds)
        pairs = [
            *family.substituted(),
            *((family.put(left), family.put(right)) for left, right in self.asked.conditions),
        ]
        return all(equality(left, right) is not None for left, right in pairs)

    def _rows(self) -> list[list[Expression]]:
        """The derivatives of the solution's values, a row each, by its constants."""
        if self._relation is not None:
            return [[differentiate(self._relation, name) for name in self.constants]]
        jets = [
            self.derivative(function, order)
            for function, highest in self.asked.orders.items()
            for order in range(highest)
        ]
        return [[differentiate(jet, name) for name in self.constants] for jet in jets]

    def has_rank(self, needed: int) -> bool:
        """Whether the rank of the Jacobian is shown to be as high at some point."""
        enough = len(self.constants) >= needed and (self._relation is None or needed == 1)
        return enough and has_rank(self._rows(), needed)

    def is_dependent(self, needed: int) -> bool:
        """Whether the rank is proved to be lower everywhere; tried for up to two constants."""
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
        """Whether a constant function is a member, for small values of the constants."""
        trees = [*self.solution.formulas.values()]
        if self._relation is not None:
            trees = [substitute(self._relation, self.asked.functions[0], value)]
            value = ZERO
        for chosen in (0, 1, -1):
            tree = trees[0]
            for name in self.constants:
                tree = substitute(tree, name, number(chosen))
            if tree == value or equality(tree, value) is not None:
                return True
        return False

    def is_unique(self) -> bool:
        """Whether the conditions are initial ones at a point where the equations are regular.

        There the highest derivatives are smooth functions of the lower ones, so that no other
        solution has the same values (Picard and Lindelöf, with the implicit function theorem).
        """
        asked, jets = self.asked, self.asked.jets
        left_sides = [left.name for left, _ in asked.conditions if isinstance(left, Symbol)]
        named = [jets[name] for name in left_sides if name in jets]
        wanted = {(name, k) for name, order in asked.orders.items() for k in range(order)}
        places = {jet.at for jet in named}
        if {(jet.function, jet.order) for jet in named} != wanted or len(places) != 1:
            return False
        (place,) = places
        own = [name for name, jet in jets.items() if not jet.at]
        highest = [name for name in own if jets[name].order == asked.orders[jets[name].function]]
        lower = [name for name in own if name not in highest]
        rows: list[list[Ball]] = []
        try:
            for left, right in asked.equations:
                residual = add(left, neg(right))
                by = (*highest, *asked.functions, *lower)
                slopes = (self.put(differentiate(residual, name)) for name in by)
                balls = [ball_of(substitute(slope, asked.variable, place[0])) for slope in slopes]
                rows.append([ball for ball in balls if ball is not None][: len(highest)])
                if None in balls:
                    return False
        except (ValueError, UnusableError):
            return False
        return len(rows) == len(highest) and is_invertible(rows)


def _addends(tree: Expression) -> list[Expression]:
    if tree.function == "add":
        return [term for arg in tree.args for term in _addends(arg)]
    if tree.function == "neg":
        return [neg(term) for term in _addends(tree.args[0])]
    return [tree]
