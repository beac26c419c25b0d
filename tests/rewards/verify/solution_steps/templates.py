r"""Solutions as derivations: what is said, line by line, before a voice writes it down.

Each template draws its numbers from a generator and returns a derivation whose right lines are
right. Beside a line stand wrong ones that students and models write in its place.
"""

# ruff: noqa: E501  # formulas

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random


@dataclass(frozen=True)
class Line:
    """An equation, or a further link of the chain before it if ``left`` is empty."""

    left: str
    right: str
    kind: str
    wrong: tuple[str, ...] = ()
    prose: str = ""
    definition: bool = False


@dataclass(frozen=True)
class Derivation:
    """A solution of one integral: lines before the chain, its links, and lines after it."""

    name: str
    integrand: str
    before: tuple[Line, ...]
    chain: tuple[Line, ...]  # the first has the integral as its left side
    after: tuple[Line, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        return (*self.before, *self.chain, *self.after)

    @property
    def answer(self) -> str:
        return self.chain[-1].right


def q(top: int, bottom: int = 1) -> str:
    """A rational number in LaTeX."""
    value = Fraction(top, bottom)
    sign = "-" if value < 0 else ""
    if value.denominator == 1:
        return str(value)
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def c(top: int, bottom: int = 1) -> str:
    """A rational number as a factor: nothing for 1."""
    return {"1": "", "-1": "-"}.get(q(top, bottom), q(top, bottom))


def link(right: str, kind: str, *wrong: str, prose: str = "") -> Line:
    """A further link of the chain."""
    return Line("", right, kind, wrong, prose)


def define(name: str, value: str, prose: str = "Let") -> Line:
    return Line(name, value, "definition", prose=prose, definition=True)


def u_power(r: Random) -> Derivation:
    a, b, n = r.randint(1, 5), r.randint(1, 9), r.randint(2, 7)
    base = f"{c(a)}x^2 + {b}"
    return Derivation(
        "u_power",
        rf"x({base})^{{{n}}}",
        (
            define("u", base),
            Line("du", rf"{2 * a}x\,dx", "substitution", (rf"{a}x\,dx", rf"{2 * a}\,dx"), "so"),
        ),
        (
            link(
                rf"{q(1, 2 * a)} \int u^{{{n}}}\,du",
                "substitution",
                rf"{2 * a} \int u^{{{n}}}\,du",
                rf"{q(1, 3 * a)}\int u^{{{n}}}\,du",
            ),
            link(
                rf"{q(1, 2 * a)} \cdot \frac{{u^{{{n + 1}}}}}{{{n + 1}}} + C",
                "integral",
                rf"{q(1, 2 * a)} \cdot \frac{{u^{{{n + 1}}}}}{{{n}}} + C",
                rf"{q(n, 2 * a)} u^{{{n - 1}}} + C",
            ),
            link(
                rf"\frac{{({base})^{{{n + 1}}}}}{{{2 * a * (n + 1)}}} + C",
                "back-substitution",
                rf"\frac{{({base})^{{{n + 1}}}}}{{{2 * (n + 1) + a + 7}}} + C",
                rf"\frac{{({c(a)}x + {b})^{{{n + 1}}}}}{{{2 * a * (n + 1)}}} + C",
            ),
        ),
    )


def u_trig(r: Random) -> Derivation:
    m, k, b = r.randint(2, 4), r.randint(2, 9), r.randint(1, 9)
    f, big, sign = r.choice([(r"\cos", r"\sin", 1), (r"\sin", r"\cos", -1)])
    inner = f"{k}x^{m} + {b}"
    return Derivation(
        "u_trig",
        rf"x^{{{m - 1}}}{f}({inner})",
        (
            define("u", inner, "Put"),
            Line(
                "du",
                rf"{k * m}x^{{{m - 1}}}\,dx",
                "substitution",
                (rf"{k}x^{{{m - 1}}}\,dx",),
                "then",
            ),
            Line(
                rf"x^{{{m - 1}}}\,dx",
                rf"\frac{{du}}{{{k * m}}}",
                "substitution",
                (rf"{k * m}\,du",),
                "that is,",
            ),
        ),
        (
            link(
                rf"\int {f} u \cdot \frac{{du}}{{{k * m}}}",
                "substitution",
                rf"\int {f} u \,du",
                rf"\int {big} u \cdot\frac{{du}}{{{k * m}}}",
            ),
            link(
                rf"{q(sign, k * m)} {big} u + C",
                "integral",
                rf"{q(-sign, k * m)} {big} u + C",
                rf"{q(sign, k * m)} {f} u + C",
            ),
            link(
                rf"{q(sign, k * m)} {big}({inner}) + C",
                "back-substitution",
                rf"{q(sign, k * m)} {big}({inner[:-1]}{b + 1}0) + C"
                if b < 9
                else rf"{q(sign, k)} {big}({inner}) + C",
            ),
        ),
    )


def u_log(r: Random) -> Derivation:
    n, k = r.randint(2, 6), r.randint(2, 9)
    return Derivation(
        "u_log",
        rf"\frac{{{k}(\ln x)^{{{n}}}}}{{x}}",
        (
            define("u", r"\ln x"),
            Line(
                "du",
                r"\frac{1}{x}\,dx",
                "substitution",
                (r"x\,dx", r"\frac{1}{x^2}\,dx"),
                "so that",
            ),
        ),
        (
            link(rf"{k}\int u^{{{n}}}\,du", "substitution", rf"{k}\int u^{{{n - 1}}}\,du"),
            link(
                rf"\frac{{{k}u^{{{n + 1}}}}}{{{n + 1}}} + C",
                "integral",
                rf"\frac{{{k}u^{{{n + 1}}}}}{{{n}}} + C",
                rf"{k * n}u^{{{n - 1}}} + C",
            ),
            link(
                rf"{q(k, n + 1)} (\ln x)^{{{n + 1}}} + C",
                "back-substitution",
                rf"{q(k, n + 1)} \ln (x^{{{n}}}) + C",
                rf"{q(k, n + 1)} (\ln x)^{{{n}}} + C",
            ),
        ),
    )


def linear_inside(r: Random) -> Derivation:
    a, b = r.randint(2, 9), r.randint(1, 9)
    inner = f"{a}x + {b}"
    return Derivation(
        "linear_inside",
        rf"e^{{{inner}}}",
        (
            define("w", inner, "Set"),
            Line("dx", rf"\frac{{dw}}{{{a}}}", "substitution", (rf"{a}\,dw",), "so"),
        ),
        (
            link(rf"\int \frac{{e^w}}{{{a}}}\,dw", "substitution", r"\int e^w\,dw"),
            link(rf"\frac{{e^w}}{{{a}}} + C", "integral", rf"{a}e^w + C"),
            link(
                rf"{q(1, a)} e^{{{inner}}} + C",
                "back-substitution",
                rf"{a} e^{{{inner}}} + C",
                rf"{q(1, a)} e^{{{a}x}} + C",
            ),
        ),
    )


def parts_exp(r: Random) -> Derivation:
    a = r.randint(2, 6)
    return Derivation(
        "parts_exp",
        rf"xe^{{{a}x}}",
        (
            define("u", "x", "By parts, take"),
            define("dv", rf"e^{{{a}x}}\,dx", "and"),
            Line("du", "dx", "parts", (r"x\,dx",), "Then"),
            Line(
                "v", rf"{q(1, a)} e^{{{a}x}}", "parts", (rf"{a}e^{{{a}x}}", rf"e^{{{a}x}}"), "and"
            ),
        ),
        (
            link(
                rf"\frac{{x e^{{{a}x}}}}{{{a}}} - {q(1, a)} \int e^{{{a}x}}\,dx",
                "parts",
                rf"\frac{{x e^{{{a}x}}}}{{{a}}} + {q(1, a)} \int e^{{{a}x}}\,dx",
                rf"x e^{{{a}x}} - \int e^{{{a}x}}\,dx",
            ),
            link(
                rf"\frac{{x e^{{{a}x}}}}{{{a}}} - \frac{{e^{{{a}x}}}}{{{a * a}}} + C",
                "integral",
                rf"\frac{{x e^{{{a}x}}}}{{{a}}} - \frac{{e^{{{a}x}}}}{{{a}}} + C",
                rf"\frac{{x e^{{{a}x}}}}{{{a}}} - e^{{{a}x}} + C",
            ),
            link(
                rf"\frac{{e^{{{a}x}}}}{{{a * a}}}({a}x - 1) + C",
                "algebra",
                rf"\frac{{e^{{{a}x}}}}{{{a * a}}}({a}x + 1) + C",
                rf"\frac{{e^{{{a}x}}}}{{{a * a}}}(x - 1) + C",
            ),
        ),
    )


def parts_trig(r: Random) -> Derivation:
    a = r.randint(2, 7)
    return Derivation(
        "parts_trig",
        rf"x\sin({a}x)",
        (
            define("u", "x", "Integrate by parts with"),
            define("dv", rf"\sin({a}x)\,dx", "and"),
            Line(
                "v",
                rf"-{q(1, a)} \cos({a}x)",
                "parts",
                (rf"{q(1, a)} \cos({a}x)", rf"-{a}\cos({a}x)"),
                "so",
            ),
        ),
        (
            link(
                rf"-\frac{{x}}{{{a}}}\cos({a}x) + {q(1, a)} \int \cos({a}x)\,dx",
                "parts",
                rf"-\frac{{x}}{{{a}}}\cos({a}x) - {q(1, a)} \int \cos({a}x)\,dx",
            ),
            link(
                rf"-\frac{{x}}{{{a}}}\cos({a}x) + \frac{{\sin({a}x)}}{{{a * a}}} + C",
                "integral",
                rf"-\frac{{x}}{{{a}}}\cos({a}x) - \frac{{\sin({a}x)}}{{{a * a}}} + C",
                rf"-\frac{{x}}{{{a}}}\cos({a}x) + \frac{{\sin({a}x)}}{{{a}}} + C",
            ),
        ),
    )


def parts_log(r: Random) -> Derivation:
    n = r.randint(1, 6)
    return Derivation(
        "parts_log",
        rf"x^{{{n}}}\ln x",
        (
            define("u", r"\ln x", "Use integration by parts:"),
            define("dv", rf"x^{{{n}}}\,dx", ""),
            Line("du", r"\frac{dx}{x}", "parts", (r"x\,dx",), ""),
            Line(
                "v",
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}",
                "parts",
                (rf"{n + 1}x^{{{n + 1}}}", rf"\frac{{x^{{{n + 1}}}}}{{{n}}}"),
                "",
            ),
        ),
        (
            link(
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}\ln x - \int \frac{{x^{{{n + 1}}}}}{{{n + 1}}}\cdot\frac1x\,dx",
                "parts",
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}\ln x - \int \frac{{x^{{{n + 1}}}}}{{{n + 1}}}\,dx",
            ),
            link(
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}\ln x - {q(1, n + 1)}\int x^{{{n}}}\,dx",
                "algebra",
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}\ln x - {q(1, n + 1)}\int x^{{{n + 1}}}\,dx",
            ),
            link(
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}\ln x - \frac{{x^{{{n + 1}}}}}{{{(n + 1) ** 2}}} + C",
                "integral",
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}\ln x - \frac{{x^{{{n + 1}}}}}{{{n + 1}}} + C",
                rf"\frac{{x^{{{n + 1}}}}}{{{n + 1}}}\ln x + \frac{{x^{{{n + 1}}}}}{{{(n + 1) ** 2}}} + C",
            ),
        ),
    )


