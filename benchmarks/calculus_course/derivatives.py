"""Derivatives: a bank, the bank's perturbations, and an endless generator."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ...rewards.reading.expression.build import add, mul, number
from ...rewards.reading.expression.derivative import differentiate
from ...rewards.reading.expression.traversal import substitute
from ...rewards.reading.expression.tree import Expression, Symbol
from ...rewards.reading.latex import read, to_latex
from ..hashed_random import HashedRandom
from ..lample_charton.generators import GeneratorSettings
from ..lample_charton.pairs import make
from ..problem import Problem
from ..registry import benchmark
from .bank import SOURCE, Entry, entries, of_entry, question

TASK = "derivative"
REQUEST = "Find the derivative."
_OPERATOR = re.compile(r"\\frac\{d\}\{d(?P<variable>x)\}(?P<body>.*)\Z")


@dataclass(frozen=True, slots=True)
class Explicit:
    """A row of the bank with a request for the first derivative of a formula in x, as trees."""

    entry: Entry
    function: Expression
    slope: Expression


@cache
def explicit() -> tuple[Explicit, ...]:
    """The rows with perturbations as formulas."""
    rows = []
    for entry in entries("derivatives"):
        match = _OPERATOR.fullmatch(entry.question)
        if match is not None and "text" not in entry.question:
            trees = (read(text, symbols="x")[0] for text in (match["body"], entry.answer))
            rows.append(Explicit(entry, *(reading.expression for reading in trees)))
    return tuple(rows)


@cache
def smooth() -> tuple[Explicit, ...]:
    """Rows with formulas for the derivatives of their derivatives."""
    return tuple(row for row in explicit() if "modulus" not in row.entry.tags)


@benchmark("course/derivatives", source=SOURCE, size=lambda: len(entries("derivatives")), task=TASK)
def bank(seed: int, index: int) -> Problem:
    """Derivatives: explicit, partial, higher, at a point, implicit, parametric."""
    return of_entry(TASK, "derivatives", entries("derivatives")[index], REQUEST)


_X = Symbol("x")


def _scaled(row: Explicit, random: HashedRandom) -> tuple[str, Expression, Expression]:
    factor = number(random.integer(2, 7))
    inner = mul(factor, _X)
    slope = mul(factor, substitute(row.slope, "x", inner))
    return r"\frac{d}{dx}", substitute(row.function, "x", inner), slope


def _product(row: Explicit, random: HashedRandom) -> tuple[str, Expression, Expression]:
    power = random.integer(1, 3)
    factor = read(f"x^{power}" if power > 1 else "x")[0].expression
    slope = add(mul(differentiate(factor), row.function), mul(factor, row.slope))
    return r"\frac{d}{dx}", mul(factor, row.function), slope


def _higher(row: Explicit, random: HashedRandom) -> tuple[str, Expression, Expression]:
    return r"\frac{d^2}{dx^2}", row.function, differentiate(row.slope)


def _combined(row: Explicit, random: HashedRandom) -> tuple[str, Expression, Expression]:
    addend = random.choice(explicit())
    a, b = (number(random.integer(-5, 5, nonzero=True)) for _ in range(2))
    return (
        r"\frac{d}{dx}",
        add(mul(a, row.function), mul(b, addend.function)),
        add(mul(a, row.slope), mul(b, addend.slope)),
    )


_Perturb = Callable[[Explicit, HashedRandom], tuple[str, Expression, Expression]]


def _declare(
    name: str,
    summary: str,
    perturb: _Perturb,
    rows: Callable[[], tuple[Explicit, ...]] = explicit,
) -> None:
    subset = f"derivatives_{name}"

    def perturbed(seed: int, index: int) -> Problem:
        row = rows()[index]
        operator, function, slope = perturb(
            row, HashedRandom(f"course/{subset}", seed, row.entry.id)
        )
        return question(
            TASK,
            subset,
            f"{row.entry.id}-{name}",
            rf"{operator}\left({to_latex(function)}\right)",
            to_latex(slope),
            REQUEST,
            parent=row.entry.id,
            metadata={"tags": list(row.entry.tags), "difficulty": row.entry.difficulty},
        )

    perturbed.__doc__ = summary
    benchmark(f"course/{subset}", source=SOURCE, size=lambda: len(rows()), task=TASK)(perturbed)


_declare("scaled", "The bank's formulas with x multiplied by a number.", _scaled)
_declare("product", "The bank's formulas times a power of x.", _product)
_declare("higher", "Second derivatives of the bank's formulas.", _higher, smooth)
_declare("lin_comb", "Linear combinations of two of the bank's formulas.", _combined)

#: Random functions have up to so many operators: those of textbooks have some ten.
SETTINGS = GeneratorSettings(max_operators=8)


@benchmark("course/derivatives_random", source=SOURCE, size=200, task=TASK, endless=True)
def random_functions(seed: int, index: int) -> Problem:
    """Derivatives of random functions from Lample and Charton's distribution (BWD), endless."""
    pair = make("bwd", seed, index, SETTINGS)
    return question(
        TASK,
        "derivatives_random",
        f"derivatives-random-s{seed}-{index}",
        rf"\frac{{d}}{{dx}}\left({to_latex(pair.antiderivative_tree)}\right)",
        to_latex(pair.integrand_tree),
        REQUEST,
        metadata={"operators": pair.operators},
    )
