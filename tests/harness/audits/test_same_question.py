"""Marks of course questions: equal for the same question, different for any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.harness.audits.auditing import audit
from calculus_harness.harness.audits.course import question_key

SAME = [
    ("limit", r"\lim_{x\to0}\frac{\sin x}{x}", r"\lim_{t\to0}\frac{\sin(t)}{t}"),
    ("limit", r"\lim_{x\to0}\frac{\sin x}{x}", r"Find $\lim\limits_{x \to 0} \frac{\sin(x)}{x}$."),
    ("sum", r"\sum_{k=1}^{n} k^2", r"\sum_{j=1}^{n} j^{2}"),
    ("derivative", r"\frac{d}{dx} \sin x", r"\frac{d}{dt} \sin(t)"),
    ("differential_equation", "y' = 2x, y(0) = 1", r"$y' = 2 x$, $y(0)=1$"),
]
DIFFERENT = [
    ("limit", r"\lim_{x\to0}\frac{\sin x}{x}", r"\lim_{x\to1}\frac{\sin x}{x}"),
    ("limit", r"\lim_{x\to0^+}\frac1x", r"\lim_{x\to0^-}\frac1x"),
    ("limit", r"\lim_{x\to0}\frac{\sin ax}{x}", r"\lim_{x\to0}\frac{\sin x}{x}"),
    ("sum", r"\sum_{k=1}^{n} k^2", r"\sum_{k=0}^{n} k^2"),
    ("sum", r"\sum_{k=1}^{n} k^2", r"\sum_{k=1}^{n+1} k^2"),
    ("sum", r"\sum_{k=1}^{n} k^2", r"2 \sum_{k=1}^{n} k^2"),
    ("derivative", r"\frac{d}{dx} x^2", r"\frac{d}{dx} (x^2 + 1)"),
    ("derivative", r"\frac{d}{dx} \sin x", r"\frac{d^2}{dx^2} \sin x"),
    ("derivative", r"f(x) = e^x,\ f'(0)", r"f(x) = e^x,\ f'(1)"),
    ("differential_equation", "y' = 2x, y(0) = 1", "y' = 2x, y(0) = 2"),
    ("differential_equation", "y' = y", "y'' = y"),
]


@pytest.mark.parametrize(("name", "first", "second"), SAME)
def test_the_same_question_has_the_same_mark(name: str, first: str, second: str) -> None:
    assert question_key(name, first, {}) == question_key(name, second, {}) != ""


@pytest.mark.parametrize(("name", "first", "second"), DIFFERENT)
def test_another_question_has_another_mark(name: str, first: str, second: str) -> None:
    marks = {question_key(name, text, {}) for text in (first, second)}
    assert len(marks) == 2
    assert "" not in marks


def test_conditions_count() -> None:
    problem = r"\lim_{x\to0}\frac{\sin ax}{x}"
    assert question_key("limit", problem, {}) != question_key("limit", problem, {"a": "negative"})


def test_an_audit_lists_questions_that_are_the_same(tmp_path: Path) -> None:
    texts = [*SAME[0][1:], r"\lim_{x\to1}\frac{\sin x}{x}"]
    rows = [json.dumps({"problem": text, "answer": "1"}) for text in texts]
    (tmp_path / "limits.jsonl").write_text("\n".join(rows))
    (group,) = audit(str(tmp_path / "limits.jsonl"), workers=1).duplicates()
    assert [row["number"] for row in group] == [0, 1]