def parts_twice(r: Random) -> Derivation:
    a = r.randint(2, 5)
    e = rf"e^{{{a}x}}"
    return Derivation(
        "parts_twice",
        rf"x^2 {e}",
        (),
        (
            link(
                rf"{q(1, a)} x^2 {e} - {q(2, a)} \int x {e}\,dx",
                "parts",
                rf"{q(1, a)} x^2 {e} - {q(1, a)} \int x {e}\,dx",
                rf"{a} x^2 {e} - {2 * a} \int x {e}\,dx",
            ),
            link(
                rf"{q(1, a)} x^2 {e} - {q(2, a)} \left( \frac{{x {e}}}{{{a}}} - {q(1, a)}\int {e}\,dx \right)",
                "parts",
                rf"{q(1, a)} x^2 {e} - {q(2, a)} \left( \frac{{x {e}}}{{{a}}} + {q(1, a)}\int {e}\,dx \right)",
            ),
            link(
                rf"{q(1, a)} x^2 {e} - {q(2, a * a)} x {e} + {q(2, a * a)} \int {e}\,dx",
                "algebra",
                rf"{q(1, a)} x^2 {e} - {q(2, a * a)} x {e} - {q(2, a * a)} \int {e}\,dx",
            ),
            link(
                rf"{q(1, a)} x^2 {e} - {q(2, a * a)} x {e} + {q(2, a**3)} {e} + C",
                "integral",
                rf"{q(1, a)} x^2 {e} - {q(2, a * a)} x {e} + {q(2, a * a)} {e} + C",
            ),
        ),
    )


