"""Figures stay inside their frame, with scales of the right range; facts in words."""

from __future__ import annotations

import math
import struct
from itertools import pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from calculus_harness.harness.report.comparison import _by_sides
from calculus_harness.harness.report.figures import differences
from calculus_harness.harness.report.figures.bars import verdict_bars
from calculus_harness.harness.report.figures.colours import STATUSES
from calculus_harness.harness.report.figures.curves import _over_k, category_chart
from calculus_harness.harness.report.figures.figure import Figure, Shape, _drawn, circle, thinned
from calculus_harness.harness.report.figures.files import write_figures
from calculus_harness.harness.report.figures.scatter import scatter
from calculus_harness.harness.report.page.marks import pieces
from calculus_harness.harness.report.page.samples import facts, step_facts
from calculus_harness.harness.report.search.figures import by_generation
from calculus_harness.harness.report.search.tables import StoredSearch, _remarks, archives
from calculus_harness.harness.run.listing import describe, details
from calculus_harness.harness.stats.tallies import Estimate
from calculus_harness.rewards import verify_antiderivative


def drawn_differences(groups: int) -> Figure:
    value: Any = SimpleNamespace(value=0.1, interval=(-0.05, 0.25), p=0.2, adjusted=None)
    lines = [("first − second", "c0", value), ("third − second", "c1", value)]
    return differences._draw("d", {f"group {n}": lines for n in range(groups)}, "")


BARS: Any = [
    SimpleNamespace(label=name, subset="s", rates=dict.fromkeys(STATUSES, 1 / len(STATUSES)))
    for name in ("a", "b")
]
FIGURES = [
    scatter("s", "one", "two", [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)]),
    drawn_differences(1),
    drawn_differences(3),
    by_generation("g", "title", {"a": [0.1, 0.5, 0.9], "b": [None, 0.2, 0.3]}, ""),
    category_chart("c", "title", ["one", "two"], {"a": [0.1, 0.5], "b": [None, 0.2]}),
    verdict_bars(BARS),
    _over_k("k", "title", {"a": [Estimate(k, k / 9, (0, 1), 0, 1) for k in (1, 2, 5)]}, ["a"]),
]


@pytest.mark.parametrize("figure", FIGURES)
def test_nothing_is_outside_of_the_frame(figure: Figure) -> None:
    assert figure.width > 100
    assert figure.height > 100
    for shape in figure.shapes:
        for x, y in shape.points:
            assert 0 <= x <= figure.width
            assert 0 <= y <= figure.height


def test_a_square_has_the_scale_from_0_to_100_on_both_sides() -> None:
    shapes = [shape for shape in FIGURES[0].shapes if shape.style == "tick"]
    words = [shape.text for shape in shapes]
    assert sorted(words, key=int) == sorted(2 * ["0", "25", "50", "75", "100"], key=int)
    across = [shape.points[0][0] for shape in shapes if shape.anchor == "middle"]
    up = [shape.points[0][1] for shape in shapes if shape.anchor == "end"]
    assert across[-1] - across[0] == pytest.approx(up[0] - up[-1])  # a square
    diagonal = next(shape.points for shape in FIGURES[0].shapes if shape.style == "zero")
    assert [x for x, _ in diagonal] == [across[0], across[-1]]


def test_numbers_of_samples_are_marked_up_to_the_largest() -> None:
    words = [shape.text for shape in FIGURES[6].shapes if shape.anchor == "middle"]
    assert words == ["k = 1", "2", "4"]


def test_a_bubble_says_how_many_problems_it_is() -> None:
    figure = scatter("s", "one", "two", [(0.0, 1.0), (0.5, 0.5), (0.0, 1.0)])
    titles = [shape.text for shape in figure.shapes if shape.style == "bubble"]
    assert titles == ["2 problems: 0 % and 100 %", "1 problem: 50 % and 50 %"]


