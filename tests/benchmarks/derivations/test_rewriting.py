"""Substitution, expansion, derivatives and integrals, beside SymPy's and the verifier's."""

from __future__ import annotations

import pytest
import sympy

from calculus_harness.benchmarks.algebra.normal_form import UnusableFormulaError
from calculus_harness.benchmarks.derivations.expressions.printing import latex
from calculus_harness.benchmarks.derivations.expressions.rewriting import (
    BoundVariableError,
    CasesError,
    antiderivative,
    evaluate_derivatives,
    evaluated,
    expand,
    rename,
    substitute,
)
from calculus_harness.benchmarks.derivations.expressions.terms import (
    MINUS_ONE,
    add,
    apply,
    cos,
    derivative,
    differentiate,
    divide,
    exp,
    free,
    integral,
    log,
    mul,
    name_of,
    negative,
    number,
    power,
    sin,
    symbol,
)
from calculus_harness.benchmarks.derivations.proof import Interpretation, equal
from calculus_harness.rewards.reading.expression.traversal import is_written_with
from calculus_harness.rewards.reading.expression.tree import Expression
from tests.benchmarks.derivations.as_sympy import as_sympy, walks

x, y, z, n = (symbol(name) for name in "xyzn")
f, g = apply("f", x), apply("g", x, y)
TWO = number(2)


@pytest.mark.parametrize(
    ("term", "old", "new", "result"),
    [
        (add(x, y, z), add(x, y), n, add(n, z)),
        (mul(TWO, x, y), mul(x, y), n, mul(TWO, n)),
        (power(x, number(4)), power(x, TWO), n, power(n, TWO)),
        (exp(mul(TWO, x)), exp(x), n, power(n, TWO)),
        (add(x, y, z), negative(add(x, y)), n, add(negative(n), z)),
        (derivative(f, x), f, power(x, TWO), derivative(power(x, TWO), x)),
        (integral(f, x), x, y, integral(apply("f", y), y)),
        (sin(add(f, y)), f, cos(x), sin(add(cos(x), y))),
        (divide(x, y), power(y, MINUS_ONE), n, mul(n, x)),
    ],
)
def test_substitution_is_sympys(
    term: Expression, old: Expression, new: Expression, result: Expression
) -> None:
    assert substitute(term, old, new) == result
    assert as_sympy(term).subs(as_sympy(old), as_sympy(new)) == as_sympy(result)


def test_a_bound_variable_takes_only_a_symbol() -> None:
    for term in (derivative(f, x), integral(f, x)):
        with pytest.raises(BoundVariableError):
            substitute(term, x, add(y, z))


def test_an_expansion_may_be_a_number() -> None:
    shift = add(
        power(add(x, number(1)), number(2)), negative(power(x, number(2))), mul(number(-2), x)
    )
    assert expand(shift) == number(1)
    assert expand(power(add(shift, number(1)), y)) == power(number(2), y)
    assert expand(mul(x, add(shift, MINUS_ONE))) == number(0)


def test_derivatives_and_expansion_are_sympys() -> None:
    counts = {"derivative": [0, 0], "expansion": [0, 0], "evaluation": [0, 0]}

    def compare(name: str, ours: Expression, theirs: object) -> None:
        counts[name][0] += 1
        counts[name][1] += latex(ours) == sympy.latex(theirs)

    for seed in range(120):
        pairs = list(walks(3000 + seed, 6))
        if not pairs or len(str(pairs[-1][1])) > 60:
            continue
        ours, theirs = pairs[-1]
        try:
            compare("expansion", expand(ours), sympy.expand(theirs))
            if not is_written_with(ours, "integral"):
                compare("evaluation", evaluated(ours), theirs.doit())
                for name in sorted(free(ours)) if not is_written_with(ours, "derivative") else []:
                    slope = differentiate(ours, symbol(name))
                    compare("derivative", slope, sympy.diff(theirs, sympy.Symbol(name)))
        except UnusableFormulaError:
            continue
    for name, (seen, same) in counts.items():
        assert seen > 30, name
        assert same >= 0.97 * seen, (name, seen, same)


def test_derivatives_with_an_integral_stay() -> None:
    derived = derivative(integral(f, x), x)
    assert evaluate_derivatives(derived) == derived
    assert evaluate_derivatives(add(derived, derivative(sin(x), x))) == add(derived, cos(x))
    assert evaluate_derivatives(derivative(f, x)) == derivative(f, x)


#: What SymPy's integrate says, as asked once; None where it leaves the integral.
TABLE = [
    (derivative(f, x), f),
    (f, None),
    (g, None),
    (mul(f, derivative(f, x)), divide(power(f, TWO), TWO)),
    (add(x, f), None),
    (add(x, n), add(mul(n, x), divide(power(x, TWO), TWO))),
    (divide(n, x), mul(n, log(x))),
    (power(add(x, n), MINUS_ONE), log(add(n, x))),
    (log(x), add(mul(x, log(x)), negative(x))),
    (cos(cos(x)), None),
    (power(x, x), None),
    (mul(sin(x), cos(x)), divide(power(sin(x), TWO), TWO)),
    (exp(add(x, n)), exp(add(x, n))),
    (log(add(x, n)), add(mul(n, log(add(x, n))), mul(x, log(add(x, n))), negative(x))),
    (divide(cos(x), sin(x)), log(sin(x))),
    (f, None),
    (apply("f", n), mul(x, apply("f", n))),
    (cos(add(n, negative(x))), negative(sin(add(n, negative(x))))),
]


@pytest.mark.parametrize(("integrand", "result"), TABLE)
def test_integrals(integrand: Expression, result: Expression | None) -> None:
    assert antiderivative(integrand, x) == result


@pytest.mark.parametrize(
    "integrand", [power(x, n), cos(mul(n, x)), exp(mul(n, x)), power(n, x), sin(divide(x, n))]
)
def test_integrals_that_need_cases(integrand: Expression) -> None:
    with pytest.raises(CasesError):
        antiderivative(integrand, x)
    assert sympy.integrate(as_sympy(integrand), sympy.Symbol("x")).has(sympy.Piecewise)


def test_every_antiderivative_is_proven_by_the_verifier() -> None:
    integrated = 0
    for seed in range(150):
        for term, _ in walks(5000 + seed, 5):
            if is_written_with(term, "integral") or not free(term):
                continue
            v = symbol(min(free(term)))
            try:
                closed = antiderivative(term, v)
            except (CasesError, UnusableFormulaError):
                continue
            if closed is not None:
                integrated += 1
                interpretation = Interpretation(any_functions=True)
                assert equal(
                    interpretation.derivative(interpretation.lower(closed), name_of(v)),
                    interpretation.lower(term),
                ), term
    assert integrated > 80


def test_renaming_there_and_back() -> None:
    new_names = {"x": r"\alpha", "y": r"\beta", "z": r"\pi", "f": r"\xi", "a": "b", "b": "a"}
    old_names = {new: old for old, new in new_names.items()}
    for seed in range(60):
        for term, _ in walks(6000 + seed):
            assert rename(rename(term, new_names), old_names) == term
