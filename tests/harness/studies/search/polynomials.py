"""A model for tests of the search: integrates sums of multiples of powers, small numbers."""

from __future__ import annotations

import os
import time
from typing import Any

from calculus_harness.benchmarks.algebra.formulas import parse
from calculus_harness.harness.studies.search.formulas import NormalForms, latex
from calculus_harness.rewards.reading.expression.tree import Call, Expression, Number, Symbol

#: The largest number that it can cope with.
LARGEST = 200


def answer(messages: list[dict[str, Any]], seed: int) -> str:
    """A boxed antiderivative; a wrong antiderivative of unknown integrands."""
    integrand = messages[-1]["content"].split("\n\n")[1]
    if "ASKED" in os.environ:
        with open(os.environ["ASKED"], "a") as file:  # noqa: PTH123
            file.write(integrand + "\n")
    time.sleep(float(os.environ.get("SLOW", "0")))
    return rf"\boxed{{{integral(parse(integrand)) or 'x'}}}"


def integral(tree: Expression) -> str | None:
    tree = NormalForms().of(tree)
    terms = tree.args if isinstance(tree, Call) and tree.function == "add" else (tree,)
    terms_of = [_of_term(term) for term in terms]
    return None if None in terms_of else " + ".join(map(str, terms_of))


def _of_term(term: Expression) -> str | None:
    factors = term.args if isinstance(term, Call) and term.function == "mul" else (term,)
    c, n = Number(1), 0
    for factor in factors:
        if isinstance(factor, Number):
            c = factor
        elif isinstance(factor, Symbol):
            n = 1
        elif isinstance(factor, Call) and factor.function == "pow":
            base, exponent = factor.args
            if base != Symbol("x") or not isinstance(exponent, Number) or exponent.denominator > 1:
                return None
            n = exponent.numerator
        else:
            return None
    if abs(c.numerator) > LARGEST or c.denominator > LARGEST:
        return None
    if n == -1:
        return rf"({latex(c)}) \ln|x|"
    return rf"\frac{{{c.numerator}}}{{{c.denominator * (n + 1)}}} x^{{{n + 1}}}"
