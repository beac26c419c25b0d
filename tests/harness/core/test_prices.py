"""Costs from stated prices and counted tokens, and never a guess."""

from __future__ import annotations

import csv
import io
import json
import textwrap
from pathlib import Path

import pytest

from calculus_harness.harness.core import prices as prices_module
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.core.prices import Price, Prices
from calculus_harness.harness.report import export_summary
from calculus_harness.harness.report.sources import Sources
from calculus_harness.harness.stats.metrics.cost import Cost, cost
from calculus_harness.harness.stats.tallies import Group, Tally
from tests.harness.conftest import Command
from tests.harness.large_run import make

#: The sums of ten problems with a sample each, of which four are correct.
SPENT = {
    "rows": 1,
    "counted": 1,
    "seconds": 1.0,
    "completion_tokens": 1000.0,
    "prompt_tokens": 400.0,
    "cached": 100.0,
    "reasoning_tokens": 600.0,
}


def spent(price: Price | None, solved: int = 4, **sums: float) -> Cost | None:
    return cost(
        Group(
            model="m",
            subset="b/s",
            planned=10,
            problems=(),
            tallies=tuple(Tally(str(i), str(i), 1, int(i < solved), 0) for i in range(10)),
            verdicts=(),
            completions=(SPENT | sums,) * 10,
            price=price,
        )
    )


def test_a_cost_is_tokens_times_prices() -> None:
    plain = spent(Price(prompt=2.0, completion=10.0))
    assert plain is not None
    assert plain.per_problem == pytest.approx((400 * 2 + 1000 * 10) / 1e6)
    assert plain.per_solved == pytest.approx(plain.per_problem * 10 / 4)
    fine = spent(Price(prompt=2.0, completion=10.0, cached=0.5, reasoning=20.0))
    assert fine is not None
    assert fine.per_problem == pytest.approx((300 * 2 + 100 * 0.5 + 400 * 10 + 600 * 20) / 1e6)
    unsolved = spent(Price(1.0, 1.0), solved=0)
    assert unsolved is not None
    assert unsolved.per_solved is None


def test_nothing_is_known_where_tokens_are_not_counted() -> None:
    assert spent(None) is None
    assert spent(Price(1.0, 1.0), counted=0) is None


def test_the_first_pattern_that_fits_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        '["api/model-1"]\nprompt = 1\ncompletion = 2.5\n'
        '["api/*"]\nprompt = 3\ncompletion = 4\ncached = 0\n'
    )
    prices = Prices.read(path)
    assert prices.find("api/model-1") == Price(1.0, 2.5)
    assert prices.find("api/model-2") == Price(3.0, 4.0, 0.0)
    assert prices.find("vllm/model-1") is None
    assert prices.without(["api/x"]) == ""
    assert "vllm/m" in prices.without(["api/x", "vllm/m"])


def test_the_example_of_a_file_of_prices_is_one(tmp_path: Path) -> None:
    _, _, example = (prices_module.__doc__ or "").partition("::\n")
    path = tmp_path / "prices.toml"
    path.write_text(textwrap.dedent(example))
    price = Price(prompt=1.25, completion=10.0, cached=0.125, reasoning=12.5)
    assert Prices.read(path).prices == {"openai/some-model*": price}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('["a"]\nprompt = 1\n', "lacks the price of completion tokens"),
        ('["a"]\nprompt = 1\ncompletion = -1\n', "must be dollars"),
        ('["a"]\nprompt = 1\ncompletion = "2"\n', "must be dollars"),
        ('["a"]\nprompt = true\ncompletion = 2\n', "must be dollars"),
        ('["a"]\nprompts = 1\ncompletion = 2\n', "did you mean 'prompt'"),
        ("a = 1\n", "a price is a table"),
        ("a = \n", "prices.toml"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        Prices.read(path)
    assert words in str(error.value)
    with pytest.raises(UserError, match="cannot read"):
        Prices.read(tmp_path / "none.toml")


def test_reports_and_comparisons_say_what_was_spent(tmp_path: Path, cli: Command) -> None:
    make(tmp_path / "run", models=2, problems=6, samples=2, words=5, noise=False)
    prices = tmp_path / "prices.toml"
    prices.write_text('["api/model-0"]\nprompt = 1.0\ncompletion = 10.0\n')
    sources = Sources.open([tmp_path / "run"], prices=Prices.read(prices))
    first, second = sources.summary.rows
    used = first.usage
    assert used.tokens_per_problem is not None
    assert used.prompt_tokens_per_problem is not None
    assert first.cost is not None
    dollars = (used.prompt_tokens_per_problem + 10 * used.tokens_per_problem) / 1e6
    assert first.cost.per_problem == pytest.approx(dollars)
    assert second.cost is None  # it has no price, and none is made up
    assert "no price for api/model-1" in sources.summary.notes[0]
    priced, *_, unpriced = csv.DictReader(io.StringIO(export_summary(sources.summary, "csv")))
    assert priced["dollars_per_problem"] == f"{dollars:.6g}"
    assert unpriced["dollars_per_problem"] == unpriced["dollars_per_solved"] == ""

    report = cli("report", tmp_path / "run", "--prices", prices).stdout
    assert "$ a problem" in report
    assert "no price for api/model-1" in report
    comparison = json.loads(cli("compare", tmp_path / "run", "--prices", prices, "--json").stdout)
    assert comparison["costs"]["api/model-0"]["per_problem"] == pytest.approx(dollars)
    assert "dollars a problem" in cli("compare", tmp_path / "run", "--prices", prices).stdout
