"""Sentences and differences over several systems: all differences, and no invented ones."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from calculus_harness.harness.report.comparison import sentences
from calculus_harness.harness.stats import repaired
from calculus_harness.harness.stats.paired import wording


def row(first: str, second: str) -> Any:
    scores = {"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.3}
    difference = SimpleNamespace(first=scores[first], second=scores[second])
    return SimpleNamespace(
        first=first, second=second, unpaired=0, system="", group="all", at=lambda k: difference
    )


@pytest.mark.parametrize(
    ("names", "same", "further"), [("abc", "b", None), ("abcd", "bc", 1), ("abcd", "bcd", 2)]
)
def test_the_number_of_further_models_is_told_if_there_are_some(
    monkeypatch: pytest.MonkeyPatch, names: str, same: str, further: int | None
) -> None:
    monkeypatch.setattr(wording, "_stands", lambda row, k: row.second not in same)
    monkeypatch.setattr(wording, "_pair", lambda row, *further: f"{row.first} and {row.second}.")
    comparison: Any = SimpleNamespace(primary_k=1, contrasts=[row("a", n) for n in names[1:]])
    text = wording.which(comparison)
    assert ("Nor was one found" in text) == (further is not None)
    if further is not None:
        assert f"between a and {further} more" in text


@pytest.mark.parametrize(
    ("interval", "adjusted", "words"),
    [
        ((0.1, 0.3), 0.2, "no detectable difference after Holm's correction"),
        ((-0.3, -0.1), 0.2, "no detectable difference after Holm's correction"),
        ((-0.1, 0.3), 0.2, "no detectable difference"),
        ((-0.3, -0.1), 0.02, "lower"),
        ((0.1, 0.3), 0.02, "higher"),
    ],
)
def test_what_holms_correction_takes_back_is_said(
    interval: tuple[float, float], adjusted: float, words: str
) -> None:
    gain = SimpleNamespace(value=sum(interval) / 2, interval=interval, p=0.01, adjusted=adjusted)
    line = SimpleNamespace(group="all", first="a", second="b", at=lambda k: gain)
    comparison: Any = SimpleNamespace(by="model", primary_k=1, contrasts=[line])
    (sentence,) = sentences(comparison, {"a": "A", "b": "B"})
    assert sentence.startswith("B − A: ")
    assert f", {words} (" in sentence


def test_every_arm_that_both_systems_have_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"p": [1, 1], "q": [1, 1], "r": [1, 0]}
    mine = {("m", "other", 1): {}, ("m", "told", 1): counts, ("m", "told", 2): counts}
    theirs = {("n", "told", 1): counts, ("n", "told", 2): counts}
    first: Any = SimpleNamespace(problems=(), arms=mine)
    second: Any = SimpleNamespace(problems=(), arms=theirs)
    monkeypatch.setattr(repaired, "_arms", lambda run, policy: run.arms)
    monkeypatch.setattr(repaired, "_share", lambda count: float(count[1]))
    monkeypatch.setattr(repaired, "clusters_of", lambda problems: {key: key for key in counts})
    paired = list(repaired.repaired_differences((first, "m", "M"), (second, "n", "N")))
    assert [(arm.feedback, arm.turn) for arm in paired] == [("told", 1), ("told", 2)]
