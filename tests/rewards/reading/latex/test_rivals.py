"""Every text of latex2sympy2-extended's tests has the same value here, or a stated reason."""

from __future__ import annotations

import mpmath
import pytest
import sympy

from calculus_harness.rewards.reading.latex import ReadError, read
from tests.rewards.reading.latex.support import value

rival = pytest.importorskip(
    "latex2sympy2_extended", reason="latex2sympy2-extended is not installed (extra `published`)"
)

#: Formulas on which the two agree.
SHARED = r"""
x^2+1 | \frac{x}{2} | \frac{1}{2}x^2 | \sqrt{x+1} | \sqrt[3]{x} | \sin(x) | \cos(2x) | \tan x
\sin^2(x) | \sin x \cos x | \ln(x) | \ln(x+1) | e^{x} | e^{-2x} | x e^{x} | \arctan(x) | abs
\arcsin(\frac{x}{4}) | \sinh(x) | \cosh x | \frac{x^3}{3}-\frac{x^2}{2} | 2\pi x | (x+1)(x-1)
\left(x+1\right)^{2} | \frac{\sin x}{x} | x^{\frac{3}{2}} | x\cdot 3 | 3\times x | x/2 | x^{-1}
\frac{1}{x^2+1} | \log_2(x) | \sin\left(\frac{x}{2}\right) | 2^x | \sin^{-1}(\frac{x}{4})
-\frac{1}{x} | \sec(x) | \csc(x) | \cot(x) | \left|x-4\right| | \sqrt{x}\sqrt{x+1} | \tan^{-1}(x)
"""

#: Formulas that the rival misreads -> why.
MISREAD = {
    r"\log(x)": "the rival reads base ten; in calculus the logarithm is natural",
    r"\int x dx": "an unevaluated integral is not an answer",
}

FORMULAS = [
    text.strip().replace("abs", "|x|")
    for line in SHARED.strip().splitlines()
    for text in line.split(" | ")
]


@pytest.mark.parametrize("text", FORMULAS)
def test_agrees_with_the_rival(text):
    expected = rival.latex2sympy(text)
    at = 0.731
    ours = complex(value(read(text, symbols="x")[0].expression, {"x": mpmath.mpf(at)}))
    free = {name: at for name in expected.free_symbols if name.name == "x"}
    theirs = complex(expected.subs(free).subs(sympy.Symbol("e"), sympy.E).evalf())
    assert abs(ours - theirs) < 1e-9 * (1 + abs(ours))


@pytest.mark.parametrize("text", MISREAD)
def test_differs_from_the_rival_for_a_reason(text):
    expected = rival.latex2sympy(text)
    try:
        ours = complex(value(read(text, symbols="x")[0].expression, {"x": mpmath.mpf(0.731)}))
    except ReadError:
        assert expected.has(sympy.Integral)
    else:
        theirs = complex(expected.subs(sympy.Symbol("x"), 0.731).evalf())
        assert abs(ours - theirs) > 1e-9, MISREAD[text]
