"""Tables and warnings on a terminal of a given width."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from calculus_harness import print_comparison, print_summary
from calculus_harness.harness import Run, Sampling, compare, sweep
from calculus_harness.harness.models.python_function import LocalFunction
from calculus_harness.harness.report.sections import Section, fit, print_sections, print_small


def right(messages: object, seed: int) -> str:
    return r"\boxed{x^2}" if seed % 2 else "I do not know."


def screen_of(print_it: Callable[[Console], None], width: int, terminal: bool = True) -> list[str]:
    file = io.StringIO()
    print_it(
        Console(file=file, width=width, force_terminal=terminal, no_color=True, color_system=None)
    )
    return file.getvalue().splitlines()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    out = tmp_path_factory.mktemp("runs") / "one"
    return sweep([right, lambda m, s: "?"], ["drills"], limit=6, samples=8, out=out)


@pytest.mark.parametrize("width", [80, 60])
def test_tables_fit_a_terminal(run: Run, width: int) -> None:
    for print_it in (
        lambda console: print_summary(run, console),
        lambda console: print_summary(run, console, every=True),
        lambda console: print_comparison(compare(run), console),
        lambda console: print_comparison(compare(run), console, every=True),
    ):
        lines = screen_of(print_it, width)
        tables = [line for line in lines if line.startswith(" ")]  # remarks are wrapped elsewhere
        assert tables
        assert max(map(len, tables)) <= width
        assert not any("…" in line for line in tables)


def test_a_file_gets_whole_tables(run: Run) -> None:
    lines = screen_of(lambda console: print_summary(run, console, every=True), 80, terminal=False)
    (heading,) = [line for line in lines if "pass@1" in line and "pass@8" in line][:1]
    assert len(heading) > 80
    assert "undecided" in heading


def test_columns_that_say_nothing_go_first_and_the_rest_is_stacked() -> None:
    headings = ("subset", "pass@1", "empty", "timeout", "pass@16")
    rows = (("a", "71.4 [55.8, 83.7]", "", "0.0", "90.0"), ("all", "50.0", "", "0.0", "0.0"))
    section = Section("title", headings, rows)
    assert fit(section, 100) == ([section], [])
    ((narrow,), left_out) = fit(section, 44)
    assert narrow.headings == ("subset", "pass@1", "pass@16")
    assert narrow.rows[1] == ("all", "50.0", "0.0")
    assert left_out == ["timeout"]
    tables, _ = fit(section, 30)
    assert [table.headings for table in tables] == [("subset", "pass@1"), ("subset", "pass@16")]
    printed = screen_of(lambda console: print_sections([section], console), 44)
    assert "Zero everywhere: timeout." in printed
    zeros = Section("title", ("subset", "one", "two"), (("a", "0.0", "0.0"),))
    assert fit(zeros, 5)[1] == []  # a table of zeros stays one


@pytest.mark.parametrize("width", [80, 50])
def test_a_column_that_is_wider_than_the_terminal_is_wrapped_in_its_cells(width: int) -> None:
    """Figures stay whole, and every line of a row keeps the columns."""
    texts = ("a model with a very long name " * 3, "what it needs, in many words " * 2)
    section = Section("", ("model", "needs", "pass@1"), ((*texts, "71.4 [55.8, 83.7]"),), names=2)
    lines = screen_of(lambda console: print_sections([section], console), width)
    assert max(map(len, lines)) <= width
    assert any("71.4 [55.8, 83.7]" in line for line in lines)
    assert not any("…" in line for line in lines)
    assert set(" ".join(texts).split()) <= set(" ".join(lines).split())


def test_answers_that_were_cut_off_or_hold_nothing_are_said_before_the_table(
    tmp_path: Path,
) -> None:
    from dataclasses import dataclass

    from calculus_harness.harness.core.requests import Completion, FinishReason

    @dataclass(frozen=True, kw_only=True)
    class Short(LocalFunction):
        """A model whose answers are cut off."""

        async def complete(self, requests):  # type: ignore[no-untyped-def]
            async for request in requests:
                yield Completion.to(request, "Let u", finish_reason=FinishReason.LENGTH)

    few = Sampling(max_tokens=16)
    cut = sweep([Short.of(right)], ["drills"], limit=4, sampling=few, out=tmp_path / "cut")
    lines = screen_of(lambda console: print_summary(cut, console), 120)
    (warning,) = [line for line in lines if "cut off" in line]
    assert warning == (
        "python/right: 100 % of the answers were cut off at --max-tokens 16; allow more, "
        "with another --out."
    )
    table = next(at for at, line in enumerate(lines) if "problems" in line and "pass@1" in line)
    assert lines.index(warning) < table
    empty = sweep([lambda m, s: "?"], ["drills"], limit=4, out=tmp_path / "empty")
    lines = screen_of(lambda console: print_summary(empty, console), 200)
    assert any(
        line.startswith("python/lambda: 100 % of the texts hold no answer; look at one (`")
        for line in lines
    )
    fine = sweep([lambda m, s: r"\boxed{x}"], ["drills"], limit=4, out=tmp_path / "fine")
    lines = screen_of(lambda console: print_summary(fine, console), 200)
    assert not any("of the answers" in line or "of the texts" in line for line in lines)


@pytest.mark.parametrize("width", [80, 60])
def test_no_number_of_a_small_table_is_cut(width: int) -> None:
    row = (
        "a model with a name",
        "drills/larger_coefficients",
        "120",
        "54.4",
        "0.0 [-78, +78]",
        "0.03",
    )
    headings = ("", "", "pairs", "original", "difference", "p (Holm)")
    section = Section("", headings, (row,), names=2)
    lines = screen_of(lambda console: print_small(section, console), width)
    assert max(map(len, lines)) <= width
    words = " ".join(lines)
    for cell in (*headings, *row[2:]):
        assert cell in words
