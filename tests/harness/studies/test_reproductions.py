"""`reproduce`: the commands can run, and the document is printed from the same data."""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from calculus_harness.benchmarks.registry import resolve
from calculus_harness.harness.cli.main import cli
from calculus_harness.harness.cli.options import preset_file
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report.sections import as_markdown
from calculus_harness.harness.run.spec import SweepSpec, read_settings
from calculus_harness.harness.studies.reproductions import catalogue, measurements
from calculus_harness.harness.studies.reproductions.catalogue import (
    Reproduction,
    checked,
    our_numbers,
    papers,
    reproduction,
)
from calculus_harness.harness.studies.reproductions.items import item_section, items
from calculus_harness.harness.studies.reproductions.measures import MEASURES

DOCUMENT = Path(__file__).parents[3] / "docs" / "reproduce.md"
EVERY = [result for paper in papers() for result in paper.results]
NAMED = {result.name: result for result in EVERY if result.name}


def test_each_row_says_what_is_ours_or_why_there_is_nothing() -> None:
    for row in EVERY:
        assert row.ours or row.not_run, row.place
        assert bool(row.name) == bool(row.commands), row.place
        assert bool(row.small) == bool(row.size), row.place
        assert row.commands or row.not_run, row.place
        assert row.published, row.place
    names = [row.name for row in EVERY if row.name]
    assert len(set(names)) == len(names)


def test_the_document_has_the_tables_of_the_data() -> None:
    """`run.py reproduce --markdown` prints the section of the document."""
    printed = CliRunner().invoke(cli, ["reproduce", "--markdown"]).output
    assert printed == as_markdown([*catalogue.sections(), item_section()])
    assert printed in DOCUMENT.read_text(encoding="utf-8")


def test_items_are_shown_by_what_is_there_and_have_reasons() -> None:
    root = Path(__file__).parents[3]
    for item in items():
        assert item.evidence in NAMED or (root / item.evidence).is_file(), item.item
        assert bool(item.reason) == (item.state != "works"), item.item
    assert len({(item.paper, item.item) for item in items()}) == len(items())
    counts = Counter(item.state for item in items())
    assert counts["partly"] <= 10
    assert counts["missing"] <= 4


def test_numbers_of_a_measure_are_those_of_the_record() -> None:
    """A measured number is a field of the text, with the origin of the record behind the field."""
    measured = [row for row in EVERY if row.measure]
    assert measured
    for row in measured:
        assert row.measure in MEASURES
        record = measurements.recorded(row.name)
        assert record.commands == row.measured_commands, row.name
        assert "{" in row.ours, row.name
        assert our_numbers(row) == f"{row.ours.format(**record.values)} ({record.origin})"
    assert all(row.measure for row in EVERY if row.check)


def test_the_page_of_hint_states_the_recorded_numbers() -> None:
    values = measurements.recorded("hint-data").values
    page = " ".join((DOCUMENT.parent / "hint.md").read_text(encoding="utf-8").split())
    assert f"from those of training is {values['divergence']:.4f}" in page
    assert f"and {values['beyond']:.1f} % of the test's are 100 or more" in page


