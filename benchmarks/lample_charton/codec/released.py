"""Files of pairs: the released format, parallel exports, and the published split.

The released format has a line for each pair, ``count|sub Y' <integrand>TAB<antiderivative>``, with
tokens separated by spaces, sorted by descending count; some files lack ``count|``. A pair of a
differential equation has the equation before the tab and its solution behind. Parallel exports
have the two sides in two files, line by line, without counts, in prefix or infix notation.
"""

from __future__ import annotations

import gzip
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .prefix import MODEL_PREFIX, PrefixError, Tokens, integrand_of, model_input, to_infix


class ReleasedFileError(ValueError):
    """A line is not in the format; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class CountedPair:
    """A pair of a file, with the number of draws: integrand or equation, and the solution."""

    count: int
    integrand: Tokens
    antiderivative: Tokens

    def __str__(self) -> str:
        sides = " ".join(model_input(self.integrand)), " ".join(self.antiderivative)
        return f"{self.count}|{sides[0]}\t{sides[1]}"


def parse(text: str, where: str = "line 1") -> CountedPair:
    """Parse a line of the released format; a missing count is 1.

    Args:
        text: the line, without its line break.
        where: the line's location for error messages.

    Raises:
        ReleasedFileError: the line is not in the format.

    """
    head, _, pair_text = text.partition("|") if "|" in text else ("1", "", text)
    source_text, tab, target_text = pair_text.partition("\t")
    if not head.isdecimal():
        raise ReleasedFileError(f"{where}: must have a number before |, not {head[:20]!r}")
    if not tab or not target_text.strip():
        raise ReleasedFileError(f"{where}: must have a tab between input and output")
    try:
        return CountedPair(int(head), integrand_of(source_text.split()), tuple(target_text.split()))
    except PrefixError as error:
        raise ReleasedFileError(f"{where}: {error}") from None


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The nonblank lines of a file, plain or gzip, with line numbers."""
    with path.open("rb") as raw, gzip.open(raw) if path.suffix == ".gz" else raw as file:
        for number, text in enumerate(io.TextIOWrapper(file, "utf-8"), start=1):
            if text.strip():
                yield number, text.rstrip("\n")


def read(path: Path) -> Iterator[CountedPair]:
    """The pairs of a file in the released format."""
    for number, text in numbered_lines(path):
        yield parse(text, f"{path}, line {number}")


def write(lines: Iterable[CountedPair], path: Path) -> None:
    """Write pairs in the released format, in the given order; see `deduplicated`."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def deduplicated(pairs: Iterable[tuple[Tokens, Tokens]]) -> list[CountedPair]:
    """The distinct pairs with counts, sorted by descending count and then by tokens."""
    counts = Counter(pairs)
    lines = [CountedPair(number, *pair) for pair, number in counts.items()]
    return sorted(lines, key=lambda line: (-line.count, line.integrand, line.antiderivative))


# --- parallel exports ---


def write_parallel(
    lines: Iterable[CountedPair], source: Path, target: Path, *, infix: bool = False
) -> None:
    """Write integrands to one file and antiderivatives to another, line by line."""
    with (
        source.open("w", encoding="utf-8") as sources,
        target.open("w", encoding="utf-8") as targets,
    ):
        for line in lines:
            for file, tokens in ((sources, line.integrand), (targets, line.antiderivative)):
                file.write((to_infix(tokens) if infix else " ".join(tokens)) + "\n")


def read_parallel(source: Path, target: Path) -> Iterator[CountedPair]:
    """The pairs of two files of prefix forms, with or without ``sub Y'``; counts are 1.

    Raises:
        ReleasedFileError: the files differ in length.

    """
    source_lines, target_lines = (
        path.read_text(encoding="utf-8").splitlines() for path in (source, target)
    )
    if len(source_lines) != len(target_lines):
        raise ReleasedFileError(
            f"{source} has {len(source_lines)} lines, {target} has {len(target_lines)}"
        )
    for source_line, target_line in zip(source_lines, target_lines, strict=True):
        tokens = tuple(source_line.split())
        integrand = tokens[2:] if tokens[:2] == MODEL_PREFIX else tokens
        yield CountedPair(1, integrand, tuple(target_line.split()))


# --- the split ---


@dataclass(frozen=True, slots=True)
class Split:
    """A data set's three parts."""

    train: tuple[CountedPair, ...]
    valid: tuple[CountedPair, ...]
    test: tuple[CountedPair, ...]


def split(lines: Sequence[CountedPair], size: int = 10_000) -> Split:
    """The released split of sorted pairs.

    Pairs floor(i^alpha), i = 1 .. 2 size, with alpha = ln(N - 0.5) / ln(2 size), go to validation
    and test in turn, for frequent pairs, which come first, in all parts. The remaining pairs are
    for training. Integrands that also occur in training, perhaps with another antiderivative, are
    removed from validation and test. Coinciding indices, as among the first, are used once.

    Args:
        lines: the pairs, sorted by descending count.
        size: the size of the validation set and of the test set, before removals.

    Raises:
        ValueError: there are fewer than 2 ``size`` pairs.

    """
    if size < 1 or 2 * size > len(lines):
        raise ValueError(f"{len(lines)} lines cannot give {size} for validation and for testing")
    alpha = math.log(len(lines) - 0.5) / math.log(2 * size)
    held_out: dict[int, int] = {}
    for i in range(1, 2 * size + 1):
        held_out.setdefault(int(i**alpha), i % 2)
    train = tuple(line for index, line in enumerate(lines) if index not in held_out)
    trained = {line.integrand for line in train}

    def split_lines(which: int) -> tuple[CountedPair, ...]:
        chosen = (lines[index] for index, side in held_out.items() if side == which)
        return tuple(line for line in chosen if line.integrand not in trained)

    return Split(train, split_lines(1), split_lines(0))
