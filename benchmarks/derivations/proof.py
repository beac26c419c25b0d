r"""Proofs of right steps of a derivation, and of wrong equations.

The equations of a derivation have functions without a formula, derivatives and integrals. An
`Interpretation` translates equations into the verifier's trees: functions are replaced by formulas,
derivatives are evaluated (by `rewards.reading.expression`, not by the generator's own rules), and
an integral becomes a symbol with a given derivative. Two expressions are equal if the values in
ball arithmetic agree to `POINT_BITS` at each of `POINTS` random complex points, and different if
the balls are disjoint at a point; otherwise equality is undecided. Random complex points almost
surely avoid branch cuts, and analytic functions with equal values at such points are equal on their
domain.

Each step is computed again from its annotation and the previous equations, and both sides must
equal the result in two interpretations. In the first interpretation, functions have the formulas of
their premises, and the equation itself must hold. In the second, functions are generic, so that
``f`` differs from its formula. A substitution uses an equation, and is tested in the first
interpretation only.

Integrals: ∫ g dx denotes one antiderivative of g, the same for equal g, and is linear.
``evaluate_integrals`` replaces the integral by F + C: F' = g is proven, and from then on ∫ g dx is
F + C. If the same integral is evaluated again, as G + D, then D = C + F - G. A later step that
treats C and D as independent (by differentiating with respect to C) is therefore wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product
from typing import Any

from flint import acb

from ...rewards.numeric.ball_arithmetic.balls import UnusableError, precision
from ...rewards.numeric.ball_arithmetic.compare import compare
from ...rewards.numeric.ball_arithmetic.compiler import compile_tape
from ...rewards.numeric.ball_arithmetic.domain import uniform
from ...rewards.numeric.ball_arithmetic.jets import ZERO, Ball
from ...rewards.reading.expression import build as trees
from ...rewards.reading.expression.derivative import differentiate
from ...rewards.reading.expression.traversal import nodes_of, substitute, symbols_of
from ...rewards.reading.expression.tree import Call, Expression, Number, Symbol
from .expressions.printing import plain
from .expressions.terms import UNARY, is_applied, name_of
from .steps import (
    CALCULUS,
    DIFFERENTIATE,
    INTEGRATE,
    PREMISES,
    SUBSTITUTIONS,
    Annotation,
    Constant,
    DerivationEquation,
    Step,
)

POINTS = 3
BITS = 160
#: The largest tree that is decided, which bounds the work for a step.
MAX_NODES = 4000


class UndecidedError(ValueError):
    """Neither proven nor refuted."""


class RefutedError(ValueError):
    """A step is proven not to follow."""


# --- equality ---


def equal(expression: Expression, second: Expression) -> bool:
    """Whether two expressions are the same function.

    Raises:
        UndecidedError: no finite values, or values without enough precision.

    """
    if expression == second:
        return True
    values, second_values = _values(expression), _values(second)
    for a, b in zip(values, second_values, strict=True):
        agreement = compare(a, b)
        if agreement.same is False:
            return False
        if agreement.same is None:
            raise UndecidedError("no finite value at a point, or too little precision")
    return True


def _is_sum(total: Expression, addends: Sequence[Expression], signs: Sequence[int]) -> bool:
    """Whether an expression is the sum of ``addends`` with given signs."""
    values = [_values(addend) for addend in addends]
    with precision(BITS):
        gaps = [
            value - sum((sign * v[i] for sign, v in zip(signs, values, strict=True)), acb(0))
            for i, value in enumerate(_values(total))
        ]
    return all(map(_is_zero, gaps))


def _is_zero(value: Ball) -> bool:
    return compare(value, ZERO).same is True


def _vanishes(expression: Expression) -> bool:
    """Whether an expression is zero everywhere."""
    return expression == trees.ZERO or all(map(_is_zero, _values(expression)))


@lru_cache(maxsize=4096)
def _values(expression: Expression) -> tuple[Any, ...]:
    """The values of an expression at the random points, as balls."""
    if _is_large(expression):
        raise UndecidedError("an expression too large")
    try:
        tape = compile_tape(expression, _NO_VARIABLE)
    except UnusableError as error:
        raise UndecidedError(str(error)) from None
    with precision(BITS):
        return tuple(
            tape.run(acb(0), {name: _point(name, i) for name in tape.symbols}, derivative=False)[
                tape.root
            ][0]
            for i in range(POINTS)
        )


_NO_VARIABLE = "\0"


@lru_cache(maxsize=4096)
def _point(name: str, index: int) -> Any:
    return acb(0.4 + uniform(name, index, "re"), 0.1 + 0.7 * uniform(name, index, "im"))


def _is_large(expression: Expression) -> bool:
    return (
        sum(1 for _, node in zip(range(MAX_NODES + 1), nodes_of(expression), strict=False))
        > MAX_NODES
    )


# --- interpretations ---


@dataclass(slots=True)
class _Integral:
    """The symbol for an integral, and the integral's value after the evaluation."""

    integrand: Expression
    variable: str
    symbol: Symbol
    value: Expression | None = None


