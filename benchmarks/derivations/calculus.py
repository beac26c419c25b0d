"""The calculus task: whether an expression is the derivative, or an antiderivative, of another.

Section 3 and appendix B of Meadows et al., who released no code for it. Examples are addressed by
(operation, seed, index). Candidates for the wrong result of an example are results for the same
variable of another premise, and for another variable of the same premise. The candidate whose LaTeX
is nearest to the right result by Damerau-Levenshtein distance is taken.

The paper has 22,000 examples of an operation, that is some 460 results for the same variable.
Letters are equally likely, so that a result for a variable becomes a result for another variable by
exchanging the letters. The `POOL` results of a seed thus represent 48 times as many results. They
are compared with the example's variable renamed to `REFERENCE`; the `NEAREST` candidates are
compared again under their final names, because the order of terms in a sum depends on the names.
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
#: The version, raised when problems at the same addresses change. 1: the nearest of 128 premises.
#: 2: other order of arguments. 3: their own algebra.
VERSION = 4
#: The number of examples in a chunk.
CHUNK = 128
#: The number of results in the pool of wrong results of a seed.
POOL = 460
#: The number of candidates of the pool that are compared exactly.
NEAREST = 8
#: The variable of the results in a pool.
REFERENCE = "x"


@dataclass(frozen=True, slots=True)
class CalculusExample:
    """A premise, a variable of the premise, the right result and a wrong result."""

    operation: str
    premise: Expression
    variable: Expression
    positive: Expression
    negative: Expression

    def result(self, label: int) -> Expression:
        return self.positive if label else self.negative

    @property
    def names(self) -> list[str]:
        """The sorted names of the symbols in the example."""
        return sorted(free(self.premise) | free(self.positive) | free(self.negative))


def case(
    operation: str, seed: int, index: int, *, easy: bool = False, options: Options = CODE
) -> CalculusExample:
    """The example at an address.

    Args:
        operation: ``differentiation`` or ``integration``.
        seed: the seed.
        index: the number of the example.
        easy: whether the premise has a single variable (the paper's Easy).
        options: the options of drawing premises.

    Raises:
        ValueError: the operation is unknown.
        NoExampleError: too few premises or wrong results are drawn.

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
def _chunk(
    operation: str, seed: int, chunk: int, easy: bool, options: Options
) -> tuple[CalculusExample, ...]:
    key = ("calculus", options.name, operation, easy, seed, chunk)
    # Some premises have no wrong result: keep drawing until there are enough examples.
    solved: list[_Solved] = []
    cases: list[CalculusExample] = []
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
        premises = {example.premise for example in solved}
        added = {
            example.premise: example for example in new if example.premise not in premises
        }.values()
        solved += added
        cases += [
            with_negative
            for example in added
            if (with_negative := _with_negative(operation, example, pool))
        ]
    return tuple(cases[:CHUNK])


@lru_cache(maxsize=8)
def _pool(operation: str, seed: int, easy: bool, options: Options) -> dict[str, _Solved]:
    """Results for the variable `REFERENCE`, by LaTeX."""
    key = ("calculus pool", options.name, operation, easy, seed)
    drawn = [
        _solved(operation, HashedRandom(*key, i), easy, options, proven=False) for i in range(POOL)
    ]
    return {latex(example.result): example for example in map(_in_reference, drawn)}


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
    """The derivative or an antiderivative; None without a closed form free of cases."""
    try:
        if operation == DIFFERENTIATION:
            return differentiate(premise, variable)
        return antiderivative(premise, variable)
    except (CasesError, UnusableFormulaError, BoundVariableError):
        return None


def _exchanged(solved: _Solved, letter: str, second_letter: str) -> _Solved:
    """The example with two letters exchanged."""
    names = {letter: second_letter, second_letter: letter}
    return _Solved(
        *(rename(term, names) for term in (solved.premise, solved.variable, solved.result))
    )


def _in_reference(solved: _Solved) -> _Solved:
    return _exchanged(solved, name_of(solved.variable), REFERENCE)


def _with_negative(
    operation: str, solved: _Solved, pool: Mapping[str, _Solved]
) -> CalculusExample | None:
    """The example with the nearest proven wrong result; None without a proven wrong result."""
    candidates: dict[str, Expression] = {}
    near = process.extract(
        latex(_in_reference(solved).result), pool.keys(), scorer=OSA.distance, limit=NEAREST
    )
    for text, _, _ in near:
        exchanged = _exchanged(pool[text], REFERENCE, name_of(solved.variable))
        if exchanged.premise != solved.premise:
            candidates.setdefault(latex(exchanged.result), exchanged.result)
    for name in sorted(free(solved.premise) - {name_of(solved.variable)}):
        result = solve(operation, solved.premise, symbol(name))
        if result is not None:
            candidates.setdefault(latex(result), result)
    truth = latex(solved.result)
    ranked = sorted(candidates, key=lambda text: (DamerauLevenshtein.distance(truth, text), text))
    for text in ranked:
        wrong = candidates[text]
        if _is_result(operation, solved.premise, solved.variable, wrong) is False:
            example = CalculusExample(
                operation, solved.premise, solved.variable, solved.result, wrong
            )
            if len(example.names) < len(GREEK):  # EC needs one more name
                return example
    return None


def _is_result(
    operation: str, premise: Expression, variable: Expression, result: Expression
) -> bool | None:
    """Whether the result is the derivative, or an antiderivative; None if undecided.

    Decided in ball arithmetic, with derivatives by `rewards.reading.expression`.
    """
    interpretation = Interpretation()
    try:
        f, g = interpretation.lower(premise), interpretation.lower(result)
        if operation == DIFFERENTIATION:
            return equal(interpretation.derivative(f, name_of(variable)), g)
        return equal(interpretation.derivative(g, name_of(variable)), f)
    except UndecidedError:
        return None


def is_proven(example: CalculusExample) -> bool:
    """Whether the positive is proven right and the negative proven wrong."""
    verdicts = [
        _is_result(example.operation, example.premise, example.variable, result)
        for result in (example.positive, example.negative)
    ]
    return verdicts == [True, False]


# --- perturbations and text ---


def renamed(example: CalculusExample, rng: HashedRandom) -> CalculusExample:
    """VR: the example with a random Greek letter for each symbol."""
    names = dict(zip(example.names, rng.shuffled(GREEK), strict=False))
    return CalculusExample(
        example.operation,
        *(
            rename(term, names)
            for term in (example.premise, example.variable, example.positive, example.negative)
        ),
    )


def sequence(example: CalculusExample, label: int, style: str = PUBLISHED) -> str:
    """Premise, variable and result in a line."""
    return _line(
        (latex(example.premise), latex(example.variable), latex(example.result(label))), style
    )


def converted(
    example: CalculusExample, label: int, rng: HashedRandom, style: str = PUBLISHED
) -> str:
    """EC: the example as two equations about a new function, in a line."""
    letters = [letter for letter in VOCABULARY if letter not in example.names]
    args = tuple(symbol(name) for name in rng.shuffled(sorted(free(example.premise))))
    function = apply(rng.choice(letters), *args)
    slope = derivative(function, example.variable)
    left, right = function, slope
    if example.operation == INTEGRATION:
        left, right = right, left
    pieces = (
        f"{latex(left)} = {latex(example.premise)}",
        latex(example.variable),
        f"{latex(right)} = {latex(example.result(label))}",
    )
    return _line(pieces, style)


def _line(pieces: tuple[str, str, str], style: str) -> str:
    text = SEPARATOR.join(pieces)
    return without_sizes(text) if style == PUBLISHED else text
