"""HINT's presets, with a function for ordinary arithmetic as the model."""

from __future__ import annotations

import csv
import json
import math
import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks.hint.images import draw_symbol, png, problem_pictures
from calculus_harness.benchmarks.hint.pools import folder_of
from calculus_harness.benchmarks.hint.problems import problem_of
from calculus_harness.benchmarks.hint.semantics import parse
from calculus_harness.benchmarks.payloads import JSON, ArithmeticTarget
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.benchmarks.registry import load
from calculus_harness.harness import Policy, Run, compare, score, summarise, sweep
from calculus_harness.harness.report.comparison import export_comparison
from calculus_harness.harness.report.page.sections import sections as page_sections
from calculus_harness.harness.report.sources import Sources
from calculus_harness.harness.stats.compare import labels_of
from calculus_harness.harness.stats.intervals import clopper_pearson
from calculus_harness.prompts import PromptError
from calculus_harness.prompts import load as load_prompt
from tests.harness.conftest import Command

ORDINARY = """
import re

def answer(messages, seed):
    expression = re.findall(r"(?:What is|Expression:) ([-+*/()0-9]+)", messages[-1]["content"])[-1]
    try:
        value = int(eval(expression))
    except ZeroDivisionError:
        return "I cannot tell."
    boxed = "boxed" in messages[-1]["content"]
    return rf"It is $\\boxed{{{value}}}$." if boxed else f" {value}."
"""
#: How often ordinary arithmetic gives HINT's answer, of all expressions of a split (docs/hint.md).
AGREE = {"I_distinct": 0.342, "SS": 0.305, "LS": 0.089, "SL": 0.522, "LL": 0.086}


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["hint", "hint-cot", "hint-explained"])
def test_ordinary_arithmetic_has_the_rows_of_both_scorers(
    cli: Command, tmp_path: Path, preset: str
) -> None:
    model, out = tmp_path / "own.py", tmp_path / "run"
    model.write_text(ORDINARY)
    done = cli(
        "sweep", "--preset", preset, "--model", f"python/{model}:answer", "--out", out, "--json"
    )
    assert done.returncode == 0, done.stderr
    rows = {row["subset"]: row["metrics"] for row in json.loads(done.stdout)["rows"]}
    run = Run(out)
    assert len(run.problems) == 500
    for split, rate in AGREE.items():
        problems = [item for item in run.problems.values() if item.subset == split]
        assert len({item.inputs.expression for item in problems}) == 100
        measured = rows[f"hint/{split}"]
        targets = [p.target for p in problems if isinstance(p.target, ArithmeticTarget)]
        assert measured["hint_answer"] == sum(t.value == t.ordinary for t in targets) / 100
        assert measured["hint_answer"] == pytest.approx(rate, abs=0.15)
        counted = sum(t.ordinary not in (0, None) for t in targets) / 100
        assert measured["ordinary_arithmetic"] == counted > 0.7


def test_published_scoring_reads_as_the_notebooks(tmp_path: Path) -> None:
    model = tmp_path / "own.py"
    target: dict[str, JSON] = {"value": 4, "ordinary": 3}
    problems = [Problem("p", "arithmetic", "hint", "s", {"expression": "7/2"}, target)]
    published = Policy(method="published")
    for text, expected in (
        (" 3.9 or\nso", (0, 1)),
        (" 4.", (1, 0)),
        (" 1,234", (0, 0)),
        (r" \boxed{4}", (0, 0)),
    ):
        model.write_text(f"def answer(messages, seed): return {text!r}")
        out = tmp_path / f"run{hash(text)}"
        asking = [f"python/{model}:answer"]
        run = sweep(asking, ["hint"], problems=problems, policy=published, out=out)
        (row,) = summarise(run).rows
        assert (row.numbers["HINT answer"], row.numbers["ordinary arithmetic"]) == expected
    boxed = Policy(method="published", strict=True)
    (row,) = summarise(score(run.path, policy=boxed), boxed.name).rows
    assert row.numbers["HINT answer"] == 1


def content_of(messages: Any) -> tuple[str, str]:
    """The text of a prompt and the last expression."""
    text = str(messages[-1]["content"])
    return text, re.findall(r"Expression: (.*)", text)[-1]


