r"""Reads questions for a derivative: ``\frac{d}{dx} x^2``, ``f(x) = e^x, f'(0)``.

The function may also be defined implicitly, by an equation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ...errors import ProblemError
from ..expression.build import ZERO, add, div, mul, neg
from ..expression.derivative import differentiate
from ..expression.traversal import substitute, symbols_of
from ..expression.tree import Call, Expression, Symbol
from ..latex import to_latex
from ..latex.tokens.names import GREEK
from ..latex.tokens.roles import IN_PROBLEM
from .conditions import Bounds, bounds_of, conditions_of
from .derivatives import (
    LETTER,
    POWER_MINUS_ONE,
    SYMBOL,
    VALUE_AT,
    Jet,
    Jets,
    arguments_at,
    bounded,
    name_of,
    normal,
    operators,
    read_tree,
)
from .integral import INTEGRAL, IntegralProblem, definite_integral, derivative_of_integral
from .layout import coordinates, pieces_of, relation
from .question.derivative import AT, DERIVATIVE, RESPECT, question_of_derivative
from .question.pieces import has_derivative


@dataclass(frozen=True)
class DerivativeQuestion:
    """A question for a derivative, with the derivative as a formula.

    Attributes:
        derivative: the derivative as a formula. The values in ``point`` are not yet substituted.
        variable: the variable of differentiation. If the question names no variable, this is a
            symbol of the derivative.
        definitions: the formula of each name, such as x^x for y. An answer may use the names.
        curve: the tree G if an equation G(x, y) = 0 defines the function implicitly, else None.
        function: the name of the implicit function. Empty if ``curve`` is None.
        point: the values of variables at the point of evaluation. Empty if the question asks
            for the derivative as a function.
        assumptions: pairs of a parameter's name and an assumption, such as ``integer``.
        bounds: the lower and the upper bound of the variable. An unstated bound is
            None.

    """

    derivative: Expression
    variable: str
    definitions: Mapping[str, Expression]
    curve: Expression | None = None
    function: str = ""
    point: tuple[tuple[str, Expression], ...] = ()
    assumptions: tuple[tuple[str, str], ...] = ()
    bounds: Bounds = (None, None)


_DEFINED: Final = re.compile(rf"(?P<name>{LETTER})\s*(?:\((?P<own>[A-Za-z\\ ,]+)\))?\Z")
_PRIMED: Final = re.compile(
    r"(?<!\\)(?:\b|(?<=[A-Za-z]))([A-Za-z])\s*(?:'|\^\s*\{\s*\(\s*(?:\d+|[ivx]+)\s*\)|_)"
)
#: The name of an integral that an operator is applied to; no question has it.
_OF_INTEGRAL: Final = r"\Phi"
#: The names of the arguments of a function until their values are put in; no text has them.
_PLACEHOLDER: Final = "\ue011"
_PRIMED_LETTER: Final = re.compile(r"(\\[A-Za-z]+|[A-Za-z])\s*('*)")
_SUBSCRIPT: Final = re.compile(r"_\s*(\{\s*[A-Za-z\\ ]+\}|[A-Za-z])")
#: A value of a point is a number: functions, constants and digits.
_IS_NUMBER: Final = re.compile(
    rf"(?:\\(?!(?:{'|'.join(GREEK.keys() - {'pi'})})(?![A-Za-z]))[A-Za-z]+"
    r"|\be\b|ln|sqrt|pi|[^A-Za-z\\])*\Z"
)
_BAR: Final = re.compile(r"\|\s*_\s*(?:\{(?P<point>.*)\}|(?P<short>\w))\s*\Z")


@lru_cache(maxsize=4096)
def read_derivative(text: str, *, written: bool = False) -> DerivativeQuestion:
    r"""Read a question for a derivative.

    Args:
        text: the question, with the function, the variable, and perhaps a point.
        written: whether derivatives remain calls in the formula, also derivatives at points. By
            default, the calls are evaluated (`Jets.written`).

    Returns:
        The derivative as a formula.

    Raises:
        ProblemError: the question is unreadable, or the requested derivative is not clear.

    >>> from calculus_harness.rewards.reading.latex import to_latex
    >>> to_latex(read_derivative(r"\frac{d}{dx} x^3").derivative)
    '3 x^{2}'

    """
    return _QuestionReader(text, written).read()


class _QuestionReader:
    """Sorts the clauses of a question, and builds the derivative from the clauses."""

    def __init__(self, text: str, written: bool) -> None:
        self.text = text
        self.written = written
        self.derivatives: list[str] = []
        self.equations: list[tuple[str, str]] = []
        self.point: dict[str, str] = {}
        self.pair: Sequence[str] = ()
        self.by = ""
        self.letters: set[str] = set()
        self.is_total = False
        self.trees: dict[str, Expression] = {}
        self.own: dict[str, tuple[str, ...]] = {}
        self.integrals: dict[str, IntegralProblem] = {}
        question_clauses, self.conditions = question_of_derivative(text)
        for words, formula in question_clauses:
            self._sort(words, normal(formula).strip())
        if len(self.derivatives) != 1:
            raise self._error("one derivative has to be asked for")

    def _error(self, why: str) -> ProblemError:
        return ProblemError(f"{self.text!r}: {why}")

    def _sort(self, words: tuple[str, ...], formula: str) -> None:
        bar = _BAR.search(formula)
        if bar is not None:
            formula = formula[: bar.start()].strip()
            self._take_point(bar["point"] or bar["short"])
        sides = relation(formula)
        if words == RESPECT:
            self.by = name_of(formula)
        elif words == DERIVATIVE:
            self.derivatives.append(formula)
        elif words == AT:
            self._take_point(formula)
        elif sides is not None and sides[1].strip(" ?"):
            is_point = _DEFINED.fullmatch(sides[0]) and _IS_NUMBER.match(sides[1])
            if is_point or sides[0].startswith("("):
                self._take_point(formula)
            else:
                self.equations.append(sides)
        elif "'" in formula or has_derivative(formula) or _SUBSCRIPT.search(formula):
            self.derivatives.append(formula.rstrip("=? "))
        elif (conditions := conditions_of(formula)) is not None:
            self.conditions = self.conditions.also(conditions)
        elif formula and not _DEFINED.fullmatch(formula):
            raise self._error(f"{formula!r} is neither a derivative nor an equation")

    def _take_point(self, formula: str) -> None:
        for piece in pieces_of(formula, ","):
            sides = relation(piece)
            if sides is None:
                self.pair = coordinates(formula)
            elif sides[0].startswith("("):
                names, values = coordinates(sides[0]), coordinates(sides[1])
                if len(names) != len(values):
                    raise self._error("a point has as many values as names")
                self.point |= {
                    name_of(name): value for name, value in zip(names, values, strict=True)
                }
            elif self.point.setdefault(name_of(sides[0]), sides[1]) != sides[1]:
                raise self._error(f"two values of {sides[0]}")

    def read(self) -> DerivativeQuestion:
        # The notation of the requested derivative names the function and the variable, so that the
        # notation is read before the definitions.
        requested = self.derivatives[0]
        quotients = operators(requested)
        self.is_total = bool(quotients) and not re.search(r"\\partial|∂", requested)
        named = [_DEFINED.fullmatch(quotient.of.strip()) for quotient in quotients]
        named += [_DEFINED.fullmatch(primed[1]) for primed in _PRIMED.finditer(requested)]
        function = next((name_of(match["name"]) for match in named if match), "")
        self.by = self.by or (quotients[0].by[-1] if quotients else "")
        self.letters = {letter for quotient in quotients for letter in quotient.by}
        for subscript in _SUBSCRIPT.findall(requested):
            self.letters |= {name_of(letter) for letter in SYMBOL.findall(subscript)}
        if len(quotients) == 1 and quotients[0].start == 0 and not quotients[0].of:
            # What begins with an operator asks for the derivative of all that follows.
            argument = requested[quotients[0].end :].strip()
            if INTEGRAL.match(argument.lstrip(" ([")):
                function = _OF_INTEGRAL.lstrip("\\")
                self.equations.append((_OF_INTEGRAL, argument))
                argument = _OF_INTEGRAL
            operator = requested[: quotients[0].end]
            requested = operator + (argument if argument[:1] in "([" else f"({argument})")
        # The LaTeX reader has no derivatives, and reads the derivatives as new symbols (`Jets`).
        variables = self._functions(function)
        requested = self._applied(requested, is_requested=True)
        jets = Jets(variables, written=self.written, applied=self.own)
        names = {self.by} - {""} | set(self.point)
        tree = read_tree(requested, jets, names, values=True)
        if not jets.names and not quotients and "'" not in requested:
            raise self._error("no derivative is asked for")
        # A function without a formula is implicit. The equation then has to be known before the
        # symbols are replaced.
        curve, name = None, ""
        parameter = self.by
        formulas = self.trees.keys() | self.integrals.keys()
        if not formulas.isdisjoint(symbols_of(tree) - self.trees.keys()):
            raise self._error("an integral is asked for as well as its derivative")
        if any(jet.function not in formulas for jet in jets.names.values()):
            curve, name = self._curve(variables), function
        for symbol, jet in jets.names.items():
            tree = substitute(tree, symbol, self._value(jet, variables, curve))
        for defined, formula in self.trees.items():
            if defined in symbols_of(tree):
                tree = substitute(tree, defined, formula)
        if self.by in self.trees:  # a curve with a parameter
            parameter = self._parameter()
        if self.equations and curve is None:
            raise self._error(f"{self.equations[0][0]} = {self.equations[0][1]} is not used")
        point = self._point(name)
        free = symbols_of(tree)
        variable = parameter or next(iter(sorted(free)), "x")
        return DerivativeQuestion(
            tree,
            variable,
            dict(self.trees),
            curve,
            name,
            point,
            self.conditions.assumptions,
            bounds_of(self.conditions.comparisons, variable),
        )

    def _functions(self, asked_for: str) -> dict[str, tuple[str, ...]]:
        """The variables of each function. The functions' formulas are stored in `trees`."""
        variables: dict[str, tuple[str, ...]] = {}
        relations: list[tuple[str, str]] = []
        # The arguments of all functions are known first, as a formula may use a later function.
        for sides in self.equations:
            match = _DEFINED.fullmatch(sides[0])
            if match and match["own"]:
                self.own[name_of(match["name"])] = tuple(map(name_of, match["own"].split(",")))
        for sides in self.equations:
            match = _DEFINED.fullmatch(sides[0])
            if match is None:
                relations.append(sides)
                continue
            name = name_of(match["name"])
            own = self.own.get(name, ()) if match["own"] else ()
            if own and re.search(rf"(?<![A-Za-z\\]){re.escape(name)}{POWER_MINUS_ONE}", self.text):
                raise self._error(f"the inverse function of {name} is not read")
            if INTEGRAL.match(sides[1].lstrip(" ([")):
                self.integrals[name] = definite_integral(sides[1])
                variables[name] = own or (self.by or "x",)
                continue
            formula = self._applied(sides[1])
            tree = read_tree(formula, Jets({}), (*own, self.by) if self.by else own)
            if name in symbols_of(tree) or name in self.trees:
                relations.append(sides)
                continue
            self.trees[name] = tree
            differentiated = sorted(self.letters & symbols_of(tree) - {*own})
            variables[name] = (*own, *differentiated) or self._own(tree)
        self.equations = relations
        if {"x", "y"}.isdisjoint(self.trees) and (asked_for, self.by) == ("y", "x"):
            radius = self.trees.get("r")  # a curve in polar coordinates
            if radius is not None and symbols_of(radius) <= {"theta"}:
                if re.search(r"\b(?:against|pole)\b", self.text):
                    raise self._error("a slope in polar coordinates that is not read")
                angle = Symbol("theta")
                self.trees["x"] = mul(radius, Call("cos", (angle,)))
                self.trees["y"] = mul(radius, Call("sin", (angle,)))
        if (
            self.by in self.trees
            and asked_for in symbols_of(self.trees[self.by]) - self.trees.keys()
        ):
            self.trees[asked_for] = Symbol(asked_for)  # dx/dy of y(x)
        if asked_for and asked_for not in variables:
            variables[asked_for] = (self.by or "x",)
        if self.by and self.by in self.trees:  # dy/dx of x(t), y(t)
            variables[asked_for] = (self.by,)
        self.by = self.by or next((own[0] for own in variables.values() if len(own) == 1), "")
        return variables

    def _applied(self, text: str, *, is_requested: bool = False) -> str:
        """Replace values of functions, such as f(x^2) and f'(2x), by the functions' formulas.

        If ``is_requested``, the text is the requested formula. Then f(x) and f'(x) are
        kept, and also derivatives at numbers, such as f'(0).
        """
        pieces: list[str] = []
        position = 0
        for letter in _PRIMED_LETTER.finditer(text):
            name, primes = name_of(letter[1]), letter[2]
            end, arguments = arguments_at(text, letter.end())
            own = self.own.get(name, ())
            if letter.start() < position or arguments is None or len(arguments) != len(own):
                continue
            if is_requested and (tuple(map(name_of, arguments)) == own or name not in self.trees):
                continue
            letters = {name_of(letter) for value in arguments for letter in SYMBOL.findall(value)}
            if is_requested and primes and self._free().isdisjoint(letters):
                continue
            if name not in self.trees or (primes and len(own) > 1):
                raise self._error(f"{text[letter.start() : end]} is not read")
            tree, names = self.trees[name], [f"{_PLACEHOLDER}{at}" for at in range(len(own))]
            for _ in primes:
                tree = bounded(differentiate(tree, own[0]))
            for variable, placeholder in zip(own, names, strict=True):
                tree = substitute(tree, variable, Symbol(placeholder))
            for placeholder, argument in zip(names, arguments, strict=True):
                value = read_tree(self._applied(argument), Jets({}), (self.by,) if self.by else ())
                tree = substitute(tree, placeholder, value)
            pieces += [text[position : letter.start()], rf"\left({to_latex(tree)}\right)"]
            position = end
        return "".join((*pieces, text[position:]))

    def _own(self, tree: Expression) -> tuple[str, ...]:
        """The variables of a function defined without arguments, such as z in z = xy."""
        names = symbols_of(tree)
        if self.by:
            return (self.by,)
        if len(names) <= 1 or "x" in names:
            return (next(iter(names)) if len(names) == 1 else "x",)
        raise self._error(f"name the variable: {', '.join(sorted(names))}")

    def _curve(self, variables: Mapping[str, tuple[str, ...]]) -> Expression:
        if len(self.equations) != 1:
            raise self._error("one equation has to define the function")
        names = {*variables, *(variable for own in variables.values() for variable in own)}
        left_tree, right_tree = (read_tree(side, Jets({}), names) for side in self.equations[0])
        return add(left_tree, neg(right_tree))

    def _parameter(self) -> str:
        names = set().union(*(symbols_of(tree) for tree in self.trees.values()))
        if "t" in names or len(names) == 1:
            return "t" if "t" in names else names.pop()
        if r"theta" in names:
            return "theta"
        raise self._error("name the parameter of the curve t")

    def _value(
        self, jet: Jet, variables: Mapping[str, tuple[str, ...]], curve: Expression | None
    ) -> Expression:
        """The formula of the derivative for a symbol."""
        plain = Jets({}, written=self.written)
        own = variables[jet.function]
        if jet.function in self.trees:
            tree = self.trees[jet.function]
            if self.by in self.trees and jet.by:  # a curve with a parameter
                t = self._parameter()
                speed = plain.differentiated(self.trees[self.by], t)
                if speed == ZERO:
                    raise self._error(f"{self.by} is constant")
                for _ in jet.by:
                    tree = div(plain.differentiated(tree, t), speed)
            else:
                for variable in jet.by:
                    if self.is_total or variable not in symbols_of(tree):
                        tree = self._through_definitions(tree)  # z(x, y) along x(t), y(t)
                    tree = plain.differentiated(tree, variable)
        elif jet.function in self.integrals:
            tree = derivative_of_integral(self.integrals[jet.function], jet.by[0])
            for variable in jet.by[1:]:
                tree = plain.differentiated(tree, variable)
        elif curve is not None and len(set(jet.by)) == 1:
            x, y = jet.by[0], jet.function
            slope_in_y = plain.differentiated(curve, y)
            if slope_in_y == ZERO:
                raise self._error(f"the equation says nothing of {y}")
            slope = neg(div(plain.differentiated(curve, x), slope_in_y))
            tree = slope
            for _ in jet.by[1:]:
                along = mul(plain.differentiated(tree, y), slope)
                tree = bounded(add(plain.differentiated(tree, x), along))
        else:
            raise self._error(f"{jet.function} is not defined")
        for name, value in zip(own, jet.at, strict=False):
            if self.written:
                tree = Call(VALUE_AT, (tree, Symbol(name), value))
            else:
                tree = substitute(tree, name, value)
        return bounded(tree)

    def _through_definitions(self, tree: Expression) -> Expression:
        """In a tree, replace each defined name by the formula of the name."""
        for name, formula in self.trees.items():
            if name in symbols_of(tree) and name not in symbols_of(formula):
                tree = bounded(substitute(tree, name, formula))
        return tree

    def _point(self, function: str) -> tuple[tuple[str, Expression], ...]:
        values = {name: _number(value) for name, value in self.point.items()}
        if self.pair:
            names = (self.by, function) if function else tuple(sorted(self._free()))
            if not function and len(self.trees) == 1 and len(self.pair) > len(names):
                names = (*names, *self.trees)  # (4, 2) on y = sqrt(x)
            if len(names) != len(self.pair):
                raise self._error("a point has as many values as names")
            values |= {
                name: _number(coordinate) for name, coordinate in zip(names, self.pair, strict=True)
            }
        dependent = [
            name
            for name in values
            if "(" in name
            or (name in self.trees and not values.keys() >= symbols_of(self.trees[name]))
        ]
        if dependent or (function and (function in values) != (self.by in values)):
            raise self._error("a point that is given by the value of the function is not read")
        return tuple(values.items())

    def _free(self) -> set[str]:
        return {name for tree in self.trees.values() for name in symbols_of(tree)}


def _number(text: str) -> Expression:
    return read_tree(text, Jets({}), (IN_PROBLEM,))
