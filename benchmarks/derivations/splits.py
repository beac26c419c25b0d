"""Data sets for classifiers: train, validation, a static test set with perturbations.

Sizes are from table 5 for 20,000 (calculus: 32,000) training sequences, and proportional for other
sizes. Every example gives a right and a wrong sequence, both in the same split. (The released code
splits sequences at random.) Equal examples are used once. Test sets have the first indices, and
depend only on seed and size.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass
from itertools import count, islice
from typing import Any, TypeAlias

from ...rewards.workers.errors import WorkerError
from ...rewards.workers.pool import make_pool
from ..hashed_random import HashedRandom
from . import calculus, sequences
from .calculus import case
from .examples import PERTURBATIONS, example, perturbed
from .options import CODE, Options

Row: TypeAlias = dict[str, Any]
#: The number of examples in a worker's batch.
BATCH = 16
#: Seconds of wall clock for a batch, only in case a worker hangs, and megabytes for a worker.
DEADLINE, MEMORY_MB = 1000.0, 2048
#: Sequences of the split ``easy``.
EASY = 1500


@dataclass(frozen=True, slots=True)
class SplitSizes:
    """Numbers of sequences, two for each example."""

    train: int
    validation: int
    test: int

    @classmethod
    def of(cls, train: int, test_share: int) -> SplitSizes:
        """Sizes in the paper's proportions: ``test_share`` is 5 for derivations, 8 for calculus."""
        return cls(*(_even(size) for size in (train, train // 4, train // test_share)))


def _even(size: int) -> int:
    return size - size % 2


@dataclass(frozen=True, slots=True)
class _Texts:
    """An example's texts: perturbation ("" for none) -> (right, wrong)."""

    number: int
    operator: str
    other_operator: str
    texts: dict[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the examples of a data set: with a number of steps, or for an operation."""

    kind: int | str
    seed: int
    options: Options
    style: str

    def make(self, with_perturbations: bool, number: int) -> _Texts:
        if isinstance(self.kind, int):
            return self._step(self.kind, with_perturbations, number)
        return self.case(self.kind, with_perturbations, number)

    def _step(self, steps: int, with_perturbations: bool, number: int) -> _Texts:
        key = (steps, self.seed, number)
        original = example(*key, self.options)
        versions = {"": original}
        if with_perturbations:
            versions |= {name: perturbed(original, name, key) for name in PERTURBATIONS}
        texts = {
            name: (
                sequences.sequence(version, 1, self.style),
                sequences.sequence(version, 0, self.style),
            )
            for name, version in versions.items()
        }
        return _Texts(number, original.operator, original.negative.annotation.operator, texts)

    def case(
        self, operation: str, with_perturbations: bool, number: int, *, easy: bool = False
    ) -> _Texts:
        """The example of calculus with a number."""
        key = (operation, self.seed, number)
        original = case(*key, easy=easy, options=self.options)

        def pair(text: Callable[[int], str]) -> tuple[str, str]:
            return text(1), text(0)

        texts = {"": pair(lambda label: calculus.sequence(original, label, self.style))}
        if with_perturbations:
            greek = calculus.renamed(original, HashedRandom("VR", "calculus", *key))
            texts["VR"] = pair(lambda label: calculus.sequence(greek, label, self.style))
            texts["EC"] = pair(
                lambda label: calculus.converted(
                    original, label, HashedRandom("EC", *key), self.style
                )
            )
        return _Texts(number, operation, operation, texts)


def data_splits(
    kind: int | str,
    sizes: SplitSizes,
    seed: int,
    *,
    options: Options = CODE,
    style: str = sequences.PUBLISHED,
    workers: int | None = None,
) -> dict[str, list[Row]]:
    """The splits of the step task for a number of steps, of the calculus task for an operation.

    Both have train, validation and static; the step task has VR, EE and AR, the calculus task VR,
    EC and easy.
    """
    maker = _Maker(kind, seed, options, style)
    if isinstance(kind, int):
        return _splits(maker, PERTURBATIONS, sizes, f"step{kind}-s{seed}", workers)
    splits = _splits(maker, ("VR", "EC"), sizes, f"{kind}-s{seed}", workers)
    easy = (maker.case(kind, False, number, easy=True) for number in count())
    few = islice(easy, min(EASY, sizes.test) // 2)
    name = f"{kind}-easy-s{seed}"
    splits["easy"] = [row for made_example in few for row in _rows(made_example, name, "")]
    return splits


def _splits(
    maker: _Maker,
    perturbations: tuple[str, ...],
    sizes: SplitSizes,
    name: str,
    workers: int | None,
) -> dict[str, list[Row]]:
    # The test set comes first, so that it depends on seed and size alone; later sets skip the
    # examples of earlier sets.
    seen: set[str] = set()
    splits: dict[str, list[Row]] = {"train": [], "validation": [], "static": []}
    splits |= {perturbation: [] for perturbation in perturbations}
    next_number = 0
    with _mapping(maker, workers) as mapped:
        for split, size in (
            ("static", sizes.test),
            ("validation", sizes.validation),
            ("train", sizes.train),
        ):
            count_taken = 0
            stream = mapped(split == "static", next_number) if size else iter(())
            while 2 * count_taken < size:
                made_example = next(stream)
                next_number = made_example.number + 1
                if seen.isdisjoint(made_example.texts[""]):
                    seen.update(made_example.texts[""])
                    count_taken += 1
                    splits[split] += _rows(made_example, name, "")
                    for perturbation in perturbations if split == "static" else ():
                        splits[perturbation] += _rows(made_example, name, perturbation)
    return splits


def _rows(made_example: _Texts, name: str, perturbation: str) -> list[Row]:
    """The two sequences. Under AR, the equations are in the order of the unperturbed sequences."""
    swapped = perturbation == "AR"
    rows = []
    for index, label in enumerate((0, 1) if swapped else (1, 0)):
        static = f"{name}-{2 * made_example.number + index}"
        rows.append(
            {
                "id": f"{static}-{perturbation.lower()}" if perturbation else static,
                "text": made_example.texts[perturbation][1 - label],
                "label": label,
                "group": f"{name}-{made_example.number}",
                "pair": static,
                "operator": made_example.operator,
                "shown_operator": made_example.other_operator if swapped else made_example.operator,
            }
        )
    return rows


_Mapping: TypeAlias = Callable[[bool, int], Iterator[_Texts]]


@contextmanager
def _mapping(maker: _Maker, workers: int | None) -> Iterator[_Mapping]:
    """Examples from a given number on, in order, by ``workers`` processes; with perturbations or
    not.
    """
    if workers == 1:
        yield lambda with_perturbations, start: (
            maker.make(with_perturbations, number) for number in count(start)
        )
        return
    with make_pool(workers, MEMORY_MB, tasks={"made": f"{__name__}:made"}) as pool:

        def mapped(with_perturbations: bool, start: int) -> Iterator[_Texts]:
            ahead: deque[Future[list[Any]]] = deque()
            starts = count(start, BATCH)
            try:
                while True:
                    while len(ahead) < 2 * pool.size:
                        item = (asdict(maker), with_perturbations, next(starts))
                        ahead.append(pool.submit("made", [item], deadline=DEADLINE))
                    (rows,) = ahead.popleft().result()
                    if isinstance(rows, WorkerError):  # nothing here has a time limit: a bug
                        raise rows
                    yield from (_Texts(*row) for row in rows)
            finally:
                for future in ahead:
                    future.cancel()

        yield mapped


def made(maker: Mapping[str, Any], with_perturbations: bool, start: int) -> list[Any]:
    """The task of workers: a batch of examples as rows."""
    parsed = _Maker(**{**maker, "options": Options(**maker["options"])})
    batch = (parsed.make(with_perturbations, number) for number in range(start, start + BATCH))
    return [astuple(made_example) for made_example in batch]
