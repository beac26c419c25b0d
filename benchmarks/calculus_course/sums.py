"""Sums and power series: a bank, the bank's perturbations, and an endless generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from ...rewards.reading.expression.build import ONE, add, mul, neg, number
from ...rewards.reading.expression.traversal import fold, substitute
from ...rewards.reading.expression.tree import Expression, Number, Symbol
from ...rewards.reading.latex import read, to_latex
from ...rewards.reading.problem.power_series import asks_of_series, read_series
from ...rewards.reading.problem.sums import SumProblem, read_sum
from ..hashed_random import HashedRandom
from ..payloads import JSON
from ..problem import Problem
from ..registry import benchmark
from .bank import SOURCE, Entry, entries, of_entry, question

TASK = "sum"
REQUEST = "Evaluate the sum in closed form. If it diverges, say so."
#: The request of the questions about power series, which say themselves what is asked for.
OF_SERIES = "Determine the following, exactly."
DIVERGES = r"\text{diverges}"
#: Factors of perturbed sums and polynomials, in turn, and shifts of indices.
FACTORS = (number(2), number(-3), Number(1, 2), number(5), Number(-2, 3))
SHIFTS = (1, 2, 3)


def request(text: str) -> str:
    """The sentence with the request, by the form of the question."""
    return OF_SERIES if asks_of_series(text) else REQUEST


@benchmark("course/sums", source=SOURCE, size=lambda: len(entries("sums")), task=TASK)
def bank(seed: int, index: int) -> Problem:
    """Finite, infinite and divergent sums, Taylor polynomials, coefficients and radii."""
    entry = entries("sums")[index]
    return of_entry(TASK, "sums", entry, request(entry.question))


# --- perturbations of the bank ---


def latex_of(problem: SumProblem) -> str:
    """A sum as LaTeX."""
    ends = [
        ("-" if limit < 0 else "") + r"\infty" if isinstance(limit, int) else to_latex(limit)
        for limit in (problem.lower, problem.upper)
    ]
    term = to_latex(problem.term)
    if problem.term.function in ("add", "neg"):
        term = rf"\left({term}\right)"
    return rf"\sum_{{{problem.counter}={ends[0]}}}^{{{ends[1]}}} {term}"


def _read_answer(answer: str, problem: SumProblem) -> Expression:
    return read(answer, symbols=problem.parameters)[0].expression


def _shifted(entry: Entry, index: int) -> tuple[str, str] | None:
    """The same sum with a later start of the index."""
    problem = _sum_of(entry)
    if problem is None or isinstance(problem.lower, int):
        return None
    shift = SHIFTS[index % len(SHIFTS)]
    moved = add(Symbol(problem.counter), number(-shift))
    ends = [
        limit if isinstance(limit, int) else _folded(add(limit, number(shift)))
        for limit in (problem.lower, problem.upper)
    ]
    term = substitute(problem.term, problem.counter, moved)
    changed = replace_fields(problem, term, ends[0], ends[1])
    return latex_of(changed), entry.answer


def _scaled(entry: Entry, index: int) -> tuple[str, str] | None:
    """The term times a number; the sum changes by the same factor."""
    problem = _sum_of(entry)
    if problem is None:
        return None
    factor = FACTORS[index % len(FACTORS)]
    made = replace_fields(problem, mul(factor, problem.term), problem.lower, problem.upper)
    if entry.answer == DIVERGES:
        return latex_of(made), DIVERGES
    return latex_of(made), to_latex(mul(factor, _read_answer(entry.answer, problem)))


def _later(entry: Entry, index: int) -> tuple[str, str] | None:
    """The sum without the first term."""
    problem = _sum_of(entry)
    if problem is None or isinstance(problem.lower, int):
        return None
    lower = fold(problem.lower)
    if lower is None:
        return None
    changed = replace_fields(problem, problem.term, number(lower + 1), problem.upper)
    if entry.answer == DIVERGES:
        return latex_of(changed), DIVERGES
    left_out = substitute(problem.term, problem.counter, problem.lower)
    return latex_of(changed), to_latex(add(_read_answer(entry.answer, problem), neg(left_out)))


def _of_multiple(entry: Entry, index: int) -> tuple[str, str] | None:
    """A Taylor polynomial of f(c x) for a Taylor polynomial of f(x), about 0."""
    if not asks_of_series(entry.question):
        return None
    series = read_series(entry.question)
    if series.wanted != "polynomial" or fold(series.centre) != 0:
        return None
    factor = FACTORS[index % len(FACTORS)]
    x = mul(factor, Symbol(series.variable))
    function = to_latex(substitute(series.function, series.variable, x))
    answer = read(entry.answer, symbols=series.parameters)[0].expression
    text = f"Maclaurin polynomial of degree {fold(series.degree)} for ${function}$"
    return text, to_latex(substitute(answer, series.variable, x))


def replace_fields(
    problem: SumProblem, term: Expression, lower: Expression | int, upper: Expression | int
) -> SumProblem:
    """The sum with another term over another range."""
    return problem._replace(term=term, lower=lower, upper=upper)


def _folded(node: Expression) -> Expression:
    value = fold(node)
    return node if value is None else number(value)


def _sum_of(entry: Entry) -> SumProblem | None:
    return None if asks_of_series(entry.question) else read_sum(entry.question)[0]


_PERTURBATIONS: Mapping[str, Callable[[Entry, int], tuple[str, str] | None]] = {
    "sums_shifted": _shifted,
    "sums_scaled": _scaled,
    "sums_later": _later,
    "sums_multiple": _of_multiple,
}


@cache
def _perturbed(subset: str) -> tuple[tuple[Entry, str, str], ...]:
    """The rows that a perturbation applies to, each with the new question and the answer."""
    rows: list[tuple[Entry, str, str]] = []
    for index, entry in enumerate(entries("sums")):
        changed = _PERTURBATIONS[subset](entry, index)
        if changed is not None:
            rows.append((entry, *changed))
    return tuple(rows)


def _perturbed_problem(subset: str, index: int) -> Problem:
    entry, text, answer = _perturbed(subset)[index]
    facts: dict[str, JSON] = {"tags": list(entry.tags), "difficulty": entry.difficulty}
    name = f"{entry.id}-{subset.removeprefix('sums_')}"
    return question(
        TASK, subset, name, text, answer, request(text), parent=entry.id, metadata=facts
    )


@benchmark(
    "course/sums_shifted", source=SOURCE, size=lambda: len(_perturbed("sums_shifted")), task=TASK
)
def shifted(seed: int, index: int) -> Problem:
    """Sums of the bank over a shifted index, with the same value."""
    return _perturbed_problem("sums_shifted", index)


@benchmark(
    "course/sums_scaled", source=SOURCE, size=lambda: len(_perturbed("sums_scaled")), task=TASK
)
def scaled(seed: int, index: int) -> Problem:
    """Sums of the bank times a number."""
    return _perturbed_problem("sums_scaled", index)


@benchmark(
    "course/sums_later", source=SOURCE, size=lambda: len(_perturbed("sums_later")), task=TASK
)
def later(seed: int, index: int) -> Problem:
    """Sums of the bank without their first terms."""
    return _perturbed_problem("sums_later", index)


@benchmark(
    "course/sums_multiple", source=SOURCE, size=lambda: len(_perturbed("sums_multiple")), task=TASK
)
def multiple(seed: int, index: int) -> Problem:
    """Taylor polynomials of the bank for a multiple of the variable."""
    return _perturbed_problem("sums_multiple", index)


# --- an endless generator ---


@dataclass(frozen=True, slots=True)
class GeneratedSum:
    """A question with the answer, and the family of the question."""

    family: str
    text: str
    answer: str


def _fraction(value: Fraction) -> str:
    return to_latex(number(value))


def _signed(value: int) -> str:
    return f"{value:+d}"


def _geometric(random: HashedRandom) -> GeneratedSum:
    """c r^n from a first index, for a rational r below 1 in size."""
    q = random.integer(2, 9)
    ratio = Fraction(random.integer(1, q - 1), q) * random.choice((1, -1))
    start, scale = random.integer(0, 3), random.integer(1, 9)
    value = scale * ratio**start / (1 - ratio)
    term = rf"{scale}\left({_fraction(ratio)}\right)^n"
    return GeneratedSum("geometric", rf"\sum_{{n={start}}}^{{\infty}} {term}", _fraction(value))


def _telescoping(random: HashedRandom) -> GeneratedSum:
    """c/((n + a)(n + a + d)), whose sum is c/d times the first d of the 1/(n + a)."""
    a, d, scale = random.integer(0, 5), random.integer(1, 4), random.integer(1, 9)
    value = Fraction(scale, d) * sum(Fraction(1, 1 + a + i) for i in range(d))
    factor = "n" if a == 0 else f"(n+{a})"
    term = rf"\frac{{{scale}}}{{{factor}(n+{a + d})}}"
    return GeneratedSum("telescoping", rf"\sum_{{n=1}}^{{\infty}} {term}", _fraction(value))


def _polynomial(random: HashedRandom) -> GeneratedSum:
    """A polynomial of k up to n. The sum follows from the sums of binomial coefficients."""
    x = Symbol("n")
    values: list[Expression] = []
    terms: list[Expression] = []
    for degree in range(4):
        scale = random.integer(-6, 6) or 1
        terms.append(mul(number(scale), *([Symbol("k")] * degree)))
        values.append(mul(number(scale), _power_sum(degree, x)))
    text = rf"\sum_{{k=1}}^{{n}} \left({to_latex(add(*terms))}\right)"
    return GeneratedSum("polynomial", text, to_latex(add(*values)))


def _power_sum(degree: int, n: Expression) -> Expression:
    """The sum of k^degree up to n, for a degree below 4."""
    following = add(n, ONE)
    if degree == 0:
        return n
    if degree == 1:
        return mul(Number(1, 2), n, following)
    if degree == 2:
        return mul(Number(1, 6), n, following, add(mul(number(2), n), ONE))
    return mul(Number(1, 4), n, n, following, following)


def _difference(random: HashedRandom) -> GeneratedSum:
    """F(k) - F(k - 1) for a random F, whose sum is F(n) - F(0)."""
    a, b, c = random.integer(1, 6), random.integer(1, 6), random.integer(2, 5)
    n, k = Symbol("n"), Symbol("k")
    shapes = (
        f"({a}n+{b}) {c}^n",
        rf"\frac{{{a}n+{b}}}{{{c}^n}}",
        rf"\frac{{{a}n+{b}}}{{n+{c}}}",
        rf"{a}(n+{b})!",
        rf"\frac{{{a}}}{{(n+{b})!}}",
        rf"(-1)^n ({a}n+{b})",
    )
    shape = random.choice(shapes)
    function = read(shape, symbols="n")[0].expression
    at_k = substitute(function, "n", k)
    at_k_minus_1 = substitute(function, "n", add(k, number(-1)))
    value = add(function, neg(substitute(function, "n", number(0))))
    text = rf"\sum_{{k=1}}^{{{to_latex(n)}}} \left({to_latex(add(at_k, neg(at_k_minus_1)))}\right)"
    return GeneratedSum("difference", text, to_latex(value))


def _exponential(random: HashedRandom) -> GeneratedSum:
    """A polynomial of n times a^n/n!, by falling factorials."""
    a, b, c = random.integer(1, 4), random.integer(-4, 4), random.integer(1, 5)
    # n(n-1) + c n + b times a^n/n! has the sum (a^2 + c a + b) e^a
    value = a * a + c * a + b
    inner = f"n^2{_signed(c - 1)}n{_signed(b)}"
    text = rf"\sum_{{n=0}}^{{\infty}} \frac{{({inner}) {a}^n}}{{n!}}"
    return GeneratedSum("exponential", text, rf"{value} e^{{{a}}}" if value else "0")


def _divergent(random: HashedRandom) -> GeneratedSum:
    """A term with a decay like 1/n or slower, or without decay."""
    a, b, c = random.integer(1, 6), random.integer(1, 9), random.integer(1, 9)
    shapes = (
        rf"\frac{{{a}n+{b}}}{{n^2+{c}}}",
        rf"\frac{{{a}}}{{\sqrt{{n^2+{c}}}}}",
        rf"\frac{{{a}n+{b}}}{{n+{c}}}",
        rf"(-1)^n\frac{{{a}n}}{{n+{c}}}",
        rf"\frac{{{a + 1}^n}}{{n^{c}}}",
    )
    return GeneratedSum("divergent", rf"\sum_{{n=1}}^{{\infty}} {random.choice(shapes)}", DIVERGES)


def _taylor(random: HashedRandom) -> GeneratedSum:
    """A product of two series with known coefficients."""
    degree, a, b = random.integer(3, 6), random.integer(1, 4), random.integer(1, 4)
    f, f_coefficient = random.choice(_SERIES)
    g, g_coefficient = random.choice(_SERIES)
    coefficients = [
        sum(f_coefficient(i) * a**i * g_coefficient(k - i) * b ** (k - i) for i in range(k + 1))
        for k in range(degree + 1)
    ]
    x = Symbol("x")
    answer = add(*(mul(number(c), *([x] * k)) for k, c in enumerate(coefficients) if c))
    function = f"{f.format(f'{a}x')} {g.format(f'{b}x')}"
    text = rf"Taylor polynomial of degree {degree} about $x=0$ of ${function}$"
    return GeneratedSum("Taylor polynomial", text, to_latex(answer))


def _factorial(n: int) -> int:
    return n * _factorial(n - 1) if n else 1


#: Functions of {} with the coefficients of their series.
_SERIES: tuple[tuple[str, Callable[[int], Fraction]], ...] = (
    ("e^{{{}}}", lambda k: Fraction(1, _factorial(k))),
    (r"\cos({})", lambda k: Fraction((-1) ** (k // 2) * (k % 2 == 0), _factorial(k))),
    (r"\frac{{1}}{{1-{}}}", lambda k: Fraction(1)),
    (r"\frac{{1}}{{(1+{})^2}}", lambda k: Fraction((-1) ** k * (k + 1))),
    (r"\ln(1+{})", lambda k: Fraction((-1) ** (k + 1), k) if k else Fraction(0)),
)

FAMILIES: tuple[Callable[[HashedRandom], GeneratedSum], ...] = (
    _geometric,
    _telescoping,
    _polynomial,
    _difference,
    _exponential,
    _divergent,
    _taylor,
)


def drawn(seed: int, index: int) -> GeneratedSum:
    """The question at an address, with the answer."""
    random = HashedRandom("course/sums_generated", seed, index)
    return FAMILIES[index % len(FAMILIES)](random)


@benchmark("course/sums_generated", source=SOURCE, size=210, task=TASK, endless=True)
def generated(seed: int, index: int) -> Problem:
    """Sums and Taylor polynomials with answers by construction, endless."""
    item = drawn(seed, index)
    name = f"sums-s{seed}-{index}"
    facts: dict[str, JSON] = {"family": item.family}
    return question(
        TASK, "sums_generated", name, item.text, item.answer, request(item.text), metadata=facts
    )
