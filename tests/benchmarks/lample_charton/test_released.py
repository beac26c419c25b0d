from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from calculus_harness.benchmarks.lample_charton.codec.released import (
    CountedPair,
    ReleasedFileError,
    deduplicated,
    parse,
    read,
    read_parallel,
    split,
    write,
    write_parallel,
)
from calculus_harness.benchmarks.lample_charton.generators import GeneratorSettings
from calculus_harness.benchmarks.lample_charton.parallel import stream
from calculus_harness.benchmarks.lample_charton.prefix_forms import prefix
from calculus_harness.rewards.reading.expression.sympy_text import read_sympy

SMALL = GeneratorSettings(max_operators=3)


def lines(number: int) -> list[CountedPair]:
    drawn_pairs = (next(pairs)[1] for pairs in [stream("bwd", 8, SMALL)] for _ in range(number))
    return deduplicated((pair.integrand, pair.antiderivative) for pair in drawn_pairs)


def test_a_line() -> None:
    line = parse("12|sub Y' mul INT+ 2 x\tpow x INT+ 2")
    assert line == CountedPair(12, ("mul", "INT+", "2", "x"), ("pow", "x", "INT+", "2"))
    assert parse(str(line)) == line
    assert parse(str(line).removeprefix("12|")) == CountedPair(
        1, line.integrand, line.antiderivative
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a|sub Y' x\tx", "a number before"),
        ("|sub Y' x\tx", "a number before"),
        ("1|sub Y' x x", "must have a tab"),
        ("1|sub Y' x\t", "must have a tab"),
        ("1|x\tx", "input must begin with sub Y'"),
    ],
)
def test_what_is_no_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    path.write_text(f"1|sub Y' x\tx\n{text}\n", encoding="utf-8")
    with pytest.raises(ReleasedFileError, match=f"pairs, line 2: .*{message}"):
        list(read(path))


def test_files(tmp_path: Path) -> None:
    pairs = lines(60)
    assert len(pairs) < 60
    assert [line.count for line in pairs] == sorted((line.count for line in pairs), reverse=True)
    assert sum(line.count for line in pairs) == 60
    plain, packed = tmp_path / "pairs", tmp_path / "pairs.gz"
    write(pairs, plain)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert list(read(plain)) == list(read(packed)) == pairs
    sides = tmp_path / "in", tmp_path / "out"
    write_parallel(pairs, *sides)
    assert [(line.integrand, line.antiderivative) for line in read_parallel(*sides)] == [
        (line.integrand, line.antiderivative) for line in pairs
    ]
    write_parallel(pairs, *sides, infix=True)
    texts = sides[0].read_text(encoding="utf-8").splitlines()
    assert [prefix(read_sympy(text)) for text in texts] == [line.integrand for line in pairs]
    sides[1].write_text("x\n", encoding="utf-8")
    with pytest.raises(ReleasedFileError, match="lines"):
        list(read_parallel(*sides))


def test_the_split() -> None:
    pairs = [CountedPair(1, ("x", str(i % 90)), ("x", str(i))) for i in range(100)]
    splits = split(pairs, 10)
    alpha = math.log(99.5) / math.log(20)
    indices = [int(i**alpha) for i in range(1, 21)]
    assert indices[-1] == 99
    held_out = [pairs[index] for index in dict.fromkeys(indices)]
    assert set(splits.train) == set(pairs) - set(held_out)
    inputs = {line.integrand for line in splits.train}
    assert {line.integrand for line in (*splits.valid, *splits.test)}.isdisjoint(inputs)
    not_trained_on = [line for line in held_out if line.integrand not in inputs]
    assert set(splits.valid) | set(splits.test) == set(not_trained_on)
    assert set(splits.valid).isdisjoint(splits.test)
    assert len(not_trained_on) < len(held_out)  # some inputs stand in training, too
    assert abs(len(splits.valid) - len(splits.test)) < 8
    assert split(pairs, 10) == splits


def test_too_few_lines_to_split() -> None:
    with pytest.raises(ValueError, match="4 lines cannot give 3"):
        split(lines(4)[:4] or [], 3)
