"""Whether generated problems are distributed as before the algebra of the generators was rewritten.

`distributions.json` counts properties of 10,000 problems of a family, made at indices from 0 by the
last version that had an algebra for each generator (commit c237e47). The problems at indices from
10,000 on are compared with the recorded counts. Both draws have the same seed and an own table of
known integrals (IBP). FWD is not compared: FWD draws formulas as BWD does, and SymPy would
integrate for hours.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, starmap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from scipy.stats import chi2_contingency

from calculus_harness.benchmarks.derivations import calculus, examples
from calculus_harness.benchmarks.lample_charton.codec.prefix import from_prefix
from calculus_harness.benchmarks.lample_charton.codec.vocabulary import OPERATORS
from calculus_harness.benchmarks.lample_charton.generators import GeneratorSettings
from calculus_harness.benchmarks.lample_charton.pairs import make
from calculus_harness.benchmarks.lample_charton.sampling import GRAMMARS, PUBLISHED

pytestmark = pytest.mark.slow

RECORDED = json.loads(Path(__file__).with_name("distributions.json").read_text())
COUNT = 10_000
LATEX = re.compile(r"\\(?!left|right)[a-z]+|[-+^]")
#: The probability that a family is found to differ although nothing has changed.
SIGNIFICANCE = 0.01


def problem(family: str, index: int) -> tuple[Sequence[str], dict[str, tuple[Any, Any]]]:
    """The template of a problem, and the texts and trees of the formulas."""
    if family in ("bwd", "ibp"):
        pair = make(family, 1, index, GeneratorSettings())
        sides = {"f": pair.integrand, "F": pair.antiderivative}
        return sides["F"][:1], {name: (text, from_prefix(text)) for name, text in sides.items()}
    if family in calculus.OPERATIONS:
        case = calculus.case(family, 1, index)
        trees = {"premise": case.premise, "result": case.positive}
        return (), {name: (calculus.latex(tree), tree) for name, tree in trees.items()}
    drawn = examples.example(3, 1, index)
    last_step = drawn.positive.equation
    steps = [step.annotation.operator for step in (*drawn.before, drawn.positive)]
    return steps, {"last": (last_step.latex, last_step.right)}


def depth(tree: Any) -> int:
    return 1 + max(map(depth, tree.args), default=0)


def properties(template: Sequence[str], formulas: dict[str, tuple[Any, Any]]) -> Iterator[str]:
    """Properties of a problem to count, each as ``property=value``."""
    yield f"template={' '.join(template)}"
    yield from (f"{operator}=used" for operator in set(template))
    for name, (text, tree) in formulas.items():
        latex = isinstance(text, str)
        used = Counter(LATEX.findall(text) if latex else filter(OPERATORS.get, text))
        yield from (f"{name} {operator}={min(n, 3)}" for operator, n in used.items())
        yield from (f"{name} length={len(text) // 10}", f"{name} depth={depth(tree)}")


def differing(family: str, count: int) -> dict[str, float]:
    """The properties with different counts by chi-square tests, with p (Bonferroni)."""
    problems = (problem(family, COUNT + index) for index in range(count))
    recorded, counted = RECORDED[family], Counter(chain(*starmap(properties, problems)))
    columns: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for key in {**recorded, **counted}:
        columns[key.partition("=")[0]].append((recorded.get(key, 0), counted[key]))
    least = 5 * (COUNT + count) / count  # what is rarer counts as one value
    p: dict[str, float] = {}
    for name, numbers in columns.items():
        often = [column for column in numbers if sum(column) >= least]
        remaining = COUNT - sum(n for n, _ in often), count - sum(n for _, n in often)
        table = [*often, remaining] if sum(remaining) >= least else often
        p[name] = chi2_contingency(table).pvalue
    return {name: value for name, value in p.items() if value < SIGNIFICANCE / len(p)}


@pytest.mark.parametrize("family", RECORDED)
def test_problems_are_distributed_as_before(family: str) -> None:
    assert not differing(family, COUNT if settings.get_current_profile_name() == "search" else 1000)


def test_another_weight_of_an_operator_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = {**PUBLISHED.weights, "sin": 2 * PUBLISHED.weights["sin"]}
    monkeypatch.setitem(GRAMMARS, "published", replace(PUBLISHED, weights=weights))
    assert "F sin" in differing("bwd", 1000)
