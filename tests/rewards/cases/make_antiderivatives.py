"""Builds ``antiderivatives.json``: table entries, and answers composed at random.

    python tests/rewards/cases/make_antiderivatives.py [--seed 3] [--count 520]

An answer F is drawn from a grammar of the shapes of integral tables and bees, SymPy differentiates
F, and both are printed in one of several LaTeX styles. Every pair is checked, and every mutant
refuted, by central differences in mpmath at 60 digits, without any part of the verifier. A mutant
without a refuting point is dropped. The hand-written entries come from ``integral_table.json``;
entries and mutants of the file were checked in the same way.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import mpmath
import sympy as sp

FOLDER = Path(__file__).parent
x = sp.Symbol("x", real=True)
a, b = sp.symbols("a b", positive=True)
Expr: TypeAlias = Any  # SymPy's own types say too little to help
MUTANTS = 2


# --- drawing answers ------------------------------------------------------------------------


def integer(rng: random.Random, low: int = 1, high: int = 9) -> sp.Integer:
    return sp.Integer(rng.randint(low, high))


def rational(rng: random.Random) -> sp.Rational:
    return sp.Rational(rng.choice([-1, 1]) * rng.randint(1, 12), rng.choice([1, 1, 1, 2, 3, 4, 5]))


def polynomial(rng: random.Random, degree: int) -> Expr:
    terms = [rational(rng) * x**k for k in range(degree + 1) if k == degree or rng.random() < 0.6]
    return sp.Add(*terms)


def linear(rng: random.Random) -> Expr:
    slope = rng.choice([sp.Integer(1), integer(rng, 2, 7), a, sp.Rational(1, 2)])
    shift = rng.choice([sp.Integer(0), sp.Integer(0), integer(rng), -integer(rng), b])
    return slope * x + shift


def positive(rng: random.Random) -> Expr:
    """A factor that is positive on the whole line."""
    k = integer(rng)
    return rng.choice([x**2 + k, x**2 + a**2, x**2 + x + k, x**4 + k, sp.exp(x) + k, 2 + sp.sin(x)])


def inner(rng: random.Random) -> Expr:
    return rng.choice(
        [
            lambda: linear(rng),
            lambda: x,
            lambda: x ** integer(rng, 2, 4),
            lambda: sp.sqrt(positive(rng)),
            lambda: sp.exp(x),
            lambda: sp.log(positive(rng)),
            lambda: sp.sin(x),
            lambda: sp.sqrt(x),
        ]
    )()


def elementary(rng: random.Random) -> Expr:
    f = rng.choice(
        [
            sp.sin,
            sp.cos,
            sp.tan,
            sp.exp,
            sp.atan,
            sp.sinh,
            sp.cosh,
            sp.tanh,
            sp.asinh,
            sp.log,
            sp.sec,
            sp.cot,
            sp.erf,
        ]
    )
    u = inner(rng)
    # Arguments that keep the values real and moderate.
    if f is sp.log:
        return sp.log(positive(rng))
    if f in (sp.tan, sp.sec, sp.cot, sp.cosh, sp.sinh) and u.has(sp.exp):
        u = x
    return f(u)


def bounded_inverse(rng: random.Random) -> Expr:
    k = integer(rng, 2, 6)
    return rng.choice([sp.asin(x / k), sp.acos(x / a), sp.asin(1 / (x**2 + k)), sp.atanh(x / k)])


def term(rng: random.Random) -> Expr:
    shape = rng.random()
    c = rational(rng)
    if shape < 0.14:
        return c * polynomial(rng, rng.randint(1, 4))
    if shape < 0.30:
        return c * polynomial(rng, rng.randint(1, 3)) * elementary(rng)
    if shape < 0.44:
        return c * elementary(rng)
    if shape < 0.54:
        return c * elementary(rng) * elementary(rng)
    if shape < 0.62:
        return c * elementary(rng) ** integer(rng, 2, 5)
    if shape < 0.70:
        return c * polynomial(rng, 1) / positive(rng)
    if shape < 0.78:
        return c * positive(rng) ** sp.Rational(rng.choice([-3, -1, 1, 3, 5]), 2)
    if shape < 0.86:
        return c * sp.sqrt(rng.choice([1, 2, 3, 5])) * sp.atan(linear(rng) / sp.sqrt(integer(rng)))
    if shape < 0.93:
        return c * bounded_inverse(rng)
    return c * x ** sp.Rational(rng.choice([1, 3, 5, 7]), rng.choice([2, 4])) * sp.log(x)


def textbook(rng: random.Random) -> Expr:
    return sp.Add(*(term(rng) for _ in range(rng.choice([1, 1, 2, 2, 3]))))


def monster(rng: random.Random) -> Expr:
    """Long numeric answers, high powers, deep nests, as printed by computer algebra systems."""
    shape = rng.randrange(5)
    if shape == 0:
        return sp.Add(*(term(rng) for _ in range(rng.randint(6, 14))))
    if shape == 1:
        top = rng.randint(8, 16)
        return sp.Add(
            *(rng.randint(-(10**9), 10**9) * x**k / rng.randint(1, 999) for k in range(1, top))
        )
    if shape == 2:
        n = rng.choice([60, 99, 257, 1001, 2024, 2025])
        return rng.choice(
            [
                sp.sin(x) ** n / n,
                positive(rng) ** n / (2 * n),
                x**n * sp.exp(x) / n,
                sp.sin(x**n) / n,
                sp.log(x**n + 1) / n,
            ]
        )
    if shape == 3:
        u: Expr = x
        for _ in range(rng.randint(3, 5)):
            u = rng.choice([sp.sin, sp.atan, sp.tanh, sp.cos, lambda v: sp.log(v**2 + 2)])(u)
        return rational(rng) * x * u
    p, q = polynomial(rng, rng.randint(3, 6)), positive(rng)
    return p / q + rational(rng) * sp.atan(p) * sp.log(q)


# --- changing them --------------------------------------------------------------------------


def numbers_of(e: Expr) -> list[Expr]:
    return [n for n in sp.preorder_traversal(e) if n.is_Rational and n not in (0,)]


SWAPS = {
    sp.sin: sp.cos,
    sp.cos: sp.sin,
    sp.tan: sp.cot,
    sp.sinh: sp.cosh,
    sp.cosh: sp.sinh,
    sp.atan: sp.asinh,
    sp.asinh: sp.atan,
    sp.log: sp.atan,
    sp.tanh: sp.tan,
    sp.asin: sp.atan,
    sp.sec: sp.tan,
    sp.erf: sp.tanh,
    sp.exp: sp.cosh,
}


def nth_change(e: Expr, at: int, change: Callable[[Expr], Expr]) -> Expr:
    """``e`` with the ``at``-th node, in preorder, replaced by ``change(node)``."""
    count = -1

    def walk(node: Expr) -> Expr:
        nonlocal count
        count += 1
        if count == at:
            return change(node)
        return node.func(*map(walk, node.args)) if node.args else node

    return walk(e)


def mutants(e: Expr, rng: random.Random) -> Iterator[tuple[str, Expr]]:
    """Wrong relatives of ``e``, a single slip away, in random order."""
    nodes = list(sp.preorder_traversal(e))
    slips: list[tuple[str, Callable[[], Expr]]] = [
        ("sign", lambda: -e),
        ("factor", lambda: e * rng.choice([2, sp.Rational(1, 2), a])),
    ]
    # Each slip is a function, evaluated only when drawn.
    for i, node in enumerate(nodes):
        if node.is_Add:
            for t in node.args:
                slips.append(("sign", lambda i=i, t=t: nth_change(e, i, lambda n: n - 2 * t)))
                slips.append(("dropped term", lambda i=i, t=t: nth_change(e, i, lambda n: n - t)))
        if node.is_Rational:
            slips.append(("coefficient", lambda i=i: nth_change(e, i, lambda n: n + 1)))
        if node.is_Pow and node.exp.is_Rational:
            slips.append(
                (
                    "exponent",
                    lambda i=i: nth_change(e, i, lambda n: n.base ** (n.exp + rng.choice([-1, 1]))),
                )
            )
        if node.func in SWAPS:
            slips.append(
                (
                    "swapped function",
                    lambda i=i: nth_change(e, i, lambda n: SWAPS[n.func](n.args[0])),
                )
            )
        if node.is_Function:
            slips.append(
                ("inner factor", lambda i=i: nth_change(e, i, lambda n: n.func(2 * n.args[0])))
            )
    rng.shuffle(slips)
    for slip, make in slips:
        yield slip, make()


# --- checking them, apart from the verifier -------------------------------------------------

POINTS = [mpmath.mpf(p) / 97 for p in (3, 11, 29, 47, 61, 83, 131, 172, 233, 401)]
POINTS += [-p for p in POINTS]
PARAMETERS = {a: sp.Rational(137, 60), b: sp.Rational(71, 53)}


def numeric(e: Expr) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = sp.lambdify(x, e.subs(PARAMETERS), "mpmath")
    return function


def residuals(f: Expr, big_f: Expr) -> list[tuple[Any, Any]]:
    """(f, F' - f) at the points where both are finite and f is real."""
    rows = []
    with mpmath.workdps(60):
        f_value, right = numeric(f), numeric(big_f)
        h = mpmath.mpf(10) ** -14
        for p in POINTS:
            try:
                value = f_value(p)
                samples = [right(p + k * h) for k in (-2, -1, 1, 2)]
            except (ZeroDivisionError, OverflowError, ValueError):
                continue
            if not mpmath.isfinite(value) or abs(mpmath.im(value)) > 0 or abs(value) > 1e60:
                continue
            slope = (samples[0] - 8 * samples[1] + 8 * samples[2] - samples[3]) / (12 * h)
            rows.append((value, slope - value, max(map(abs, samples))))
    return [(v, d) for v, d, size in rows if mpmath.isfinite(d) and size < 1e40 * (1 + abs(v))]


def proven_right(f: Expr, big_f: Expr) -> bool:
    rows = residuals(f, big_f)
    return len(rows) >= 6 and all(abs(d) < 1e-25 * (1 + abs(v)) for v, d in rows)


def proven_wrong(f: Expr, big_f: Expr) -> bool:
    rows = residuals(f, big_f)
    witnesses = [1 for v, d in rows if abs(d) > 1e-8 * (1 + abs(v))]
    return len(rows) >= 6 and 2 * len(witnesses) > len(rows)


# --- printing them --------------------------------------------------------------------------


def latex_of(e: Expr, rng: random.Random, *, answer: bool = True) -> str:
    text: str = sp.latex(
        e,
        ln_notation=rng.random() < 0.7,
        inv_trig_style=rng.choice(["full", "full", "power"]),
        fold_short_frac=answer and rng.random() < 0.2,
        fold_func_brackets=answer and rng.random() < 0.3,
        root_notation=rng.random() < 0.85,
        mul_symbol=rng.choice(["", "", "", "dot"]),
    )
    if rng.random() < 0.4:
        text = re.sub(r"\\left(?=[(\[|])|\\right(?=[)\]|])", "", text)
    if rng.random() < 0.3:
        text = re.sub(r"\\frac\{(\d)\}\{(\d)\}", r"\\frac\1\2", text)
    if rng.random() < 0.2:
        text = text.replace(r"\frac", r"\dfrac")
    if rng.random() < 0.15:
        text = re.sub(r"\\operatorname\{(\w+)\}", r"\\mathrm{\1}", text)
    return text


def integrand_of(big_f: Expr, rng: random.Random) -> Expr:
    f = sp.diff(big_f, x)
    style = rng.random()
    if style < 0.35 and f.count_ops() < 60:
        return sp.together(f)
    if style < 0.5 and f.count_ops() < 60:
        return sp.expand(f)
    return f


def generated(seed: int, count: int) -> Iterator[dict[str, str]]:
    rng = random.Random(seed)
    count_so_far, seen = 0, set()
    while count_so_far < count:
        family = "monster" if count_so_far % 5 == 4 else "textbook"
        big_f = (monster if family == "monster" else textbook)(rng)
        if big_f in seen or not big_f.has(x):
            continue
        seen.add(big_f)
        f = integrand_of(big_f, rng)
        # The examiner must agree with SymPy, or the label could be wrong.
        if f == 0 or not f.has(x) or not proven_right(f, big_f):
            continue
        integrand = latex_of(f, rng, answer=False)
        if len(integrand) > 6000:
            continue
        count_so_far += 1
        name = f"made-{count_so_far:03d}"
        constant = rng.choice(["", " + C", "+C", "+c", " + K"])
        yield {
            "id": name,
            "integrand": integrand,
            "answer": latex_of(big_f, rng) + constant,
            "label": "right",
            "kind": family,
        }
        # Only mutants with a refuting point are wrong for certain.
        number = 0
        for slip, wrong in mutants(big_f, rng):
            if number == MUTANTS:
                break
            if wrong.has(sp.zoo, sp.nan, sp.oo) or not proven_wrong(f, wrong):
                continue
            number += 1
            yield {
                "id": f"{name}-m{number}",
                "integrand": integrand,
                "answer": latex_of(wrong, rng) + constant,
                "label": "wrong",
                "kind": "mutant",
                "parent": name,
                "mutation": slip,
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--count", type=int, default=520)
    options = parser.parse_args()
    rows = json.loads((FOLDER / "integral_table.json").read_text(encoding="utf-8"))
    rows += generated(options.seed, options.count)
    lines = ",\n".join(json.dumps(row) for row in rows)
    (FOLDER / "antiderivatives.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    right = sum(row["label"] == "right" for row in rows)
    print(f"{len(rows)} rows, {right} of them right")


if __name__ == "__main__":
    main()
