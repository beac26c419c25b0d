"""Whole audits: people's own tables, resumption, samples, duplicates, effects, reports."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness import UserError, audit
from calculus_harness.harness.audits import auditing
from calculus_harness.harness.audits.effects import effects_of
from calculus_harness.harness.audits.items import items_of, roles_of, task_of
from calculus_harness.harness.audits.reading import UnreadError, answer_in, posed, tree_of
from calculus_harness.harness.audits.report import sections_of, write_report

ROOT = Path(__file__).parents[3]
ROWS = [
    {"Question": r"Find $\int 2x\,dx$.", "Gold answer": "$x^2 + C$", "uid": "a"},
    {"Question": "integrate(x**2, (x, 0, 1))", "Gold answer": "1/3", "uid": "b"},
    {"Question": r"\int \cos x\,dx", "Gold answer": r"-\sin x", "uid": "c"},
    {"Question": r"\frac{d}{dx} x^3", "Gold answer": "3*x**2", "uid": "d"},
    {"Question": r"\int_0^1 x\,dx", "Gold answer": "1", "uid": "e"},
    {
        "Question": r"Assume b is negative. Find $\int |b| x dx$",
        "Gold answer": "-b x^2/2",
        "uid": "f",
    },
    {"Question": r"\int 6x\,dx", "Gold answer": "3x^2", "uid": "g"},
    {"Question": r"\int x\,dx", "Gold answer": "", "uid": "h"},
    {"Question": r"2x", "Gold answer": "x^2", "uid": "i"},
    {"Question": r"\int x\,dx", "Gold answer": r"\frac{x^2}{2", "uid": "j"},
]
STATUSES = "proved proved refuted proved refuted agreed proved without unread unread".split()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "set.jsonl"
    lines = [json.dumps(row) for row in ROWS]
    file.write_text("\n".join([*lines, "{not json", '["a list"]', '{"other": 1}']) + "\n")
    return file


def test_every_row_has_a_status(table: Path) -> None:
    lines: list[str] = []
    audited = audit(str(table), workers=1, say=lines.append)
    rows = list(audited.rows())
    assert [row["status"].partition(" ")[0] for row in rows[:10]] == STATUSES
    assert [row["status"] for row in rows[10:]] == ["unread"] * 3
    assert "the row is broken" in rows[10]["reason"]
    assert rows[12]["reason"] == "the column 'Question' is empty"
    assert rows[8]["reason"].startswith("problem: expected an operator")
    assert sum(audited.counts.values()) == 13
    (line,) = lines
    assert "problem = 'Question', reference = 'Gold answer', id = 'uid'" in line


def test_the_same_table_in_every_format(table: Path, tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(json.dumps(ROWS))
    with (tmp_path / "set.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    for name in ("set.json", "set.csv"):
        audited = audit(str(tmp_path / name), workers=1)
        assert [row["status"].partition(" ")[0] for row in audited.rows()] == STATUSES


def test_an_interrupted_audit_goes_on(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uninterrupted = list(audit(str(table), out=table.parent / "whole", workers=1).rows())
    monkeypatch.setattr(auditing, "BATCH", 4)
    out, seen = table.parent / "out", 0

    class StopError(Exception):
        pass

    def stop(counts: Any) -> None:
        nonlocal seen
        seen = counts.total()
        raise StopError

    with pytest.raises(StopError):
        audit(str(table), out=out, workers=1, on_progress=stop)
    assert 0 < seen < len(uninterrupted)
    newest = max((out / "rows").glob("*.jsonl"))
    newest.write_bytes(newest.read_bytes() + b'{"number": 9, "sta')  # torn by a kill
    assert list(audit(str(table), out=out, workers=1).rows()) == uninterrupted


def test_another_set_in_the_same_directory_is_refused(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    audit(str(table), out=out, workers=1)
    with pytest.raises(UserError, match="something else"):
        audit(str(table), out=out, sample=3, workers=1)
    table.write_text(table.read_text() + json.dumps(ROWS[0]) + "\n")
    with pytest.raises(UserError, match="sources"):
        audit(str(table), out=out, workers=1)


def test_a_sample_is_drawn_by_its_seed(table: Path) -> None:
    def numbers(seed: int) -> list[int]:
        audited = audit(str(table), sample=5, seed=seed, workers=1)
        assert (audited.sampled, audited.rows_of_sources) == (5, 13)
        return [row["number"] for row in audited.rows()]

    assert numbers(1) == numbers(1)
    assert len({tuple(numbers(seed)) for seed in range(4)}) > 1
    assert len(numbers(2)) == len(set(numbers(2))) == 5


def test_the_error_rate_has_an_interval_for_a_sample_only(table: Path) -> None:
    sampled = audit(str(table), sample=10, seed=3, workers=1).error_rate
    assert sampled is not None
    assert sampled[1] < sampled[0] < sampled[2]
    rate = audit(str(table), workers=1).error_rate
    assert rate is not None
    assert rate[0] == rate[1] == pytest.approx(2 / 7)


def test_duplicates_are_found_by_fingerprint(table: Path) -> None:
    groups = audit(str(table), workers=1).duplicates()
    assert {"a", "f", "g"} in [{row["id"] for row in group} for group in groups]


def test_columns_are_guessed_by_what_can_be_read() -> None:
    prose = "As anyone sees, the sum of both"
    rows = [{"problem": r"\int x dx", "solution": prose, "final": "x", "answer": "x^2/2"}]
    assert roles_of(rows, {}, "t")["reference"] == "answer"
    with pytest.raises(UserError, match="no column looks like a problem; there are left, right"):
        roles_of([{"left": 1, "right": 2}], {}, "t")
    with pytest.raises(UserError, match="no column 'gold'; there are"):
        roles_of(rows, {"reference": "gold"}, "t")
    with pytest.raises(UserError, match="no role 'gold'"):
        roles_of(rows, {"gold": "answer"}, "t")


def test_a_column_of_integrands_needs_no_integral_sign(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("f,F\n2*x,x**2\n2*x,x**3\n")
    named = {"integrand": "f", "antiderivative": "F"}
    assert [item.task for item in items_of([str(file)], named, [])] == ["integration"] * 2
    assert audit(str(file), columns=named, workers=1).counts == {"proved": 1, "refuted": 1}


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (r"Evaluate the integral. $ \int e^{x} \;dx$ $=$", r"\int e^{x} \;dx"),
        ("What is the integral of $ 12 + 6cosh(x) $\n\nAssume x is real.", "12 + 6cosh(x)"),
        ("What is the integral of 4x^7 + sin(1 + x)", "4x^7 + sin(1 + x)"),
        ("Solve it. Give a closed form.\n\n\\int x dx", r"\int x dx"),
        (r"Evaluate $\int_0^(4 (B))  2 A x dx$.", r"\int_0^{4 (B)}  2 A x dx"),
        ("integrate(x, x)", r"\int x \, d x"),
        ("integrate(S(7), x)", r"\int 7 \, d x"),
        (r"\int_0^{x} x dx", r"\int_0^{x_{0}} x dx"),
    ],
)
def test_a_problem_is_taken_out_of_its_prose(text: str, formula: str) -> None:
    assert posed(text).formula == formula


@pytest.mark.parametrize("mark", [r"\mathrm{PV}", r"\text{P.V.}", "PV", "p.v."])
def test_a_principal_value_is_no_factor(mark: str) -> None:
    text = rf"{mark}\int_{{-1}}^1 \frac{{dx}}{{x}}"
    assert posed(text).formula == text
    assert posed(text).factor == ""


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("x^2 + C", "x^2 + C"),
        ("$7 / 30$.", "7 / 30"),
        (r"$\quad \int 2x\,dx = x^2$", "x^2"),
        (r"$ \int x^2\,dx = \frac{x^3}{2}-$ $\frac{x^3}{6}$", r"\frac{x^3}{2}-  \frac{x^3}{6}"),
        (r"$ \int 2x\,dx $=x^2$", "x^2"),
        (r"\int 2x\,dx", r"\int 2x\,dx"),
        ("y = x^2", "y = x^2"),
    ],
)
def test_an_answer_is_taken_out_of_its_equation(text: str, formula: str) -> None:
    assert answer_in(text).split() == formula.split()


def test_what_prose_assumes() -> None:
    text = r"Assume A, B are positive integers and more. Assume c is negative. $\int x dx$"
    expected = (("A", "integer"), ("B", "integer"), ("c", "negative"))
    assert posed(text).conditions.assumptions == expected
    text = r"Assume the parameters: A,B are real and B>0. $\int x dx$"
    assert dict(posed(text).conditions.assumptions) == {"A": "real", "B": "positive"}


def test_a_column_of_notes_is_read(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(r"problem,answer,note" + "\n" + r"\int \frac1x dx,\ln x,x > 0" + "\n")
    audited = audit(str(file), workers=1)
    assert audited.counts == {"proved": 1}
    assert "assumptions = 'note'" in audited.columns[0]


def test_a_factor_before_the_integral_belongs_to_the_reference(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    rows = [{"problem": r"$-2 \cdot \int x\,dx$", "answer": a} for a in ("-x^2", "x^2/2")]
    file.write_text("\n".join(map(json.dumps, rows)))
    assert [row["status"] for row in audit(str(file), workers=1).rows()] == ["proved", "refuted"]


def test_a_second_column_of_references_stands_in_for_an_unread_one(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    row = {"problem": r"\int x\,dx", "answer in latex": r"\left x^2", "answer in sympy": "x**2/2"}
    file.write_text("\n".join(map(json.dumps, [row, *([row | {"answer in latex": "x^2/2"}] * 29)])))
    audited = audit(str(file), workers=1)
    assert audited.counts == {"proved": 30}
    assert "alternative = 'answer in sympy'" in audited.columns[0]


def test_notations_are_told_apart() -> None:
    assert tree_of("x**2") == tree_of("x^{2}")
    assert tree_of("Pi/2") == tree_of(r"\pi/2")
    assert task_of(r"\int_0^1 x dx") == task_of("integrate(x, (x, 0, 1))") == "definite_integral"
    with pytest.raises(UnreadError, match="unknown function"):
        tree_of("foo(x)**2")


def test_a_reference_in_other_letters_is_not_refuted(tmp_path: Path) -> None:
    """The reference was misread, or belongs to another problem."""
    file = tmp_path / "t.jsonl"
    rows = [{"problem": r"\int 7\,dx", "answer": a} for a in ("q(7)*x", "7x + C_1", "7 y")]
    rows.append({"problem": "integrate(7, x)", "answer": "S(7)*x"})  # in LaTeX a Fresnel integral
    file.write_text("\n".join(map(json.dumps, rows)))
    audited_rows = list(audit(str(file), workers=1).rows())
    assert [row["status"] for row in audited_rows] == ["unread", "proved", "unread", "proved"]
    assert "symbols that the problem lacks: q" in audited_rows[0]["reason"]


def test_iterated_integrals(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    rows = [{"problem": r"\int_0^1 dy \int_0^y a x y\,dx", "answer": a} for a in ("a/8", "a/4")]
    rows.append({"problem": r"\int_0^1\int_0^y x y\,dx\,dy", "answer": "1/8"})
    file.write_text("\n".join(map(json.dumps, rows)))
    audited_rows = list(audit(str(file), workers=1).rows())
    assert [row["status"] for row in audited_rows] == ["agreed", "refuted", "agreed"]
    exec(audited_rows[1]["program"], {"print": lambda *_: None})


def test_a_column_of_decimals_is_a_reference_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    rows = [
        (r"\int_0^1 x\,dx", "1/2", 0.5),
        (r"\int_0^1 x\,dx", "1/2", 0.51),
        (r"\int_0^1 x\,dx", "1/3", 0.333333333),
        (r"\int_0^1 x\,dx", "1/3", 0.5),
        (r"\int_0^1 x\,dx", "", 0.5),
        (r"\int_0^1 x\,dx", "", 0.51),
        (r"\int_0^1 a x\,dx", "a/2", 0.5),
        (r"\intop_0^1 x\,dx", "1/2", 0.5),
    ]
    file.write_text(
        "\n".join(
            json.dumps({"problem": p, "symbolic_answer": a, "numerical_answer": n})
            for p, a, n in rows
        )
    )
    audited_rows = list(audit(str(file), workers=1).rows())
    statuses = [(row["status"], row.get("kind", "")) for row in audited_rows]
    assert statuses == [
        ("proved", ""),
        ("suspect", "the decimal"),
        ("refuted", "a factor \\frac{2}{3}"),
        ("suspect", "not its decimal"),
        ("agreed", ""),
        ("refuted", "a factor \\frac{51}{50}"),
        ("proved", ""),
        ("proved", ""),
    ]


def test_what_a_report_shows(table: Path) -> None:
    audited = audit(str(table), out=table.parent / "out", workers=1)
    report = write_report(audited)
    text = report.read_text()
    assert r"- corrected: `\sin\left(x\right)`" in text
    programs = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(programs) == 2
    for program in programs:
        assert program.count("\n") <= 20
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    page = (table.parent / "out" / "report.html").read_text()
    assert "mp.diff(F, x)" in page
    assert "<script" not in page


def test_a_cas_corrects_what_no_slip_explains(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({"problem": r"\int x e^{x} dx", "answer": r"\frac{x^2}{2} e^x"}))
    audited = audit(str(file), out=tmp_path / "out", workers=1)
    text = write_report(audited).read_text()
    assert "- corrected by: sympy" in text


def test_effects_on_accuracy_and_ranks(table: Path) -> None:
    audited = audit(str(table), workers=1)
    responses = table.parent / "responses.csv"
    said_by = {
        "copycat": (r"-\sin x", "1"),
        "honest": (r"\sin x", "1/2"),
        "mixed": (r"\sin x", "1"),
    }
    lines = [
        f"{model},{uid},{text}"
        for model, texts in said_by.items()
        for uid, text in zip(("c", "e"), texts, strict=True)
    ]
    lines += [f"{model},a,x^2" for model in said_by] + ["honest,nowhere,1"]
    responses.write_text("model,problem id,response\n" + "\n".join(lines) + "\n")
    effects = effects_of(audited, str(responses), {})
    rows = {standing.model: standing for standing in effects.standings}
    assert rows["copycat"].before == rows["honest"].after == 1
    assert rows["copycat"].after == rows["honest"].before == pytest.approx(1 / 3)
    assert (rows["honest"].rank_before, rows["honest"].rank_after) == (3, 1)
    assert (effects.spoiled, effects.unmatched) == (6, 1)
    title, *_ = [section for section in sections_of(audited, effects) if "scores" in section.title]
    assert "2 of 3 models change their rank" in title.remarks[0]


def test_published_judgements_are_taken_where_the_reference_is_right(table: Path) -> None:
    audited = audit(str(table), workers=1)
    responses = table.parent / "responses.csv"
    responses.write_text("model,id,answer,correct\nm,a,x^3,true\nm,c,\\sin x,false\n")
    (row,) = effects_of(audited, str(responses), {}).standings
    assert (row.before, row.after, row.changed) == (0.5, 1.0, 1)


def test_a_killed_process_leaves_no_directory_behind(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os, sys; from calculus_harness import audit; "
        "found = audit(sys.argv[1], workers=1); "
        "print(found.path, flush=True); os.kill(os.getpid(), int(sys.argv[2]))"
    )
    directories = []
    for signal in ("0", "9"):
        done = subprocess.run(
            [sys.executable, "-c", code, str(table), signal],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        directories.append(Path(done.stdout.strip()))
    ended, killed = directories
    assert (ended.exists(), killed.exists()) == (False, True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = audit(str(table), workers=1).path
    for directory in (killed, own):
        os.utime(directory, (0, 0))
    audit(str(table), workers=1)
    assert (killed.exists(), own.exists()) == (False, True)


def test_duplicates_are_bounded(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    rows = [json.dumps({"problem": r"\int 2x\,dx", "answer": "x^2"})] * 12
    file.write_text("\n".join(rows))
    (group,) = audit(str(file), workers=1).duplicates(5)
    assert len(group) == 5


def test_the_command_line(table: Path) -> None:
    command = [sys.executable, str(ROOT / "run.py"), "audit", str(table), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert data["counts"]["refuted"] == 2
    assert {row["id"] for row in data["refuted"]} == {"c", "e"}
    assert "reference = 'Gold answer'" in done.stderr
