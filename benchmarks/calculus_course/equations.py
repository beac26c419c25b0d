"""Differential equations as trees: printing, and changes of an equation with the solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...rewards.reading.expression.build import add, mul, neg, number
from ...rewards.reading.expression.derivative import differentiate
from ...rewards.reading.expression.traversal import substitute, symbols_of
from ...rewards.reading.expression.tree import Expression, Symbol
from ...rewards.reading.latex import to_latex
from ...rewards.reading.problem.derivatives import Jet
from ...rewards.reading.problem.differential_equation import (
    DifferentialEquation,
    StatedSolution,
    read_differential_equation,
    solutions,
)

Pair = tuple[Expression, Expression]


@dataclass(frozen=True, slots=True)
class Solved:
    """A differential equation with the solutions.

    Attributes:
        ode: the equation as read, with the symbols of the trees.
        equations: the sides of each equation.
        conditions: for each condition the derivative, the place and the value.
        answers: the solutions.

    """

    ode: DifferentialEquation
    equations: tuple[Pair, ...]
    conditions: tuple[tuple[Jet, Expression], ...]
    answers: tuple[StatedSolution, ...]

    @property
    def question(self) -> str:
        """The question in LaTeX."""
        texts = [f"{self._latex(left)} = {self._latex(right)}" for left, right in self.equations]
        for jet, value in self.conditions:
            primes = "'" * jet.order
            texts.append(
                rf"{jet.function}{primes}\left({to_latex(jet.at[0])}\right) = {to_latex(value)}"
            )
        return r",\ ".join(texts)

    @property
    def answer(self) -> str:
        """The solutions in LaTeX."""
        return r"\text{ or }".join(map(self._stated, self.answers))

    def _stated(self, solution: StatedSolution) -> str:
        if solution.implicit is not None:
            left, right = solution.implicit
            return f"{to_latex(left)} = {to_latex(right)}"
        return r",\ ".join(f"{name} = {to_latex(tree)}" for name, tree in solution.formulas.items())

    def _latex(self, tree: Expression) -> str:
        text = to_latex(tree)
        for name, jet in self.ode.jets.items():
            primes = jet.function + "'" * jet.order
            if self.ode.variable != "x":
                primes += f"({to_latex(Symbol(self.ode.variable))})"
            symbol = name.replace("_", "_{") + "}"
            text = text.replace(f"{symbol}^", rf"\left({primes}\right)^").replace(symbol, primes)
        return text

    def changed(
        self,
        change: Callable[[Expression], Expression],
        condition: Callable[[Jet, Expression], tuple[Jet, Expression]],
        answer: Callable[[str, Expression], Expression],
    ) -> Solved:
        """The equation with all trees changed: of equations, conditions and solutions."""
        answers = tuple(
            StatedSolution(
                {name: answer(name, tree) for name, tree in item.formulas.items()},
                item.implicit and (answer("", item.implicit[0]), answer("", item.implicit[1])),
            )
            for item in self.answers
        )
        return Solved(
            self.ode,
            tuple((change(left), change(right)) for left, right in self.equations),
            tuple(condition(*item) for item in self.conditions),
            answers,
        )


def solved(question: str, answer: str) -> Solved | None:
    """The trees of a question and the answer; None for conditions of another form than a value."""
    ode = read_differential_equation(question)
    conditions: list[tuple[Jet, Expression]] = []
    for left, right in ode.conditions:
        jet = ode.jets.get(left.name) if isinstance(left, Symbol) else None
        if jet is None or any(name in symbols_of(right) for name in ode.jets):
            return None
        conditions.append((jet, right))
    return Solved(ode, ode.equations, tuple(conditions), tuple(solutions(answer, ode)))


def with_substitutions(tree: Expression, values: Mapping[str, Expression]) -> Expression:
    """A tree with several symbols replaced at once."""
    held = {name: Symbol(f"held {name}") for name in values}
    for name, symbol in held.items():
        tree = substitute(tree, name, symbol)
    for name, symbol in held.items():
        tree = substitute(tree, symbol.name, values[name])
    return tree


def scaled(problem: Solved, factor: int) -> Solved:
    """The equation of y(kx), whose coefficients change with the orders of derivatives."""
    k, x = number(factor), problem.ode.variable
    inner = mul(k, Symbol(x))
    values: dict[str, Expression] = {x: inner}
    for name, jet in problem.ode.jets.items():
        if not jet.at:
            values[name] = mul(number_power(factor, -jet.order), Symbol(name))

    def condition(jet: Jet, value: Expression) -> tuple[Jet, Expression]:
        at = mul(number_power(factor, -1), jet.at[0])
        return jet._replace(at=(at,)), mul(number_power(factor, jet.order), value)

    return problem.changed(
        lambda tree: with_substitutions(tree, values),
        condition,
        lambda _, tree: substitute(tree, x, inner),
    )


def shifted(problem: Solved, distance: int) -> Solved:
    """The equation of y(x + h)."""
    x = problem.ode.variable
    inner = add(Symbol(x), number(distance))

    def condition(jet: Jet, value: Expression) -> tuple[Jet, Expression]:
        return jet._replace(at=(add(jet.at[0], number(-distance)),)), value

    def change(tree: Expression) -> Expression:
        return substitute(tree, x, inner)

    return problem.changed(change, condition, lambda _, tree: change(tree))


def forced(problem: Solved, term: Expression) -> Solved:
    """The equation of y + p for a polynomial p: another forcing term, of a linear equation."""
    x, functions = problem.ode.variable, problem.ode.functions
    slopes = [term]
    for _ in range(max(problem.ode.orders.values())):
        slopes.append(differentiate(slopes[-1], x))
    values: dict[str, Expression] = {
        name: add(Symbol(name), neg(slopes[jet.order]))
        for name, jet in problem.ode.jets.items()
        if not jet.at
    }
    values |= {name: add(Symbol(name), neg(term)) for name in functions}

    def condition(jet: Jet, value: Expression) -> tuple[Jet, Expression]:
        return jet, add(value, substitute(slopes[jet.order], x, jet.at[0]))

    return problem.changed(
        lambda tree: with_substitutions(tree, values),
        condition,
        lambda name, tree: add(tree, term) if name else with_substitutions(tree, values),
    )


def number_power(base: int, exponent: int) -> Expression:
    """A power of a whole number, as an exact number."""
    power = base ** abs(exponent)
    return number(power if exponent >= 0 else Fraction(1, power))