def cyclic(r: Random) -> Derivation:
    a, b = r.randint(1, 4), r.randint(2, 5)
    e, s, k = rf"e^{{{c(a)}x}}", rf"\sin({b}x)", rf"\cos({b}x)"
    n = a * a + b * b
    return Derivation(
        "cyclic",
        rf"{e}{s}",
        (define("I", rf"\int {e}{s}\,dx", "Denote"),),
        (
            link(
                rf"{q(1, a)}{e}{s} - {q(b, a)}\int {e}{k}\,dx",
                "parts",
                rf"{q(1, a)}{e}{s} + {q(b, a)}\int {e}{k}\,dx",
            ),
            link(
                rf"{q(1, a)}{e}{s} - {q(b, a * a)}{e}{k} - {q(b * b, a * a)} I",
                "parts",
                rf"{q(1, a)}{e}{s} - {q(b, a * a)}{e}{k} + {q(b * b, a * a)} I",
            ),
        ),
        (
            Line(
                rf"{q(n, a * a)} I",
                rf"\frac{{{e}({a}{s} - {b}{k})}}{{{a * a}}}",
                "algebra",
                (rf"\frac{{{e}({a}{s} + {b}{k})}}{{{a * a}}}",),
                "Collecting,",
            ),
            Line(
                "I",
                rf"\frac{{{e}({a}{s} - {b}{k})}}{{{n}}} + C",
                "algebra",
                (rf"\frac{{{e}({a}{s} - {b}{k})}}{{{n + 1}}} + C",),
                "Hence",
            ),
        ),
    )


