"""The calculus task: whether an expression is the derivative, or an antiderivative, of another.

Section 3 and appendix B of Meadows et al., who released no code for it. Examples are addressed by
(operation, seed, index). The wrong result of an example is a result for the same variable of
another premise, or for another variable of the same premise: the one whose LaTeX is nearest to the
right result by Damerau-Levenshtein distance.

The paper has 22,000 examples of an operation, so that the nearest of some 460 results for the same
variable is taken. Letters are drawn alike: a result for one variable is one for any other when the
two letters are exchanged. The `POOL` results of a seed thus stand for 48 times as many. They are
compared with the example's variable renamed to `REFERENCE`; the `NEAREST` of them again under their
final names, because the order of terms in a sum depends on these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA, DamerauLevenshtein

from ...rewards.errors import suggest
from ...rewards.reading.expression.traversal import is_written_with
from ...rewards.reading.expression.tree import Expression
from ..algebra.normal_form import UnusableFormulaError
from ..hashed_random import HashedRandom
from .examples import MAX_DRAWS, NoExampleError
from .expressions.printing import latex
from .expressions.rewriting import (
    BoundVariableError,
    CasesError,
    antiderivative,
    rename,
)
from .expressions.terms import (
    apply,
    derivative,
    differentiate,
    free,
    name_of,
    symbol,
)
from .options import CODE, GREEK, VOCABULARY, Options
from .proof import Interpretation, UndecidedError, equal
from .sequences import PUBLISHED, SEPARATOR, without_sizes
from .steps import premise_expression

DIFFERENTIATION, INTEGRATION = "differentiation", "integration"
OPERATIONS = (DIFFERENTIATION, INTEGRATION)
#: Raised when the problems at the same addresses change. 1: the nearest of 128 premises. 2: other
#: order of arguments. 3: their own algebra.
VERSION = 4
#: Examples that are made at once.
CHUNK = 128
#: Results from which the wrong ones of a seed are taken.
POOL = 460
#: Candidates of the pool that are compared exactly.
NEAREST = 8
#: The variable of the results in a pool.
REFERENCE = "x"


@dataclass(frozen=True, slots=True)
class Case:
    """A premise, a variable of it, the right result and a wrong one."""

    operation: str
    premise: Expression
    variable: Expression
    positive: Expression
    negative: Expression

    def result(self, label: int) -> Expression:
        return self.positive if label else self.negative

    @property
    def names(self) -> list[str]:
        """The names of the symbols in it, sorted."""
        return sorted(free(self.premise) | free(self.positive) | free(self.negative))


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
        raise ValueError(f"unknown operation {operation!r}; {suggest(operation, OPERATIONS)}")
    return _chunk(operation, seed, index // CHUNK, easy, options)[index % CHUNK]


@dataclass(frozen=True, slots=True)
class _Solved:
    premise: Expression
    variable: Expression
    result: Expression


@lru_cache(maxsize=16)
def _chunk(operation: str, seed: int, chunk: int, easy: bool, options: Options) -> tuple[Case, ...]:
    key = ("calculus", options.name, operation, easy, seed, chunk)
    # Some premises have no wrong result, so more are made than are needed.
    solved: list[_Solved] = []
    cases: list[Case] = []
    pool = _pool(operation, seed, easy, options)
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
        added = {one.premise: one for one in new if one.premise not in premises}.values()
        solved += added
        cases += [made for one in added if (made := _with_negative(operation, one, pool))]
    return tuple(cases[:CHUNK])


@lru_cache(maxsize=8)
def _pool(operation: str, seed: int, easy: bool, options: Options) -> dict[str, _Solved]:
    """Results for the variable `REFERENCE`, by their LaTeX."""
    key = ("calculus pool", options.name, operation, easy, seed)
    drawn = [
        _solved(operation, HashedRandom(*key, i), easy, options, proven=False) for i in range(POOL)
    ]
    return {latex(one.result): one for one in map(_in_reference, drawn)}


def _solved(
    operation: str, rng: HashedRandom, easy: bool, options: Options, *, proven: bool = True
) -> _Solved:
    for _ in range(MAX_DRAWS):
        term = premise_expression(rng, options)
        if is_written_with(term, "derivative", "integral") or (len(free(term)) == 1) != easy:
            continue
        variable = symbol(rng.choice(sorted(free(term))))
        result = solve(operation, term, variable)
        if result is None or (proven and not _is_result(operation, term, variable, result)):
            continue
        return _Solved(term, variable, result)
    raise NoExampleError(
        f"no premise for {operation} in {MAX_DRAWS} draws; another seed or variant may have one"
    )


def solve(operation: str, premise: Expression, variable: Expression) -> Expression | None:
    """The derivative or an antiderivative; None if there is none in closed form without cases."""
    try:
        if operation == DIFFERENTIATION:
            return differentiate(premise, variable)
        return antiderivative(premise, variable)
    except (CasesError, UnusableFormulaError, BoundVariableError):
        return None


def _exchanged(solved: _Solved, first: str, second: str) -> _Solved:
    """The example with two letters exchanged."""
    names = {first: second, second: first}
    return _Solved(
        *(rename(term, names) for term in (solved.premise, solved.variable, solved.result))
    )


def _in_reference(solved: _Solved) -> _Solved:
    return _exchanged(solved, name_of(solved.variable), REFERENCE)


def _with_negative(operation: str, solved: _Solved, pool: Mapping[str, _Solved]) -> Case | None:
    """The example with the nearest result that is proven wrong; None if there is none."""
    candidates: dict[str, Expression] = {}
    near = process.extract(
        latex(_in_reference(solved).result), pool.keys(), scorer=OSA.distance, limit=NEAREST
    )
    for text, _, _ in near:
        other = _exchanged(pool[text], REFERENCE, name_of(solved.variable))
        if other.premise != solved.premise:
            candidates.setdefault(latex(other.result), other.result)
    for name in sorted(free(solved.premise) - {name_of(solved.variable)}):
        result = solve(operation, solved.premise, symbol(name))
        if result is not None:
            candidates.setdefault(latex(result), result)
    truth = latex(solved.result)
    ranked = sorted(candidates, key=lambda text: (DamerauLevenshtein.distance(truth, text), text))
    for text in ranked:
        wrong = candidates[text]
        if _is_result(operation, solved.premise, solved.variable, wrong) is False:
            made = Case(operation, solved.premise, solved.variable, solved.result, wrong)
            if len(made.names) < len(GREEK):  # EC needs one more name
                return made
    return None


def _is_result(
    operation: str, premise: Expression, variable: Expression, result: Expression
) -> bool | None:
    """Whether the result is the derivative, or an antiderivative; None if undecided.

    It is decided in ball arithmetic, with derivatives by `rewards.reading.expression`.
    """
    interpretation = Interpretation()
    try:
        f, g = interpretation.lower(premise), interpretation.lower(result)
        if operation == DIFFERENTIATION:
            return equal(interpretation.derivative(f, name_of(variable)), g)
        return equal(interpretation.derivative(g, name_of(variable)), f)
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
    letters = [letter for letter in VOCABULARY if letter not in one.names]
    args = tuple(symbol(name) for name in rng.shuffled(sorted(free(one.premise))))
    function = apply(rng.choice(letters), *args)
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
