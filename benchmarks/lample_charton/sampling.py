"""Random expressions: every shape of tree with n operators equally likely (L&C, appendix C).

A tree is unary-binary: operators of one or two operands over leaves. With D(e, n) the number of
ways to fill e empty slots with trees of n operators in all,

    D(0, n) = 0,  D(e, 0) = L^e,  D(e, n) = L D(e-1, n) + p1 D(e, n-1) + p2 D(e+1, n-1),

the position and arity of the next operator are drawn with the shares of these terms. The released
code sets L = p1 = p2 = 1, for uniform shapes (`PUBLISHED`, the default); the paper counts leaves
and operators, for uniform expressions (`PAPER`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import accumulate
from typing import Protocol

from ...rewards.reading.expression.tree import Expression
from .codec.prefix import Tokens, from_prefix, integer_tokens
from .codec.vocabulary import OPERATORS

#: Weights of the operators, as in the command that made the published data.
WEIGHTS: Mapping[str, int] = {
    "add": 10,
    "sub": 3,
    "mul": 10,
    "div": 5,
    "sqrt": 4,
    "pow2": 4,
    "pow3": 2,
    "pow4": 1,
    "pow5": 1,
    "ln": 4,
    "exp": 4,
    "sin": 4,
    "cos": 4,
    "tan": 4,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
    "asinh": 1,
    "acosh": 1,
    "atanh": 1,
}


class Rng(Protocol):
    """A source of random numbers, such as `HashedRandom`."""

    def below(self, bound: int) -> int:
        """A uniform random integer from 0 to ``bound`` - 1."""


@dataclass(frozen=True)
class Grammar:
    """The operators and leaves of random trees, with their weights.

    Attributes:
        weights: the weights of operators, normalised within each arity.
        variable: the variable's name.
        variable_weight: the weight of the variable as a leaf.
        integer_weight: the weight of integers as leaves.
        max_integer: integers are drawn from 1 to ``max_integer``.
        shape: (L, p1, p2) of the recurrence; None counts the kinds of leaves and operators, as in
            the paper.

    >>> Grammar(max_integer=9).variable
    'x'

    """

    weights: Mapping[str, int] = field(default_factory=lambda: WEIGHTS)
    variable: str = "x"
    variable_weight: int = 3
    integer_weight: int = 1
    max_integer: int = 5
    shape: tuple[int, int, int] | None = (1, 1, 1)

    def __post_init__(self) -> None:
        unknown = sorted(set(self.weights) - set(OPERATORS))
        if unknown:
            raise ValueError(f"no operator {unknown[0]!r}")
        if not any(self.weights.values()):
            raise ValueError("a grammar needs an operator with a weight above 0")

    def __hash__(self) -> int:
        return hash((tuple(self.weights.items()), self.variable, self.max_integer, self.shape))

    @cached_property
    def of_arity(self) -> dict[int, tuple[tuple[str, ...], tuple[int, ...]]]:
        """Arity -> the operators, and the cumulative weights."""
        groups: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = {}
        for arity in (1, 2):
            names = tuple(n for n, w in self.weights.items() if OPERATORS[n] == arity and w)
            groups[arity] = names, tuple(accumulate(self.weights[name] for name in names))
        return groups

    @cached_property
    def counts(self) -> Counts:
        unary, binary = (len(self.of_arity[arity][0]) for arity in (1, 2))
        if self.shape is not None:
            leaves, *arity_weights = self.shape
            return counts(
                leaves, arity_weights[0] if unary else 0, arity_weights[1] if binary else 0
            )
        leaves = bool(self.variable_weight) + self.max_integer * bool(self.integer_weight)
        return counts(leaves, unary, binary)


class Counts:
    """D(e, n), computed on demand."""

    def __init__(self, leaves: int, unary: int, binary: int) -> None:
        self.leaves, self.unary, self.binary = leaves, unary, binary
        self._rows: list[list[int]] = []  # by n, then e

    def __call__(self, empty: int, operators: int) -> int:
        """The number of ways to fill ``empty`` slots with ``operators`` operators in all."""
        rows = self._rows
        for n in range(operators + 1):
            if n == len(rows):
                rows.append([])
            row = rows[n]
            for e in range(len(row), empty + operators - n + 1):
                if n == 0:
                    row.append(self.leaves**e)
                elif e == 0:
                    row.append(0)
                else:
                    previous = rows[n - 1]
                    grown = self.unary * previous[e] + self.binary * previous[e + 1]
                    row.append(self.leaves * row[e - 1] + grown)
        return rows[operators][empty]


@cache
def counts(leaves: int = 1, unary: int = 1, binary: int = 1) -> Counts:
    """The table of D(e, n) for L, p1 and p2."""
    return Counts(leaves, unary, binary)


#: Shapes of trees equally likely, as in the published data.
PUBLISHED = Grammar()
#: Expressions equally likely before the weights of operators and leaves.
PAPER = Grammar(shape=None)
#: Few operators, for small models: no divisions, roots, tangents, inverse or hyperbolic functions.
ELEMENTARY = Grammar(
    {"add": 10, "mul": 10, "pow2": 4, "pow3": 2, "ln": 3, "exp": 3, "sin": 4, "cos": 4},
    max_integer=9,
)
#: The grammars by the names that generators' settings have for them.
GRAMMARS: Mapping[str, Grammar] = {
    "published": PUBLISHED,
    "paper": PAPER,
    "elementary": ELEMENTARY,
}


def sample_shape(rng: Rng, operators: int, table: Counts) -> tuple[int, ...]:
    """The arities of a random tree with exactly ``operators`` operators, in prefix order."""
    if operators < 0:
        raise ValueError(f"a tree cannot have {operators} operators")
    shape: list[int] = []
    empty = 1
    for remaining in range(operators, 0, -1):
        ticket = rng.below(table(empty, remaining))
        skipped, arity = _next(ticket, empty, remaining, table)
        shape += [0] * skipped
        shape.append(arity)
        empty += arity - skipped - 1
    return (*shape, *[0] * empty)


def _next(ticket: int, empty: int, remaining: int, table: Counts) -> tuple[int, int]:
    """The number of slots filled by leaves before the next operator, and the operator's arity."""
    leaves = 1
    for skipped in range(empty):
        for arity, weight in ((1, table.unary), (2, table.binary)):
            share = leaves * weight * table(empty - skipped - 1 + arity, remaining - 1)
            if ticket < share:
                return skipped, arity
            ticket -= share
        leaves *= table.leaves
    raise AssertionError("the shares make up the whole")


