"""The lines that bound tails: each line holds, and has the position of the derivation.

A line is p + q t for x = 8 + t, or -8 - t. The table has ln|g| <= size, least <= ln|g|, below <= g,
g <= above and the sign of g. The numbers show that most lines touch their functions at t = 0: a
weakened, broken or lost bound differs from the table, or is refuted by values of g.
"""

import math

import pytest
from flint import acb, arb

from calculus_harness.rewards.numeric.ball_arithmetic.balls import precision
from calculus_harness.rewards.numeric.ball_arithmetic.compiler import compile_tape
from calculus_harness.rewards.numeric.quadrature.enclosed.tails import _Tail, tail_bound
from calculus_harness.rewards.reading.expression.tree import Call
from calculus_harness.rewards.reading.latex import read

INF = math.inf
#: g, the side, size, least, below, above (p, q, and the radius of p where p is a ball), the sign.
LINES = [
    (r"x", 1, (2.07944, 0.125), (2.07944, 0), (8, 1), (8, 1), 1),
    (r"x", -1, (2.07944, 0.125), (2.07944, 0), (-8, -1), (-8, -1), -1),
    (r"-x", 1, (2.07944, 0.125), (2.07944, 0), (-8, -1), (-8, -1), -1),
    (r"3", 1, (1.09861, 0), (1.09861, 0), (3, 0), (3, 0), 1),
    (r"-3", 1, (1.09861, 0), (1.09861, 0), (-3, 0), (-3, 0), -1),
    (r"0", 1, (-6.93147, 0), None, (0, 0), (0, 0), 0),
    (r"x^2", 1, (4.15888, 0.25), (4.15888, 0), (64, 16), None, 1),
    (r"x^2", -1, (4.15888, 0.25), (4.15888, 0), (64, 16), None, 1),
    (r"x^3", 1, (6.23832, 0.375), (6.23832, 0), (512, 192), None, 1),
    (r"x^3", -1, (6.23832, 0.375), (6.23832, 0), None, None, -1),
    (r"x^{-2}", 1, (-4.15888, 0), (-4.15888, -0.25), (0, 0), (0.015625, 0), 1),
    (r"x^{-3}", 1, (-6.23832, 0), (-6.23832, -0.375), (0, 0), (0.00195312, 0), 1),
    (r"x^{-3}", -1, (-6.23832, 0), (-6.23832, -0.375), (-0.00195312, 0), (0, 0), -1),
    (r"\frac1x", 1, (-2.07944, 0), (-2.07944, -0.125), (0, 0), (0.125, 0), 1),
    (r"\sqrt x", 1, (1.03972, 0.0625), (1.03972, 0), (2.82843, 0), (2.82843, 0.176777), 1),
    (r"x^{1/3}", 1, (0.693147, 0.0416667), (0.693147, 0), (2, 0), (2, 0.0833333), 1),
    (r"x^{3/2}", 1, (3.11916, 0.1875), (3.11916, 0), (22.6274, 4.24264), None, 1),
    (r"x^{-1/2}", 1, (-1.03972, 0), (-1.03972, -0.0625), (0, 0), (0.353553, 0), 1),
    (r"(2-x)^4", 1, (9.21034, 0.5), (7.16704, 0), (1296, 864), None, 1),
    (r"(2-x)^3", 1, (6.90776, 0.375), (5.37528, 0), None, None, -1),
    (r"(1-x)^{-1}", 1, (-1.94591, 0), (-2.19722, -0.125), (-0.142857, 0), (0, 0), -1),
    (r"\sqrt[3]{x}", 1, (0.693147, 0.0416667), (0.693147, 0), (2, 0), (2, 0.0833333), 1),
    (r"\sqrt{1-x}", 1, (1.09861, 0.0625), (0.972955, 0), None, None, 0),
    (r"e^x", 1, (8, 1), (8, 1), (2980.96, 2980.96), None, 1),
    (r"e^x", -1, (-8, -1), (-8, -1), (0, 0), (0.000335463, 0), 1),
    (r"e^{-x}", 1, (-8, -1), (-8, -1), (0, 0), (0.000335463, 0), 1),
    (r"e^{-2x}x", 1, (-13.9206, -1.875), (-13.9206, -2), (0, 0), (9.00281e-07, 0), 1),
    (r"e^{-x}+e^{-2x}", 1, (-7.99966, -1), (-8.00034, -1), (0, 0), (0.000335575, 0), 1),
    (r"e^{x}+e^{2x}", 1, (16.0003, 2), (15.9997, 2), (8.88909e06, 1.77752e07), None, 1),
    (r"e^{x}-x", 1, (8.00268, 1), (7.99731, 1), (2972.96, 2979.96), None, 1),
    (r"x-e^{x}", 1, (8.00268, 1), (7.99731, 1), None, (-2972.96, -2979.96), -1),
    (r"x+1", 1, (2.19722, 0.125), (1.94591, 0), (9, 1), (9, 1), 1),
    (r"x-2", 1, (2.30259, 0.125), (1.79176, 0), (6, 1), (6, 1), 1),
    (r"2-x", 1, (2.30259, 0.125), (1.79176, 0), (-6, -1), (-6, -1), -1),
    (r"3x+e^{-x}", 1, (3.17807, 0.125), (3.17804, 0), (24, 3), (24.0003, 3), 1),
    (r"-2x", 1, (2.77259, 0.125), (2.77259, 0), (-16, -2), (-16, -2), -1),
    (r"(x-1)(x+2)", 1, (4.49981, 0.25), (3.73767, 0), (70, 17), None, 1),
    (r"(1-x)(x+2)", 1, (4.49981, 0.25), (3.73767, 0), None, None, -1),
    (r"\sin x", 1, (0, 0), None, (-1, 0), (1, 0), 0),
    (r"x\sin x", 1, (2.07944, 0.125), None, None, None, 0),
    (r"\sin(e^{-x})", 1, (-8, -1), None, (-0.000335463, 0), (0.000335463, 0), 0),
    (
        r"\operatorname{erf}(e^{-x})",
        1,
        (-7.87922, -1),
        None,
        (-0.000378529, 0),
        (0.000378529, 0),
        0,
    ),
    (r"\arctan x", 1, (0.693147, 0), None, (-2, 0), (2, 0), 0),
    (r"\cosh x", 1, (8, 1), (7.30685, 1), None, None, 1),
    (r"\sinh 2x", 1, (16, 2), (15.3069, 2), None, None, 1),
    (r"\sinh(-x)", 1, (8, 1), (7.30685, 1), None, None, -1),
    (r"\cosh(-2x)", 1, (16, 2), (15.3069, 2), None, None, 1),
    (r"\operatorname{sech}x", 1, (-7.30685, -1), (-8, -1), (0, 0), (0.000670925, 0), 1),
    (r"\operatorname{csch}(-2x)", 1, (-15.3069, -2), (-16, -2), (-2.2507e-07, 0), (0, 0), -1),
    (r"\sinh\frac{x}{16}", 1, (0.5, 0.0625), (-0.651822, 0.0625), None, None, 1),
    (r"\ln x", 1, (0.732099, 0.0601123), (0.732099, 0), (2.07944, 0), (2.07944, 0.125), 1),
    (r"\ln(1+e^{-x})", 1, (-7.30685, -1), None, (-0.000670925, 0), (0.000670925, 0), 0),
    (r"\ln(1+e^{1-x/10})", 1, (-0.225473, 0), None, (0, 0), (0.798139, 0), 0),
    (r"\ln(e^{-x})", 1, (2.07944, 0.125), (2.07944, 0), (-8, -1), (-8, -1), -1),
    (r"\lfloor x\rfloor", 1, (2.07944, 0.125), (1.94591, 0), (7, 1), (8, 1), 1),
    (r"\lceil x\rceil", 1, (2.19722, 0.111111), (2.07944, 0), (8, 1), (9, 1), 1),
    (r"\lfloor -x\rfloor", 1, (2.19722, 0.111111), (2.07944, 0), (-9, -1), (-8, -1), -1),
    (r"frac e^{-x}", 1, (-8, -1), (-8, -1), (0, 0), (0.000335463, 0), 1),
    (r"frac x", 1, (0, 0), None, (-1, 0), (1, 0), 0),
    (r"\lfloor e^{-x}\rfloor", 1, (-INF, -1), None, (0, 0), (0, 0), 0),
    (r"\lceil e^{-x}\rceil", 1, (0.000335406, 0), None, (0, 0), (1.00034, 0), 0),
    (r"\lfloor -e^{-x}\rfloor", 1, (0.000335406, 0), None, (-1.00034, 0), (0, 0), 0),
    (r"|-x|", 1, (2.07944, 0.125), (2.07944, 0), None, None, 1),
    (r"|\sin x|", 1, (0, 0), None, (-1, 0), (1, 0), 0),
    (r"x!", 1, None, (8.63553, 1.07944), None, None, 1),
    (r"(x-5)!", 1, None, None, None, None, 0),
    (r"\Gamma(x)", 1, None, (6.62137, 0.94591), None, None, 1),
    (r"\Gamma(x-3)", 1, None, (1.54518, 0.386294), None, None, 1),
    (r"\operatorname{erfc}(x)", 1, (-64, -16), None, (0, 0), (1.60381e-28, 0), 1),
    (r"(-1)^x", 1, (0, 0), None, (-1, 0), (1, 0), 0),
    (r"2^{-x}", 1, (-5.54518, -0.693147), (-5.54518, -0.693147), (0, 0), (0.00390625, 0), 1),
    (r"2^{x}", 1, (5.54518, 0.693147), (5.54518, 0.693147), (256, 177.446), None, 1),
    (
        r"\frac{1}{2+\sin x}",
        1,
        (0, 0),
        (-1.09861, 0),
        (0.666667, 0, 0.333333),
        (0.666667, 0, 0.333333),
        1,
    ),
    (
        r"\frac{1}{-2+\sin x}",
        1,
        (0, 0),
        (-1.09861, 0),
        (-0.666667, 0, 0.333333),
        (-0.666667, 0, 0.333333),
        -1,
    ),
    (
        r"\frac{x}{2+\sin x}",
        1,
        (2.07944, 0.125),
        (0.980829, 0),
        (5.33333, 0.666667, 2.66667),
        (5.33333, 0.666667, 2.66667),
        1,
    ),
    (r"J_0(x)", 1, (0, 0), None, (-1, 0), (1, 0), 0),
    (r"J_{1/2}(x)", 1, None, None, None, None, 0),
    (r"\frac{x}{x+1}", 1, (0.133531, 0.125), (-0.117783, -0.125), None, None, 1),
    (r"2+e^{-x}", 1, (0.693315, 0), (0.692979, 0), (2, 0), (2.00034, 0), 1),
    (r"-2+e^{-x}", 1, (0.693315, 0), (0.692979, 0), (-2, 0), (-1.99966, 0), -1),
    (r"3-\sin x", 1, (1.38629, 0), (0.693147, 0), (2, 0), (4, 0), 1),
    (
        r"\sqrt[3]{e^{-x}}",
        1,
        (-2.66667, -0.333333),
        (-2.66667, -0.333333),
        (0, 0),
        (0.0694835, 0),
        1,
    ),
    (r"1-e^{-x}", 1, (0.000335406, 0), (-0.000335519, 0), (0.999665, 0), (1, 0), 1),
    (r"e^{-x}(1+\sin x)", 1, (-7.30685, -1), None, (-0.000670925, 0), (0.000670925, 0), 0),
    (r"(2+\sin x)^2", 1, (2.19722, 0), (0, 0), (1, 0), (9, 0), 1),
    (r"(\sin x)^2", 1, (0, 0), None, (-1, 0), (1, 0), 0),
    (r"\sqrt{2+\sin x}", 1, (0.549306, 0), (0, 0), (1, 0), (1.73205, 0), 1),
    (r"e^{-\sin x}", 1, (1, 0), (-1, 0), (0.367879, 0), (2.71828, 0), 1),
    (r"-x^2", 1, (4.15888, 0.25), (4.15888, 0), None, (-64, -16), -1),
    (r"x^2-1", 1, (4.17439, 0.25), (4.14313, 0), (63, 16), None, 1),
    (r"(x-1)(3x+2)", 1, (5.45532, 0.25), (5.03695, 0), (182, 47), None, 1),
    (r"\ln(1+e^{x/100-5})", 1, (1.59331, 0.00203252), None, (-4.92, 0.01), (0.00727262, 0.01), 0),
    (r"\ln(1+e^{-x/10})", 1, (-0.106853, -0.1), None, (-0.898658, 0), (0.898658, 0), 0),
    (r"\lfloor 2e^{-x/100}\rfloor", 1, (0.613147, 0), None, (-1, 0), (1.84623, 0), 0),
    (r"\lfloor e^{x/100-5}\rfloor", 1, None, None, (-0.992701, 7.29913e-05), None, 0),
    (r"frac 2e^{-x/100}", 1, (0, 0), None, (-1, 0), (1, 0), 0),
    (r"\frac{x}{100}-5", 1, (1.62531, 0.125), None, (-4.92, 0.01), (-4.92, 0.01), 0),
    (r"5-\frac{x}{100}", 1, (1.62531, 0.125), None, (4.92, -0.01), (4.92, -0.01), 0),
    (r"x^{2/3}", 1, (1.38629, 0.0833333), (1.38629, 0), (4, 0), (4, 0.333333), 1),
]


