"""Differential equations: a bank, the bank's perturbations, and endless families."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ...rewards.reading.latex import read
from ..hashed_random import HashedRandom
from ..problem import Problem
from ..registry import benchmark
from .bank import SOURCE, Entry, entries, of_entry, question
from .equations import Solved, forced, scaled, shifted, solved

TASK = "differential_equation"
REQUEST = "Solve the differential equation."
NAME = "differential_equations"
#: Polynomials that are added to solutions, so that equations have another forcing term.
_TERMS = ("x", "x^2", "2x-1", "x^2+3", "x^3")


@cache
def with_trees() -> tuple[tuple[Entry, Solved], ...]:
    """The rows with perturbations as trees, each with the trees."""
    pairs = ((entry, solved(entry.question, entry.answer)) for entry in entries(NAME))
    return tuple(
        (entry, item) for entry, item in pairs if item is not None and not item.ode.asks_all
    )


@cache
def linear() -> tuple[tuple[Entry, Solved], ...]:
    """The rows of linear equations in x, with room for another forcing term."""
    tags = {"constant", "linear", "undetermined", "euler"}
    return tuple(
        (entry, item)
        for entry, item in with_trees()
        if tags & {*entry.tags} and item.ode.variable == "x"
    )


@benchmark(f"course/{NAME}", source=SOURCE, size=lambda: len(entries(NAME)), task=TASK)
def bank(seed: int, index: int) -> Problem:
    """Differential equations of first and higher order, systems, initial and boundary values."""
    return of_entry(TASK, NAME, entries(NAME)[index], REQUEST)


def _declare(
    name: str,
    summary: str,
    rows: Callable[[], tuple[tuple[Entry, Solved], ...]],
    perturb: Callable[[Solved, HashedRandom], Solved],
) -> None:
    subset = f"{NAME}_{name}"

    def item(seed: int, index: int) -> Problem:
        entry, parent = rows()[index]
        changed = perturb(parent, HashedRandom(f"course/{subset}", seed, entry.id))
        return question(
            TASK,
            subset,
            f"{entry.id}-{name}",
            changed.question,
            changed.answer,
            REQUEST,
            parent=entry.id,
            metadata={"tags": list(entry.tags), "difficulty": entry.difficulty},
        )

    item.__doc__ = summary
    benchmark(f"course/{subset}", source=SOURCE, size=lambda: len(rows()), task=TASK)(item)


_declare(
    "scaled",
    "The bank's equations with the variable scaled: other coefficients.",
    with_trees,
    lambda item, random: scaled(item, random.integer(2, 4)),
)
_declare(
    "shifted",
    "The bank's equations with the variable shifted.",
    with_trees,
    lambda item, random: shifted(item, random.integer(1, 4)),
)
_declare(
    "forced",
    "The bank's linear equations with another forcing term.",
    linear,
    lambda item, random: forced(item, read(random.choice(_TERMS))[0].expression),
)


# --- families ---


def _term(coefficient: int, text: str) -> str:
    if not coefficient:
        return ""
    sign = "+" if coefficient > 0 else "-"
    size = "" if abs(coefficient) == 1 else str(abs(coefficient))
    return f"{sign}{size}{text}"


def _constant_coefficients(random: HashedRandom) -> tuple[str, str]:
    """Two real roots, equal or not, or two conjugate roots."""
    a, b = random.integer(-5, 5), random.integer(-5, 5, nonzero=True)
    if random.below(3) == 0:
        equation = f"y''{_term(-2 * a, chr(121) + chr(39))}{_term(a * a + b * b, 'y')} = 0"
        return equation, rf"y = e^{{{a}x}}(C_1\cos({abs(b)}x)+C_2\sin({abs(b)}x))"
    equation = f"y''{_term(-a - b, chr(121) + chr(39))}{_term(a * b, 'y')} = 0"
    if a == b:
        return equation, f"y = (C_1+C_2x)e^{{{a}x}}"
    return equation, f"y = C_1e^{{{a}x}}+C_2e^{{{b}x}}"


def _initial_values(random: HashedRandom) -> tuple[str, str]:
    """Two real roots with initial values at zero."""
    a, b = random.integer(-4, -1), random.integer(1, 4)
    p, q = random.integer(-3, 3, nonzero=True), random.integer(-3, 3, nonzero=True)
    equation = f"y''{_term(-a - b, chr(121) + chr(39))}{_term(a * b, 'y')} = 0"
    values = rf"{equation},\ y(0) = {p + q},\ y'(0) = {a * p + b * q}"
    return values, f"y = {p}e^{{{a}x}}+({q})e^{{{b}x}}"


def _first_order_linear(random: HashedRandom) -> tuple[str, str]:
    """y' + ay = e^{bx}, with or without resonance."""
    a, b = random.integer(-5, 5, nonzero=True), random.integer(-4, 4)
    equation = f"y'{_term(a, 'y')} = e^{{{b}x}}"
    if a + b == 0:
        return equation, f"y = (x+C)e^{{{b}x}}"
    return equation, rf"y = \frac{{e^{{{b}x}}}}{{{a + b}}}+Ce^{{{-a}x}}"


