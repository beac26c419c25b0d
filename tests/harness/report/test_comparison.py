"""`compare` on runs of a model with worse results on perturbations, and refusals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from calculus_harness import harness
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report import export_comparison
from calculus_harness.harness.report.comparison import print_comparison
from calculus_harness.harness.report.numbers import p_value, points, signed
from calculus_harness.harness.stats.paired import Comparison
from calculus_harness.harness.stats.paired.comparison import contrast
from calculus_harness.harness.stats.pairing import Pair
from calculus_harness.harness.stats.tallies import Tally
from tests.harness.conftest import Command

#: Right four times in five on n x e^x, half as often where n >= 100 (the perturbations).
MODEL = r"""
import random, re

def answer(messages, seed):
    n = int(re.search(r"(\d+) x e\^x", messages[-1]["content"]).group(1))
    chance = random.Random(f"{seed}-{SALT}").random()
    if chance < (0.4 if n >= 100 else 0.8):
        return rf"\boxed{{{n}(x-1)e^x}}"
    return r"\boxed{x^2}"
"""


def row(name: str, n: int, subset: str, parent: str | None = None) -> dict[str, object]:
    formula = {"integrand": f"{n} x e^x", "variable": "x"}
    return {
        "id": name,
        "task": "integration",
        "benchmark": "bench",
        "subset": subset,
        "inputs": formula,
        "target": formula,
        "pair_parent": parent,
        "perturbation": subset if parent else None,
        "metadata": {"tags": ["odd" if n % 2 else "even"]},
    }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs of a model with different luck: 14 originals, two perturbations of each."""
    folder = tmp_path_factory.mktemp("compare")
    rows = [row(f"p{i}", i + 1, "plain") for i in range(14)]
    rows += [row(f"p{i}-{j}", 100 * j + i + 1, "large", f"p{i}") for i in range(14) for j in (1, 2)]
    bench = folder / "bench.jsonl"
    bench.write_text("".join(json.dumps(r) + "\n" for r in rows))
    for salt in ("a", "b"):
        model = folder / f"{salt}.py"
        model.write_text(f"SALT = {salt!r}\n" + MODEL)
        harness.sweep([f"python/{model}:answer"], [str(bench)], samples=4, out=folder / salt)
    return folder / "a", folder / "b"


def test_perturbations_are_paired_with_their_originals(
    cli: Command, runs: tuple[Path, Path]
) -> None:
    result = cli("compare", runs[0], "--by", "perturbation", "--breakdown", "tag", "--json")
    assert result.returncode == 0, result.stderr
    compared = json.loads(result.stdout)
    (line,) = compared["contrasts"]
    assert (line["group"], line["pairs"], line["clusters"]) == ("bench/large", 14, 14)
    assert [d["k"] for d in line["differences"]] == [1, 4]
    difference = line["differences"][0]
    assert difference["value"] == pytest.approx(difference["second"] - difference["first"])
    assert difference["value"] < -0.2
    assert difference["interval"][0] < difference["value"] < difference["interval"][1] < 0
    assert difference["exact"]
    assert difference["p"] == difference["adjusted"] < 0.01
    assert difference["lost"]["control"] < difference["lost"]["share"]
    assert [row["group"] for row in compared["breakdown"]] == [
        "bench/large · even",
        "bench/large · odd",
    ]
    table = cli("compare", runs[0], "--by", "perturbation", "--all").stdout
    for words in ("original", "perturbed", "bench/large", "p (Holm)", "detects", "by luck"):
        assert words in table


