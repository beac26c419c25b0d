"""The distributions of HINT's data (Li et al. 2023, figures A1 and A2).

The data are either our own or the authors' release.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....benchmarks.hint.pools import VOCABULARY, folder_of, pools_of
from ....benchmarks.hint.sampling import evaluate, text
from ....benchmarks.hint.semantics import Expression, infix, parse
from ....benchmarks.hint.splits import (
    OPERATORS,
    SPLITS,
    TRAIN_OPERATORS,
    TRAIN_VALUE,
    part,
)
from ...report.figures.bars import count_bars
from ...report.sections import Section

#: The test splits together, beside ``train`` and each of them.
TEST = "test"
#: The largest shares of a result that the paper's text allows (section 3).
QUOTA = 0.05
#: Training expressions of each number of operators that are counted, if nothing else is said.
PER_LENGTH = 2_000
#: The upper ends of the ranges of results in a figure.
_RESULTS = (0, 9, 99, 999, 9_999)


@dataclass(frozen=True, slots=True)
class Aspect:
    """A property of an expression whose distribution is computed.

    Attributes:
        name: the property's name in tables and files.
        of: a function from an expression to its values. There may be one or several values.

    """

    name: str
    of: Callable[[Expression], Iterable[int | str]]


SYMBOL = Aspect("symbol", lambda expression: expression.text)
ASPECTS = (
    SYMBOL,
    Aspect("operators", lambda expression: [len(expression.operators)]),
    Aspect("length", lambda expression: [len(expression.text)]),
    Aspect("depth", lambda expression: [expression.depth]),
    Aspect("dependency", lambda expression: [expression.dependency]),
    Aspect("result", lambda expression: [_range(expression.value or 0)]),
)


def _range(value: int) -> str:
    """The name of the range of Li et al.'s Figure A2 that contains ``value``, such as ``1-9``."""
    low = 0
    for end in _RESULTS:
        if value <= end:
            return f"{low}" if low == end else f"{low:,}-{end:,}"
        low = end + 1
    return f"{low:,}-"


def drawn(seed: int, per_length: int | None) -> dict[str, list[Expression]]:
    """Draw the expressions of the training set and of each test split.

    Args:
        seed: the seed of the data set.
        per_length: how many training expressions the sample has for each number of operators. With
            None, the sample has all of them.

    """
    sets: dict[str, list[Expression]] = {name: [] for name in ("train", *SPLITS)}
    for operators in range(OPERATORS + 1):
        of = part(seed, operators)
        rows = [("train", of.train[:per_length])] if operators <= TRAIN_OPERATORS else []
        for name, chosen in (*rows, *of.test.items()):
            sets[name] += [parse(infix(text(row))) for row in chosen]
    return sets


def distributions(
    sets: Mapping[str, Sequence[Expression]], aspect: Aspect
) -> dict[str, dict[str, float]]:
    """Compute the distribution of an aspect in each set of expressions: a share for each value.

    The set ``test`` consists of all test splits together.
    """
    groups = {name: list(sets[name]) for name in sets}
    groups[TEST] = [expression for name in SPLITS for expression in sets[name]]
    counts = {
        name: Counter(value for expression in expressions for value in aspect.of(expression))
        for name, expressions in groups.items()
    }
    values: list[int | str] = sorted({value for of in counts.values() for value in of}, key=_order)
    return {
        name: {str(value): of[value] / max(1, of.total()) for value in values}
        for name, of in counts.items()
    }


def _order(value: int | str) -> tuple[int, str]:
    if isinstance(value, int):
        return value, ""
    start = value.replace(",", "").partition("-")[0]
    return (int(start) if start.isdigit() else 0), value


def divergence(p_of: Mapping[str, float], q_of: Mapping[str, float]) -> float:
    """The Kullback-Leibler divergence in nats: the sum of first * ln(first / second).

    >>> divergence({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5})
    0.0

    """
    return sum(p * math.log(p / q_of[key]) for key, p in p_of.items() if p and q_of.get(key))