def fractions_(r: Random) -> Derivation:
    a, b = r.sample(range(1, 8), 2)
    k = r.randint(1, 6)
    s = a + b
    f = rf"\frac{{{k}}}{{(x-{a})(x+{b})}}"
    return Derivation(
        "partial_fractions",
        f,
        (
            Line(
                f,
                rf"\frac{{A}}{{x-{a}}} + \frac{{B}}{{x+{b}}}",
                "partial fractions",
                (),
                "Partial fractions:",
            ),
            Line(
                str(k),
                rf"A(x+{b}) + B(x-{a})",
                "partial fractions",
                (rf"A(x-{a}) + B(x+{b})",),
                "Multiplying out,",
            ),
            Line("A", q(k, s), "partial fractions", (q(-k, s), q(k, s + 1)), "so"),
            Line("B", q(-k, s), "partial fractions", (q(k, s), q(-k, s + 2)), "and"),
        ),
        (
            link(
                rf"{q(k, s)} \int \frac{{dx}}{{x-{a}}} - {q(k, s)} \int \frac{{dx}}{{x+{b}}}",
                "algebra",
                rf"{q(k, s)} \int \frac{{dx}}{{x-{a}}} + {q(k, s)} \int \frac{{dx}}{{x+{b}}}",
            ),
            link(
                rf"{q(k, s)} \ln|x-{a}| - {q(k, s)} \ln|x+{b}| + C",
                "integral",
                rf"{q(k, s)} \ln|x-{a}| + {q(k, s)} \ln|x+{b}| + C",
            ),
            link(
                rf"{q(k, s)} \ln\left|\frac{{x-{a}}}{{x+{b}}}\right| + C",
                "identity",
                rf"{q(k, s)} \ln\left|(x-{a})(x+{b})\right| + C",
                rf"{q(k, s)} \ln\left|\frac{{x-{a}}}{{x+{b + 1}}}\right| + C",
            ),
        ),
    )


