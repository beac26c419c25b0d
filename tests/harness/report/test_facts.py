"""Facts in words: of a solution's steps, of searches, and of what `ls` describes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from calculus_harness.harness.report.page.samples import step_facts
from calculus_harness.harness.report.search.tables import _remarks
from calculus_harness.harness.run.listing import details


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


def test_remarks_name_the_search_if_there_are_several() -> None:
    assert next(iter(_remarks([search("one")]))).startswith("done. Mutations of the tree;")
    starts = [remark.partition(":")[0] for remark in _remarks([search("one"), search("two")])]
    assert starts == ["one", "one", "two", "two"]


def test_sources_and_metrics_are_described() -> None:
    row = {"source": "a paper", "metrics": ["accuracy", "F1"]}
    assert list(details(row)) == ["source: a paper", "metrics: accuracy, F1"]
