"""Derivations by substitution and by parts."""

# ruff: noqa: E501  # formulas

from __future__ import annotations

from random import Random

from tests.rewards.verify.solution_steps.templates.derivations import (
    Derivation,
    Line,
    c,
    define,
    link,
    q,
)


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
