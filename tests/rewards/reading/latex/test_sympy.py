"""SymPy's LaTeX output is read back with SymPy's meaning."""

from __future__ import annotations

import mpmath
import pytest
import sympy

from calculus_harness.rewards.reading.latex import read
from tests.rewards.reading.latex.support import value

x, a, n = sympy.symbols("x a n", positive=True)

#: Integrands whose antiderivatives SymPy finds quickly.
INTEGRANDS = """
x**5; 1/x; sqrt(x); x**(2/3); 1/(x + 1); 1/(x**2 + 1); 1/(x**2 - 1); 1/(x**3 + 1); 1/(x**4 + 1)
x/(x**2 + 4); (x + 1)/(x**2 + x + 1); 1/(x*(x + 1)*(x + 2)); x**3/(x**2 + 1); 1/sqrt(1 - x**2)
1/sqrt(x**2 + 1); sqrt(1 - x**2); sqrt(x**2 + 1); x*sqrt(x + 1); 1/(x*sqrt(x + 1)); exp(x); exp(-x)
x*exp(x); x**3*exp(2*x); exp(-x**2); exp(x**2); x**2*exp(-x**2); exp(x)/x; exp(sqrt(x)); 2**x
x*2**x; log(x); log(x)**2; x*log(x); x**2*log(x)**3; log(x)/x; 1/(x*log(x)); 1/log(x); log(x + 1)/x
log(x**2 + 1); sqrt(x)*log(x); sin(x); cos(3*x); tan(x); cot(x); sec(x); sin(x)**2; cos(x)**4
sin(x)**3*cos(x)**2; x*sin(x); x**2*cos(2*x); exp(x)*sin(x); exp(-x)*cos(3*x); sin(x)/x; cos(x)/x
sin(x**2); cos(x**2); sin(2*x)*cos(3*x); tan(x)**2; 1/(2 + cos(x)); sin(log(x)); sin(sqrt(x))
asin(x); acos(x); atan(x); x*atan(x); x*asin(x); atan(x)/x**2; asinh(x); acosh(x); atanh(x)
sinh(x); cosh(x)**2; tanh(x); x*sinh(x); sinh(x)/x; cosh(x)/x; exp(a*x); x*exp(-a*x)
1/(x**2 + a**2); sin(a*x)*cos(x)
x**n; log(a*x); 1/(a*x + 1); sqrt(x + a); x/(x + a)**2; exp(x)/(exp(x) + 1)
1/(exp(x) + 1); 1/(1 + sqrt(x)); 1/(sqrt(x) + x**(1/3)); x**(1/3)/(1 + x); (x**2 + 1)/(x**4 + 1)
x**2/(x**6 + 1); log(x)/sqrt(x); x**2*atan(x); x*cos(x)**2; exp(2*x)*(x**2 - 1); 1/(x**2*(x + 1))
""".replace("\n", ";").split(";")

#: Forms that integration seldom gives, each with what SymPy prints.
EXPRESSIONS = [
    sympy.erf(x / 2),
    sympy.erfc(x),
    sympy.erfi(x),
    sympy.Ei(2 * x),
    sympy.Si(x),
    sympy.Ci(x),
    sympy.Shi(x),
    sympy.Chi(x),
    sympy.li(x),
    sympy.expint(1, x),
    sympy.expint(3, x),
    sympy.fresnels(x),
    sympy.fresnelc(x),
    sympy.gamma(x),
    sympy.uppergamma(a, x),
    sympy.lowergamma(a, x),
    sympy.polylog(2, x / 4),
    sympy.LambertW(x),
    sympy.besselj(0, x),
    sympy.elliptic_f(x / 4, sympy.Rational(1, 3)),
    sympy.elliptic_e(x / 4, sympy.Rational(1, 3)),
    sympy.elliptic_k(x / 4),
    sympy.elliptic_e(x / 4),
    sympy.hyper((1, 2), (3,), x / 4),
    sympy.hyper((sympy.Rational(1, 2),), (sympy.Rational(3, 2), 2), -(x**2)),
    sympy.Abs(x - 2),
    sympy.sign(x),
    sympy.floor(3 * x),
    sympy.ceiling(3 * x),
    sympy.Max(x, 1),
    sympy.Min(x, a, 1),
    sympy.binomial(5, 2) * x,
    sympy.factorial(n),
    sympy.root(x, 5),
    x ** sympy.Rational(-7, 3),
    sympy.Piecewise((x, x < 1), (x**2, True)),
    sympy.asec(x + 2),
    sympy.acsc(x + 2),
    sympy.acot(x),
    sympy.asech(x / 4),
    sympy.acsch(x),
    sympy.acoth(x + 2),
    sympy.csc(x) * sympy.coth(x),
    sympy.E**2 * x,
    sympy.EulerGamma * x,
    sympy.pi**2 / x,
    -x / 3,
    -(x + 1) / (x - 3) ** 2,
    sympy.Piecewise((sympy.log(x), sympy.Abs(x) > 1), (0, sympy.And(x > 0, x < a)), (1, True)),
    sympy.sqrt(sympy.sqrt(x) + sympy.sqrt(x + 1)),
    (x + 1) ** (x - 1),
    sympy.exp(sympy.sin(x)),
]

POINTS = ((0.6137, 1.37), (2.171, 0.831))


def _antiderivatives():
    texts = [text.strip() for text in INTEGRANDS if text.strip()]
    names = {"x": x, "a": a, "n": n}
    return [
        pytest.param(sympy.sympify(text, locals=names, rational=True), id=text) for text in texts
    ]


@pytest.mark.slow
@pytest.mark.parametrize("integrand", _antiderivatives())
def test_antiderivatives_that_sympy_prints(integrand):
    antiderivative = sympy.integrate(integrand, x)
    if antiderivative.has(sympy.Integral, sympy.meijerg):
        pytest.skip("SymPy finds no antiderivative, or one outside our vocabulary")
    _reads_back(antiderivative)


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_special_forms_that_sympy_prints(expression):
    _reads_back(expression)


def _reads_back(expression: sympy.Expr) -> None:
    text = sympy.latex(expression)
    trees = [reading.expression for reading in read(text, symbols=("x", "a", "n"))]
    compared = 0
    for at, parameter in POINTS:
        names = {"x": mpmath.mpf(at), "a": mpmath.mpf(parameter), "n": mpmath.mpf("2.25")}
        at_point = {x: at, a: parameter, n: 2.25}
        expected = complex(expression.subs(at_point).evalf())
        if not mpmath.isfinite(expected):
            continue
        compared += 1
        values = [complex(value(tree, names)) for tree in trees if _free(tree) <= set(names)]
        assert any(abs(got - expected) < 1e-8 * (1 + abs(expected)) for got in values), text
    assert compared


def _free(node) -> set[str]:
    if hasattr(node, "name"):
        return {node.name}
    return set().union(*(_free(arg) for arg in getattr(node, "args", ())))