def test_a_circle_is_closed_by_a_side_like_the_others() -> None:
    points = circle("bubble", 10, 20, 5).points
    sides = [math.dist(a, b) for a, b in pairwise([*points, points[0]])]
    assert sides == pytest.approx([sides[0]] * len(sides))
    assert all(math.dist(point, (10, 20)) == pytest.approx(5) for point in points)


def test_facts_of_a_verdict() -> None:
    verdict = verify_antiderivative(r"It is \boxed{x^2+C}.", "2x")
    listed = dict(facts(verdict, {"finish_reason": "stop", "completion_tokens": 7, "latency": 2}))
    assert listed["answer found by"] == verdict.evidence.extracted_by == "boxed"
    assert listed["model"] == "finished by stop, 2.00 s, 7 tokens"


def test_a_number_of_a_scale_stands_beside_its_line() -> None:
    shapes = FIGURES[4].shapes
    lines = [shape.points[0][1] for shape in shapes if shape.style == "grid"]
    numbers = [shape.points[0][1] for shape in shapes if shape.anchor == "end"]
    assert numbers == pytest.approx(lines, abs=5)
    assert len(lines) == 6


def test_shares_of_verdicts_fill_the_scale_without_gaps() -> None:
    shapes = FIGURES[5].shapes
    zero, *_, full = (shape.points[0][0] for shape in shapes if shape.style == "grid")
    bars = [shape.points for shape in shapes if shape.style.startswith("share") and shape.text]
    assert len(bars) == 2 * len(STATUSES)
    for row in (bars[: len(STATUSES)], bars[len(STATUSES) :]):
        ends = [(min(x for x, _ in bar), max(x for x, _ in bar)) for bar in row]
        assert [zero, *(end for _, end in ends)] == pytest.approx([*(x for x, _ in ends), full])


@pytest.mark.plots
def test_an_image_has_the_proportions_of_its_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for figure in FIGURES[:2]:
        image = tmp_path / f"{figure.name}.png"
        assert image in write_figures([figure], tmp_path)
        width, height = struct.unpack(">II", image.read_bytes()[16:24])
        assert width / height == pytest.approx(figure.width / figure.height, rel=0.01)


def test_pieces_are_the_text_and_change_where_the_shown_claim_changes() -> None:
    random, text = Random(1), "abcdefghijkl"
    for _ in range(200):
        ends = [sorted(random.sample(range(13), 2)) for _ in range(3)]
        states = random.choices(["correct", "incorrect", "unchecked"], k=3)
        marks = [
            (a, b, state, "k", f"{n}")
            for n, ((a, b), state) in enumerate(zip(ends, states, strict=True))
        ]
        cut = pieces(text[2:10], marks, offset=2)
        assert "".join(item if isinstance(item, str) else item[0] for item in cut) == text[2:10]
        claims = [None if isinstance(item, str) else item[1:] for item in cut]
        assert all(claim != following for claim, following in pairwise(claims))


def test_groups_have_headings_if_there_are_several() -> None:
    headings = [[s.text for s in f.shapes if s.style == "heading"] for f in FIGURES[1:3]]
    assert headings == [[], ["group 0", "group 1", "group 2"]]
    # Each line is below the one before, by the same step.
    rows = [s.points[0][1] for s in FIGURES[2].shapes if s.style == "value"]
    steps = [round(b - a, 6) for a, b in pairwise(rows)]
    assert len(set(steps)) == 2
    assert min(steps) > 20


def test_generations_reach_from_the_left_to_the_right_of_the_plot() -> None:
    figure = FIGURES[3]
    grid = [shape.points for shape in figure.shapes if shape.style == "grid"]
    bottoms = sorted(points[0][1] for points in grid)
    assert bottoms[-1] - bottoms[0] == 210
    assert bottoms[0] == 12


@pytest.mark.parametrize("figure", FIGURES[1:3])
def test_a_scale_of_differences_is_the_same_on_both_sides_of_0(figure: Figure) -> None:
    ticks = [int(shape.text) for shape in figure.shapes if shape.style == "tick"]
    assert ticks == [-tick for tick in reversed(ticks)]
    assert ticks[-1] == 30  # the first step above 25


