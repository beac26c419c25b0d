"""MAP-Elites (pyribs) beside the search's own selection: the same budget of questions.

    python tests/perf/harness/map_elites.py [--seeds 3] [--budget 3000]  (needs the package ribs)

Both mutate the same seeds by the same rules, and ask the same model the same number of different
problems. The model integrates sums of multiples of powers with numbers up to 200, and fails
anything else. SAGGA takes the fittest of the clusters of new failures; MAP-Elites keeps the
shortest failure of every cell of an archive over structure (nodes, terms, kinds of functions) and
mutates random elites. Printed are the different failures, the cells of that archive that they fill,
and the kinds of failures by `cluster_names`'s features.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from calculus_harness.benchmarks.hashed_random import HashedRandom
from calculus_harness.harness.studies.search.clusters import FEATURES_BY_NAME
from calculus_harness.harness.studies.search.embedding import embedding
from calculus_harness.harness.studies.search.formulas import (
    TRIGONOMETRIC,
    functions,
    read,
    size,
    terms,
)
from calculus_harness.harness.studies.search.mutants import Mutant, mutants, unusable
from calculus_harness.harness.studies.search.mutations import Rules
from calculus_harness.harness.studies.search.selection import fittest_of_clusters, k_means
from calculus_harness.rewards.reading.expression.tree import Expression
from tests.harness.studies.search.polynomials import integral

SEEDS = [read(seed) for seed in ("1", "x", "x + 1", "x**2 + x + 1")]
GENERATION, SEED_SIZE, CLUSTERS = 300, 50, 10
#: Nodes, terms and kinds of functions: the cells of the archive, and their bounds.
CELLS, BOUNDS = (15, 5, 8), ((1, 46), (1, 6), (0, 8))
_IN_EXPONENT = FEATURES_BY_NAME["x in an exponent"]


def fails(tree: Expression) -> bool:
    """Whether the model has no answer."""
    return integral(tree) is None


def measures(tree: Expression) -> tuple[float, float, float]:
    """A formula's place in the archive."""
    names = functions(tree)
    features = (names & {"exp", "ln"}, names & TRIGONOMETRIC, _IN_EXPONENT(tree))
    code = sum(2**at for at, feature in enumerate(features) if feature)
    return float(size(tree)), float(terms(tree)), float(code)


@dataclass
class Search:
    """Formulas asked and failures found."""

    budget: int
    seen: set[str] = field(default_factory=set)
    found: dict[str, Expression] = field(default_factory=dict)

    def ask(self, drawn: Iterable[Mutant]) -> list[Mutant]:
        """The new failures; nothing is asked twice, nor beyond the budget."""
        new = []
        for mutant in drawn:
            if mutant.text in self.seen or len(self.seen) >= self.budget or unusable(mutant.tree):
                continue
            self.seen.add(mutant.text)
            if fails(mutant.tree):
                self.found[mutant.text] = mutant.tree
                new.append(mutant)
        return new


def sagga(seed: int, budget: int) -> Search:
    """The search of `run.py search`."""
    state, parents = Search(budget), list(SEEDS)
    embed = embedding("ngrams")[0]
    generation = 0
    while len(state.seen) < budget:
        generation += 1
        new = state.ask(mutants(parents, GENERATION, Rules(), ("sagga", seed, generation))[0])
        parents = list(SEEDS)
        if new:
            which = k_means(
                embed([p.tree for p in new]), CLUSTERS, HashedRandom("k", seed, generation)
            )
            fitness = [1 / len(p.text) for p in new]
            chosen = fittest_of_clusters(fitness, which, SEED_SIZE // CLUSTERS)
            parents = [*(new[index].tree for index in chosen), *SEEDS]
    return state


def map_elites(seed: int, budget: int) -> Search:
    """The same mutations of random elites of pyribs' archive."""
    from ribs.archives import GridArchive

    archive = GridArchive(
        solution_dim=1, dims=CELLS, ranges=BOUNDS, seed=seed, extra_fields={"formula": ((), object)}
    )
    state = Search(budget)
    generation = 0
    while len(state.seen) < budget:
        generation += 1
        # Both searches draw from the same seeds by the same mutations; only the choice of parents
        # differs.
        parents = list(SEEDS)
        if len(archive):
            elites = archive.sample_elites(min(SEED_SIZE, len(archive)))
            parents = [*map(read, dict.fromkeys(elites["formula"])), *SEEDS]
        drawn = mutants(parents, GENERATION, Rules(), ("elites", seed, generation))[0]
        new = state.ask(drawn)
        if new:
            archive.add(
                np.zeros((len(new), 1)),
                [1 / len(mutant.text) for mutant in new],
                [measures(mutant.tree) for mutant in new],
                formula=np.array([mutant.text for mutant in new], dtype=object),
            )
    return state


def cells(trees: Iterable[Expression]) -> int:
    """The number of filled cells of the archive."""
    occupied = set()
    for tree in trees:
        at = [
            min(int((value - low) / (high - low) * count), count - 1)
            for value, (low, high), count in zip(measures(tree), BOUNDS, CELLS, strict=True)
        ]
        occupied.add(tuple(at))
    return len(occupied)


def feature_sets(trees: Iterable[Expression]) -> int:
    """The number of different sets of features."""
    return len({tuple(test(tree) for test in FEATURES_BY_NAME.values()) for tree in trees})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budget", type=int, default=3000)
    options = parser.parse_args()
    total = int(np.prod(CELLS))
    print(
        f"{'method':12}{'seed':>5}{'asked':>7}{'failures':>9}{f'cells of {total}':>13}"
        f"{'kinds':>7}{'length':>8}"
    )
    methods: dict[str, Callable[[int, int], Search]] = {"SAGGA": sagga, "MAP-Elites": map_elites}
    for name, method in methods.items():
        for seed in range(options.seeds):
            state = method(seed, options.budget)
            trees = list(state.found.values())
            length = sum(map(len, state.found)) / max(1, len(trees))
            print(
                f"{name:12}{seed:>5}{len(state.seen):>7}{len(trees):>9}{cells(trees):>13}"
                f"{feature_sets(trees):>7}{length:>8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