def test_systems_are_paired_by_problem(cli: Command, runs: tuple[Path, Path]) -> None:
    result = cli("compare", *runs, "--csv")
    assert result.returncode == 0, result.stderr
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(r["group"], r["pairs"], r["clusters"], r["k"]) for r in rows] == [
        ("bench/plain", "14", "14", "1"),
        ("bench/plain", "14", "14", "4"),
        ("bench/large", "28", "14", "1"),
        ("bench/large", "28", "14", "4"),
        ("all", "42", "14", "1"),
        ("all", "42", "14", "4"),
    ]
    assert [bool(r["p_holm"]) for r in rows] == [True, False] * 3
    table = cli("compare", *runs, "--all").stdout
    assert "28 in 14" in table
    assert "the family of 3" in table


def test_tables_for_papers(cli: Command, runs: tuple[Path, Path]) -> None:
    latex = cli("compare", runs[0], "--by", "perturbation", "--latex").stdout
    assert latex.startswith("\\begin{tabular}{lrrrrrrrr}\n  \\toprule")
    assert "& $-" in latex
    markdown = cli("compare", *runs, "--markdown").stdout
    assert markdown.startswith("| first system | second system | subset | pairs |")


def test_from_python(runs: tuple[Path, Path]) -> None:
    compared = harness.compare(*runs, ks=[2])
    assert {d.k for c in compared.contrasts for d in c.differences} == {1, 2}
    assert compared == harness.compare(*runs, ks=[2])  # seeded
    assert len(compared.to_dict()["contrasts"]) == 3
    with pytest.raises(UserError, match="unknown format"):
        export_comparison(compared, "xlsx")
    by_operator = harness.compare(*runs, breakdown="operator").breakdown
    assert {"all · exp"} <= {row.group for row in by_operator}


@pytest.mark.parametrize(("by", "hidden"), [("model", 3), ("perturbation", 16)])
def test_lines_that_are_left_out_are_counted(by: str, hidden: int) -> None:
    """Models are compared on all problems; perturbations in every row."""
    pairs = [
        Pair(f"p{i}", f"p{i}", (Tally("a", "a", 1, i % 2, 0),), (Tally("b", "b", 1, 1, 0),))
        for i in range(4)
    ]
    rows = [
        contrast(group, ("first", f"model {n}"), pairs, [1], system=f"model {n}")
        for n in range(13)
        for group in ("all", "bench/plain")
    ]
    console = Console(file=io.StringIO(), width=200)
    print_comparison(Comparison(by, 1, tuple(rows)), console)
    assert isinstance(console.file, io.StringIO)
    assert f"{hidden} more lines with larger p" in console.file.getvalue()


def test_refusals(cli: Command, runs: tuple[Path, Path], tmp_path: Path, model: str) -> None:
    def refused(*arguments: str | Path, message: str) -> None:
        result = cli("compare", *arguments)
        assert (result.returncode, result.stdout) == (2, "")
        (line,) = result.stderr.splitlines()
        assert line.startswith("error: ")
        assert message in line

    refused("nowhere", message="not a run")
    refused(runs[0], message="--by perturbation")
    refused(runs[0], runs[0], message="named twice")
    refused(*runs, "--policy", "balls-0", message="no verdicts 'balls-0'")
    refused(*runs, "--by", "luck", message="luck")
    bench = tmp_path / "other.jsonl"
    bench.write_text('{"integrand": "x"}\n')
    cli("sweep", "--model", model, "--benchmark", bench, "--out", "other")
    refused("other", "--by", "perturbation", message="no subset was made from others")
    refused("other", runs[0], message="no problem in common")


def test_how_numbers_are_written() -> None:
    assert [signed(v) for v in (0.125, -0.125, 0.0001, 0)] == ["+12.5", "-12.5", "0.0", "0.0"]
    assert points(0.1, (-0.05, 0.25)) == "+10.0 [-5.0, +25.0]"
    assert [p_value(p) for p in (1.0, 0.0499, 0.00001, None)] == ["1.00", "0.0499", "< 0.0001", ""]


HEDGING = r"""
def answer(messages, seed):
    n = messages[-1]["content"].count("3 x e^x")
    return r"Hence $3(x-1)e^x + C$." if n else r"\boxed{x^2}"
"""


