"""Files of pairs: the released format, parallel exports, and how the published split was made.

The released format has a line for each pair, ``count|sub Y' <integrand>TAB<antiderivative>``,
tokens between spaces, sorted by descending count. Parallel exports have the two sides in two files,
line by line, without counts, in prefix or infix.
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
    """A line that is not in the format; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One pair of a file: how often it was drawn, the integrand, its antiderivative."""

    count: int
    integrand: Tokens
    antiderivative: Tokens

    def __str__(self) -> str:
        sides = " ".join(model_input(self.integrand)), " ".join(self.antiderivative)
        return f"{self.count}|{sides[0]}\t{sides[1]}"


def parse(text: str, where: str = "line 1") -> Line:
    """One line of the released format, without its line break."""
    head, bar, rest = text.partition("|")
    left, tab, right = rest.partition("\t")
    if not bar or not head.isdigit():
        raise ReleasedFileError(f"{where}: does not begin with a count and |")
    if not tab or not right.strip():
        raise ReleasedFileError(f"{where}: has no tab between input and output")
    try:
        return Line(int(head), integrand_of(left.split()), tuple(right.split()))
    except PrefixError as error:
        raise ReleasedFileError(f"{where}: {error}") from None


def read(path: Path) -> Iterator[Line]:
    """The lines of a file in the released format, plain or gzip; blank ones are left out."""
    with path.open("rb") as raw, gzip.open(raw) if path.suffix == ".gz" else raw as file:
        for number, text in enumerate(io.TextIOWrapper(file, "utf-8"), start=1):
            if text.strip():
                yield parse(text.rstrip("\n"), f"{path}, line {number}")


def write(lines: Iterable[Line], path: Path) -> None:
    """Write lines in the released format, as they come; see `deduplicated`."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def deduplicated(pairs: Iterable[tuple[Tokens, Tokens]]) -> list[Line]:
    """Each pair once with its count, by descending count; equal counts by their tokens."""
    counts = Counter(pairs)
    lines = [Line(number, *pair) for pair, number in counts.items()]
    return sorted(lines, key=lambda line: (-line.count, line.integrand, line.antiderivative))


# --- parallel exports ---


def write_parallel(
    lines: Iterable[Line], source: Path, target: Path, *, infix: bool = False
) -> None:
    """Integrands into one file, antiderivatives into another, line by line."""
    with source.open("w", encoding="utf-8") as left, target.open("w", encoding="utf-8") as right:
        for line in lines:
            for file, tokens in ((left, line.integrand), (right, line.antiderivative)):
                file.write((to_infix(tokens) if infix else " ".join(tokens)) + "\n")


def read_parallel(source: Path, target: Path) -> Iterator[Line]:
    """Two files of prefix forms, with or without the model's ``sub Y'``; counts are 1."""
    left, right = (path.read_text(encoding="utf-8").splitlines() for path in (source, target))
    if len(left) != len(right):
        raise ReleasedFileError(f"{source} has {len(left)} lines, {target} has {len(right)}")
    for one, other in zip(left, right, strict=True):
        tokens = tuple(one.split())
        integrand = tokens[2:] if tokens[:2] == MODEL_PREFIX else tokens
        yield Line(1, integrand, tuple(other.split()))


# --- the split ---


@dataclass(frozen=True, slots=True)
class Split:
    train: tuple[Line, ...]
    valid: tuple[Line, ...]
    test: tuple[Line, ...]


def split(lines: Sequence[Line], size: int = 10_000) -> Split:
    """The released split of sorted lines: ``size`` for validation and as many for testing.

    Lines floor(i^alpha), i = 1 .. 2 size, with alpha = ln(N - 0.5) / ln(2 size), go to validation
    and test in turn, so that frequent pairs, which come first, are in all parts; the rest is for
    training. An input that also occurs in training is then removed from the other two (it may
    stand there with another antiderivative). Where indices fall together, as they do among the
    first, the line is taken once.
    """
    if size < 1 or 2 * size > len(lines):
        raise ValueError(f"{len(lines)} lines cannot give {size} for validation and for testing")
    alpha = math.log(len(lines) - 0.5) / math.log(2 * size)
    places: dict[int, int] = {}
    for i in range(1, 2 * size + 1):
        places.setdefault(int(i**alpha), i % 2)
    train = tuple(line for place, line in enumerate(lines) if place not in places)
    known = {line.integrand for line in train}

    def part(which: int) -> tuple[Line, ...]:
        chosen = (lines[place] for place, side in places.items() if side == which)
        return tuple(line for line in chosen if line.integrand not in known)

    return Split(train, part(1), part(0))
