"""The counts in the tables of "Symbolic Brittleness", on verdicts in the test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness.core.requests import problem_key
from calculus_harness.harness.stats.tallies import Tally
from calculus_harness.harness.studies.brittleness.answers import ModelAnswers
from calculus_harness.harness.studies.brittleness.integers import shares, training_integers
from calculus_harness.harness.studies.brittleness.robustness import compositions
from calculus_harness.harness.studies.brittleness.validation import Ending, endings
from calculus_harness.harness.studies.brittleness.verification import cancelled

INPUTS = {"integrand": "2x", "variable": "x"}
PREFIX = {"prefix": "mul INT+ 2 x", "antiderivative_prefix": "pow x INT+ 2"}


class StoredRun:
    """A run of a model with a beam search, and the verdicts of the paper's scorer."""

    def __init__(
        self,
        problems: list[Problem],
        width: int,
        verdicts: list[dict[str, Any]],
        policies: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        self.problems = {problem_key(problem): problem for problem in problems}
        self.models = {"m": {"label": "m", "samples": width, "problems": len(problems)}}
        policies = policies or {"welleck-1": {}}
        self.manifest = {"identity": {"sampling": {"beams": width}}, "policies": policies}
        self.policies = ("balls-1", *policies)
        self._verdicts = verdicts

    def verdicts(self, policy: str | None) -> StoredRun:
        assert policy in self.manifest["policies"]
        return self

    @property
    def completions(self) -> StoredRun:
        """Rows have the fields of completions, too."""
        return self

    def rows(self) -> list[dict[str, Any]]:
        return self._verdicts


def judged(*credited: bool, width: int = 50) -> ModelAnswers:
    """Sums of validation problems and of primitives, twice each problem of ``credited``.

    The seventh candidate is accepted, because of a timeout where timeouts are credited.
    """
    problems, verdicts, tallies = [], [], {}
    for pool in ("valid", "coeff"):
        for rank, timeout in enumerate(credited):
            problem = Problem(
                f"{pool}-{rank}", "integration", "brittleness", f"{pool}_sum2", INPUTS, INPUTS
            )
            problems.append(problem)
            key = problem_key(problem)
            tallies[key] = Tally(key, key, width, 1, 0, first=6)
            for sample in range(width):
                right = sample == 6
                verdicts.append(
                    {
                        "model": "m",
                        "problem": key,
                        "sample": sample,
                        "status": "correct" if right else "incorrect",
                        "evidence": {
                            "flags": ["timeout_is_correct"] if right and timeout else [],
                        },
                    }
                )
    run: Any = StoredRun(problems, width, verdicts)
    source = ModelAnswers(run, "m", "balls-1")
    fields = {"tallies": tallies, "scorer": "welleck-1", "scorer_tallies": tallies}
    vars(source).update(fields, samples=width)
    return source


def row(source: ModelAnswers, name: str) -> dict[str, str]:
    section = compositions(source)
    (cells,) = [cells for cells in section.rows if cells[0] == name]
    return dict(zip(section.headings, cells, strict=True))


def test_of_fifty_candidates_a_timeout_earns_no_credit_in_sums_of_validation_problems() -> None:
    """Appendix B: the exception is for the pool at Fail@50 alone."""
    source = judged(True, True, False, True)
    valid, coeff = row(source, "valid, 2 terms"), row(source, "coeff, 2 terms")
    assert valid["their scorer Fail@50"] == "75.0"
    assert coeff["their scorer Fail@50"] == "0.0"
    for cells in (valid, coeff):
        assert cells["their scorer Fail@10 (width 50)"] == "0.0"
        assert cells["their scorer Fail@1 (width 50)"] == "100.0"
        assert cells["Fail@50"].startswith("0.0 [")


def candidate(
    problem: str, sample: int, seconds: float, verdict: str = "incorrect", flag: str = ""
) -> dict[str, Any]:
    evidence = {"seconds": seconds, "flags": [flag] if flag else []}
    row = {"model": "m", "problem": problem, "sample": sample, "status": verdict}
    return row | {"evidence": evidence, "latency": 4.0}


#: Name -> its candidates: seconds, verdict and flag of each; and where they end of a limit of 10 s.
ENDINGS: dict[str, tuple[list[tuple[Any, ...]], Ending | None]] = {
    "wrong": ([(3, "incorrect"), (6.9, "unparseable")], None),
    "right": ([(3, "incorrect"), (6.9, "correct"), (99, "incorrect")], Ending(1, cancelled=False)),
    "late": ([(4, "incorrect"), (6, "correct")], Ending(1, cancelled=True)),
    "slow": (
        [(1, "incorrect"), (1, "incorrect"), (10, "correct", "timeout_is_correct")],
        Ending(2, cancelled=True),
    ),
    "raises": (
        [(1, "correct", "exception_is_correct"), (1, "correct")],
        Ending(0, cancelled=True),
    ),
}


def test_the_seconds_of_a_problem_are_for_all_its_candidates() -> None:
    rows = [
        candidate(name, sample, *values)
        for name, (candidates, _) in ENDINGS.items()
        for sample, values in enumerate(candidates)
    ]
    expected = {name: ending for name, (_, ending) in ENDINGS.items()}
    assert endings(reversed(rows), 10.0, {}) == expected
    later = endings(rows, 10.0, dict.fromkeys(ENDINGS, 4.0))
    assert later["right"] == Ending(1, cancelled=True)
    assert later["wrong"] == Ending(1, cancelled=True)
    assert later["slow"] == Ending(2, cancelled=True)


@pytest.mark.parametrize(
    ("with_decoding", "fail50", "share"), [(False, "50.0", "25.0"), (True, "75.0", "50.0")]
)
def test_validation_problems_have_a_limit_of_their_own(
    with_decoding: bool, fail50: str, share: str
) -> None:
    """Appendix B: 10 s for a problem; cancelled is correct, but for sums among 50 candidates."""
    seconds = {"a": 0.1, "b": 6.0, "c": 0.1, "d": 0.1}  # for the fourth candidate, the right one
    right = {"a", "b"}
    problems, rows, tallies = [], [], {}
    for name in seconds:
        problem = Problem(name, "integration", "brittleness", "valid_sum2", INPUTS, INPUTS)
        problems.append(problem)
        key = problem_key(problem)
        tallies[key] = Tally(key, key, 50, 0, 0, first=50)
        for sample in range(50):
            verdict = "correct" if sample == 3 and name in right else "incorrect"
            rows.append(candidate(key, sample, seconds[name] if sample == 3 else 0.02, verdict))
        if name == "c":
            rows[-48]["evidence"] = {"seconds": 10.0, "flags": ["timeout_is_correct"]}
            rows[-48]["status"] = "correct"
    policies = {"welleck-1-deadline10": {"deadline": 10.0}}
    run: Any = StoredRun(problems, 50, rows, policies)
    source = ModelAnswers(run, "m", "balls-1", with_decoding)
    vars(source).update(tallies=tallies, samples=50)
    cells = row(source, "valid, 2 terms")
    assert cells["their scorer Fail@1 (width 50)"] == "100.0"
    assert cells["their scorer Fail@10 (width 50)"] == "25.0"
    assert cells["their scorer Fail@50"] == fail50
    assert cancelled(source).headings[2:] == ("cancelled@1", "cancelled@10", "cancelled@50")
    (line,) = [line for line in cancelled(source).rows if line[0] == "valid, 2 terms"]
    assert line == ("valid, 2 terms", "4", "0.0", share, share)


@pytest.mark.parametrize(("width", "marked"), [(50, True), (10, False), (12, True)])
def test_the_best_of_another_width_are_marked(width: int, marked: bool) -> None:
    headings = compositions(judged(False, width=width)).headings
    name = f"Fail@1 (width {width})" if marked else "Fail@1"
    assert headings[2:4] == (name, name.replace("@1", "@10"))
    assert "paper Fail@50" in headings


def test_integers_of_sequences() -> None:
    sequences = [
        "add INT+ 9 9 mul INT- 5 pow x div INT+ 7 INT- 3".split(),
        "mul INT+ 1 0 0 add INT+ 1 9 9 9 INT+ 0".split(),
    ]
    total, shares_of = shares(sequences)
    assert total == 3
    assert shares_of == {
        (1, 100): pytest.approx(1 / 3),
        (100, 200): pytest.approx(1 / 3),
        (1000, 2000): pytest.approx(1 / 3),
        (10_000, 20_000): 0,
    }


def test_integers_stand_beside_the_published_ones() -> None:
    problem = Problem("p", "integration", "lample_charton", "bwd", INPUTS, INPUTS, metadata=PREFIX)
    run: Any = StoredRun([problem], 10, [])
    section = training_integers(ModelAnswers(run, "m", "balls-1"))
    assert section.rows[0] == ("1-99", "100.000", "99.4")
    run = StoredRun([], 10, [])
    assert training_integers(ModelAnswers(run, "m", "balls-1")).rows[3][1:] == ("not run", "0.005")
