"""Generators of definite integrals with right and wrong values.

Each family of integrals has a function, which draws integers k, n, p and returns an integral, its
value, and plausible wrong values. Most wrong values result from a mistake:

- a peak or kinks are missed;
- the value is right only for other values of a parameter;
- a logarithm has another power;
- a finite limit of integration is replaced by infinity;
- the factor of a substitution is missing.

Other wrong values are numbers fitted to the digits of the right value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from ....benchmarks.hashed_random import HashedRandom
from ....rewards.numeric.ball_arithmetic.balls import precision
from ....rewards.numeric.quadrature.line import limit_value
from ....rewards.reading.expression.traversal import symbols_of
from ....rewards.reading.latex import read
from .case import Case, group_generator

#: An integral, its value, and wrong values.
Family = Callable[[HashedRandom], tuple[str, str, list[str]]]


def _drawn_integer(rng: HashedRandom) -> int:
    """Draw an integer of either sign, of any size up to 10^6."""
    size: int = rng.integer(1, 9) * 10 ** rng.integer(0, 5) + rng.below(10)
    return rng.choice((1, -1)) * size


def _shifted(variable: str, m: int) -> str:
    return f"({variable}{-m:+d})" if m else f"({variable})"


def _density(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw the integral of exp(-(x - m)^2 / n), with m of any size up to 10^6."""
    m, n = _drawn_integer(rng), rng.integer(2, 40)
    f = rf"e^{{-\frac{{{_shifted('x', m)}^2}}{{{n}}}}}"
    return rf"\int_{{-\infty}}^\infty {f}\,dx", rf"\sqrt{{{n}\pi}}", ["0", rf"{n}\sqrt\pi"]


def _mean(rng: HashedRandom) -> tuple[str, str, list[str]]:
    m = _drawn_integer(rng)
    f = rf"\frac{{x e^{{-{_shifted('x', m)}^2/2}}}}{{\sqrt{{2\pi}}}}"
    return rf"\int_{{-\infty}}^\infty {f}\,dx", str(m), ["0", str(m + 1), str(-m)]


def _hyperbolic(rng: HashedRandom) -> tuple[str, str, list[str]]:
    m, n = _drawn_integer(rng), rng.integer(1, 9)
    f = rf"\frac{{dx}}{{\cosh^2({n}{_shifted('x', m)})}}"
    return rf"\int_{{-\infty}}^\infty {f}", rf"\frac{{2}}{{{n}}}", ["0", "2" if n > 1 else "1"]


def _lognormal(rng: HashedRandom) -> tuple[str, str, list[str]]:
    m = rng.integer(-90, 90)
    f = rf"\frac{{e^{{-{_shifted(chr(92) + 'ln x', m)}^2/2}}}}{{x}}"
    return rf"\int_0^\infty {f}\,dx", r"\sqrt{2\pi}", ["0", r"\sqrt{\pi}", r"\sqrt{2\pi}e^{1/2}"]