def sample_prefix(rng: Rng, operators: int, grammar: Grammar = PUBLISHED) -> Tokens:
    """The tokens of a random expression.

    Operators and leaves are drawn independently by their weights. (The released code draws all
    leaves and then shuffles them, which gives the same distribution.)

    Args:
        rng: the random numbers.
        operators: the number of operators.
        grammar: the operators and leaves.

    Returns:
        The tokens, with exactly ``operators`` operators.

    Raises:
        ValueError: if the number of operators is negative.

    >>> from calculus_harness.benchmarks.hashed_random import HashedRandom
    >>> " ".join(sample_prefix(HashedRandom("example"), 3))
    'add cos add x x x'

    """
    tokens: list[str] = []
    for arity in sample_shape(rng, operators, grammar.counts):
        if arity:
            names, totals = grammar.of_arity[arity]
            tokens.append(names[_weighted(rng, totals)])
        else:
            tokens += _leaf(rng, grammar)
    return tuple(tokens)


def sample_tree(rng: Rng, operators: int, grammar: Grammar = PUBLISHED) -> Expression:
    """A random expression as a tree, not evaluated.

    ``sub`` becomes the addition of a negative, ``pow2`` to ``pow5`` become powers.

    Args:
        rng: the random numbers.
        operators: the number of operators.
        grammar: the operators and leaves.

    Returns:
        The tree of `sample_prefix` with the same arguments.

    Raises:
        ValueError: if the number of operators is negative.

    >>> from calculus_harness.benchmarks.hashed_random import HashedRandom
    >>> sample_tree(HashedRandom("example"), 1)
    Call(function='add', args=(Symbol(name='x'), Symbol(name='x')))

    """
    return from_prefix(sample_prefix(rng, operators, grammar))


def _weighted(rng: Rng, totals: Sequence[int]) -> int:
    ticket = rng.below(totals[-1])
    return next(index for index, total in enumerate(totals) if ticket < total)


def _leaf(rng: Rng, grammar: Grammar) -> list[str]:
    ticket = rng.below(grammar.variable_weight + grammar.integer_weight)
    if ticket < grammar.variable_weight:
        return [grammar.variable]
    return integer_tokens(1 + rng.below(grammar.max_integer))