def _separable(random: HashedRandom) -> tuple[str, str]:
    """y' = a x^n y."""
    a, n = random.integer(-6, 6, nonzero=True), random.integer(1, 5)
    return f"y' = {a}x^{{{n}}}y", rf"y = Ce^{{\frac{{{a}x^{{{n + 1}}}}}{{{n + 1}}}}}"


def _bernoulli(random: HashedRandom) -> tuple[str, str]:
    """y' + ay = by^2."""
    a, b = random.integer(-5, 5, nonzero=True), random.integer(-5, 5, nonzero=True)
    return f"y'{_term(a, 'y')} = {b}y^2", rf"y = \frac{{{a}}}{{{b}+Ce^{{{a}x}}}}"


def _euler(random: HashedRandom) -> tuple[str, str]:
    """Powers of x as solutions."""
    a, b = random.integer(-4, 0), random.integer(1, 4)
    equation = f"x^2y''{_term(1 - a - b, 'xy' + chr(39))}{_term(a * b, 'y')} = 0"
    return equation, f"y = C_1x^{{{a}}}+C_2x^{{{b}}}"


_EXACT = (("x^2", "2x", "0"), ("y^3", "0", "3y^2"), ("x^2y", "2xy", "x^2"), ("xy^2", "y^2", "2xy"),
          (r"e^xy", "e^xy", "e^x"), (r"x\sin y", r"\sin y", r"x\cos y"), (r"e^y", "0", "e^y"),
          (r"\cos x", r"-\sin x", "0"), ("x^3", "3x^2", "0"), ("y^2", "0", "2y"))  # fmt: skip


def _exact(random: HashedRandom) -> tuple[str, str]:
    """F_x dx + F_y dy = 0 for a sum F of three terms, including a term with both x and y."""
    rows = [_EXACT[2 + random.below(4)], *random.shuffled(_EXACT)[:2]]
    factors = [random.integer(1, 5) for _ in rows]
    function, by_x, by_y = (
        "+".join(f"{factor}({row[at]})" for factor, row in zip(factors, rows, strict=True))
        for at in range(3)
    )
    return rf"({by_x})\,dx + ({by_y})\,dy = 0", f"{function} = C"


def _system(random: HashedRandom) -> tuple[str, str]:
    """x' = px + qy, y' = qx + py, with eigenvalues p + q and p - q."""
    p, q = random.integer(-3, 3), random.integer(1, 4)
    equations = rf"x' = {p}x+{q}y,\ y' = {q}x+({p})y"
    fast, slow = f"C_1e^{{{p + q}t}}", f"C_2e^{{{p - q}t}}"
    return equations, rf"x = {fast}+{slow},\ y = {fast}-{slow}"


FAMILIES: dict[str, Callable[[HashedRandom], tuple[str, str]]] = {
    "constant coefficients": _constant_coefficients,
    "initial values": _initial_values,
    "linear": _first_order_linear,
    "separable": _separable,
    "bernoulli": _bernoulli,
    "euler": _euler,
    "exact": _exact,
    "system": _system,
}


@benchmark(f"course/{NAME}_families", source=SOURCE, size=200, task=TASK, endless=True)
def families(seed: int, index: int) -> Problem:
    """Members of families of differential equations, endless."""
    random = HashedRandom(f"course/{NAME}_families", seed, index)
    family = random.choice(tuple(FAMILIES))
    equation, answer = FAMILIES[family](random)
    return question(
        TASK,
        f"{NAME}_families",
        f"{NAME.replace('_', '-')}-families-s{seed}-{index}",
        equation,
        answer,
        REQUEST,
        metadata={"family": family},
    )
