"""The search itself: the archive, resumption after kills, bad input."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

from calculus_harness.benchmarks import load
from calculus_harness.harness import Run, Sampling, UserError, summarise, sweep
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.models import Model
from calculus_harness.harness.models.python_function import LocalFunction
from calculus_harness.harness.report import write_page
from calculus_harness.harness.report.search.records import (
    SearchRecord,
    read_archive,
    read_batch,
    read_record,
)
from calculus_harness.harness.report.search.tables import search_sections
from calculus_harness.harness.run import runner
from calculus_harness.harness.studies.search import (
    SearchSettings,
    search,
    search_settings,
    search_spec,
)
from calculus_harness.harness.studies.search.formulas import read
from calculus_harness.harness.studies.search.minimise import measure, reductions
from calculus_harness.harness.studies.search.oracle import AGAIN
from calculus_harness.harness.studies.search.sagga import PATIENCE
from calculus_harness.harness.studies.search.seeds import seeds_of
from tests.harness.conftest import run_with_kills

ROOT = Path(__file__).parents[4]
MODEL = ROOT / "tests/harness/studies/search/polynomials.py"
SOLVER = f"python/{MODEL}:answer"
SMALL = SearchSettings(name="small", archive=25, generation_size=24, seed_size=8, clusters=4)


def searched(
    out: Path,
    settings: SearchSettings = SMALL,
    models: list[str | Model] | None = None,
    **fields: Any,
) -> tuple[Run, SearchRecord]:
    spec = search_spec(settings, model=["python/any:answer"], out=str(out), **fields)
    run = search(spec, settings, models=models or [SOLVER])
    record = read_record(run.path)
    assert record is not None
    return run, record


def formulas(run: Run) -> list[str]:
    return [str(problem.metadata["formula"]) for problem in read_archive(run.path)]


def test_the_archive_holds_what_the_model_fails(tmp_path: Path) -> None:
    run, record = searched(tmp_path / "run")
    archive = read_archive(run.path)
    assert len(archive) == SMALL.archive
    assert record.ended == "the archive has 25 failures"
    assert not record.notes  # all seeds are solved
    verdicts = {row["problem"]: row["status"] for row in run.verdicts().rows()}
    for problem in archive:
        assert verdicts[f"search/small/{problem.id}"] == "incorrect"
        assert len(str(problem.metadata["formula"])) == pytest.approx(
            1 / float(str(problem.metadata["fitness"]))
        )
    failed = [key for key, status in verdicts.items() if status != "correct"]
    solved = [key for key, status in verdicts.items() if status == "correct"]
    assert len(failed) >= len(archive)
    assert solved
    # Every mutant was made from a first seed or from an earlier failure.
    parents = {str(problem.metadata["parent"]) for problem in archive}
    assert parents <= set(formulas(run)) | set(map(str, ("1", "x", "x + 1", "x**2 + x + 1")))
    assert summarise(run).missing == 0


def test_the_archive_is_a_benchmark_for_other_models(tmp_path: Path) -> None:
    run, _ = searched(tmp_path / "run")
    problems = load(f"{run.path}/archive")
    assert [problem.id for problem in problems] == [item.id for item in read_archive(run.path)]
    swept = sweep(
        [lambda messages, seed: r"\boxed{x^2}"], [f"{run.path}/archive"], out=tmp_path / "other"
    )
    assert len(swept.problems) == SMALL.archive


def test_the_same_seed_gives_the_same_archive(tmp_path: Path) -> None:
    first, _ = searched(tmp_path / "first")
    second, _ = searched(tmp_path / "second")
    different, _ = searched(tmp_path / "other", seed=1)
    assert formulas(first) == formulas(second) != formulas(different)


def test_a_larger_archive_goes_on(tmp_path: Path) -> None:
    run, _ = searched(tmp_path / "run")
    small = formulas(run)
    larger = search_settings(**SMALL.to_dict() | {"archive": 40})
    run, record = searched(tmp_path / "run", larger)
    at_once, _ = searched(tmp_path / "whole", larger)
    assert formulas(run)[: len(small)] == small
    assert formulas(run) == formulas(at_once)
    assert record.generations[-1].archive == 40
    with pytest.raises(UserError, match="searched with generation-size 24, not 30"):
        searched(tmp_path / "run", search_settings(**SMALL.to_dict() | {"generation_size": 30}))


@pytest.mark.slow
def test_it_goes_on_after_kills(tmp_path: Path) -> None:
    undisturbed, expected = searched(tmp_path / "whole")
    out, log = tmp_path / "run", tmp_path / "asked"
    command = [sys.executable, "run.py", "search", "--model", SOLVER, "--out", str(out)]
    for name, value in SMALL.to_dict().items():
        if name in ("name", "archive", "generation_size", "seed_size", "clusters"):
            command += [f"--{name.replace('_', '-')}", str(value)]
    environment = os.environ | {"ASKED": str(log), "SLOW": "0.02"}
    kills = (2, random.Random(1).randrange(5, 25), 27, 32, 45)
    run_with_kills(command, log, kills, environment, cwd=ROOT)
    run = Run(out)
    assert formulas(run) == formulas(undisturbed)
    assert list(run.problems) == list(undisturbed.problems)
    record = read_record(out)
    assert record is not None
    assert record.generations == expected.generations
    repeats = len(log.read_text().splitlines()) - len(run.problems)
    assert repeats <= 12 * len(kills)


def test_a_stored_generation_is_not_made_anew(tmp_path: Path, monkeypatch: Any) -> None:
    run, _ = searched(tmp_path / "run")
    batch = read_batch(run.path, 1)
    assert batch is not None
    assert {p.id for p in batch.problems} <= {p.id for p in run.problems.values()}
    name = "calculus_harness.harness.studies.search.sagga.mutants"
    monkeypatch.setattr(name, None)  # whoever calls it fails
    again, _ = searched(tmp_path / "run")
    assert formulas(again) == formulas(run)


# --- bad input ---


def test_seeds_that_are_no_integrands_are_all_named(tmp_path: Path) -> None:
    settings = SearchSettings(seeds=("x", "x^2", "1/0", "foo(x)", "10**9*x"))
    with pytest.raises(UserError) as error:
        searched(tmp_path / "run", settings)
    for named in ("4 of 5 seeds", "'x^2'; a power is **", "'1/0'", "'foo(x)'", "'10**9*x'"):
        assert named in str(error.value)
    assert not (tmp_path / "run").exists()


def test_a_model_that_never_fails_ends_the_search(tmp_path: Path) -> None:
    settings = SearchSettings(mutations="constants", low=-9, high=9, generation_size=6)
    run, record = searched(tmp_path / "run", settings)
    assert record.ended == f"{PATIENCE} generations in a row brought no new failure"
    assert not read_archive(run.path)
    assert any("failed none" in note for note in record.notes)
    assert search_sections([run])


def test_failures_that_are_not_fit_are_told(tmp_path: Path) -> None:
    settings = search_settings(**SMALL.to_dict() | {"threshold": 5.0, "generations": 1})
    run, record = searched(tmp_path / "run", settings)
    (generation,) = record.generations
    assert not read_archive(run.path)
    assert record.notes == (
        f"The model failed {generation.failed} of {generation.asked} problems, but the fitness of "
        "none reaches the threshold of 5.",
    )


def test_a_file_in_place_of_a_run_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError) as error:
        searched(tmp_path / "file")
    assert "damaged" not in str(error.value)
    assert str(tmp_path / "file") in str(error.value)


def test_a_model_that_always_fails_is_told(tmp_path: Path) -> None:
    model = LocalFunction.of(lambda messages, seed: "I do not know.")
    run, record = searched(tmp_path / "run", models=[model])
    assert len(read_archive(run.path)) == SMALL.archive
    assert any("It solves none" in note for note in record.notes)
    assert any("without a readable formula" in note for note in record.notes)


def test_no_new_mutants_end_the_search(tmp_path: Path) -> None:
    settings = SearchSettings(seeds=("x",), mutations="constants", low=1, high=2, generation_size=4)
    _, record = searched(tmp_path / "run", settings)
    assert sum(generation.asked for generation in record.generations) == 1  # the constant 1
    assert record.ended.endswith("no new failure")


def test_errors_of_a_model_are_no_failures(tmp_path: Path) -> None:
    def sometimes(messages: list[dict[str, Any]], seed: int) -> str:
        if "x" in messages[-1]["content"].split("\n\n")[1]:
            raise OSError("no connection")
        return r"\boxed{x}"

    settings = SearchSettings(generation_size=16, generations=1)
    run, record = searched(tmp_path / "run", settings, [LocalFunction.of(sometimes)])
    assert record.generations[0].unknown > 0
    assert all("x" not in formula for formula in formulas(run))


def test_a_run_without_a_search_is_refused(tmp_path: Path) -> None:
    sweep([lambda messages, seed: "x"], ["drills"], limit=1, out=tmp_path / "run")
    with pytest.raises(UserError, match="another configuration"):
        searched(tmp_path / "run")
    result = CliRunner().invoke(cli, ["search", str(tmp_path / "run")])
    assert result.exit_code == 2


# --- samples, pairs, smallest forms ---


def by_luck(messages: list[dict[str, Any]], seed: int) -> str:
    """Solves three of four problems of `polynomials`, and no other problem."""
    from tests.harness.studies.search.polynomials import answer

    return r"\boxed{x}" if seed % 4 == 0 else answer(messages, seed)


def test_no_failure_by_luck(tmp_path: Path) -> None:
    settings = search_settings(**SMALL.to_dict() | {"archive": 12, "fails_below": 0.6})
    sampling = Sampling(temperature=1.0)
    run, record = searched(
        tmp_path / "run", settings, [LocalFunction.of(by_luck)], samples=6, sampling=sampling
    )
    assert sum(generation.asked for generation in record.generations) > 12
    for problem in read_archive(run.path):
        assert (problem.metadata["samples"], problem.metadata["correct"]) == (6, 0)
        key = f"search/small{AGAIN}/{problem.id}{AGAIN}"
        assert run.problem(key).pair_parent == problem.id
    seeds: dict[str, set[int]] = {}
    for row in run.completions.rows():
        seeds.setdefault(row["problem"].replace(AGAIN, ""), set()).add(row["seed"])
    assert max(map(len, seeds.values())) == 12  # 6 samples, and 6 others


def test_too_few_samples_for_the_threshold(tmp_path: Path) -> None:
    settings = search_settings(**SMALL.to_dict() | {"fails_below": 0.3})
    with pytest.raises(UserError, match="say -n 11"):
        searched(tmp_path / "run", settings, samples=4)


def test_a_pair_of_models(tmp_path: Path) -> None:
    """Only solutions of the second model count, and the run compares both models."""
    weak = LocalFunction.of(lambda messages, seed: r"\boxed{x^2}")
    settings = search_settings(**SMALL.to_dict() | {"archive": 10})
    run, record = searched(tmp_path / "run", settings, [weak, SOLVER])
    assert record.solved_by in run.models
    solved = {
        row["problem"]
        for row in run.verdicts().rows()
        if row["model"] == record.solved_by and row["status"] == "correct"
    }
    keys = {f"search/small/{problem.id}" for problem in read_archive(run.path)}
    assert len(keys) == 10
    assert keys <= solved


def test_smallest_failures_with_solved_neighbours(tmp_path: Path) -> None:
    settings = search_settings(**SMALL.to_dict() | {"minimised": 3})
    run, record = searched(tmp_path / "run", settings)
    assert len(record.minimal) == 3
    verdicts = {row["problem"].rpartition("/")[2]: row["status"] for row in run.verdicts().rows()}
    for pair in record.minimal:
        assert verdicts[pair.problem] != "correct"
        assert verdicts[pair.neighbour] == "correct"
        start = next(p for p in read_archive(run.path) if p.id == pair.found)
        assert measure(read(pair.text)) <= measure(read(str(start.metadata["formula"])))
        # One step more, and nothing fails.
        ids = [p for p in run.problems.values() if p.metadata.get("parent") == pair.text]
        near = [p for p in ids if p.id.startswith("min-")]
        assert all(verdicts[p.id] == "correct" for p in near)
        largest = max(measure(read(str(p.metadata["formula"]))) for p in near)
        assert measure(read(pair.neighbour_text)) == largest


def test_reductions_are_smaller() -> None:
    for formula in ("x**2*exp(-2*x) + 3", "tan(exp(2))/(18*x)", "sqrt(3*x + 3) - 2"):
        tree = read(formula)
        assert reductions(tree)
        assert all(measure(smaller) < measure(tree) for smaller in reductions(tree))


# --- what is shown ---


def test_tables_and_page(tmp_path: Path) -> None:
    settings = search_settings("general", **{"archive": 30, "generation_size": 40})
    run, _ = searched(tmp_path / "run", settings)
    sections = {section.title: section for section in search_sections([run])}
    rows = sections["Archives of failures (Table 15)"].rows
    assert rows[1][1:] == (
        *("paper: neural integrator", "1000", "", "3", "15.4", "7.3", "3.6", "64.8", "24.7"),
        "10.5",
    )
    archive = read_archive(run.path)
    mean = sum(len(str(problem.metadata["formula"])) for problem in archive) / len(archive)
    assert rows[0][5] == f"{mean:.1f}"
    remarks = " ".join(sections["Archives of failures (Table 15)"].remarks)
    assert "not the paper's SciBERT" in remarks
    clusters = sections["Clusters of failures"]
    assert re.search(r"incorrect: at x = [-.\d]+, integrand [-.\d]+, ", clusters.rows[0][-1])
    figure = clusters.figures[0]
    links = [shape.link for shape in figure.shapes if shape.link]
    assert len(links) == len(archive)
    page = write_page(run).read_text(encoding="utf-8")
    assert f"open=search%2Fgeneral%2F{archive[0].id}" in page
    for words in (("search", str(run.path)), ("search", str(run.path), "--markdown")):
        result = CliRunner().invoke(cli, words)
        assert result.exit_code == 0
        assert "neural integrator" in result.output
    result = CliRunner().invoke(cli, ["search", str(run.path), "--json"])
    assert json.loads(result.output)[0]["settings"]["archive"] == 30


def test_the_command_line(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ["search", "--model", SOLVER, "--out", str(out), "--archive", "5"]
    result = CliRunner().invoke(cli, [*words, "--generation-size", "20", "--dry-run"])
    assert result.exit_code == 0, result.output
    assert "until 5 failures are found" in result.output
    assert not out.exists()
    result = CliRunner().invoke(cli, [*words, "--generation-size", "20", "--seeds", "x + 2"])
    assert result.exit_code == 0, result.output
    assert Run(out).problems["search/own-seeds/" + next(iter(Run(out).problems.values())).id]
    for wrong, message in (
        (["search"], "name the model"),
        (["search", "--model", SOLVER, "--fitness", "target"], "target"),
        (["search", "--model", SOLVER, "--embedding", "bert"], "no embedding"),
        (["search", "--model", SOLVER, "--low", "5", "--high", "5"], "there are none"),
    ):
        failed = CliRunner().invoke(cli, wrong)
        assert failed.exit_code == 2
        assert failed.stderr.startswith("error: ")
        assert message in failed.stderr


def test_seeds_from_files_and_benchmarks(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("x + 1  # a line\n\nx**2\n", encoding="utf-8")
    seeds = seeds_of([str(file), "sin(x)"], "drills/monomials", 2)
    assert seeds[:3] == ("x + 1", "x**2", "sin(x)")
    assert len(seeds) == 5
    with pytest.raises(UserError, match="integrands"):
        seeds_of([], "hint/I", 1)
    assert seeds_of(["0.5*x", "x**2.5"], None, 1) == ("0.5*x", "x**2.5")
    with pytest.raises(UserError, match=r"seeds in missing\.txt: No such file"):
        seeds_of(["missing.txt"], None, 1)
    file.write_text("# none\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"seeds\.txt has no formula"):
        seeds_of([str(file)], None, 1)


class Counted(LocalFunction):
    """Counts the calls of close."""

    closed = 0

    async def close(self) -> None:
        Counted.closed += 1


def test_a_model_stays_open_between_generations(tmp_path: Path) -> None:
    """Weights are loaded once, in a single event loop, and released at the end."""
    loops: set[int] = set()

    async def answer(messages: list[dict[str, Any]], seed: int) -> str:
        loops.add(id(asyncio.get_running_loop()))
        return r"\boxed{x^2}"

    settings = search_settings(**SMALL.to_dict() | {"archive": 60})
    _, record = searched(tmp_path / "run", settings, [Counted.of(answer)])
    assert len(record.generations) > 1
    assert len(loops) == 1
    assert Counted.closed == 1


class Engines:
    """Stands in for the engines of a model on a cluster."""

    made: ClassVar[list[Engines]] = []

    def __init__(self, model: Model) -> None:
        self.model, self.asked, self.closed = model, 0, 0
        Engines.made.append(self)

    def complete(self, requests: Any) -> Any:
        self.asked += 1
        return self.model.complete(requests)

    async def close(self) -> None:
        self.closed += 1


def test_engines_on_a_cluster_stay_between_generations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "placed", Engines)
    settings = search_settings(**SMALL.to_dict() | {"archive": 60})
    _, record = searched(tmp_path / "run", settings)
    assert len(record.generations) > 1
    (engines,) = (made_engines for made_engines in Engines.made if made_engines.asked)
    assert engines.asked > len(record.generations)  # the seeds, too
    assert engines.closed == 1