def test_labels_that_would_touch_are_left_out() -> None:
    assert thinned([(0, "a"), (12, "b"), (26, "c")]) == [(0, "a"), (26, "c")]


@pytest.mark.parametrize(
    ("shape_kind", "element"),
    [("dot", "<circle"), ("line", "<path"), ("area", "<path"), ("text", "<text")],
)
def test_each_kind_of_shape_has_its_element(shape_kind: Any, element: str) -> None:
    drawn = _drawn(Shape(shape_kind, "style", ((1.0, 2.0), (3.0, 4.0)), "words"))
    assert drawn.startswith(element)
    assert ("M1.0 2.0L3.0 4.0" in drawn) == (element == "<path")
    assert drawn.endswith('Z"><title>words</title></path>') == (shape_kind == "area")


def test_the_first_wrong_step_is_quoted() -> None:
    text = "x = 1, so x = 2, so x = 3."
    marks = [(0, 5, "correct", "a"), (10, 15, "incorrect", "b"), (20, 25, "incorrect", "c")]
    steps: Any = SimpleNamespace(marks=marks, outcome="wrong")
    assert dict(step_facts(steps, text)) == {
        "steps": "1 correct, 2 incorrect (wrong)",
        "first wrong step (b)": "x = 2",
    }


def search(name: str) -> Any:
    settings = {"variant": "tree", "simplifier": "none"}
    record = SimpleNamespace(
        ended="done", settings=settings, embedding="words", policy="p", notes=["a note"]
    )
    return SimpleNamespace(name=name, record=record)


def test_an_archive_is_measured_by_terms_and_grouped_by_cluster() -> None:
    archive = [
        SimpleNamespace(
            metadata={"formula": "x", "nodes": 1, "depth": 1, "terms": terms}
            | {"cluster": cluster, "fitness": fitness}
        )
        for terms, cluster, fitness in ((1, "a", 0.1), (1, "b", 0.2), (2, "b", 0.9), (3, "b", 0.5))
    ]
    small = search("s")
    small.record.generations = [SimpleNamespace(asked=8, failed=5, unconfirmed=1)]
    stored = StoredSearch(small, small.record, tuple(archive))  # type: ignore[arg-type]
    groups = {
        name: [problem.metadata["fitness"] for problem in group]
        for name, group in stored.clusters.items()
    }
    assert list(groups.items()) == [("b", [0.9, 0.5, 0.2]), ("a", [0.1])]
    small.label, small.archive = "m", archive
    (row,) = archives([small]).rows
    assert row == ("s", "m", "4", "50.0", "1", "1.0", "1.0", "1.0", "50.0", "25.0", "25.0")


def test_remarks_name_the_search_if_there_are_several() -> None:
    assert next(iter(_remarks([search("one")]))).startswith("done. Mutations of the tree;")
    starts = [remark.partition(":")[0] for remark in _remarks([search("one"), search("two")])]
    assert starts == ["one", "one", "two", "two"]


def test_sources_and_metrics_are_described() -> None:
    row = {"source": "a paper", "metrics": ["accuracy", "F1"]}
    assert list(details(row)) == ["source: a paper", "metrics: accuracy, F1"]
    task = row | {"summary": "Sums.", "verifier": "", "target": "number", "prompt": None}
    description = "Sums. Target: number. Prompt: none."
    assert describe(task) == f"{description} Metrics: accuracy, F1."
    assert describe(task | {"metrics": []}) == description


@pytest.mark.parametrize(
    ("by", "titles"),
    [
        ("perturbation", ["a", "b"]),
        ("model", ["first a, second b"]),
        ("system", ["first a, second b"]),
    ],
)
def test_contrasts_are_together_by_what_they_compare(by: str, titles: list[str]) -> None:
    rows: Any = [SimpleNamespace(system=name, first="a", second="b") for name in "ab"]
    comparison: Any = SimpleNamespace(by=by)
    assert list(_by_sides(comparison, rows)) == titles
