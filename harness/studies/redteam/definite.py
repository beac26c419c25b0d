r"""Generators of definite integrals whose value is known: shifts, regimes, kinks, critical powers.

Each family has integers k, n, p and gives an integral, its value, and values that someone would
give who missed a peak, another regime of a parameter, the last kinks or the power of a logarithm.
"""

from __future__ import annotations

from collections.abc import Callable

from ....benchmarks.hashed_random import HashedRandom
from .case import Case, generator

#: An integral, its value, and wrong values.
Family = Callable[[HashedRandom], tuple[str, str, list[str]]]


def _place(rng: HashedRandom) -> int:
    """A number of any size up to 10^6, of any sign."""
    size: int = rng.integer(1, 9) * 10 ** rng.integer(0, 5) + rng.below(10)
    return rng.choice((1, -1)) * size


def _shifted(variable: str, m: int) -> str:
    return f"({variable}{-m:+d})" if m else f"({variable})"


def _density(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """A normal density far out, or at any scale."""
    m, n = _place(rng), rng.integer(2, 40)
    f = rf"e^{{-\frac{{{_shifted('x', m)}^2}}{{{n}}}}}"
    return rf"\int_{{-\infty}}^\infty {f}\,dx", rf"\sqrt{{{n}\pi}}", ["0", rf"{n}\sqrt\pi"]


def _mean(rng: HashedRandom) -> tuple[str, str, list[str]]:
    m = _place(rng)
    f = rf"\frac{{x e^{{-{_shifted('x', m)}^2/2}}}}{{\sqrt{{2\pi}}}}"
    return rf"\int_{{-\infty}}^\infty {f}\,dx", str(m), ["0", str(m + 1), str(-m)]


def _hyperbolic(rng: HashedRandom) -> tuple[str, str, list[str]]:
    m, n = _place(rng), rng.integer(1, 9)
    f = rf"\frac{{dx}}{{\cosh^2({n}{_shifted('x', m)})}}"
    return rf"\int_{{-\infty}}^\infty {f}", rf"\frac{{2}}{{{n}}}", ["0", "2" if n > 1 else "1"]


def _lognormal(rng: HashedRandom) -> tuple[str, str, list[str]]:
    m = rng.integer(-90, 90)
    f = rf"\frac{{e^{{-{_shifted(chr(92) + 'ln x', m)}^2/2}}}}{{x}}"
    return rf"\int_0^\infty {f}\,dx", r"\sqrt{2\pi}", ["0", r"\sqrt{\pi}", r"\sqrt{2\pi}e^{1/2}"]


def _spike(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """A peak of width 10^{-k} beside a wide integrand."""
    m, k = _place(rng), rng.integer(0, 12)
    f = rf"\frac{{1}}{{1+x^2}}+e^{{-10^{{{2 * k}}}{_shifted('x', m)}^2}}"
    value = rf"\pi+10^{{-{k}}}\sqrt\pi"
    return rf"\int_{{-\infty}}^\infty \left({f}\right)dx", value, [r"\pi", rf"\pi+10^{{-{k}}}\pi"]


def _power(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """A power near to the critical one, at 0 or at infinity."""
    n = rng.integer(1, 9) * 10 ** rng.integer(0, 6)
    diverges = rng.below(3) == 0
    sign = -1 if diverges else 1
    wrong = [str(n), r"\infty"] if diverges else [r"\text{diverges}", r"\infty", str(n + 1)]
    value = r"\text{diverges}" if diverges else str(n)
    if diverges:
        wrong = [str(n), rf"-{n}"]
    if rng.below(2):
        return rf"\int_1^\infty x^{{-1-\frac{{{sign}}}{{{n}}}}}\,dx", value, wrong
    return rf"\int_0^1 x^{{-1+\frac{{{sign}}}{{{n}}}}}\,dx", value, wrong


def _logarithmic(rng: HashedRandom) -> tuple[str, str, list[str]]:
    n = rng.integer(1, 50)
    if rng.below(3) == 0:
        return r"\int_e^\infty\frac{dx}{x\ln x}", r"\text{diverges}", ["1", str(n)]
    f = rf"\frac{{dx}}{{x(\ln x)^{{1+1/{n}}}}}"
    return rf"\int_e^\infty{f}", str(n), [r"\text{diverges}", str(n + 1)]


def _steps(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """Infinitely many jumps that accumulate at an end."""
    b = rng.integer(2, 12)
    value, near = (
        rf"-\frac{{{b}}}{{{b - 1}}}",
        rf"-\frac{{{b}}}{{{b - 1}}}+\frac{{1}}{{{b}^{{30}}}}",
    )
    return rf"\int_0^1\lfloor\log_{{{b}}}x\rfloor\,dx", value, [near, rf"-\frac{{1}}{{\ln {b}}}"]


def _periods(rng: HashedRandom) -> tuple[str, str, list[str]]:
    n, k = rng.integer(1, 3000), rng.integer(1, 6)
    f = rf"\left|\sin({k}x)\right|"
    return rf"\int_0^{{{n}\pi}}{f}\,dx", str(2 * n), [str(2 * n * k + 1), "0", str(2 * n + 2)]


def _whole(rng: HashedRandom) -> tuple[str, str, list[str]]:
    n = rng.integer(1, 1500)
    right = n * (n - 1) // 2
    wrong = [str(right + 1), str(n * (n + 1) // 2)]
    return rf"\int_0^{{{n}}}\lfloor x\rfloor\,dx", str(right), wrong


def _regime(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """A parameter on both sides of a threshold; the wrong values are right on one."""
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


def _frequencies(rng: HashedRandom) -> tuple[str, str, list[str]]:
    a, b = rng.integer(1, 40), rng.integer(1, 40)
    f = rf"\frac{{\sin({a}x)\sin({b}x)}}{{x^2}}"
    right, wrong = rf"\frac{{{min(a, b)}\pi}}{{2}}", rf"\frac{{{max(a, b) + 1}\pi}}{{2}}"
    return rf"\int_0^\infty{f}\,dx", right, [wrong, r"\text{diverges}", "0"]


def _hidden(rng: HashedRandom) -> tuple[str, str, list[str]]:
    """A value with a tiny part that no number of digits shows."""
    n = rng.integer(1, 30)
    tiny = rng.choice((r"e^{-e^{e^{e}}}", r"10^{-5000}", r"(1-\tanh(\pi^{\pi^\pi}))"))
    wrong = [rf"\frac{{\pi}}{{{2 * n}}}+{tiny}", rf"\frac{{\pi}}{{{2 * n}}}\left(1+{tiny}\right)"]
    return rf"\int_0^\infty\frac{{dx}}{{x^2+{n * n}}}", rf"\frac{{\pi}}{{{2 * n}}}", wrong


_FAMILIES: tuple[Family, ...] = (
    _density,
    _mean,
    _hyperbolic,
    _lognormal,
    _spike,
    _power,
    _logarithmic,
    _steps,
    _periods,
    _whole,
    _regime,
    _poisson,
    _frequencies,
    _hidden,
)


@generator
def definite(rng: HashedRandom) -> Case:
    """A definite integral with its value, or with a wrong one."""
    family = rng.choice(_FAMILIES)
    integral, value, wrong = family(rng)
    right = rng.below(3) == 0
    answer = value if right else rng.choice(wrong)
    note = f"definite integral ({family.__name__.strip('_')}), value {value}"
    text = rf"\boxed{{{answer}}}"
    return Case(integral, text, right, note, task="definite")