def examples_in(text: str) -> dict[str, int]:
    examples = re.findall(r"^(\S+) = (\d+)$", text, re.MULTILINE)
    assert len(examples) == len(dict(examples))
    return {expression: int(value) for expression, value in examples}


def test_concepts_are_taught_by_examples(tmp_path: Path) -> None:
    """100 different right expressions with the concept, and never the problem itself."""

    def reads(messages: Any, seed: int) -> str:
        text, expression = content_of(messages)
        examples = examples_in(text)
        assert len(examples) == 100
        concept = "x" if "x" in expression else "y"
        assert expression not in examples
        assert all(concept in item for item in examples)
        assert all(parse(item).value == value for item, value in examples.items())
        return ""

    run = sweep(
        [reads], ["hint/x_I", "hint/y_SS"], prompt="hint-concepts", limit=12, out=tmp_path / "run"
    )
    rows = list(run.completions.rows())
    assert len(rows) == 12
    assert not any(row.get("detail") for row in rows)
    (problem,) = load("hint/c_LS", limit=1)
    few = [
        list(
            examples_in(
                load_prompt("hint-concepts").with_shots(n).render(problem).messages[0].content
            )
        )
        for n in (7, 14)
    ]
    assert few[0] == few[1][:7]
    with pytest.raises(PromptError, match="5000 examples are asked for"):
        load_prompt("hint-concepts").with_shots(5000).render(problem)


def test_worked_examples_show_each_step() -> None:
    problem = Problem("p", "arithmetic", "hint", "s", {"expression": "9/7*(5-7+2)"}, {"value": 4})
    content = load_prompt("hint-explained").render(problem).messages[0].content
    examples = content.split("Expression: ")[1:-1]
    assert len(examples) == 4
    for example in examples:
        expression, *steps, boxed, _, _ = example.split("\n")
        assert expression != "9/7*(5-7+2)"
        assert len(steps) == len(parse(expression).operators)
        assert boxed == rf"\boxed{{{parse(expression).value}}}"
        assert steps[-1].endswith(f"= {parse(expression).value}")


def test_gaps_tables_and_breakdowns(tmp_path: Path) -> None:
    """A model is right on I alone, a second model always; on problems with values as labels."""
    problems = [
        Problem(
            f"{split}-{n}",
            "arithmetic",
            "hint",
            split,
            {"expression": f"{n}+1"},
            {"value": n + 1, "ordinary": n + 1},
            metadata={"depth": 2 + 4 * (n % 2), "length": 3, "tags": ["plus"], "largest": 50 * n},
        )
        for split in ("I_distinct", "SS", "LL")
        for n in range(9)
    ]
    prompt = tmp_path / "own.jinja"
    head = '+++\ntask = "arithmetic"\n+++\n'
    prompt.write_text(head + "{{ problem.subset }} Expression: {{ expression }}")

    def always(messages: Any, seed: int) -> str:
        return rf"\boxed{{{parse(content_of(messages)[1]).value}}}"

    def only_i(messages: Any, seed: int) -> str:
        return always(messages, seed) if content_of(messages)[0].startswith("I_") else ""

    run = sweep([only_i, always], ["hint"], problems=problems, prompt=prompt, out=tmp_path / "run")
    comparison = compare(run, breakdown="largest")
    for gap, split in zip(comparison.gaps, ("SS", "LL"), strict=True):
        assert gap.group == f"hint: I − {split}"
        (first, interval), (second, _) = gap.sides
        assert (first, second) == (1, 0)
        assert gap.difference is not None
        assert gap.difference[0] == -1
        # Newcombe's method 10 on 9 of 9 and 0 of 9 is 1 - sqrt(2) (1 - the lower Wilson end).
        assert interval[0] == pytest.approx(1 - math.sqrt(2) * (1 - clopper_pearson(9, 9)[0]))
    groups = {row.group for row in comparison.breakdown}
    assert {"all · 11 to 100", "all · 101 to 1,000"} <= groups
    assert labels_of(problems[1], "depth") == ("5 to 6",)
    measured = problem_of("p", "hint", "LL", parse("(1+(2*9-(3-4)))/2"), {})
    for of, ranges in (
        ("dependency", "11 to 20"),
        ("operators", "3 to 5"),
        ("result", "1 to 10"),
        ("length", "11 to 20"),
    ):
        assert labels_of(measured, of) == (ranges,)
    assert labels_of(problems[0], "operator") == ("plus",)
    assert labels_of(problems[0], "tag") == ()
    csv_rows = list(csv.reader(export_comparison(comparison, "csv").splitlines()))
    assert {len(line) for line in csv_rows} == {len(csv_rows[0])}
    assert [line[12] for line in csv_rows if line[0] == "gap"] == ["-1", "-1"]
    titles = {section.title: section for section in page_sections(Sources.open([run]))}
    rows = {row[0]: row[2:] for row in titles["HINT's splits"].rows if row[1] == "HINT answer"}
    (shares,) = (
        [cell.partition(" ")[0] for cell in row] for name, row in rows.items() if "only_i" in name
    )
    assert shares == ["100.0", "0.0", "", "", "0.0", "33.3"]
    published = titles["HINT's splits, as published"].rows
    assert len(published) == 16
    document = (Path(__file__).parents[4] / "docs/hint.md").read_text()
    assert all(f"| {' | '.join(row[1:])} |" in document for row in published)
    assert "Depth of the expression's tree: table" in titles