@dataclass(slots=True)
class Interpretation:
    """The values of the functions, integrals and constants of a derivation."""

    functions: dict[tuple[str, int], tuple[tuple[str, ...], Expression]] = field(
        default_factory=dict
    )
    constants: dict[str, Expression] = field(default_factory=dict)
    integrals: list[_Integral] = field(default_factory=list)
    any_functions: bool = False
    _defined_names: set[tuple[str, int]] = field(default_factory=set)
    _lowered: dict[Expression, Expression] = field(default_factory=dict)

    def define(self, equation: DerivationEquation) -> None:
        """Add a premise, which defines the new function on one side by the other side."""
        name, args, formula = self._defined(equation)
        self._defined_names.add((name, len(args)))
        if not self.any_functions:
            self.functions[name, len(args)] = args, self.lower(formula)

    def _defined(self, equation: DerivationEquation) -> tuple[str, tuple[str, ...], Expression]:
        """The new function's name, arguments and formula."""
        for side, formula in ((equation.left, equation.right), (equation.right, equation.left)):
            args = tuple(arg.name for arg in side.args if isinstance(arg, Symbol))
            is_definition = is_applied(side) and len(set(args)) == len(side.args)
            if is_definition and (side.function, len(args)) not in self._defined_names:
                return side.function, args, formula
        raise RefutedError("a premise must define a new function of symbols")

    def lower(self, term: Expression) -> Expression:
        """The verifier's tree of an expression."""
        tree = self._lowered.get(term)
        if tree is None:
            tree = self._lowered[term] = self._lower(term)
        return tree

    def _lower(self, term: Expression) -> Expression:
        if isinstance(term, Symbol):
            return self.constants.get(term.name, term)
        if not term.args:
            return term
        if term.function in ("derivative", "integral"):
            rule = self.derivative if term.function == "derivative" else self.integral
            inner = self.lower(term.args[0])
            for variable in term.args[1:]:
                inner = rule(inner, name_of(variable))
            return inner
        args = tuple(map(self.lower, term.args))
        return self._applied(term.function, args) if is_applied(term) else Call(term.function, args)

    def _applied(self, name: str, args: tuple[Expression, ...]) -> Expression:
        if self.any_functions:
            names, body = _any_function(name, len(args))
        elif (name, len(args)) in self.functions:
            names, body = self.functions[name, len(args)]
        else:
            raise RefutedError(f"{name} is not defined")
        simultaneous = [f"\0{index}" for index in range(len(args))]
        for old, new in zip(names, simultaneous, strict=True):
            body = substitute(body, old, Symbol(new))
        for old, arg in zip(simultaneous, args, strict=True):
            body = substitute(body, old, arg)
        return body

    def derivative(self, expression: Expression, x: str) -> Expression:
        """The derivative with respect to a symbol; integrals are functions of the symbol."""
        total = [differentiate(expression, x)]
        used = symbols_of(expression)
        for integral in tuple(self.integrals):
            if integral.symbol.name in used:
                outer = differentiate(expression, integral.symbol.name)
                total.append(trees.mul(outer, self._derivative_of_integral(integral, x)))
        return trees.add(*total)

    def _derivative_of_integral(self, integral: _Integral, x: str) -> Expression:
        if integral.variable == x:
            return integral.integrand
        inner = self.derivative(integral.integrand, x)
        return trees.ZERO if inner == trees.ZERO else self.integral(inner, integral.variable)

    def integral(self, integrand: Expression, x: str) -> Expression:
        """∫ integrand dx in terms of known integrals, or a new symbol."""
        if _vanishes(integrand):
            return trees.ZERO
        # Equal and proportional integrands share a symbol, as ∫ is linear; only a new integrand
        # gets a new symbol.
        for integral in self.integrals:
            if integral.variable == x:
                if equal(integral.integrand, integrand):
                    return integral.value or integral.symbol
                if self._proportional(integrand, integral.integrand, x):
                    return Call(
                        "mul",
                        (
                            Call("div", (integrand, integral.integrand)),
                            integral.value or integral.symbol,
                        ),
                    )
        # A sum of known integrands is the sum of known integrals.
        combined = self._combined(integrand, x)
        if combined is not None:
            return combined
        new_integral = _Integral(integrand, x, Symbol(f"\0I{len(self.integrals)}"))
        self.integrals.append(new_integral)
        return new_integral.symbol

    def _proportional(self, expression: Expression, second: Expression, x: str) -> bool:
        """Whether the ratio of two integrands does not depend on x."""
        cross_product = trees.mul(self.derivative(expression, x), second)
        return equal(cross_product, trees.mul(expression, self.derivative(second, x)))

    def _combined(self, integrand: Expression, x: str) -> Expression | None:
        """The integral as a signed sum of two or three known integrals; None without such a sum."""
        candidates = [integral for integral in self.integrals if integral.variable == x]
        for size in (2, 3):
            for chosen in combinations(candidates, size):
                for signs in product((1, -1), repeat=size):
                    if _is_sum(integrand, [integral.integrand for integral in chosen], signs):
                        values = (integral.value or integral.symbol for integral in chosen)
                        return trees.add(
                            *(
                                trees.mul(Number(sign), value)
                                for sign, value in zip(signs, values, strict=True)
                            )
                        )
        return None

    def evaluate(self, constant: Constant) -> None:
        """Set the value of an integral to F + C, if F' is proven to be the integrand.

        Raises:
            RefutedError: F' is not the integrand.
            UndecidedError: equality is undecided, or the integral is a double integral.

        """
        inner, variable = constant.integral.args[0], name_of(constant.integral.args[1])
        if len(constant.integral.args) > 2:
            raise UndecidedError("a double integral")
        integrand, closed = self.lower(inner), self.lower(constant.closed)
        if not equal(self.derivative(closed, variable), integrand):
            raise RefutedError(f"not an antiderivative: {plain(constant.closed)}")
        value = self.integral(integrand, variable)
        for integral in self.integrals:
            if value == integral.symbol and integral.value is None:
                self._bind(integral, trees.add(closed, Symbol(constant.letter)))
                return
        self.constants[constant.letter] = trees.add(value, trees.neg(closed))

    def _bind(self, evaluated: _Integral, value: Expression) -> None:
        evaluated.value = value
        name = evaluated.symbol.name
        self.constants = {
            letter: substitute(tree, name, value) for letter, tree in self.constants.items()
        }
        for integral in self.integrals:
            if integral.value is not None and integral is not evaluated:
                integral.value = substitute(integral.value, name, value)
            integral.integrand = substitute(integral.integrand, name, value)
        self.functions = {
            key: (names, substitute(body, name, value))
            for key, (names, body) in self.functions.items()
        }
        self._lowered.clear()

    def require(self, expression: Expression, second: Expression, otherwise: str) -> None:
        """Raise an error unless two expressions are equal: undecided if integrals are unknown."""
        if not equal(expression, second):
            open_ = {integral.symbol.name for integral in self.integrals if integral.value is None}
            decided = not open_ & (symbols_of(expression) | symbols_of(second))
            raise (RefutedError if decided else UndecidedError)(otherwise)

    def computed(
        self, annotation: Annotation, equations: Sequence[DerivationEquation]
    ) -> tuple[Expression, Expression]:
        """Both sides of the equation that an annotation gives for the previous equations."""
        source = equations[annotation.equations[0] - 1]
        left_side: Expression = self.lower(source.left)
        right_side: Expression = self.lower(source.right)
        operator, operand = annotation.operator, annotation.operand
        if operator in UNARY:
            name = "ln" if operator == "log" else operator
            return Call(name, (left_side,)), Call(name, (right_side,))
        if operand is not None:
            change = self._change(operator, operand)
            return change(left_side), change(right_side)
        return left_side, right_side  # other operators keep the value

    def _change(self, operator: str, operand: Expression) -> Callable[[Expression], Expression]:
        if operator in CALCULUS:
            rule = {DIFFERENTIATE: self.derivative, INTEGRATE: self.integral}[operator]
            return lambda side: rule(side, name_of(operand))
        m = self.lower(operand)
        return lambda side: _ARITHMETIC[operator](side, m)


