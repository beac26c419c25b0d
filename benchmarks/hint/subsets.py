"""The benchmark ``hint``: the test splits of the main and the few-shot data sets as problems.

``hint/I`` to ``hint/LL`` are the main test set; ``hint/I_distinct`` is I without repetitions, the
questions to language models. ``hint/x_I`` to ``hint/d_LL`` contain a concept, and ``hint/x_train``
to ``hint/d_train`` are the examples of the concept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..payloads import JSON
from ..problem import Problem
from ..registry import benchmark
from .problems import concepts_in, problem_of
from .records import HintRecord, from_row
from .sampling import text
from .semantics import CONCEPTS, infix, parse
from .splits import SPLITS, located, part, split_sizes

SOURCE = "Li et al. 2023, section 3 and appendix A"


def problem(split: str, seed: int, index: int, concept: str | None = None) -> Problem:
    """A problem of a split.

    Args:
        split: ``train``, ``I``, ``SS``, ``LS``, ``SL``, ``LL`` or ``I_distinct``.
        seed: The seed of the data set.
        index: From 0, in the order of the release.
        concept: One of ``xyabcd`` for a few-shot data set, None for the main data set.

    """
    operators, row = located(split, index, concept)
    drawn = part(seed, operators, concept)
    rows = drawn.train if split == "train" else drawn.test[split.removesuffix("_distinct")]
    subset = f"{concept}_{split}" if concept else split
    name = f"{subset}-s{seed}-{index:05}"
    return problem_of(name, "hint", subset, parse(infix(text(rows[row]))), {"seed": seed})


def released_problem(record: HintRecord, benchmark: str = "hint") -> Problem:
    """A record of a released file as a problem.

    The subset of a test problem is the split's name, otherwise ``train`` or a name such as
    ``val_SS``. In few-shot data sets, whose records have equal numbers, the concept precedes id and
    subset.
    """
    split, concept = record.id.partition("_")[0], concepts_in(record.expression.text)
    subset = record.split if split == "test" else "_".join(filter(None, (split, record.split)))
    prefix = f"{concept}_" if concept else ""
    about: dict[str, JSON] = {"img_paths": list(record.img_paths)}
    return problem_of(prefix + record.id, benchmark, f"{prefix}{subset}", record.expression, about)


def problem_from_row(row: Mapping[str, Any], benchmark: str) -> Problem:
    """A row of a released file as a problem, checked (`records.from_row`)."""
    return released_problem(from_row(row), benchmark)


_WORDS = {
    "train": "Expressions of at most 10 operators that teach",
    "I": "Expressions of the training set",
    "I_distinct": "The expressions of hint/I, each once",
    "SS": "New expressions of at most 10 operators and values up to 100",
    "LS": "Expressions of 11 to 20 operators and values up to 100",
    "SL": "Expressions of at most 10 operators and values of 101 to 10,000",
    "LL": "Expressions of 11 to 20 operators and values of 101 to 10,000",
}


def _declare(split: str, concept: str | None = None) -> None:
    def make(seed: int, index: int) -> Problem:
        return problem(split, seed, index, concept)

    joined = "the concept" if split == "train" else "with the concept"
    make.__doc__ = _WORDS[split] + (f" {joined} {concept}." if concept else ".")
    benchmark(
        f"hint/{concept}_{split}" if concept else f"hint/{split}",
        source=SOURCE,
        size=sum(split_sizes(split, concept).values()),
        task="arithmetic",
        default=concept is None and split in SPLITS,
    )(make)


for _split in (*SPLITS, "I_distinct"):
    _declare(_split)
for _concept in CONCEPTS:
    for _split in ("train", *SPLITS):
        _declare(_split, _concept)