@pytest.mark.slow
@pytest.mark.images
@pytest.mark.openai
def test_pictures_are_asked_in_the_openai_protocol(tmp_path: Path) -> None:
    """A server gets a PNG file of 45 pixels a symbol, of exactly the expression."""
    image = pytest.importorskip("PIL.Image", reason="needs the extra 'images'")
    from tests.harness.faulty_server import FaultyServer

    with FaultyServer({}) as server:
        run = sweep(
            ["openai/m"],
            ["hint/LS"],
            limit=3,
            prompt="hint-picture",
            model_option={"base-url": server.url, "probe": "0"},
            out=tmp_path / "run",
        )
        bodies = list(server.asked)
    assert len(bodies) == 3
    by_picture = {problem_pictures().png(problem): problem for problem in run.problems.values()}
    for body in bodies:
        (message,) = body["messages"]
        block, text = message["content"]
        assert text["type"] == "text"
        assert "boxed" in text["text"]
        scheme, _, data = block["image_url"]["url"].partition(",")
        assert (block["type"], scheme) == ("image_url", "data:image/png;base64")
        problem = by_picture.pop(b64decode(data))
        picture = image.open(BytesIO(b64decode(data)))
        expression = problem.inputs.expression
        assert picture.size == (45 * len(expression), 45)
        assert picture.mode == "L"
        assert expression not in text["text"]


@pytest.mark.images
def test_broken_pictures_are_named_and_counted(cli: Command, tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image", reason="needs the extra 'images'")
    folder = tmp_path / "symbols"
    for symbol in "0123456789+-*/()":
        (folder / folder_of(symbol)).mkdir(parents=True)
        for n in range(8):
            drawn = png(draw_symbol("+", n))
            torn = drawn[:50] if symbol == "(" else drawn
            (folder / folder_of(symbol) / f"{n}.png").write_bytes(torn)
    file = tmp_path / "own.py"
    file.write_text("def answer(messages, seed): return ''")
    model = f"python/{file}:answer"
    words = ["sweep", "--benchmark", "hint/LS", "--limit", "6", "--model", model, "--dry-run"]
    done = cli(*words, "--prompt", "hint-picture", "--pictures", folder)
    assert done.returncode == 2
    assert re.search(r"error: 6 of 6 problems have no picture: LS-s0-\d+: cannot read", done.stderr)
    assert "and 3 more" in done.stderr
    assert ".png" in done.stderr
    for torn_file in (folder / "(").iterdir():
        torn_file.write_bytes(drawn)
    done = cli(*words, "--prompt", "hint-picture", "--pictures", folder)
    assert done.returncode == 0, done.stderr
    assert "[picture]" in done.stdout
    done = cli(*words, "--prompt", "hint-explained", "--pictures", folder)
    assert "shows no pictures" in done.stderr
