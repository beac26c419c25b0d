"""The exporter to Markdown, LaTeX, CSV and JSON, and the figures of pages and files."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness import harness
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.report import write_page
from calculus_harness.harness.report.figures.colours import (
    CLASSES,
    DARK,
    LIGHT,
    SERIES,
    STATUSES,
)
from calculus_harness.harness.report.figures.figure import Figure, rectangle, svg, text, told_apart
from calculus_harness.harness.report.numbers import p_value, points
from calculus_harness.harness.report.page import sections as page_sections
from calculus_harness.harness.report.sections import (
    Section,
    csv_table,
    export,
    export_sections,
    json_text,
    latex_table,
    markdown_table,
)
from calculus_harness.harness.report.sources import Sources
from calculus_harness.harness.report.summary import repaired_section
from calculus_harness.harness.stats.repaired import Repaired
from calculus_harness.rewards import Status

TABLE = Section(
    "T", ("name", "50 % & more"), (("a_b", "-1.5 [-2.0, +3.0]"), ("c", "4.0 [1.0, 5.0]")), names=1
)


def test_markdown_and_latex() -> None:
    assert markdown_table(TABLE).splitlines() == [
        "| name | 50 % & more |",
        "| --- | ---: |",
        "| a_b | -1.5 [-2.0, +3.0] |",
        "| c | 4.0 [1.0, 5.0] |",
    ]
    latex = latex_table(TABLE)
    assert latex.startswith(
        "% T\n\\begin{tabular}{lr}\n  \\toprule\n  name & 50 \\% \\& more \\\\\n"
    )
    assert r"a\_b & $-1.5\ [-2.0, +3.0]$ \\" in latex  # true minus signs
    assert r"c & 4.0 [1.0, 5.0] \\" in latex


def test_formulas_do_not_break_tables() -> None:
    table = Section("F", ("f", "F"), (("2*x*y**2", r"\ln|x^2| ~ `a|b`"),), names=2)
    assert markdown_table(table).splitlines()[2] == r"| 2\*x\*y\*\*2 | \ln\|x^2\| ~ `a\|b` |"
    assert (
        r"2*x*y**2 & \textbackslash{}ln\textbar{}x\textasciicircum{}2\textbar{} "
        r"\textasciitilde{} `a\textbar{}b` \\"
    ) in latex_table(table)


def test_sections_as_lines_and_data() -> None:
    lines = list(csv.reader(io.StringIO(export_sections("csv", [TABLE]))))
    assert lines[0] == ["table", "row", "column", "value"]
    assert lines[2] == ["T", "1", "50 % & more", "-1.5 [-2.0, +3.0]"]
    data = json.loads(export_sections("json", [TABLE]))
    assert data[0]["rows"][1] == ["c", "4.0 [1.0, 5.0]"]
    assert export_sections("markdown", [TABLE]).endswith(markdown_table(TABLE))


@given(st.lists(st.lists(st.text('a,"\n;é', max_size=5), min_size=2, max_size=2), max_size=5))
def test_csv_is_read_back(rows: list[list[str]]) -> None:
    written = csv_table(["x", "y"], rows)
    assert list(csv.reader(io.StringIO(written, newline=""))) == [["x", "y"], *rows]


def test_json_has_no_nan() -> None:
    assert json.loads(json_text({"a": [math.nan, 1.5], "b": (None,)})) == {
        "a": [None, 1.5],
        "b": [None],
    }


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UserError, match="unknown format 'pdf'; known: csv, json, latex, markdown"):
        export("pdf", [TABLE], ((), ()), {})


def test_one_set_of_colours() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert set(CLASSES.values()) <= LIGHT.keys()
    assert set(STATUSES) == set(Status)


def test_texts_of_a_figure_are_escaped() -> None:
    shapes = (text("name", 1, 2, "<b>&"), rectangle("bar", 0, 0, 1, 1, title="</title><script>"))
    drawn = svg(Figure("f", 'a "label"', 10, 10, shapes))
    assert "<b>" not in drawn
    assert "<script>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn


def test_a_section_is_one_file_and_one_line(
    model: str, bench: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = Figure("theirs", "ours", 10, 10, (text("name", 1, 2, "drawn here"),))

    class Theirs(ModuleType):
        def sections(self, sources: Sources) -> list[Section]:
            return [Section("A new section", ("x",), (("cell",),), ("A remark.",), (figure,))]

    name = f"{page_sections.__name__}.theirs"
    monkeypatch.setitem(sys.modules, name, Theirs(name))
    monkeypatch.setattr(page_sections, "NAMES", (*page_sections.NAMES, "theirs"))
    run = harness.sweep([model], [bench], limit=2, out=tmp_path / "run")
    html = write_page(run).read_text()
    assert '<details id="section-a-new-section">\n<summary>A new section</summary>' in html
    assert all(
        words in html for words in ('<th scope="row">cell</th>', "<p>A remark.</p>", "drawn here")
    )
    assert page_sections.figures(Sources.open([run]))[-1] == figure


def luminance(colour: str) -> float:
    """The relative luminance of a colour by WCAG 2."""
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return sum(weight * v for weight, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_colours_of_labels_have_contrast(palette: dict[str, str]) -> None:
    card = luminance(palette["card"])
    for name in (*SERIES, "ink", "soft", "correct", "incorrect"):
        low, high = sorted((card, luminance(palette[name])))
        assert (high + 0.05) / (low + 0.05) >= 4.5, name


@pytest.mark.parametrize(
    ("names", "longest"),
    [
        ([f"model-of-{size}-billion-parameters" for size in (1, 14, 3, 70)], 16),
        ([f"organisation/family-{size}b-instruct-2507" for size in (1, 14, 3)], 16),
        (["a" * 20, "b"], 16),
        (["short", "names"], 16),
        (["subset one of many with a name", "subset two of many with a name"], 20),
    ],
)
def test_long_names_in_figures_stay_apart(names: list[str], longest: int) -> None:
    labels = told_apart(names, longest)
    assert list(labels) == names
    assert len(set(labels.values())) == len(names)
    assert max(map(len, labels.values())) <= longest


def test_what_was_gained_by_feedback_is_beside_the_control() -> None:
    control = Repaired("m", "a", "control", 2, 4, 2, 0.25, (0.1, 0.4))
    feedback = replace(control, feedback="witness", gain=0.125, gain_interval=(0.05, 0.2), p=0.01)
    gained = [row[5:] for row in repaired_section([control, feedback]).rows]
    assert gained == [("", p_value(None)), (points(0.125, (0.05, 0.2)), p_value(0.01))]
