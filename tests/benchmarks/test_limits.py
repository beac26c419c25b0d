"""A limit takes the same problems of a subset, whatever else is asked."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.harness.run.problems import problems_of

SPECS = [
    ["drills"],
    ["drills/monomials"],
    ["drills/monomials_train", "drills/renamed"],
    ["drills/sums"],
    ["drills/sums", "drills/negated", "drills/monomials"],
    ["drills/all"],
    ["bee/qualifier"],
    ["bee"],
]


def chosen(specs: list[str], limit: int, seed: int = 0) -> dict[str, set[str]]:
    subsets: dict[str, set[str]] = {}
    for problem in problems_of(specs, limit, seed):
        subsets.setdefault(problem.name, set()).add(problem.id)
    return subsets


def nested(selections: list[dict[str, set[str]]]) -> None:
    for smaller, larger in combinations(selections, 2):
        for name in smaller.keys() & larger.keys():
            assert smaller[name] <= larger[name] or larger[name] <= smaller[name], name


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7])
def test_selections_of_a_subset_are_nested_whatever_else_is_asked(seed: int) -> None:
    nested([chosen(specs, limit, seed) for specs in SPECS for limit in (12, 30, 70)])
    assert chosen(["drills"], 20, seed) != chosen(["drills"], 20, seed + 1)


def test_thirty_and_twelve_problems_share_twelve() -> None:
    alone = chosen(["bee/qualifier"], 30)["bee/qualifier"]
    with_another = chosen(["bee/qualifier", "bee/competition"], 24)["bee/qualifier"]
    assert len(with_another) == 12
    assert with_another < alone


def test_a_limit_of_one_subset_is_that_of_load() -> None:
    for name in ("bee/qualifier", "drills/sums"):
        assert chosen([name], 15)[name] == {problem.id for problem in load(name, limit=15)}


def test_perturbations_come_with_their_originals() -> None:
    problems = problems_of(["drills"], 40, 0)
    ids = {problem.id for problem in problems}
    perturbed = [problem for problem in problems if problem.pair_parent is not None]
    assert len(perturbed) > 15
    assert {problem.pair_parent for problem in perturbed} <= ids


def test_subsets_of_a_file_too(tmp_path: Path) -> None:
    """Derived problems of derived problems count, and problems without an original."""
    rows = []
    for n in range(30):
        own = {"task": "integration", "benchmark": "own", "target": {}}
        inputs = {"integrand": f"{n}x", "variable": "x"}
        own |= {"inputs": inputs, "target": inputs}
        rows.append(own | {"id": f"p{n}", "subset": "plain"})
        rows.append(own | {"id": f"s{n}", "subset": "shifted", "pair_parent": f"p{n}"})
        rows.append(own | {"id": f"a{n}", "subset": "again", "pair_parent": f"s{n}"})
        rows.append(own | {"id": f"l{n}", "subset": "lost", "pair_parent": f"none{n}"})
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    selections = [chosen([str(path)], limit) for limit in range(1, 120, 7)]
    nested(selections)
    for selection in selections:
        assert {f"p{name[1:]}" for name in selection.get("own/again", ())} <= selection["own/plain"]
