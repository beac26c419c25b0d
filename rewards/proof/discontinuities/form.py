"""Answers whose form excludes jumps.

A proof of F' = f holds except at isolated points. At such a point ``|x|/x`` jumps and ``|x|`` does
not. The form of each term of a proved answer often shows that the term cannot jump. There are two
such forms:

- A *continuous* term, which consists of continuous functions without division. Examples of such
  functions are ``|u|`` and roots of real radicands.
- A polynomial in ``ln(c|u|)``, where u is analytic and the coefficients are analytic or continuous.
  Let u vanish at x = a. Near a, the term is a series in powers of ``ln|x-a|``. The series is the
  same on both sides, up to terms of higher order in ``x-a``. If the term is bounded, both limits
  are the constant term.

The verifier ignores two kinds of jumps: jumps at poles of an exponent (``e^{1/x}``), and jumps at
poles of the argument of an arc tangent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from ...numeric.ball_arithmetic.balls import Branch
from ...numeric.ball_arithmetic.compiler import TURNS
from ...numeric.ball_arithmetic.point_count import has_fixed_branch, polynomial
from ...numeric.ball_arithmetic.ranges import bounds, may_have_pole, never_vanishes
from ...reading.expression.traversal import (
    additive_terms,
    all_nodes,
    fold,
    is_constant,
    is_written_with,
    without_factor,
    written_factors,
)
from ...reading.expression.tree import Call, Expression, Number
from ...reading.functions import COMPARISONS, COMPLEX, PIECEWISE, names
from ...reading.functions.record import CLOSED, LINE, LOGARITHM, PLANE, ROOT, WORKER

#: Continuous on the whole plane, with real values of real arguments.
_ENTIRE = names(lambda function: function.continuous == PLANE)
#: Continuous on the whole line.
_ON_LINE = _ENTIRE | names(lambda function: function.continuous == LINE)
_STEPS = frozenset(f.name for f in (*COMPLEX, *PIECEWISE, *COMPARISONS))
_ROOTS = names(lambda function: function.branch == ROOT) - {"pow"}
_LOGARITHMS = names(lambda function: function.branch == LOGARITHM)
#: Those of `TURNS` that are continuous.
_CONTINUOUS_INVERSES = TURNS & names(lambda function: function.continuous == CLOSED)
_CONTINUOUS = _ENTIRE | _CONTINUOUS_INVERSES | {"abs"}
_STEPS_OR_TURNS = _STEPS | TURNS
_BRANCHING_AT_ZERO = _ROOTS | _LOGARITHMS | {"pow"}
_BRANCHING = _STEPS_OR_TURNS | _BRANCHING_AT_ZERO
#: With a value for each complex argument.
_VALUED = _CONTINUOUS | _ROOTS | {"pow"}
#: Neither with branches nor with breaks.
_SINGLE = names(lambda f: not (f.domain or f.branch or f.breaks) and f.cost != WORKER) - _STEPS

Form = Callable[[Expression], bool]


def cannot_jump(
    answer: Expression,
    integrand: Expression,
    variable: str,
    *,
    terms: Sequence[Expression] | None = None,
) -> bool:
    r"""Whether the form of each term of an answer excludes jumps.

    If the result is False, the answer may still be continuous.

    Args:
        answer: F.
        integrand: f. The domain of f ends where a radicand or the argument of a logarithm in f has
            a simple zero.
        variable: the variable.
        terms: the additive terms of F. This argument is allowed only if F has no complex constants.
            A logarithm in such an F changes branch only at poles, and only by a constant.

    Example:
        >>> from calculus_harness.rewards.reading.latex import read
        >>> f, *answers = (read(text)[0].expression for text in (
        ...     "1", r"x\ln(2|x|)", r"x|x|", r"\frac{|x|}{x}"))
        >>> [cannot_jump(answer, f, "x") for answer in answers]
        [True, True, False]

    """
    real = terms is not None
    if real and not any(map(_may_step, _branching(answer))):
        return True
    form = _Form(variable, integrand)
    return all(
        (real and form.analytic(_inside(term, variable)))
        or form.continuous(term)
        or form.in_logarithms(term, form.analytic)
        or form.in_logarithms(term, form.continuous)
        for term in terms or additive_terms(answer, variable)
    )


def branching_divisors(
    answer: Expression, integrand: Expression, variable: str
) -> list[Expression] | None:
    r"""The divisors because of which an answer may have values on some intervals only.

    An answer has no value where a divisor is zero, say. An analytic divisor that is zero on an
    interval is zero everywhere. A divisor with branches, such as ``x + \sqrt{x^2}``, may be zero on
    one interval only.

    Args:
        answer: F.
        integrand: f, as for `cannot_jump`. Every part of f must be real.
        variable: the variable.

    Returns:
        The divisors, and arguments of functions with poles, that have no other branches than those
        of roots. The result is None if other such parts have branches, or steps.

    """
    # The domain of sqrt(x^2 - 1) has two intervals, on which it has different branches.
    form = _Form(variable, integrand, only_linear_ends=True)
    branching: list[Expression] = []
    for divisor in dict.fromkeys(u for node in all_nodes(answer) for u in form.excluding(node)):
        nodes = [node for node in all_nodes(divisor) if node.args and node.function not in _SINGLE]
        if form.analytic(divisor) and _BRANCHING_AT_ZERO.issuperset(
            node.function for node in nodes
        ):
            continue
        if not all(map(_is_algebraic, nodes)):
            return None
        branching.append(divisor)
    return branching


def _inside(term: Expression, variable: str) -> Expression:
    """Return u for a term c ln u or c ln|u|. From other terms, only remove the constant factor."""
    node = without_factor(term, variable)
    if node.function in _LOGARITHMS and all(is_constant(arg, variable) for arg in node.args[1:]):
        node = node.args[0]
        node = node.args[0] if node.function == "abs" else node
    return node


def _branching(expression: Expression) -> list[Expression]:
    return [node for node in all_nodes(expression) if node.function in _BRANCHING]


def _may_step(node: Expression) -> bool:
    return node.function in _BRANCHING and (node.function != "pow" or _is_root(node))


def branch_points(integrand: Expression) -> frozenset[Expression]:
    """The radicands and the arguments of logarithms in an expression."""
    return frozenset(
        node.args[0]
        for node in _branching(integrand)
        if _may_step(node) and node.function not in _STEPS_OR_TURNS
    )


def has_roots(expression: Expression) -> bool:
    """Whether an expression has a root, or a power whose exponent is not a whole number."""
    return any(map(_is_root, all_nodes(expression)))


def _is_root(node: Expression) -> bool:
    if node.function != "pow":
        return node.function in _ROOTS
    return not (_whole(node) or node.args[0].function == "e")


def _is_algebraic(node: Expression) -> bool:
    """Whether a node is a root or power with a rational exponent, or a power of e."""
    if node.function not in _ROOTS and node.function != "pow":
        return False
    return (
        node.args[0].function == "e" or fold(node.args[-1]) is not None or node.function == "sqrt"
    )


@dataclass(frozen=True, slots=True)
class _Form:
    variable: str
    integrand: Expression
    only_linear_ends: bool = False

    def _ends(self, node: Expression) -> bool:
        """Whether a node is a radicand or the argument of a logarithm in the integrand."""
        if self.only_linear_ends:
            coefficients = polynomial(node, self.variable)
            if coefficients is None or not coefficients[0].is_zero():
                return False
        return node in branch_points(self.integrand)

    def in_logarithms(self, node: Expression, coefficient: Form) -> bool:
        """Whether a node is a polynomial in logarithms with admissible coefficients.

        The function ``coefficient`` decides whether an expression is an admissible coefficient.
        """
        if coefficient(node):
            return True
        if not isinstance(node, Call):
            return False
        name, args = node.function, node.args
        if name in ("add", "mul", "neg"):
            return all(self.in_logarithms(arg, coefficient) for arg in args)
        if name == "div":
            return self.in_logarithms(args[0], coefficient) and coefficient(
                Call("div", (Number(1), args[1]))
            )
        if name == "pow" and _whole(node, least=0):
            return self.in_logarithms(args[0], coefficient)
        return (
            name in _LOGARITHMS
            and all(is_constant(base, self.variable) for base in args[1:])
            and self._in_bars(args[0], coefficient)
        )

    def _in_bars(self, node: Expression, coefficient: Form) -> bool:
        """Whether a node is allowed as the argument of a logarithm.

        Constants, moduli |u|, powers, and products of such nodes are allowed. Any other node must
        be nonzero inside the integrand's domain.
        """
        if is_constant(node, self.variable):
            return True
        if self._keeps_branch(node) and coefficient(node):
            return self._real(node) or self.analytic(node)
        if not isinstance(node, Call):
            return False
        if node.function == "abs":
            return self._one_size(node.args[0])
        return self._is_product(node, coefficient) and all(
            self._in_bars(arg, coefficient) for arg in _factors(node)
        )

    def _one_size(self, node: Expression) -> bool:
        """Whether |node| has the same leading term on both sides of each zero of the node.

        The terms agree for analytic nodes, polynomials in logarithms, and products of these.
        """
        if self.in_logarithms(node, self.analytic):
            return True
        if not (isinstance(node, Call) and self._is_product(node, self.analytic)):
            return False
        return all(map(self._one_size, _factors(node)))

    def _is_product(self, node: Call, exponent: Form) -> bool:
        if node.function in _ROOTS or node.function == "pow":
            return all(map(exponent, node.args[1:]))
        return node.function in ("mul", "div")

    def _keeps_branch(self, node: Expression) -> bool:
        """Whether a real node vanishes nowhere, or only at an end of the integrand's domain."""
        if never_vanishes(node) or is_constant(node, self.variable):
            return True
        return self._ends(node) and has_fixed_branch(Branch(node, -1, True), self.variable)

    # --- continuous terms ---

    def continuous(self, node: Expression) -> bool:
        if self._real(node):
            return True
        if not isinstance(node, Call):
            return False
        positive = node.function == "pow" and (fold(node.args[1]) or 0) > 0
        if node.function in _ROOTS or (positive and not _whole(node)):
            inner = node.args[0]
            if isinstance(inner, Call) and inner.function == "ln" and self._ends(inner.args[0]):
                inner = inner.args[0]
            return self._real(inner) and all(is_constant(n, self.variable) for n in node.args[1:])
        plain = self._is_continuous(node, _CONTINUOUS)
        return plain and all(map(self.continuous, node.args))

    def _real(self, node: Expression) -> bool:
        """Whether a node is real and continuous on the whole real line."""
        if not isinstance(node, Call):
            return True
        if node.function == "abs":
            return self.continuous(node.args[0])
        return self._is_continuous(node, _ON_LINE) and all(map(self._real, node.args))

    def _is_continuous(self, node: Call, functions: Collection[str]) -> bool:
        """Whether a node is a continuous function of its arguments.

        The node must be a call of a function in ``functions``, a quotient by a constant, or a power
        without poles.
        """
        if node.function == "div":
            return is_constant(node.args[1], self.variable)
        if node.function == "pow":
            base = node.args[0]
            least = None if is_constant(base, self.variable) else 0
            return _whole(node, least) or (isinstance(base, Call) and base.function == "e")
        return node.function in functions

    # --- parts that exclude values ---

    def excluding(self, node: Expression) -> Iterator[Expression]:
        """The subexpressions at some constant values of which a node has no value."""
        name, args = node.function, node.args
        if name == "div":
            yield from self._vanishing(args[1])
        elif name == "ln" or (name == "pow" and (fold(args[1]) or 0) <= 0):
            yield from self._vanishing(args[0])  # e in e^x is a constant
        elif name not in _VALUED:
            yield from (arg for arg in args if not is_constant(arg, self.variable))

    def _vanishing(self, node: Expression) -> Iterator[Expression]:
        """Subexpressions of a node. Wherever the node is zero, one of the results is zero."""
        for factor in written_factors(node, self.variable):
            if factor.function in _ROOTS or factor.function == "abs":
                yield from self._vanishing(factor.args[0])
            elif not (factor.function == "exp" or factor.args[:1] == (Call("e"),)):
                yield factor

    # --- analytic ones ---

    def analytic(self, node: Expression) -> bool:
        """Whether a node is analytic inside the integrand's domain, judged by its form.

        The node must have no step functions, and no roots or logarithms that change branch.
        """
        return not any(map(self._has_branches, _branching(node)))

    def _has_branches(self, node: Expression) -> bool:
        if not _may_step(node) or is_constant(node, self.variable):
            return False
        inner = node.args[0]
        if node.function in TURNS and has_fixed_branch(Branch(inner, -1, False), self.variable):
            return False
        keeps = _touches_no_unit if node.function in TURNS else self._keeps_branch
        steady = keeps(inner) and not may_have_pole(inner, self.variable)
        return node.function in _STEPS or not steady or is_written_with(inner, "i")


def _touches_no_unit(node: Expression) -> bool:
    """Whether interval arithmetic shows that an expression is nowhere 1 or -1."""
    low, high = bounds(node)
    return low > 1 or high < -1 or (low > -1 and high < 1)


def _factors(node: Call) -> tuple[Expression, ...]:
    return node.args if node.function in ("mul", "div") else node.args[:1]


def _whole(node: Expression, least: int | None = None) -> bool:
    """Whether the exponent of a power is an integer.

    If ``least`` is given, the exponent must also be at least ``least``.
    """
    exponent = fold(node.args[1])
    if exponent is None or exponent.denominator != 1:
        return False
    return least is None or exponent >= least