def _spike(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral with a peak of width 10^{-k}, added to a wide integrand."""
    m, k = _drawn_integer(rng), rng.integer(0, 12)
    f = rf"\frac{{1}}{{1+x^2}}+e^{{-10^{{{2 * k}}}{_shifted('x', m)}^2}}"
    value = rf"\pi+10^{{-{k}}}\sqrt\pi"
    return rf"\int_{{-\infty}}^\infty \left({f}\right)dx", value, [r"\pi", rf"\pi+10^{{-{k}}}\pi"]


def _pulse(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral over a finite range, nearly all of it from a peak of width 10^{-k}."""
    n, k = rng.integer(1, 10**6), rng.integer(1, 15)
    f = rf"\frac{{10^{{{k}}}}}{{1+10^{{{2 * k}}}{_shifted('x', n)}^2}}"
    value = rf"\arctan(10^{{{k}}})+\arctan({n}\cdot10^{{{k}}})"
    return rf"\int_0^{{{n + 1}}}{f}\,dx", value, ["0", r"\pi", r"\frac{\pi}{2}"]


def _power(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw the integral of a power near the limit of convergence, at 0 or at infinity."""
    n = rng.integer(1, 9) * 10 ** rng.integer(0, 6)
    diverges = rng.below(3) == 0
    sign = -1 if diverges else 1
    wrong = [str(n), rf"-{n}"] if diverges else [r"\text{diverges}", r"\infty", str(n + 1)]
    value = r"\text{diverges}" if diverges else str(n)
    if rng.below(2):
        return rf"\int_1^\infty x^{{-1-\frac{{{sign}}}{{{n}}}}}\,dx", value, wrong
    return rf"\int_0^1 x^{{-1+\frac{{{sign}}}{{{n}}}}}\,dx", value, wrong


def _power_and_logarithm(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw the integral of a logarithm times a power near the boundary of convergence.

    If the exponent is 1/n away from the critical exponent, the value is n^2 or -n^2.
    """
    n, at_zero = rng.integer(1, 9) * 10 ** rng.integer(0, 5), rng.below(2)
    value = rf"{'-' if at_zero else ''}{n * n}"
    wrong = [str(n), r"\text{diverges}", r"-\infty" if at_zero else r"\infty", f"{value}1"]
    if at_zero:
        return rf"\int_0^1 x^{{-1+\frac{{1}}{{{n}}}}}\ln x\,dx", value, wrong
    return rf"\int_1^\infty\frac{{\ln x}}{{x^{{1+1/{n}}}}}\,dx", value, wrong


def _logarithmic(rng: HashedRandom) -> tuple[str, str, list[str]]:
    n = rng.integer(1, 50)
    if rng.below(3) == 0:
        return r"\int_e^\infty\frac{dx}{x\ln x}", r"\text{diverges}", ["1", str(n)]
    f = rf"\frac{{dx}}{{x(\ln x)^{{1+1/{n}}}}}"
    return rf"\int_e^\infty{f}", str(n), [r"\text{diverges}", str(n + 1)]


def _steps(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral with infinitely many jumps that accumulate at an end of the range."""
    b = rng.integer(2, 12)
    value, near = (
        rf"-\frac{{{b}}}{{{b - 1}}}",
        rf"-\frac{{{b}}}{{{b - 1}}}+\frac{{1}}{{{b}^{{30}}}}",
    )
    return rf"\int_0^1\lfloor\log_{{{b}}}x\rfloor\,dx", value, [near, rf"-\frac{{1}}{{\ln {b}}}"]


def _pieces(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral whose integrand has infinitely many pieces, which accumulate at 0 or
    infinity.

    The integral over the n-th piece decays as a power of n.
    """
    n, p = rng.integer(1, 60), rng.integer(3, 8)
    if rng.below(2):
        value = rf"\frac{{\zeta({p - 1})}}{{{p - 1}}}"
        f = rf"\int_1^\infty\frac{{\lfloor x\rfloor}}{{x^{{{p}}}}}\,dx"
        if rng.below(2):
            f = rf"\int_0^1 x^{{{p - 2}}}\left\lfloor\frac1x\right\rfloor dx"
        return (
            f,
            value,
            [rf"\zeta({p - 1})", rf"{value}+10^{{-{n}}}", rf"\frac{{\zeta({p})}}{{{p - 1}}}"],
        )
    harmonic = sum(Fraction(1, k) for k in range(1, n + 1))
    value = rf"\frac{{{harmonic.numerator}}}{{{harmonic.denominator}}}-\ln {n}-\gamma"
    f = rf"\int_{{{n}}}^\infty\frac{{\{{x\}}}}{{x^2}}\,dx"
    if rng.below(2):
        f = rf"\int_0^{{1/{n}}}\left\{{\frac1x\right\}}dx"
    return f, value, [rf"\frac{{1}}{{{2 * n}}}", rf"{value}+\frac1{{10^{{{n}}}}}", f"{value}+1"]


def _towards_a_limit(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral whose integrand has infinitely many kinks, which accumulate at a limit.

    The distances between the kinks shrink geometrically. The limit may be a small or a large
    number.
    """
    b, m = rng.integer(2, 9), _drawn_integer(rng)
    f = rf"\left|\sin\left(\frac{{\pi\ln{_shifted('x', m)}}}{{\ln {b}}}\right)\right|"
    c = rf"\frac{{\pi}}{{\ln {b}}}"
    value = rf"\frac{{{c}({b}+1)}}{{({b}-1)\left(1+\left({c}\right)^2\right)}}"
    wrong = [r"\frac{2}{\pi}", "0", rf"{value}+{b}^{{-20}}", value.replace("1)}", "2)}", 1)]
    return rf"\int_{{{m}}}^{{{m + 1}}}{f}\,dx", value, wrong


def _periods(rng: HashedRandom) -> tuple[str, str, list[str]]:
    n, k = rng.integer(1, 3000), rng.integer(1, 6)
    f = rf"\left|\sin({k}x)\right|"
    return rf"\int_0^{{{n}\pi}}{f}\,dx", str(2 * n), [str(2 * n * k + 1), "0", str(2 * n + 2)]


def _floor(rng: HashedRandom) -> tuple[str, str, list[str]]:
    n = rng.integer(1, 1500)
    right = n * (n - 1) // 2
    wrong = [str(right + 1), str(n * (n + 1) // 2)]
    return rf"\int_0^{{{n}}}\lfloor x\rfloor\,dx", str(right), wrong


def _regime(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Make a question, its right answer and wrong answers: the integral of |x - c| from 0 to 1.

    c is a random multiple of a random parameter. The value has three formulas: for c < 0, for
    0 < c < 1, and for c > 1. Each wrong answer is one of these formulas, without its condition.
    """
    letter = rng.choice("abcknprst")
    n = rng.integer(1, 60)
    f = rf"|x-{n}{letter}|" if n > 1 else rf"|x-{letter}|"
    c = f"{n}{letter}" if n > 1 else letter
    right = rf"\frac{{{c}|{c}|+(1-{c})|1-{c}|}}{{2}}"
    wrong = [rf"{c}-\frac12", rf"\frac12-{c}", rf"{n * n}{letter}^2-{c}+\frac12"]
    return rf"\int_0^1{f}\,dx", right, wrong


def _poisson(rng: HashedRandom) -> tuple[str, str, list[str]]:
    letter = rng.choice("abckprst")
    f = rf"\frac{{dx}}{{1-2{letter}\cos x+{letter}^2}}"
    wrong = [rf"\frac{{\pi}}{{{letter}^2-1}}", rf"\frac{{\pi}}{{1-{letter}^2}}"]
    return rf"\int_0^\pi{f}", rf"\frac{{\pi}}{{|1-{letter}^2|}}", wrong


def _least(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral whose value is a multiple of the smaller of two parameters."""
    n = rng.integer(1, 6)  # each costs a second, for all orders of a and b
    a, b = rng.choice((("a", "b"), ("p", "q"), ("s", "t"), ("b", "a")))
    f = rng.choice(
        (
            rf"\frac{{\sin({n}{a}x)\sin({n}{b}x)}}{{x^2}}",
            rf"\frac{{\cos({n}({a}-{b})x)-\cos({n}({a}+{b})x)}}{{2x^2}}",
        )
    )
    value = rf"\frac{{{n}\pi\min({a},{b})}}{{2}}"
    wrong = [rf"\frac{{{n}\pi {c}}}{{2}}" for c in (a, b, rf"\max({a},{b})")]
    return rf"\int_0^\infty{f}\,dx", value, wrong


def _frequencies(rng: HashedRandom) -> tuple[str, str, list[str]]:
    a, b = rng.integer(1, 40), rng.integer(1, 40)
    f = rf"\frac{{\sin({a}x)\sin({b}x)}}{{x^2}}"
    right, wrong = rf"\frac{{{min(a, b)}\pi}}{{2}}", rf"\frac{{{max(a, b) + 1}\pi}}{{2}}"
    return rf"\int_0^\infty{f}\,dx", right, [wrong, r"\text{diverges}", "0"]


def _hidden(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral with wrong values that have a tiny extra term or factor.

    With the usual number of digits, the difference is invisible.
    """
    n = rng.integer(1, 30)
    tiny = rng.choice((r"e^{-e^{e^{e}}}", r"10^{-5000}", r"(1-\tanh(\pi^{\pi^\pi}))"))
    wrong = [rf"\frac{{\pi}}{{{2 * n}}}+{tiny}", rf"\frac{{\pi}}{{{2 * n}}}\left(1+{tiny}\right)"]
    return rf"\int_0^\infty\frac{{dx}}{{x^2+{n * n}}}", rf"\frac{{\pi}}{{{2 * n}}}", wrong


#: f(@), the upper limit (the lower limit is 0) and the value.
_STANDARD_INTEGRALS: tuple[tuple[str, str, str], ...] = (
    (r"\frac{1}{1+@^2}", r"\infty", r"\frac{\pi}{2}"),
    (r"\frac{@^2}{e^{@}-1}", r"\infty", r"2\zeta(3)"),
    (r"\frac{\sin @}{@}", r"\infty", r"\frac{\pi}{2}"),
    (r"\ln\left(\sin @\right)", r"\frac{\pi}{2}", r"-\frac{\pi\ln 2}{2}"),
    (r"e^{-@^2}", r"\infty", r"\frac{\sqrt\pi}{2}"),
    (r"\frac{\ln(1+@)}{@}", "1", r"\frac{\pi^2}{12}"),
    (r"\sqrt{@(1-@)}", "1", r"\frac{\pi}{8}"),
    (r"\frac{1}{\sqrt{@}(1+@)}", r"\infty", r"\pi"),
    (r"e^{-@}\ln @", r"\infty", r"-\gamma"),
    (r"\frac{@}{\sinh @}", r"\infty", r"\frac{\pi^2}{4}"),
    (r"@^3 e^{-@}", r"\infty", "6"),
)


def _moved(rng: HashedRandom) -> tuple[str, str, str]:
    """Draw a standard integral after a substitution, with the right value and a wrong value."""
    f, upper, value = rng.choice(_STANDARD_INTEGRALS)
    substitution, n = rng.below(4), rng.integer(2, 9)
    m = n * 10 ** rng.integer(0, 3)
    endless = upper == r"\infty"
    if substitution == 0:  # x / m
        end = upper if endless else rf"{m}\cdot {upper}"
        moved = f.replace("@", rf"\left(\frac{{x}}{{{m}}}\right)")
        return rf"\int_0^{{{end}}}{moved}\,dx", rf"{m}\left({value}\right)", value
    if substitution == 1:  # x - m
        end = upper if endless else f"{m}+{upper}"
        moved = f.replace("@", _shifted("x", m))
        return rf"\int_{{{m}}}^{{{end}}}{moved}\,dx", value, f"{m}+{value}"
    if substitution == 2 and endless:  # 1/x
        moved = f.replace("@", r"\left(\frac1x\right)")
        return rf"\int_0^\infty\frac{{1}}{{x^2}}{moved}\,dx", value, f"-{value}"
    if substitution == 3 and endless:  # e^x
        moved = f.replace("@", r"\left(e^{x}\right)")
        return rf"\int_{{-\infty}}^\infty e^{{x}}{moved}\,dx", value, f"2{value}"
    moved = f.replace("@", rf"\left(x^{{{n}}}\right)")  # x^n
    end = upper if endless or upper == "1" else rf"\left({upper}\right)^{{1/{n}}}"
    return rf"\int_0^{{{end}}}x^{{{n - 1}}}{moved}\,dx", rf"\frac{{{value}}}{{{n}}}", value


def _substituted(rng: HashedRandom) -> tuple[str, str, list[str]]:
    integral, value, wrong = _moved(rng)
    return integral, value, [wrong, "0", r"\text{diverges}"]


#: Integrals from 0 to N: f, an antiderivative that vanishes at 0, the antiderivative's limit at
#: infinity, and whether the difference shows in digits.
_TRUNCATED: tuple[tuple[str, str, str, bool], ...] = (
    (r"e^{-x}", r"1-e^{-@}", "1", False),
    (r"e^{-x^2}", r"\frac{\sqrt\pi}{2}\operatorname{erf}(@)", r"\frac{\sqrt\pi}{2}", False),
    (r"\frac{1}{\cosh^2x}", r"\tanh(@)", "1", False),
    (r"x e^{-x}", r"1-(1+@)e^{-@}", "1", False),
    (r"\frac{1}{1+x^2}", r"\arctan(@)", r"\frac{\pi}{2}", True),
    (r"\frac{1}{(1+x)^2}", r"\frac{@}{1+@}", "1", True),
    (r"\frac{1}{(1+x)^{3}}", r"\frac12-\frac{1}{2(1+@)^2}", r"\frac12", True),
    (r"\frac{1}{(1+x^2)^{3/2}}", r"\frac{@}{\sqrt{1+@^2}}", "1", True),
)


def _truncated(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Draw an integral up to a finite number instead of infinity.

    The integral's value is close to the value of the improper integral.
    """
    f, antiderivative, improper, shows = rng.choice(_TRUNCATED)
    n = rng.integer(1, 9) * 10 ** rng.integer(0, 9) if shows else rng.integer(2, 9)
    value = antiderivative.replace("@", str(n))
    if not shows and rng.below(2):
        # no right answer can be written out in digits
        n = rng.integer(1, 9) * 10 ** rng.integer(2, 6)
        return rf"\int_0^{{{n}}}{f}\,dx", "", [improper]
    return rf"\int_0^{{{n}}}{f}\,dx", value, [improper, antiderivative.replace("@", str(n + 1))]


#: Families whose integrals take a hundredth of a second; those in `_COSTLY` take a tenth or more.
_QUICK: tuple[Family, ...] = (
    _density,
    _mean,
    _hyperbolic,
    _lognormal,
    _power,
    _power_and_logarithm,
    _logarithmic,
    _steps,
    _periods,
    _regime,
    _poisson,
    _frequencies,
    _hidden,
    _truncated,
    _substituted,
)
_COSTLY: tuple[Family, ...] = (
    _spike,
    _pulse,
    _towards_a_limit,
    _pieces,
    _floor,
    _least,
)


#: The number of answers to each integral: the value, and wrong values.
ANSWERS = 10


@group_generator(ANSWERS)
def definite(rng: HashedRandom, number: int) -> Case:
    """Make a case with a definite integral and its value, or a wrong value."""
    family = rng.choice(_QUICK if rng.below(20) else _COSTLY)
    integral, value, wrong = family(rng)
    answers = [*wrong, *_wrong_values(rng, value)][: ANSWERS - bool(value)]
    if value:
        answers.insert(0, value)
    note = f"definite integral ({family.__name__.strip('_')}), value {value}"
    answer = answers[number % len(answers)]
    return Case(integral, rf"\boxed{{{answer}}}", answer is value, note, task="definite")


def _wrong_values(rng: HashedRandom, value: str) -> list[str]:
    """Make wrong answers for an integral with this value. Most of them are close to the value.

    If the value has no parameters, some wrong answers are numbers with the same first digits.
    """
    if not value:
        return []
    if "text" in value:
        return ["0", "1", r"\pi", "-1", str(rng.integer(2, 10**6)), r"\frac12", r"\ln 2", "e"]
    n, k = rng.integer(2, 400), rng.integer(3, 40)
    tiny = rng.choice((rf"10^{{-{k}}}", rf"2^{{-{3 * k}}}", r"e^{-e^{e^e}}", "10^{-4000}"))
    near = [
        rf"{value}+{tiny}",
        rf"\left({value}\right)\left(1-{tiny}\right)",
        rf"\left({value}\right)\frac{{{n}}}{{{n + 1}}}",
        rf"\sqrt{{\left({value}\right)^2+{tiny}}}",
        rf"-\left({value}\right)",
    ]
    expression = read(value)[0].expression
    if symbols_of(expression):
        return near
    with precision(512):
        exact = limit_value(expression, {})
        decimal = exact.str(k, radius=False)
        scaled = arb((exact * 10**k).mid()).floor().unique_fmpz()
        over_pi = (exact / arb.pi()).str(k, radius=False)
        fitted = [decimal, rf"\frac{{{scaled}}}{{10^{{{k}}}}}", rf"{over_pi}\pi"]
        # the decimal of a rational number is not wrong, nor is the opposite of 0
        return [
            text
            for text in (*fitted, *near)
            if not (limit_value(read(text)[0].expression, {}) - exact).contains(0)
            or any(fragment in text for fragment in (r"e^{-e^{e^e}}", "10^{-4000}"))
        ]
