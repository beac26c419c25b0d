"""A deterministic simplifier: the prover's normal forms, without SymPy and without a clock."""

from __future__ import annotations

from ...rewards.proof.prover.normal import normal_forms
from ...rewards.reading.expression.build import ONE, add, div, mul, neg, power
from ...rewards.reading.expression.traversal import nodes_of, symbols_of
from ...rewards.reading.expression.tree import Call, Expression, Number
from ...rewards.reading.latex import to_latex
from .simplify import Outcome


def shortest_form(integrand: Expression) -> Outcome:
    r"""An integrand in x with every subterm, from the leaves up, in the shortest normal form.

    As with SymPy's `simplify`, a subterm without a shorter form stays unchanged.

    Returns:
        The LaTeX or None, and the reason: ``simplified`` or ``unchanged``.

    >>> from calculus_harness.benchmarks.algebra.formulas import parse
    >>> shortest_form(parse(r"\frac{x^2-1}{x-1}+e^{2x}"))
    ('x + 1 + e^{2 x}', 'simplified')

    """
    assumptions = dict.fromkeys(symbols_of(integrand) - {"x"}, "positive")
    form = _shortest(integrand, assumptions, {})
    return (None, "unchanged") if form == integrand else (to_latex(form), "simplified")


def _shortest(
    tree: Expression, assumptions: dict[str, str], forms_found: dict[Expression, Expression]
) -> Expression:
    if not isinstance(tree, Call) or tree in forms_found:
        return forms_found.get(tree, tree)
    tidied = _tidy(
        Call(tree.function, tuple(_shortest(arg, assumptions, forms_found) for arg in tree.args))
    )
    forms = [tidied, *map(_tidy, normal_forms(tidied, "x", assumptions))]
    forms_found[tree] = min(forms, key=_length)
    return forms_found[tree]


def _length(tree: Expression) -> int:
    return sum(1 for _ in nodes_of(tree))


def _tidy(tree: Expression) -> Expression:
    """A tree in usual notation: signs, ones and fractions evaluated, roots as roots."""
    if not isinstance(tree, Call):
        return tree
    args = tuple(map(_tidy, tree.args))
    if tree.function == "add":
        return add(*args)
    if tree.function == "mul":
        return mul(*args)
    if tree.function == "neg":
        return neg(args[0])
    if tree.function == "div":
        return div(*args)
    if tree.function == "pow":
        return _tidy_power(*args)
    return Call(tree.function, args)


def _tidy_power(base: Expression, exponent: Expression) -> Expression:
    if exponent == Number(1, 2):
        return Call("sqrt", (base,))
    if isinstance(exponent, Number) and exponent.numerator < 0:
        return div(ONE, _tidy_power(base, Number(-exponent.numerator, exponent.denominator)))
    return power(base, exponent)
