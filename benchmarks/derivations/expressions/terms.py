"""The expressions of derivations: the algebra's, with unevaluated derivatives and integrals.

In addition to functions with rules, there are functions without a formula, such as f in f(x, y).
Evaluation follows SymPy for plain symbols (2x + x is 3x, (xy)^2 is x^2 y^2, -x + y in a cosine is x
- y, e^(log x) is x, but log(e^x) stays), because Meadows et al. used SymPy. Tests compare with
  SymPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ....rewards.reading.expression.traversal import nodes_of
from ....rewards.reading.expression.tree import Expression, Number, Symbol
from ...algebra.normal_form import Algebra

#: The number of expressions with cached keys, names and texts.
CACHED = 1 << 16
#: The functions with rules. An unevaluated derivative or integral has the expression and then the
#: variables as its arguments; any other function has no formula.
_EVALUATED = ("add", "mul", "pow", "exp", "ln", "sin", "cos")
_RULES = (*_EVALUATED, "derivative", "integral")
_RANKS = {function: rank for rank, function in enumerate(_RULES, 3)}


class _Terms(Algebra):
    """The nodes of all derivations, ordered without numeric factors."""

    max_nodes = math.inf
    real = False
    cached = CACHED

    def _key(self, node: Expression) -> tuple[Any, ...]:
        if isinstance(node, Number):
            return 0, node.numerator, node.denominator
        if isinstance(node, Symbol):
            return 1, node.name
        factor, core = self.split(node)
        if factor != 1:
            return *self.key(core), int(factor.p), int(factor.q)
        rank = _RANKS.get(node.function, 2)
        return rank, node.function, len(node.args), *map(self.key, node.args)

    def _free(self, node: Expression) -> frozenset[str]:
        return super()._free(node.args[0] if node.function == "derivative" else node)

    def _derivative(self, node: Expression, x: Expression | None = None) -> Expression:
        function, args = node.function, node.args
        if not args or function in _EVALUATED or not self.varies(node, x):
            return super()._derivative(node, x)
        if function == "integral" and x not in args[1:]:
            return integral(self.derivative(args[0], x), *args[1:])
        if function == "integral" and args[-1] == x:
            return integral(*args[:-1])
        return derivative(node, x or self.variable)

    def other(self, function: str, *args: Expression) -> Expression:
        if function in ("derivative", "integral"):
            inner, *variables = args
            if not variables:
                return inner
            args = (*(inner.args if inner.function == function else (inner,)), *variables)
        return self._node(function, *args)


TERMS = _Terms()
ZERO, ONE, MINUS_ONE, EULER = TERMS.zero, TERMS.one, TERMS.minus_one, TERMS.e
number, symbol, add, mul, power = TERMS.number, TERMS.symbol, TERMS.add, TERMS.mul, TERMS.pow
negative, divide, differentiate = TERMS.neg, TERMS.div, TERMS.derivative
coefficient, base_and_exponent = TERMS.split, TERMS.power_of
free, varies, leads_with_minus = TERMS.free, TERMS.varies, TERMS.leads_with_minus
#: The functions of one argument by the names that derivations have for them.
CONSTRUCTORS = {
    name: partial(TERMS.apply, "ln" if name == "log" else name)
    for name in ("cos", "sin", "exp", "log")
}
UNARY = tuple(CONSTRUCTORS)
cos, sin, exp, log = CONSTRUCTORS.values()
#: A function without a formula, as f in ``apply("f", x, y)``.
apply = TERMS.apply
#: Unevaluated derivatives and integrals of a term with respect to variables.
derivative, integral = (partial(apply, name) for name in ("derivative", "integral"))


def rebuild(term: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The node with changed arguments, evaluated."""
    args = tuple(map(change, term.args))
    return term if args == term.args else apply(term.function, *args)


# --- questions ---


def name_of(node: Expression) -> str:
    """The name of a symbol, or of a function without a formula."""
    return node.name if isinstance(node, Symbol) else node.function


def is_applied(node: Expression) -> bool:
    """Whether a node is a function without a formula, with its arguments."""
    return bool(node.args) and node.function not in _RULES


def names_of(term: Expression) -> set[str]:
    """The names of symbols and of functions in a term."""
    return {name_of(n) for n in nodes_of(term) if n.function == "symbol" or is_applied(n)}