def sine_squared(r: Random) -> Derivation:
    a = r.randint(2, 8)
    return Derivation(
        "sine_squared",
        rf"\sin^2({a}x)",
        (
            Line(
                rf"\sin^2({a}x)",
                rf"\frac{{1 - \cos({2 * a}x)}}{{2}}",
                "identity",
                (rf"\frac{{1 + \cos({2 * a}x)}}{{2}}", rf"1 - \cos({2 * a}x)"),
                "Since",
            ),
        ),
        (
            link(
                rf"\frac12 \int \left(1 - \cos({2 * a}x)\right) dx",
                "identity",
                rf"\frac12 \int \left(1 - \cos({a}x)\right) dx",
            ),
            link(
                rf"\frac{{x}}{{2}} - \frac{{\sin({2 * a}x)}}{{{4 * a}}} + C",
                "integral",
                rf"\frac{{x}}{{2}} - \frac{{\sin({2 * a}x)}}{{2}} + C",
                rf"\frac{{x}}{{2}} + \frac{{\sin({2 * a}x)}}{{{4 * a}}} + C",
            ),
        ),
    )


def sine_cubed(r: Random) -> Derivation:
    k = r.randint(2, 9)
    return Derivation(
        "sine_cubed",
        rf"{k}\sin^3 x",
        (
            Line(
                r"\sin^3 x", r"(1 - \cos^2 x)\sin x", "identity", (r"(1 - \cos x)\sin x",), "Write"
            ),
            define("u", r"\cos x", "and let"),
            Line("du", r"-\sin x\,dx", "substitution", (r"\sin x\,dx",), "so"),
        ),
        (
            link(rf"-{k} \int (1 - u^2)\,du", "substitution", rf"{k} \int (1 - u^2)\,du"),
            link(
                rf"-{k}u + \frac{{{k}u^3}}{{3}} + C",
                "integral",
                rf"-{k}u + {k}u^3 + C",
                rf"-{k}u - \frac{{{k}u^3}}{{3}} + C",
            ),
            link(
                rf"{q(k, 3)} \cos^3 x - {k}\cos x + C",
                "back-substitution",
                rf"{q(k, 3)} \sin^3 x - {k}\sin x + C",
                rf"{q(k, 3)} \cos^3 x + {k}\cos x + C",
            ),
        ),
    )


def circle(r: Random) -> Derivation:
    a = r.randint(2, 7)
    return Derivation(
        "circle",
        rf"\sqrt{{{a * a} - x^2}}",
        (
            define("x", rf"{a}\sin\theta", "Substitute"),
            Line(
                "dx",
                rf"{a}\cos\theta\,d\theta",
                "substitution",
                (rf"-{a}\cos\theta\,d\theta", rf"{a}\sin\theta\,d\theta"),
                "with",
            ),
            Line(
                rf"\sqrt{{{a * a} - x^2}}",
                rf"{a}\cos\theta",
                "substitution",
                (rf"{a}\sin\theta",),
                "and",
            ),
        ),
        (
            link(
                rf"{a * a}\int \cos^2\theta\,d\theta",
                "substitution",
                rf"{a}\int \cos^2\theta\,d\theta",
                rf"{a * a}\int \cos\theta\,d\theta",
            ),
            link(
                rf"{q(a * a, 2)} \int (1 + \cos 2\theta)\,d\theta",
                "identity",
                rf"{q(a * a, 2)} \int (1 - \cos 2\theta)\,d\theta",
            ),
            link(
                rf"{q(a * a, 2)} \left(\theta + \frac12 \sin 2\theta\right) + C",
                "integral",
                rf"{q(a * a, 2)} \left(\theta + 2 \sin 2\theta\right) + C",
            ),
            link(
                rf"{q(a * a, 2)} \arcsin\frac{{x}}{{{a}}} + \frac{{x\sqrt{{{a * a} - x^2}}}}{{2}} + C",
                "back-substitution",
                rf"{q(a * a, 2)} \arcsin\frac{{x}}{{{a}}} + x\sqrt{{{a * a} - x^2}} + C",
            ),
        ),
    )


