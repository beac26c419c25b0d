"""Builds ``special_integrals.json``: integrals whose answers need special functions.

    python tests/rewards/cases/make_special_integrals.py [--seed 5] [--count 450] [--workers N]

An answer is drawn from one of the families below and differentiated by SymPy; the families whose
answers pass through complex numbers give integrand and answer. As in ``make_antiderivatives.py``,
from which drawing, printing and checking are taken, every pair is checked, and every mutant
refuted, by central differences in mpmath at 60 digits: nothing of the verifier takes part.
Elliptic integrals are printed by parameter m, ``F(x|m)``, or by modulus k, ``F(x, k)``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
from collections.abc import Callable, Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import sympy as sp
from mpmath.libmp import NoConvergence

FOLDER = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("make", FOLDER / "make_antiderivatives.py")
assert _spec is not None
assert _spec.loader is not None
make: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make)
x, a = make.x, make.a
Expr = Any
Family = Callable[[random.Random], tuple[Expr, Expr]]
MUTANTS = 1


def rational(rng: random.Random) -> Expr:
    return sp.Rational(rng.choice([-1, 1]) * rng.randint(1, 7), rng.choice([1, 1, 2, 3, 4]))


def square(rng: random.Random) -> Expr:
    """A parameter m = k^2 below 1, printable as a modulus, too."""
    return sp.Rational(rng.randint(1, 4), rng.randint(5, 9)) ** 2


def slope(rng: random.Random) -> Expr:
    return rng.choice([sp.Integer(1), sp.Integer(2), sp.Integer(3), sp.Rational(1, 2), a]) * x


def from_answers(*shapes: Callable[[random.Random], Expr]) -> Family:
    """The family of the answers c S(u), x^n S(u) and c S(u) + an elementary term."""

    def draw(rng: random.Random) -> tuple[Expr, Expr]:
        special = rng.choice(shapes)(rng)
        big_f = rational(rng) * special * rng.choice([1, 1, 1, x, x**2])
        if rng.random() < 0.4:
            big_f += make.elementary(rng) * rational(rng)
        f = sp.diff(big_f, x)
        return sp.expand_func(f) if f.has(sp.polylog) else f, big_f

    return draw


def amplitude(rng: random.Random) -> Expr:
    return rng.choice([slope(rng), sp.asin(x / rng.randint(2, 6)), sp.atan(slope(rng)), slope(rng)])


def inner(rng: random.Random) -> Expr:
    return rng.choice([slope(rng), slope(rng), x**2, sp.exp(x), sp.sqrt(x**2 + rng.randint(1, 4))])


def half(rng: random.Random) -> Expr:
    """A value between -1 and 1 at the tried points."""
    return rng.choice([-sp.exp(slope(rng)), -(x**2), sp.tanh(x) / 2, -slope(rng), 1 / (2 + x**2)])


def euler_2f1(rng: random.Random) -> tuple[Expr, Expr]:
    """x 2F1(1/n, p; 1 + 1/n; -b x^n), whose derivative is (1 + b x^n)^(-p)."""
    n, b = rng.randint(2, 5), rng.randint(1, 5)
    p = sp.Rational(rng.choice([1, 2, 4, 5]), 3)
    series = sp.hyper([sp.Rational(1, n), p], [1 + sp.Rational(1, n)], -b * x**n)
    c = rational(rng)
    return c * (1 + b * x**n) ** -p, c * x * series


def kummer(rng: random.Random) -> tuple[Expr, Expr]:
    n = rng.randint(3, 6)
    series = sp.hyper([sp.Rational(1, n)], [1 + sp.Rational(1, n)], -(x**n))
    c = rational(rng)
    return c * sp.exp(-(x**n)), c * x * series


def complex_forms(rng: random.Random) -> tuple[Expr, Expr]:
    """Real integrands whose answers are written with i."""
    k, m, c = sp.Integer(rng.randint(2, 5)), sp.Integer(rng.randint(1, 5)), rational(rng)
    i = sp.I
    f, big_f = rng.choice(
        [
            (sp.exp(m * x) * sp.cos(k * x), _conjugates(sp.exp((m + k * i) * x) / (m + k * i))),
            (1 / (1 + k**2 * x**2), (sp.log(1 + i * k * x) - sp.log(1 - i * k * x)) / (2 * i * k)),
            (sp.exp(k * x**2), -i * sp.sqrt(sp.pi) * sp.erf(i * sp.sqrt(k) * x) / (2 * sp.sqrt(k))),
            (sp.cos(k * x) / x, (sp.Ei(i * k * x) + sp.Ei(-i * k * x)) / 2),
            (sp.sin(k * x) / x, (sp.Ei(i * k * x) - sp.Ei(-i * k * x)) / (2 * i)),
            (sp.tan(k * x), i * x - sp.log(1 + sp.exp(2 * i * k * x)) / k),
            (sp.cos(k * x**2), _fresnel(k)),
            (x * sp.tan(x), i * x**2 / 2 - x * sp.log(1 + sp.exp(2 * i * x)) + _dilogarithm()),
            (1 / (x**2 + m), (sp.log(x - i * sp.sqrt(m)) - sp.log(x + i * sp.sqrt(m))) / _two_i(m)),
        ]
    )
    return c * f, c * big_f


def _conjugates(e: Expr) -> Expr:
    return (e + e.subs(sp.I, -sp.I)) / 2


def _two_i(m: Expr) -> Expr:
    return 2 * sp.I * sp.sqrt(m)


def _fresnel(k: Expr) -> Expr:
    """Half the sum of the two complex error functions whose derivatives are e^(+-i k x^2)."""
    terms = [sp.sqrt(sp.pi) * sp.erf(x * sp.sqrt(s * k)) / (2 * sp.sqrt(s * k)) for s in _I_SIGNS]
    return sp.Add(*terms) / 2


_I_SIGNS = (sp.I, -sp.I)


def _dilogarithm() -> Expr:
    return sp.I * sp.polylog(2, -sp.exp(2 * sp.I * x)) / 2


FAMILIES: dict[str, Family] = {
    "elliptic_f": from_answers(lambda r: sp.elliptic_f(amplitude(r), square(r))),
    "elliptic_e": from_answers(lambda r: sp.elliptic_e(amplitude(r), square(r))),
    "elliptic_pi": from_answers(
        lambda r: sp.elliptic_pi(sp.Rational(-r.randint(1, 5), 2), amplitude(r), square(r))
    ),
    "fresnel": from_answers(lambda r: r.choice([sp.fresnels, sp.fresnelc])(slope(r))),
    "lambert_w": from_answers(
        lambda r: sp.LambertW(r.choice([sp.exp(slope(r)), x**2, r.randint(1, 9) + x**2])),
        lambda r: sp.LambertW(sp.exp(x)) ** r.randint(2, 3),
        lambda r: x * (sp.LambertW(2 * x) - 1 + 1 / sp.LambertW(2 * x)),
    ),
    "polylog": from_answers(lambda r: sp.polylog(r.choice([2, 2, 3]), half(r))),
    "exponential": from_answers(
        lambda r: sp.Integer(r.randint(2, 7)) ** r.choice([x, 2 * x, x**2, sp.sin(x)]),
        lambda r: a ** r.choice([x, -x, x**2]),
        lambda r: x**x,
    ),
    "incomplete_gamma": from_answers(
        lambda r: sp.uppergamma(sp.Rational(r.randint(1, 5), r.choice([3, 4])), inner(r)),
        lambda r: sp.lowergamma(sp.Rational(r.randint(1, 5), r.choice([3, 4])), x**2),
    ),
    "exponential_integral": from_answers(
        lambda r: r.choice([sp.Ei, sp.Si, sp.Ci, sp.Shi, sp.Chi])(inner(r)),
        lambda r: sp.li(x**2 + r.randint(2, 5)),
    ),
    "error_function": from_answers(lambda r: r.choice([sp.erf, sp.erfc, sp.erfi])(inner(r))),
    "bessel": from_answers(
        lambda r: r.choice([sp.besselj, sp.besseli])(r.randint(0, 3), slope(r)),
        lambda r: r.choice([sp.bessely, sp.besselk])(r.randint(0, 2), x**2 + 1),
        lambda r: r.choice([sp.airyai, sp.airybi])(slope(r)),
    ),
    "gamma": from_answers(
        lambda r: sp.loggamma(x**2 + r.randint(1, 4)),
        lambda r: sp.digamma(x**2 + r.randint(1, 4)),
        lambda r: sp.zeta(x**2 + r.randint(2, 4)),
    ),
    "hypergeometric": lambda rng: rng.choice([euler_2f1, euler_2f1, kummer])(rng),
    "complex": complex_forms,
}


# --- printing -------------------------------------------------------------------------------

_BAR = re.compile(r"\\middle\| (\\frac\{(\d+)\}\{(\d+)\})\\right\)")
#: SymPy's names and other books' names for the same functions.
NAMES = {
    r"W\left(": (r"\operatorname{LambertW}\left(", r"W_0\left(", r"\operatorname{W}\left("),
    r"C\left(": (r"\operatorname{FresnelC}\left(", r"\mathrm{C}\left("),
    r"S\left(": (r"\operatorname{FresnelS}\left(", r"\mathrm{S}\left("),
    r"\operatorname{Li}_{2}\left(": (r"\mathrm{Li}_2\left(", r"\operatorname{polylog}\left(2, "),
    r"\operatorname{erf}{\left(": (r"\text{erf}{\left(",),
}


def by_modulus(text: str) -> str | None:
    """Elliptic integrals with the modulus k for the parameter k^2; None if k has a root."""

    def turned(match: re.Match[str]) -> str:
        top, bottom = (sp.sqrt(int(match[n])) for n in (2, 3))
        return rf",\frac{{{top}}}{{{bottom}}}\right)"

    changed = _BAR.sub(turned, text)
    return None if r"\middle|" in changed or "sqrt(" in changed else changed


#: A function by name whose argument has no brackets: where it ends, is anyone's guess.
_BARE = re.compile(r"\\(?:operatorname|mathrm|text)\{[a-zA-Z]+\}(?![_^({]|\\left|\s*\{)")


def printed(e: Expr, rng: random.Random, *, answer: bool) -> tuple[str, str]:
    """LaTeX of an expression, and the notation."""
    text = re.sub(r"\\pi(?=[a-zA-Z])", r"\\pi ", make.latex_of(e, rng, answer=answer))
    if r"\middle|" in text:
        style = rng.choice(["sympy", "sympy", "modulus", "mid"])
        if style == "modulus" and (changed := by_modulus(text)) and r"\Pi" not in text:
            return changed, "modulus"
        if style == "mid":
            return text.replace(r"\middle|", r" \mid "), "mid"
    elif answer and rng.random() < 0.3:
        for name, spellings in NAMES.items():
            if name in text and "^" not in text.split(name)[0][-3:]:
                spelling = rng.choice(spellings).replace("\\", r"\\")
                return re.sub(r"(?<![a-zA-Z])" + re.escape(name), spelling, text), "book"
    return text, "sympy"


def made(address: tuple[int, int]) -> list[dict[str, str]]:
    """The integral with a given seed and number, and its mutants; the same on any machine."""
    seed, number = address
    rng = random.Random(f"{seed} {number}")
    turn, index = divmod(number, len(FAMILIES))
    family = list(FAMILIES)[index]
    if family == "elliptic_pi" and turn % 3:  # mpmath takes seconds for one check
        family = "elliptic_f"
    while True:
        f, big_f = FAMILIES[family](rng)
        if not f.has(x) or f.has(sp.Derivative, sp.Subs, sp.zoo, sp.nan) or f.count_ops() > 90:
            continue
        if checked(make.proven_right, f, big_f):
            break
    integrand, _ = printed(f, rng, answer=False)
    answer, notation = printed(big_f, rng, answer=True)
    constant = rng.choice(["", " + C", "+C"])
    row = {"id": f"{family}-{number + 1:03d}", "integrand": integrand, "answer": answer + constant}
    rows = [row | {"label": "right", "kind": family, "notation": notation}]
    for slip, wrong in slips(big_f, rng):
        if len(rows) > MUTANTS:
            break
        if wrong.has(sp.zoo, sp.nan, sp.oo) or not checked(make.proven_wrong, f, wrong):
            continue
        text, notation = printed(wrong, rng, answer=True)
        changed = {"id": f"{row['id']}-m{len(rows)}", "answer": text + constant}
        about = {"label": "wrong", "kind": family, "notation": notation, "mutation": slip}
        rows.append(row | changed | about)
    return rows


def slips(e: Expr, rng: random.Random) -> Iterator[tuple[str, Expr]]:
    """The possible mutants: not every function takes every change."""
    proposals = make.mutants(e, rng)
    while True:
        try:
            yield next(proposals)
        except StopIteration:
            return
        except (TypeError, ValueError):  # ends the generator: begin another order
            proposals = make.mutants(e, rng)


def checked(proof: Callable[[Expr, Expr], bool], f: Expr, big_f: Expr) -> bool:
    """A proof by numbers, or False where mpmath has no value."""
    try:
        return proof(f, big_f)
    except (ArithmeticError, NameError, RuntimeError, TypeError, ValueError, NoConvergence):
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--count", type=int, default=450)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=FOLDER / "special_integrals.json")
    options = parser.parse_args()
    seen: set[tuple[str, str]] = set()
    right, lines = 0, []
    with Pool(options.workers) as pool:
        addresses = [(options.seed, number) for number in range(options.count)]
        for rows in pool.imap(made, addresses):
            pair = rows[0]["integrand"], rows[0]["answer"].partition("+ C")[0].removesuffix("+C")
            if pair not in seen and not _BARE.search(rows[0]["answer"]):
                seen.add(pair)
                right += 1
                lines += [json.dumps(row) for row in rows if not _BARE.search(row["answer"])]
                print(f"{right}: {rows[0]['id']}", flush=True)
    options.out.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} rows, {right} of them right")


if __name__ == "__main__":
    main()
