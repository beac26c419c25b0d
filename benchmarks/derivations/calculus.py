"""The calculus task: whether an expression is the derivative, or an antiderivative, of another.

Section 3 and appendix B of Meadows et al., who released no code for it. Examples are addressed by
(operation, seed, index). The wrong result of an example is a result for the same variable of
another premise in its chunk of `CHUNK` indices, or for another variable of the same premise: the
one whose LaTeX is nearest to the right result by Damerau-Levenshtein distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import DamerauLevenshtein

from ..hashed_random import HashedRandom
from .examples import MAX_DRAWS, NoExampleError
from .expressions.printing import latex
from .expressions.rewriting import (
    BoundVariableError,
    CasesError,
    antiderivative,
    differentiate,
    rename,
)
from .expressions.terms import (
    DERIVATIVE,
    INTEGRAL,
    Term,
    UndefinedError,
    apply,
    derivative,
    has,
    symbol,
)
from .options import CODE, GREEK, VOCABULARY, Options
from .proof import Interpretation, UndecidedError, equal
from .sequences import PUBLISHED, SEPARATOR, without_sizes
from .steps import premise_expression

DIFFERENTIATION, INTEGRATION = "differentiation", "integration"
OPERATIONS = (DIFFERENTIATION, INTEGRATION)
#: Examples that take their wrong results from each other's premises.
CHUNK = 128


@dataclass(frozen=True, slots=True)
class Case:
    """A premise, a variable of it, the right result and a wrong one."""

    operation: str
    premise: Term
    variable: Term
    positive: Term
    negative: Term

    def result(self, label: int) -> Term:
        return self.positive if label else self.negative

    @property
    def names(self) -> list[str]:
        """The names of the symbols in it, sorted."""
        return sorted(self.premise.free | self.positive.free | self.negative.free)


def case(
    operation: str, seed: int, index: int, *, easy: bool = False, options: Options = CODE
) -> Case:
    """The example at an address.

    Args:
        operation: ``differentiation`` or ``integration``.
        seed: the seed.
        index: its number.
        easy: whether its premise has a single variable (the paper's Easy).
        options: how premises are drawn.

    Raises:
        ValueError: if there is no such operation.
        NoExampleError: if too few premises or wrong results are drawn.

    """
    if operation not in OPERATIONS:
        raise ValueError(f"unknown operation {operation!r}; known: {', '.join(OPERATIONS)}")
    return _chunk(operation, seed, index // CHUNK, easy, options)[index % CHUNK]


@dataclass(frozen=True, slots=True)
class _Solved:
    premise: Term
    variable: Term
    result: Term


@lru_cache(maxsize=16)
def _chunk(operation: str, seed: int, chunk: int, easy: bool, options: Options) -> tuple[Case, ...]:
    key = ("calculus", options.name, operation, easy, seed, chunk)
    # Some premises have no wrong result, so more are made than are needed.
    solved: list[_Solved] = []
    cases: list[Case] = []
    while len(cases) < CHUNK:
        if len(solved) > 8 * CHUNK:
            raise NoExampleError(
                f"no wrong results for {operation} among {len(solved)}; another seed or variant "
                "may have some"
            )
        new = [
            _solved(operation, HashedRandom(*key, len(solved) + i), easy, options)
            for i in range(CHUNK)
        ]
        premises = {one.premise for one in solved}
        solved += {one.premise: one for one in new if one.premise not in premises}.values()
        cases = [made for one in solved if (made := _with_negative(operation, one, solved))]
    return tuple(cases[:CHUNK])


def _solved(operation: str, rng: HashedRandom, easy: bool, options: Options) -> _Solved:
    for _ in range(MAX_DRAWS):
        term = premise_expression(rng, options)
        if has(term, DERIVATIVE, INTEGRAL) or (len(term.free) == 1) != easy:
            continue
        variable = symbol(rng.choice(sorted(term.free)))
        result = solve(operation, term, variable)
        if result is not None and _is_result(operation, term, variable, result):
            return _Solved(term, variable, result)
    raise NoExampleError(
        f"no premise for {operation} in {MAX_DRAWS} draws; another seed or variant may have one"
    )


def solve(operation: str, premise: Term, variable: Term) -> Term | None:
    """The derivative or an antiderivative; None if there is none in closed form without cases."""
    try:
        if operation == DIFFERENTIATION:
            return differentiate(premise, variable)
        return antiderivative(premise, variable)
    except (CasesError, UndefinedError, BoundVariableError):
        return None


def _with_negative(operation: str, one: _Solved, others: list[_Solved]) -> Case | None:
    """The example with the nearest result that is proven wrong; None if there is none."""
    candidates: dict[str, Term] = {}
    for other in others:
        if other.variable == one.variable and other.premise != one.premise:
            candidates.setdefault(latex(other.result), other.result)
    for name in sorted(one.premise.free - {one.variable.value}):
        result = solve(operation, one.premise, symbol(name))
        if result is not None:
            candidates.setdefault(latex(result), result)
    truth = latex(one.result)
    ranked = sorted(candidates, key=lambda text: (DamerauLevenshtein.distance(truth, text), text))
    for text in ranked:
        wrong = candidates[text]
        if _is_result(operation, one.premise, one.variable, wrong) is False:
            made = Case(operation, one.premise, one.variable, one.result, wrong)
            if len(made.names) < len(GREEK):  # EC needs one more name
                return made
    return None


def _is_result(operation: str, premise: Term, variable: Term, result: Term) -> bool | None:
    """Whether the result is the derivative, or an antiderivative; None if undecided.

    It is decided in ball arithmetic, with derivatives by `benchmarks.expressions`.
    """
    interpretation = Interpretation()
    try:
        f, g = interpretation.lower(premise), interpretation.lower(result)
        if operation == DIFFERENTIATION:
            return equal(interpretation.derivative(f, variable.value), g)
        return equal(interpretation.derivative(g, variable.value), f)
    except UndecidedError:
        return None


def is_proven(one: Case) -> bool:
    """Whether the positive is proven right and the negative proven wrong."""
    verdicts = [
        _is_result(one.operation, one.premise, one.variable, result)
        for result in (one.positive, one.negative)
    ]
    return verdicts == [True, False]


# --- perturbations and text ---


def renamed(one: Case, rng: HashedRandom) -> Case:
    """VR: the example with a random Greek letter for each symbol."""
    names = dict(zip(one.names, rng.shuffled(GREEK), strict=False))
    return Case(
        one.operation,
        *(rename(term, names) for term in (one.premise, one.variable, one.positive, one.negative)),
    )


def sequence(one: Case, label: int, style: str = PUBLISHED) -> str:
    """Premise, variable and result in one line."""
    return _line((latex(one.premise), latex(one.variable), latex(one.result(label))), style)


def converted(one: Case, label: int, rng: HashedRandom, style: str = PUBLISHED) -> str:
    """EC: the example as two equations about a new function, in one line."""
    free = [letter for letter in VOCABULARY if letter not in one.names]
    args = tuple(symbol(name) for name in rng.shuffled(sorted(one.premise.free)))
    function = apply(rng.choice(free), args)
    slope = derivative(function, one.variable)
    first, last = function, slope
    if one.operation == INTEGRATION:
        first, last = last, first
    parts = (
        f"{latex(first)} = {latex(one.premise)}",
        latex(one.variable),
        f"{latex(last)} = {latex(one.result(label))}",
    )
    return _line(parts, style)


def _line(parts: tuple[str, str, str], style: str) -> str:
    text = SEPARATOR.join(parts)
    return without_sizes(text) if style == PUBLISHED else text