def tangent(r: Random) -> Derivation:
    a = r.randint(2, 9)
    return Derivation(
        "tangent",
        rf"\frac{{1}}{{x^2 + {a * a}}}",
        (
            define("x", rf"{a}\tan t", "Let"),
            Line("dx", rf"{a}\sec^2 t\,dt", "substitution", (rf"{a}\sec t\tan t\,dt",), "hence"),
        ),
        (
            link(
                rf"\int \frac{{{a}\sec^2 t}}{{{a * a}\tan^2 t + {a * a}}}\,dt",
                "substitution",
                rf"\int \frac{{\sec^2 t}}{{{a * a}\tan^2 t + {a * a}}}\,dt",
            ),
            link(rf"\frac{{1}}{{{a}}}\int dt", "identity", rf"{a}\int dt"),
            link(rf"\frac{{t}}{{{a}}} + C", "integral", rf"\frac{{t^2}}{{{2 * a}}} + C"),
            link(
                rf"\frac{{1}}{{{a}}}\arctan\frac{{x}}{{{a}}} + C",
                "back-substitution",
                rf"\frac{{1}}{{{a}}}\arctan({a}x) + C",
                rf"\arctan\frac{{x}}{{{a}}} + C",
            ),
        ),
    )


def polynomial(r: Random) -> Derivation:
    a, b, d = r.randint(2, 9), r.randint(2, 9), r.randint(1, 9)
    return Derivation(
        "polynomial",
        rf"(x + {a})({b}x - {d})",
        (),
        (
            link(
                rf"\int \left({b}x^2 + {a * b - d}x - {a * d}\right)dx".replace("+ -", "- "),
                "algebra",
                rf"\int \left({b}x^2 + {a * b + d}x - {a * d}\right)dx",
            ),
            link(
                rf"{q(b, 3)}x^3 + {q(a * b - d, 2)}x^2 - {a * d}x + C".replace("+ -", "- "),
                "integral",
                rf"{q(b, 3)}x^3 + {q(a * b - d)}x^2 - {a * d}x + C".replace("+ -", "- ")
                if a * b != d
                else rf"{b}x^3 - {a * d}x + C",
            ),
        ),
    )


def square_completed(r: Random) -> Derivation:
    b, a = r.randint(1, 6), r.randint(2, 6)
    n = b * b + a * a
    return Derivation(
        "square_completed",
        rf"\frac{{1}}{{x^2 + {2 * b}x + {n}}}",
        (
            Line(
                rf"x^2 + {2 * b}x + {n}",
                rf"(x+{b})^2 + {a * a}",
                "algebra",
                (rf"(x+{b})^2 + {n}", rf"(x+{2 * b})^2 + {a * a}"),
                "Complete the square:",
            ),
        ),
        (
            link(
                rf"\int \frac{{dx}}{{(x+{b})^2 + {a}^2}}",
                "algebra",
                rf"\int \frac{{dx}}{{(x-{b})^2 + {a}^2}}",
            ),
            link(
                rf"{q(1, a)} \arctan\left(\frac{{x+{b}}}{{{a}}}\right) + C",
                "integral",
                rf"\arctan\left(\frac{{x+{b}}}{{{a}}}\right) + C",
                rf"{q(1, a)} \ln\left|(x+{b})^2 + {a * a}\right| + C",
            ),
        ),
    )