def expression(text):
    """An expression; "frac" is the fractional part, which has no name in LaTeX."""
    word, _, argument = text.partition(" ")
    if word == "frac":
        return Call("frac", (read(argument)[0].expression,))
    return read(text)[0].expression


def rounded(line):
    radius = float(line[0].rad())
    return (*(float(c.mid()) for c in line), *((radius,) if radius > 1e-9 else ()))


@pytest.mark.parametrize("row", LINES, ids=lambda row: f"{row[0]} {row[1]}")
def test_lines(row):
    text, side, *lines, sign = row
    g = expression(text)
    with precision(128):
        tail = _Tail("x", {}, arb(8 * side), side).of(g)
        got = [tail.size, tail.least, tail.lower_line, tail.upper_line]
    for line, expected in zip(got, lines, strict=True):
        assert (line is None) == (expected is None)
        assert line is None or rounded(line) == pytest.approx(expected, rel=2e-5, abs=1e-30)
    assert tail.sign == sign
    tape = compile_tape(g, "x")
    for t in (0, 0.375, 1, 10, 60):
        with precision(512):
            value = tape.run(acb(side * (8 + t)), {}, derivative=False)[tape.root][0]
            at = [None if line is None else line[0] + line[1] * t for line in got]
            real = value.real
            slack = arb(2) ** -100 * (1 + abs(real))
            assert at[0] is None or not abs(value) > at[0].exp() * (1 + arb(2) ** -100), t
            assert at[1] is None or not abs(value) < at[1].exp() * (1 - arb(2) ** -100), t
            assert at[2] is None or not real < at[2] - slack, t
            assert at[3] is None or not real > at[3] + slack, t
            assert not sign or bool(real * sign > 0), t


