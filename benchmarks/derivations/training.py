"""Labelled examples for few-shot prompts: `python -m benchmarks.derivations.training FOLDER`.

Writes ``derivation_step.jsonl`` and ``calculus_step.jsonl``. No benchmark uses the seed. The first
`NATURAL` examples of each kind are drawn like the benchmark's and are marked ``natural``. Further
examples bring every last operator to `PER_OPERATOR` examples, if found. Their draws have other
weights, because some operators are last in only one of three hundred derivations.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from . import calculus, sequences
from .calculus import OPERATIONS, case
from .examples import example
from .options import CODE
from .steps import OPERATORS, PREMISE, SUBSTITUTIONS

SEED = -1
NATURAL, PER_OPERATOR = 48, 6
EVEN = replace(
    CODE,
    name="even",
    complexity=3,
    arity_0=2,
    renaming=20,
    arity_1=12,
    expansion=8,
    evaluation=6,
    arity_2=9,
    substitution=2,
)
#: The number of examples to search for rare operators.
MAX_SEARCHED = 500


def digest(sequence: str) -> str:
    """A short hash of an example, from the unperturbed sequence with the right equation."""
    return blake2b(sequence.encode(), digest_size=6).hexdigest()


def last_operators(steps: int) -> set[str]:
    """The possible last operators of an example; a substitution needs two equations."""
    return set(OPERATORS) - {PREMISE} - (set(SUBSTITUTIONS) if steps == 2 else set())


def step_rows(steps: int) -> Iterator[dict[str, Any]]:
    """Training examples of the step task."""
    missing = Counter(dict.fromkeys(last_operators(steps), PER_OPERATOR))
    for natural, options in ((True, CODE), (False, EVEN)):
        for number in range(NATURAL if natural else MAX_SEARCHED):
            if not natural and not +missing:
                return
            row_example = example(steps, SEED, number, options)
            if natural or missing[row_example.operator] > 0:
                missing[row_example.operator] -= 1
                texts = (sequences.sequence(row_example, 1), sequences.sequence(row_example, 0))
                yield _row(natural, row_example.operator, texts, steps)


def calculus_rows(operation: str) -> Iterator[dict[str, Any]]:
    """Training examples of the calculus task."""
    for number in range(NATURAL):
        row_example = case(operation, SEED, number)
        texts = (calculus.sequence(row_example, 1), calculus.sequence(row_example, 0))
        yield _row(True, operation, texts)


def _row(
    natural: bool, operator: str, texts: tuple[str, str], steps: int | None = None
) -> dict[str, Any]:
    positive, negative = texts
    return {
        "id": digest(positive),
        "natural": natural,
        **({} if steps is None else {"steps": steps}),
        "operator": operator,
        "positive": positive,
        "negative": negative,
    }


def write(folder: Path) -> None:
    """Write both files."""
    rows = {
        "derivation_step": [row for steps in (2, 3, 4) for row in step_rows(steps)],
        "calculus_step": [row for operation in OPERATIONS for row in calculus_rows(operation)],
    }
    for name, group in rows.items():
        text = "".join(json.dumps(row) + "\n" for row in group)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