def division(r: Random) -> Derivation:
    a = r.randint(1, 8)
    return Derivation(
        "division",
        rf"\frac{{x^2}}{{x + {a}}}",
        (
            Line(
                rf"\frac{{x^2}}{{x + {a}}}",
                rf"x - {a} + \frac{{{a * a}}}{{x + {a}}}",
                "algebra",
                (
                    rf"x + {a} + \frac{{{a * a}}}{{x + {a}}}",
                    rf"x - {a} - \frac{{{a * a}}}{{x + {a}}}",
                ),
                "Long division gives",
            ),
        ),
        (
            link(
                rf"\int x\,dx - {a}\int dx + {a * a}\int\frac{{dx}}{{x+{a}}}",
                "algebra",
                rf"\int x\,dx - {a}\int dx + {a}\int\frac{{dx}}{{x+{a}}}"
                if a > 1
                else rf"\int x\,dx + {a}\int dx + {a * a}\int\frac{{dx}}{{x+{a}}}",
            ),
            link(
                rf"\frac{{x^2}}{{2}} - {a}x + {a * a}\ln|x+{a}| + C",
                "integral",
                rf"\frac{{x^2}}{{2}} - {a} + {a * a}\ln|x+{a}| + C",
                rf"x^2 - {a}x + {a * a}\ln|x+{a}| + C",
            ),
        ),
    )


def root(r: Random) -> Derivation:
    a = r.randint(2, 9)
    return Derivation(
        "root",
        rf"\frac{{1}}{{\sqrt{{x}} + {a}}}",
        (
            define("u", r"\sqrt{x}"),
            Line("x", "u^2", "substitution", ("u^3",), "so"),
            Line("dx", r"2u\,du", "substitution", (r"u\,du", r"2\,du"), "and"),
        ),
        (
            link(
                rf"\int \frac{{2u}}{{u + {a}}}\,du",
                "substitution",
                rf"\int \frac{{2}}{{u + {a}}}\,du",
                rf"\int \frac{{2u}}{{u^2 + {a}}}\,du",
            ),
            link(
                rf"2\int \left(1 - \frac{{{a}}}{{u + {a}}}\right)du",
                "algebra",
                rf"2\int \left(1 + \frac{{{a}}}{{u + {a}}}\right)du",
            ),
            link(
                rf"2u - {2 * a}\ln|u + {a}| + C",
                "integral",
                rf"2u - {2 * a}\ln|u| + C",
                rf"2u + {2 * a}\ln|u + {a}| + C",
            ),
            link(
                rf"2\sqrt{{x}} - {2 * a}\ln(\sqrt{{x}} + {a}) + C",
                "back-substitution",
                rf"2x - {2 * a}\ln(x + {a}) + C",
            ),
        ),
    )


def exponential(r: Random) -> Derivation:
    a, k = r.randint(1, 9), r.randint(1, 9)
    return Derivation(
        "exponential",
        rf"\frac{{{k}e^x}}{{e^{{2x}} + {a * a}}}",
        (
            define("u", "e^x", "Put"),
            Line("du", r"e^x\,dx", "substitution", (r"xe^{x-1}\,dx",), "so"),
        ),
        (
            link(
                rf"{k}\int \frac{{du}}{{u^2 + {a * a}}}",
                "substitution",
                rf"{k}\int \frac{{du}}{{u + {a * a}}}",
                rf"{k}\int \frac{{u\,du}}{{u^2 + {a * a}}}",
            ),
            link(
                rf"{q(k, a)}\arctan\frac{{u}}{{{a}}} + C",
                "integral",
                rf"{q(2 * k, a)}\arctan\frac{{u}}{{{a}}} + C",
            ),
            link(
                rf"{q(k, a)}\arctan\left(\frac{{e^x}}{{{a}}}\right) + C",
                "back-substitution",
                rf"{q(k, a)}\arctan\left(\frac{{x}}{{{a}}}\right) + C",
            ),
        ),
    )


TEMPLATES: tuple[Callable[[Random], Derivation], ...] = (
    u_power,
    u_trig,
    u_log,
    linear_inside,
    parts_exp,
    parts_trig,
    parts_log,
    parts_twice,
    cyclic,
    fractions_,
    sine_squared,
    sine_cubed,
    circle,
    tangent,
    polynomial,
    square_completed,
    division,
    root,
    exponential,
)