def test_another_policy_keeps_both_verdicts_and_shows_what_changed(
    cli: Command, tmp_path: Path
) -> None:
    (tmp_path / "hedging.py").write_text(HEDGING)
    bench = tmp_path / "bench.jsonl"
    bench.write_text("".join(json.dumps(row(f"p{n}", n, "plain")) + "\n" for n in (1, 2, 3)))
    swept = cli(
        *f"sweep --model python/hedging.py:answer --benchmark {bench} --out run --json".split()
    )
    (latest,) = harness.Run(tmp_path / "run").policies
    again = cli("score", "run", "--json")
    assert json.loads(again.stdout)["changes"] is None
    strict = cli("score", "run", "--strict", "--json")
    assert strict.returncode == 0, strict.stderr
    changes = json.loads(strict.stdout)["changes"]
    assert (changes["before"], changes["judged"]) == (latest, 3)
    assert changes["transitions"] == [{"before": "correct", "after": "no_answer", "answers": 1}]
    (change,) = changes["changes"]
    assert change["problem"] == "bench/plain/p3"
    assert "proved" in change["because_before"]
    assert set(harness.Run(tmp_path / "run").policies) == {latest, f"{latest}-strict"}
    result = cli("score", "run", "--strict")
    assert f"1 of 3 verdicts differ from {latest}" in result.stdout
    assert "correct → no answer" in result.stdout
    back = json.loads(cli("score", "run", "--against", f"{latest}-strict", "--json").stdout)
    assert back["rows"] == json.loads(swept.stdout)["rows"]
    assert back["changes"]["transitions"][0]["after"] == "correct"
    refused = cli("score", "run", "--against", "balls")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no verdicts 'balls'" in refused.stderr


def test_a_notebook_shows_runs_and_comparisons(
    tmp_path: Path, bench: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("def answer(messages, seed): return 'x'\n")
    models = [f"python/{tmp_path}/{name}.py:answer" for name in ("one", "two")]
    run = harness.sweep(models, [bench], limit=4, out=tmp_path / "run")
    comparison = harness.compare(run)
    harness.print_comparison(comparison, every=True)
    printed = capsys.readouterr().out
    assert "Paired by problem" in printed
    assert "In percent and percentage points" in printed
    lines = export_comparison(comparison, "markdown").splitlines()
    assert lines[0].startswith("| first system | second system | subset | pairs |")
    assert len([line for line in lines if line.startswith("| python/")]) == 3  # two subsets, all
    harness.print_summary(run, every=True)
    printed = capsys.readouterr().out
    assert "bench/easy" in printed
    assert "In percent; pass@k with its 95 % interval." in printed


def test_the_primary_k_is_declared_before_the_run(
    cli: Command, tmp_path: Path, model: str, bench: str
) -> None:
    arguments = ("sweep", "--model", model, "--benchmark", bench, "--limit", "4", "--out", "run")
    assert cli(*arguments, "-n", "2", "--primary-k", "2").returncode == 0
    declared = json.loads((tmp_path / "run" / "manifest.json").read_text())["comparison"]
    assert declared["primary_k"] == 2
    assert cli(*arguments, "-n", "3").returncode == 0  # kept
    late = cli(*arguments, "-n", "3", "--primary-k", "1")
    assert late.returncode == 2
    assert "declared the primary k 2" in late.stderr
    (tmp_path / "other.py").write_text(MODEL.replace("SALT", "1").replace("n >= 100", "False"))
    second = ("--model", "python/other.py:answer")
    assert cli(*arguments, "-n", "3", *second).returncode == 0
    compared = json.loads(cli("compare", "run", "--json").stdout)
    assert compared["primary_k"] == 2
    for row in compared["contrasts"]:
        assert [d["adjusted"] is not None for d in row["differences"]] == [
            d["k"] == 2 for d in row["differences"]
        ]
