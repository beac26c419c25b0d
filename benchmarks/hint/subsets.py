"""The benchmark ``hint``: the test splits as problems, and those of the few-shot data sets.

``hint/I`` to ``hint/LL`` are the main test set; ``hint/I_distinct`` is I without repetitions, which
is what language models were asked. ``hint/x_I`` to ``hint/d_LL`` contain a concept, and
``hint/x_train`` to ``hint/d_train`` are the examples that teach it.
"""

from __future__ import annotations

from ..problem import JSON, Problem
from ..registry import benchmark
from .records import Record
from .sampling import text
from .scoring import ordinary_answer
from .semantics import CONCEPTS, Expression, GrammarError, infix, parse
from .splits import SPLITS, located, part, split_sizes

SOURCE = "Li et al. 2023, section 3 and appendix A"
#: The operators' names as tags.
TAGS = {
    "+": "plus", "-": "minus", "*": "times", "/": "divide",
    "a": "maximum", "b": "minimum", "c": "arithmetic mean", "d": "harmonic mean",
}  # fmt: skip


def problem(split: str, seed: int, index: int, concept: str | None = None) -> Problem:
    """A problem of a split.

    Args:
        split: ``train``, ``I``, ``SS``, ``LS``, ``SL``, ``LL`` or ``I_distinct``.
        seed: That of the data set.
        index: From 0, in the order of the release.
        concept: One of ``xyabcd`` for a few-shot data set, None for the main one.

    """
    operators, place = located(split, index, concept)
    drawn = part(seed, operators, concept)
    rows = drawn.train if split == "train" else drawn.test[split.removesuffix("_distinct")]
    subset = f"{concept}_{split}" if concept else split
    name = f"{subset}-s{seed}-{index:05}"
    return _problem(name, "hint", subset, parse(infix(text(rows[place]))), {"seed": seed})


def released_problem(record: Record, benchmark: str = "hint") -> Problem:
    """A record of a released file as a problem; of a training set, its subset is ``train``."""
    subset = record.split or record.id.partition("_")[0]
    return _problem(record.id, benchmark, subset, record.expression, {})


def contradiction(problem: Problem) -> str | None:
    """What in a problem contradicts HINT's semantics; None if nothing does."""
    text = str(problem.inputs.get("expression", ""))
    try:
        expected = _problem(problem.id, problem.benchmark, problem.subset, parse(text), {})
    except GrammarError as error:
        return f"expression: {error}"
    for name, value in expected.target.items():
        if problem.target.get(name, value) != value or "value" not in problem.target:
            return f"{name} is {problem.target.get(name)!r}, not {value!r}"
    return None


def features(expression: Expression) -> dict[str, JSON]:
    """What results are broken down by: those of the paper's figure A5, and the largest value."""
    operators = expression.operators
    return {
        "operators": len(operators),
        "length": len(expression.text),
        "depth": expression.depth,
        "dependency": expression.dependency,
        "largest": expression.largest,
        "result": expression.value,
        "tags": [name for symbol, name in TAGS.items() if symbol in operators],
        "difficulty": len(operators),
    }


def _problem(
    name: str, benchmark: str, subset: str, expression: Expression, about: dict[str, JSON]
) -> Problem:
    concepts = "".join(symbol for symbol in CONCEPTS if symbol in expression.text)
    inputs: dict[str, JSON] = {"expression": expression.text}
    target: dict[str, JSON] = {"value": expression.value}
    if concepts:
        inputs["concept"] = concepts
    else:
        target["ordinary"] = ordinary_answer(expression)
    return Problem(
        id=name,
        task="arithmetic",
        benchmark=benchmark,
        subset=subset,
        inputs=inputs,
        target=target,
        metadata={**features(expression), **about},
    )


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
