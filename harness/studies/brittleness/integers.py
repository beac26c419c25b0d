"""The sizes of the integers in Lample and Charton's data.

Section 5 and appendix B of "Symbolic Brittleness" state the shares of small and large integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ...report.sections import Section
from ...store.run import Run
from .answers import NOT_RUN, ModelAnswers, published

#: The paper's ranges, without the upper end.
RANGES = ((1, 100), (100, 200), (1000, 2000), (10_000, 20_000))


def positive_integers(tokens: Sequence[str]) -> Iterator[int]:
    """Yield the positive integers in a formula's prefix tokens, except integers inside fractions.

    The result has the integers that SymPy represents by a node of type Integer. SymPy represents a
    fraction by a single node of type Rational.

    >>> list(positive_integers("add mul div INT+ 1 INT+ 3 x pow x INT+ 1 2".split()))
    [12]
    """
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token == "div" and index < len(tokens) and tokens[index] in ("INT+", "INT-"):
            _, index = _number(tokens, index + 1)
            _, index = _number(tokens, index + 1)
        elif token in ("INT+", "INT-"):
            value, index = _number(tokens, index)
            if token == "INT+" and value:
                yield value


def _number(tokens: Sequence[str], start: int) -> tuple[int, int]:
    """Read the number whose digits begin at ``start``. Also return the index after them."""
    end = start
    while end < len(tokens) and tokens[end].isdecimal():
        end += 1
    return int("".join(tokens[start:end]) or "0"), end


def shares(sequences: Iterable[Sequence[str]]) -> tuple[int, dict[tuple[int, int], float]]:
    """The number of positive integers in the sequences, and the share in each of `RANGES`."""
    counts: Counter[tuple[int, int] | None] = Counter()
    for tokens in sequences:
        for value in positive_integers(tokens):
            counts[next((r for r in RANGES if r[0] <= value < r[1]), None)] += 1
    total = counts.total()
    return total, {r: counts[r] / total for r in RANGES if total}


def prefix_sequences(run: Run) -> list[list[str]]:
    """The prefix forms of a run's random integrals: integrands and antiderivatives."""
    return [
        str(problem.metadata[form]).split()
        for problem in run.problems.values()
        if problem.benchmark == "lample_charton"
        for form in ("prefix", "antiderivative_prefix")
        if form in problem.metadata
    ]


def training_integers(source: ModelAnswers) -> Section:
    """Make the table of integers in section 5 and appendix B of Welleck et al., for a run."""
    sequences = prefix_sequences(source.run)
    total, ours = shares(sequences)
    rows = []
    for low, high in RANGES:
        name = f"{low}-{high - 1}"
        share = f"{100 * ours[low, high]:.3f}" if total else NOT_RUN
        key = ("section 5", "integers of the training data", name, "percent")
        rows.append((name, share, published()[key]))
    return Section(
        "Integers in random integrals (section 5)",
        ("range", "percent of the positive integers", "paper"),
        tuple(rows),
        (
            f"{total} positive integers in {len(sequences)} sequences, integrands and "
            "antiderivatives of lample_charton; the paper's are of 200,000 sequences of the FWD "
            "and BWD training data.",
        ),
    )