_ARITHMETIC: dict[str, Callable[[Expression, Expression], Expression]] = {
    "add": lambda a, b: Call("add", (a, b)),
    "minus": lambda a, b: Call("add", (a, Call("neg", (b,)))),
    "times": lambda a, b: Call("mul", (a, b)),
    "divide": lambda a, b: Call("div", (a, b)),
    "power": lambda a, b: Call("pow", (a, b)),
}


@lru_cache(maxsize=4096)
def _any_function(name: str, arity: int) -> tuple[tuple[str, ...], Expression]:
    """A generic function: the sine of a random linear form, plus a random quadratic form."""
    names = tuple(f"\0a{index}" for index in range(arity))

    def some(*key: object) -> Number:
        return Number(1 + int(89 * uniform("function", name, arity, *key)), 60)

    linear = [Call("mul", (some(i), Symbol(x))) for i, x in enumerate(names)]
    squares = [
        Call("mul", (some(i, j), Symbol(x), Symbol(y)))
        for i, x in enumerate(names)
        for j, y in enumerate(names)
        if i <= j
    ]
    wave = Call("sin", (trees.add(*linear, some("shift")),))
    return names, trees.add(wave, *squares, some("constant"))


# --- what is proven ---


def prove_steps(steps: Sequence[Step]) -> None:
    """Prove every step of a derivation.

    Raises:
        RefutedError: a step is wrong.
        UndecidedError: a step is undecided.

    """
    for interpretation in (Interpretation(), Interpretation(any_functions=True)):
        earlier: list[DerivationEquation] = []
        for step in steps:
            _prove_step(step, earlier, interpretation)
            earlier.append(step.equation)