def test_a_parameter_that_is_a_ball_has_the_bounds_of_all_its_values():
    values = {"a": acb(arb(3, 1))}
    with precision(128):
        tail = _Tail("x", values, arb(8), 1)
        constant = tail.of(read("a")[0].expression)
        assert rounded(constant.size) == pytest.approx((math.log(4), 0))
        assert rounded(constant.least) == pytest.approx((math.log(2), 0))
        assert rounded(constant.lower_line) == pytest.approx((2, 0))
        assert rounded(constant.upper_line) == pytest.approx((4, 0))
        assert constant.sign == 1
        product = tail.of(read("ax")[0].expression)
        assert rounded(product.size) == pytest.approx((math.log(32), 1 / 8))
        assert product.least is not None
        assert bool(product.least[0] <= math.log(16) + 1e-9)
        total = tail.of(read(r"ax+\sin x")[0].expression)
        assert bool(total.size[0].exp() >= 33)
        assert bool((total.lower_line[0] + total.lower_line[1] * 10).lower() <= 2 * 18 - 1)
        steps = tail.of(read(r"\lfloor ax\rfloor")[0].expression)
        assert bool(steps.size[0] >= math.log(32) - 1e-9)
        assert bool(tail.of(read("e^{-ax}")[0].expression).upper_line[0] >= (-arb(16)).exp())
        bound = tail_bound(read("e^{-ax}")[0].expression, "x", values, arb(8), 1)
        assert bool(bound >= (-arb(16)).exp() / 2)
        assert tail.of(read("a-3")[0].expression).sign == 0