def test_a_measure_that_finds_another_number_fails_the_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sizes of HINT against a record with another size, and against the true record."""
    arguments = ["reproduce", "--check", "hint-table-a1"]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    assert "1 checked: no differences" in done.output
    true = measurements.recorded("hint-table-a1")
    stale = dataclasses.replace(true, values={**true.values, "SS": 7_999})
    target = "calculus_harness.harness.cli.studies.reproduce.recorded"
    monkeypatch.setattr(target, lambda name: stale)
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 1
    assert "hint-table-a1: SS is 8000, recorded 7999" in done.output
    unmeasured = dataclasses.replace(true, commands=("ls tasks",))
    monkeypatch.setattr(target, lambda name: unmeasured)
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 1
    assert "other commands than those recorded" in done.output


@pytest.mark.slow
@pytest.mark.parametrize("name", [result.name for result in checked()])
def test_recorded_numbers_are_measured_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])  # where examples/ is
    done = CliRunner().invoke(cli, ["reproduce", "--check", name, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output


def test_what_cannot_be_recorded_is_refused(tmp_path: Path) -> None:
    for arguments, message in (
        (["meadows-figures", "--record"], "has no measure"),
        (["lample-charton-data", "--record"], "the reduced size: --small"),
        (["--check", "--small"], "--check goes with a NAME"),
        (["--check", "meadows"], "has no recorded numbers"),
    ):
        done = CliRunner().invoke(cli, ["reproduce", *arguments])
        assert done.exit_code == 2
        assert message in str(done.exception) + done.output


def parsed(line: list[str]) -> click.Context:
    """The command of a command line with its options, parsed by click."""
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group):
        subcommand = command.get_command(context, line[0])
        assert subcommand is not None, line
        context, command, line = click.Context(subcommand, context, line[0]), subcommand, line[1:]
    return command.make_context(command.name or "", list(line), parent=context.parent)


@pytest.mark.parametrize("name", NAMED)
def test_commands_are_understood(name: str, tmp_path: Path) -> None:
    row = NAMED[name]
    for small in [False, True][: 1 + bool(row.small)]:
        wants = any("{model}" in line for line in (row.small if small else row.commands))
        lines = row.command_lines(str(tmp_path), "solver/sympy" if wants else None, small=small)
        for line in lines:
            context = parsed(line)
            if line[0] == "sweep":
                settings = {"benchmark": list(context.params["benchmark"])}
                if context.params["preset"]:
                    settings = read_settings(preset_file(context.params["preset"])) | {
                        key: value for key, value in settings.items() if value
                    }
                spec = SweepSpec.of(**(settings | {"model": ["solver/sympy"]}))
                assert all(resolve(benchmark) for benchmark in spec.benchmark)


def test_a_model_is_asked_for_where_it_is_open() -> None:
    with pytest.raises(UserError, match="--model KIND/NAME"):
        reproduction("meadows").command_lines("out")
    with pytest.raises(UserError, match="leave out --model"):
        reproduction("meadows-table5").command_lines("out", "solver/sympy")
    with pytest.raises(UserError, match="no command at a reduced size"):
        reproduction("meadows").command_lines("out", "solver/sympy", small=True)
    with pytest.raises(UserError, match="did you mean 'meadows'"):
        reproduction("meadow")


def test_commands_run_in_turn_and_finished_ones_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second command fails the first time; then only the second command runs again."""
    file = tmp_path / "problems.jsonl"
    line = f"ls --validate --benchmark {shlex.quote(str(file))}"
    fake = Reproduction("Table 0", "fake", commands=("ls tasks", line, "ls models"))
    target = "calculus_harness.harness.cli.studies.reproduce.reproduction"
    monkeypatch.setattr(target, lambda name: fake)
    file.write_text('{"integrand": "2x", "antiderivative": "x^3"}\n')
    arguments = ["reproduce", "fake", "--out", str(tmp_path / "out")]
    first = CliRunner().invoke(cli, arguments)
    assert first.exit_code == 1
    assert "integration" in first.output
    assert "solver" not in first.output
    file.write_text('{"integrand": "2x", "antiderivative": "x^2"}\n')
    second = CliRunner().invoke(cli, arguments)
    assert second.exit_code == 0, second.output
    assert "done before: ls tasks" in second.output
    assert "1 proved" in second.output
    assert "solver" in second.output
    assert len((tmp_path / "out" / "finished.txt").read_text().splitlines()) == 3


@pytest.mark.slow
def test_the_searches_of_sagga_and_their_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands at the reduced size, with a model that answers at once."""
    model = f"python/{Path(__file__).parent / 'search' / 'polynomials.py'}:answer"
    named = reproduction("brittleness-sagga")
    lines = tuple(line.replace("solver/sympy -M time-limit=2", model) for line in named.small)
    target = "calculus_harness.harness.cli.studies.reproduce.reproduction"
    monkeypatch.setattr(target, lambda name: dataclasses.replace(named, small=lines))
    arguments = ["reproduce", "brittleness-sagga", "--small", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    tables = done.stdout[done.stdout.index("Table 4:") :]
    assert all(f"Table {number}" in tables for number in (6, 10, 11, 15, 16, 17, 18))
    assert "iterations to 5000" in tables
    assert len(list((tmp_path / "out").glob("*/archive.jsonl"))) == 8


def test_a_dry_run_prints_the_commands(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["reproduce", "meadows", "--model", "openai/m", "--dry-run"])
    assert done.output.splitlines() == [
        "sweep --preset meadows --model openai/m --out runs/reproduce/meadows",
        "pairwise runs/reproduce/meadows",
    ]


def test_options_of_the_list_and_of_one_do_not_mix() -> None:
    for arguments in (["--small"], ["meadows", "--json"], ["meadows", "--markdown"]):
        done = CliRunner().invoke(cli, ["reproduce", *arguments])
        assert done.exit_code == 2
