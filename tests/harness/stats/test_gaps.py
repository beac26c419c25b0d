"""Gaps between the splits of HINT: the mean on split I minus the mean on another split."""

from __future__ import annotations

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.benchmarks.payloads import ArithmeticTarget, OtherInputs
from calculus_harness.harness.report import export_comparison
from calculus_harness.harness.stats.gaps import gaps
from calculus_harness.harness.stats.paired import Comparison
from calculus_harness.harness.stats.tallies import Tally

#: How many of four samples are correct, of each of two problems of a split, for two systems.
CORRECT = {"I": ((4, 2), (3, 1)), "SS": ((2, 0), (0, 0)), "train": ((4, 4), (4, 4))}


def test_each_other_split_is_compared_with_split_i() -> None:
    problems: dict[str, Problem] = {}
    target = ArithmeticTarget(1)
    systems: dict[str, dict[str, Tally]] = {"a": {}, "b": {}}
    for split, of_systems in CORRECT.items():
        for name, counts in zip(systems, of_systems, strict=True):
            for n, count in enumerate(counts):
                key = f"{split}{n}"
                problems[key] = Problem(key, "arithmetic", "hint", split, OtherInputs(), target)
                systems[name][key] = Tally(key, key, 4, count, 0)
    (gap,) = gaps(problems, 1, systems)
    assert gap.group == "hint: I − SS"
    assert [value for value, _ in gap.sides] == [0.75 - 0.25, 0.5 - 0.0]
    assert gap.difference is not None
    value, (low, high) = gap.difference
    assert value == pytest.approx(0.0)
    assert low < value < high
    assert not list(gaps(problems, 5, systems))  # four samples have no pass@5
    line = export_comparison(Comparison("model", 1, (), gaps=(gap,)), "csv").splitlines()[1]
    assert line.startswith("gap,,hint: I − SS,a,b,,,,1,1,0.5,0.5,0,")
