"""Functions that read the numbers of a reproduction from its folder of results.

A measure is a function of the folder, and returns numbers by name. The field ``measure`` in
`catalogue.toml` has the name of the function.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import mean, pstdev
from typing import TypeAlias

from ....benchmarks.lample_charton.codec import released
from ....benchmarks.registry import resolve
from ...stats.summary import summarise
from ...store.run import Run
from ..brittleness.integers import prefix_sequences, shares
from ..hint import statistics
from .measurements import Value

Measure: TypeAlias = Callable[[Path], Mapping[str, Value]]

MEASURES: dict[str, Measure] = {}


def measure(function: Measure) -> Measure:
    """Register a function that reads the numbers of a reproduction, under the function's name."""
    MEASURES[function.__name__] = function
    return function


@measure
def solved(folder: Path) -> Mapping[str, Value]:
    """Read the only model's pass@1 (in percent) and the number of problems, for each subset."""
    values: dict[str, Value] = {}
    for row in summarise(Run(folder)).rows:
        subset = row.subset.rpartition("/")[2]
        values[subset] = 100 * row.passes[0].value
        values[f"{subset}_problems"] = row.problems
    return values


@measure
def hint_scores(folder: Path) -> Mapping[str, Value]:
    """For each split, read the accuracy in percent by each of HINT's two scorers."""
    return {
        f"{row.subset.rpartition('/')[2]}_{key}": 100 * row.numbers[name]
        for row in summarise(Run(folder)).rows
        for key, name in (("hint", "HINT answer"), ("ordinary", "ordinary arithmetic"))
    }


@measure
def hint_sizes(folder: Path) -> Mapping[str, Value]:
    """Count the expressions of each subset of the benchmark ``hint``."""
    return {subset.name.rpartition("/")[2]: subset.size() or 0 for subset in resolve("hint")}


@measure
def hint_files(folder: Path) -> Mapping[str, Value]:
    """Count the rows of each file in the subfolder ``x``."""
    return {file.stem: _lines(file) for file in sorted(folder.glob("x/*.jsonl"))}


@measure
def hint_data(folder: Path) -> Mapping[str, Value]:
    """Compute the numbers that Li et al. 2023 state in their text on Figures A1 and A2."""
    sets = statistics.drawn(0, statistics.PER_LENGTH)
    symbols = statistics.distributions(sets, statistics.SYMBOL)
    return {
        "pictures": statistics.pictures(),
        "divergence": statistics.divergence(symbols["train"], symbols[statistics.TEST]),
        "beyond": 100 * statistics.share_beyond(sets),
    }


@measure
def integers(folder: Path) -> Mapping[str, Value]:
    """Count the positive integers in a run's formulas, and compute the percentage of each size.

    The formulas are in prefix form.
    """
    sequences = prefix_sequences(Run(folder))
    total, shares_of = shares(sequences)
    named = {f"from_{low}": 100 * share for (low, _), share in shares_of.items()}
    return {"integers": total, "sequences": len(sequences), **named}


@measure
def pair_lengths(folder: Path) -> Mapping[str, Value]:
    """Compute the mean numbers of tokens of integrands and antiderivatives.

    Each method of generation has its own means. The values ``..._sd`` are the standard deviations.
    """
    values: dict[str, Value] = {}
    for file in sorted(folder.glob("*.pairs")):
        pairs = list(released.read(file))
        values[f"{file.stem}_pairs"] = len(pairs)
        for name in ("integrand", "antiderivative"):
            lengths = [len(getattr(pair, name)) for pair in pairs]
            values[f"{file.stem}_{name}"] = mean(lengths)
            values[f"{file.stem}_{name}_sd"] = pstdev(lengths)
    return values


@measure
def validation_problems(folder: Path) -> Mapping[str, Value]:
    """Count the problems of the method FWD (forward), and the distinct problems among them."""
    rows = (folder / "fwd.jsonl").read_text(encoding="utf-8").splitlines()
    distinct = {json.dumps(json.loads(row)["inputs"], sort_keys=True) for row in rows}
    valid = resolve("lample_charton/fwd_valid")[0].size() or 0
    return {"problems": len(rows), "distinct": len(distinct), "valid": valid}


def _lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())
