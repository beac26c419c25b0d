"""Derivations with a rewritten integrand: fractions, powers, angles, squares."""

# ruff: noqa: E501  # formulas

from __future__ import annotations

from random import Random

from tests.rewards.verify.solution_steps.templates.derivations import (
    Derivation,
    Line,
    define,
    link,
    q,
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
