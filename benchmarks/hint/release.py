"""HINT's files in the form of the release. `files.table` reads such files, released files too.

``expr_train.json``, ``expr_val.json`` and ``expr_test.json`` are lists of records,
``fewshot_dataset.json`` has records by concept and part, and ``sym_PART.json`` names the pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TypeAlias

from .pools import SPLITS, Pools, Taker, drawn_pools
from .records import HintRecord
from .semantics import CONCEPTS, parse
from .splits import OPERATORS, expressions, part, split_of

#: Texts with their splits, which training sets do not have.
Labelled: TypeAlias = list[tuple[str, str | None]]
_CHUNK = 20_000  # records that a worker writes at a time


def labelled(seed: int, operators: int, concept: str | None, name: str) -> Labelled:
    """The expressions with a number of operators in a split, labelled as in the release."""
    drawn = part(seed, operators, concept)
    if name == "train":
        return [(text, None) for text in expressions(drawn.train)]
    trained = {row.tobytes() for row in drawn.train}  # a prefix text has one infix text
    held_out = drawn.val if name == "val" else drawn.test
    rows = [row for rows in held_out.values() for row in rows]
    return [
        (text, split_of(parse(text), trained=row.tobytes() in trained))
        for row, text in zip(rows, expressions(rows), strict=True)
    ]


def records(
    name: str, seed: int = 0, concept: str | None = None, pools: Pools | None = None
) -> Iterator[HintRecord]:
    """The records of a part, in the order of the release: by operators, then I, SS or LS, SL or LL.

    Args:
        name: ``train``, ``val`` or ``test``.
        seed: The same seed gives the same records.
        concept: One of ``xyabcd`` for a few-shot data set, None for the main data set.
        pools: The source of pictures; by default drawn pictures.

    Yields:
        Records, numbered from 0.

    """
    pools = pools or drawn_pools(seed)
    take, start = pools.taker(name), 0
    for operators in range(OPERATORS + 1):
        expressions = labelled(seed, operators, concept, name)
        yield from _records(name, start, expressions, take)
        start += len(expressions)


def write_release(folder: Path, seed: int = 0, workers: int = 1) -> dict[str, int]:
    """Write the whole data set, main and few-shot, in the form of the release.

    Args:
        folder: An existing folder; a release's files in the folder are replaced.
        seed: The same seed writes the same bytes, with any number of workers.
        workers: Processes.

    Returns:
        How many records each part of the main data set has.

    """
    pools = drawn_pools(seed)
    for name in SPLITS:
        (folder / f"sym_{name}.json").write_text(json.dumps(pools.names[name]), "utf-8")
    with ProcessPoolExecutor(workers) if workers > 1 else nullcontext() as executor:
        mapped = executor.map if isinstance(executor, Executor) else map
        by_operators = list(mapped(partial(_every_part, seed), range(OPERATORS + 1)))
        counts = {}
        for name in SPLITS:
            expressions = [item for by_operator in by_operators for item in by_operator[name]]
            counts[name] = len(expressions)
            texts = mapped(partial(_rows_text, name, pools), *_chunks(expressions))
            with (folder / f"expr_{name}.json").open("w", encoding="utf-8") as file:
                for number, text in enumerate(texts):
                    file.write((", " if number else "[") + text)
                file.write("]")
        everything = list(mapped(partial(_few_shot, seed), CONCEPTS))
    takers = {name: pools.taker(name) for name in SPLITS}
    rows = {
        concept: {
            name: [record.to_row() for record in _records(name, 0, expressions[name], takers[name])]
            for name in SPLITS
        }
        for concept, expressions in zip(CONCEPTS, everything, strict=True)
    }
    (folder / "fewshot_dataset.json").write_text(json.dumps(rows), "utf-8")
    return counts


def _every_part(seed: int, operators: int, concept: str | None = None) -> dict[str, Labelled]:
    return {name: labelled(seed, operators, concept, name) for name in SPLITS}


def _few_shot(seed: int, concept: str) -> dict[str, Labelled]:
    every = [_every_part(seed, operators, concept) for operators in range(OPERATORS + 1)]
    return {name: [item for sets in every for item in sets[name]] for name in SPLITS}


def _chunks(expressions: Labelled) -> tuple[list[int], list[Labelled], list[dict[str, int]]]:
    """Chunks with the first index, and the counts of each symbol before the chunk."""
    starts = list(range(0, len(expressions), _CHUNK))
    chunks = [expressions[start : start + _CHUNK] for start in starts]
    used: dict[str, int] = {}
    used_before = []
    for chunk in chunks:
        used_before.append(dict(used))
        together = "".join(text for text, _ in chunk)
        used = {s: used.get(s, 0) + together.count(s) for s in {*used, *together}}
    return starts, chunks, used_before


def _rows_text(
    name: str, pools: Pools, start: int, expressions: Labelled, used: dict[str, int]
) -> str:
    rows = _records(name, start, expressions, pools.taker(name, used))
    return ", ".join(json.dumps(record.to_row()) for record in rows)


def _records(name: str, start: int, expressions: Labelled, take: Taker) -> Iterator[HintRecord]:
    for number, (text, split) in enumerate(expressions, start):
        yield HintRecord(f"{name}_{number:08}", parse(text), take(text), split)
