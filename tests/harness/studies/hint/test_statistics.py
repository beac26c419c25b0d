"""The distributions of HINT's data, counted in another way."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from calculus_harness.benchmarks.hint.semantics import parse
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.studies.hint import statistics

SETS = {
    "train": [parse("1+2"), parse("3*3")],
    **{split: [parse("(9+9)*9")] for split in statistics.SPLITS},
}
BY_NAME = {aspect.name: aspect for aspect in statistics.ASPECTS}


def test_shares_are_of_symbols_or_of_expressions() -> None:
    symbols = statistics.distributions(SETS, BY_NAME["symbol"])
    assert symbols["train"]["3"] == 2 / 6
    assert symbols["test"]["9"] == 3 / 7
    assert {name: sum(of.values()) for name, of in symbols.items()} == pytest.approx(
        dict.fromkeys(symbols, 1.0)
    )
    results = statistics.distributions(SETS, BY_NAME["result"])
    assert results["train"] == {"1-9": 1.0, "100-999": 0.0}
    assert results["LL"] == {"1-9": 0.0, "100-999": 1.0}
    assert statistics.distributions(SETS, BY_NAME["depth"])["test"] == {"2": 0.0, "3": 1.0}


def test_the_divergence_is_kullback_and_leibler_s() -> None:
    first, second = {"a": 0.75, "b": 0.25}, {"a": 0.5, "b": 0.5}
    expected = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    assert statistics.divergence(first, second) == pytest.approx(expected)


def test_pictures_are_those_of_the_pools() -> None:
    section = statistics.figure_a1()
    counts = {row[0]: list(map(int, row[1:])) for row in section.rows}
    assert counts["8"][0] == 174
    assert counts["("][0] == 400
    assert all(total == sum(splits) for total, *splits in counts.values())


@pytest.mark.slow
def test_results_of_two_operators_exceed_the_quota_and_longer_ones_hardly() -> None:
    shares = statistics.largest_shares(0)
    values = Counter(
        value
        for a in "0123456789"
        for b in "0123456789"
        for operator in "+-*/"
        if (value := parse(f"{a}{operator}{b}").value) is not None
    )
    assert shares["train"][1] == pytest.approx(max(values.values()) / values.total())
    assert shares["train"][2] > 0.25
    longer = [share for of in shares.values() for count, share in of.items() if count > 2]
    assert 0.05 < max(longer) < 0.07


@pytest.mark.slow
def test_the_command_writes_a_figure_for_each_aspect(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        cli, ["hint", "data", "--per-length", "5", "--out", str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.output
    names = {path.stem for path in (tmp_path / "out").glob("*.svg")}
    assert names == {"figure_a1", *(f"figure_a2_{aspect}" for aspect in BY_NAME)}
    assert "Kullback-Leibler" in done.output
    assert (tmp_path / "out/index.html").read_text().count("<svg") == len(names)