def largest_shares(seed: int) -> dict[str, dict[int, float]]:
    """The share of the most frequent result, by set and number of operators."""
    shares: dict[str, dict[int, float]] = {name: {} for name in ("train", *SPLITS)}
    for operators in range(OPERATORS + 1):
        of = part(seed, operators)
        for name, rows in {"train": of.train, **of.test}.items():
            if len(rows):
                counts = Counter(evaluate(rows)[0].tolist())
                shares[name][operators] = max(counts.values()) / len(rows)
    return shares


def share_beyond(sets: Mapping[str, Sequence[Expression]]) -> float:
    """The share of expressions in the test splits whose result is at least 100."""
    results = [expression.value or 0 for name in SPLITS for expression in sets[name]]
    return sum(value >= TRAIN_VALUE for value in results) / len(results)


def pictures(folder: str = "", seed: int = 0) -> int:
    """The number of pictures of handwritten symbols, for training, validation and test together."""
    pools = pools_of(Path(folder) if folder else None, seed)
    return sum(len(names) for of in pools.names.values() for names in of.values())


def figure_a1(pictures: str = "", seed: int = 0) -> Section:
    """Make Figure A1 of Li et al. 2023: the number of pictures of each symbol."""
    pools = pools_of(Path(pictures) if pictures else None, seed)
    counts = {
        symbol: sum(len(of.get(folder_of(symbol), ())) for of in pools.names.values())
        for symbol in VOCABULARY
    }
    columns = {
        name: {symbol: len(of.get(folder_of(symbol), ())) for symbol in VOCABULARY}
        for name, of in pools.names.items()
    }
    source = pictures or "scikit-learn's digits and our drawings: not the paper's 83,501 pictures"
    return Section(
        "Pictures of each symbol (Figure A1)",
        ("symbol", "pictures", *columns),
        tuple(
            (symbol, str(counts[symbol]), *(str(of[symbol]) for of in columns.values()))
            for symbol in VOCABULARY
        ),
        (f"{sum(counts.values()):,} pictures: {source}.",),
        figures=(count_bars("figure_a1", "Pictures of each symbol", columns),),
    )


def figure_a2(sets: Mapping[str, Sequence[Expression]]) -> list[Section]:
    """Make Figure A2 of Li et al. 2023: a table and a figure in percent for each aspect."""
    return [_section(aspect, distributions(sets, aspect)) for aspect in ASPECTS]


def _section(aspect: Aspect, shares: Mapping[str, Mapping[str, float]]) -> Section:
    values = list(next(iter(shares.values())))
    remarks = []
    if aspect.name == "symbol":
        distance = divergence(shares["train"], shares[TEST])
        remarks.append(
            f"Kullback-Leibler divergence of test from train {distance:.4f}; the paper: 0.0055."
        )
    if aspect.name == "result":
        beyond = sum(
            share for value, share in shares[TEST].items() if _order(value)[0] >= TRAIN_VALUE
        )
        remarks.append(
            f"{100 * beyond:.1f} % of the test's results are 100 or more; "
            "the paper: 29 % above 100."
        )
    percents = {name: {v: round(100 * s) for v, s in of.items()} for name, of in shares.items()}
    return Section(
        f"Share of each {aspect.name} in percent (Figure A2)",
        (aspect.name, *shares),
        tuple((value, *(f"{100 * of[value]:.2f}" for of in shares.values())) for value in values),
        tuple(remarks),
        figures=(count_bars(f"figure_a2_{aspect.name}", f"Share of each {aspect.name}", percents),),
    )


def quota(seed: int) -> Section:
    """Make a table with the share of the most frequent result, by set and number of operators.

    A remark states the limit of Li et al. 2023 for this share, which is 5 %.
    """
    shares = largest_shares(seed)
    return Section(
        "The largest share of one result, in percent",
        ("operators", *shares),
        tuple(
            (
                str(operators),
                *(
                    f"{100 * of[operators]:.1f}" if operators in of else ""
                    for of in shares.values()
                ),
            )
            for operators in range(OPERATORS + 1)
        ),
        (
            f"The paper limits a result to {100 * QUOTA:.0f} %. Up to two operators all "
            "expressions are taken, whatever their results. Of more, a result may fill 5 % of one "
            "draw, as in the released code; a test split is a random thousand of that draw, so "
            "that a result at the limit has somewhat more or less of it.",
        ),
    )