def _prove_step(
    step: Step, earlier: Sequence[DerivationEquation], interpretation: Interpretation
) -> None:
    operator = step.annotation.operator
    try:
        # A premise is a definition, and needs no proof.
        if operator in PREMISES:
            interpretation.define(step.equation)
            return
        for constant in step.constants:
            interpretation.evaluate(constant)
        left_side, right_side = (
            interpretation.lower(step.equation.left),
            interpretation.lower(step.equation.right),
        )
        # With the premises' formulas the equation itself must hold; with generic functions only the
        # step can be judged.
        if not interpretation.any_functions:
            interpretation.require(left_side, right_side, "the two sides differ")
        # A substitution uses an equation that generic functions do not satisfy.
        if operator in SUBSTITUTIONS and interpretation.any_functions:
            return
        expected = interpretation.computed(step.annotation, earlier)
        interpretation.require(left_side, expected[0], "not what the annotation gives")
        interpretation.require(right_side, expected[1], "not what the annotation gives")
    except (OverflowError, RecursionError) as error:
        raise UndecidedError(str(error)) from None


def is_result(equation: DerivationEquation, of: Step, constants: Sequence[Constant] = ()) -> bool:
    """Whether an equation is equivalent to the result of a step, for all functions in it.

    The sides must equal the step's sides in either order. Constants of integration may have other
    names.

    Args:
        equation: the equation.
        of: the step.
        constants: the constants of integration of the equation.

    Raises:
        UndecidedError: equivalence is undecided.

    """
    interpretation = Interpretation(any_functions=True)
    for group in (constants, of.constants):
        for index, constant in enumerate(group):
            interpretation.constants[constant.letter] = Symbol(f"\0C{index}")
    left_side, right_side = (
        interpretation.lower(equation.left),
        interpretation.lower(equation.right),
    )
    own_left, own_right = (
        interpretation.lower(of.equation.left),
        interpretation.lower(of.equation.right),
    )
    straight = equal(left_side, own_left) and equal(right_side, own_right)
    return straight or (equal(left_side, own_right) and equal(right_side, own_left))
