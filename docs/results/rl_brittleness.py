"""Print the tables of docs/results/rl_brittleness.md: GRPO on failures that a search has found.

python docs/results/rl_brittleness.py DIR [SEED ...]

A model learns monomials and some neighbours of them from examples. For each seed a search from
these finds an archive of failures, and another one, from held-out monomials, the fresh archive.
Three runs of GRPO start from the model: on what it learnt from (the control), on the archive, and
on both. Training is as in examples/brittleness_rl_cpu.yaml. What is finished in DIR is not done
again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from statistics import fmean, stdev

from msgspec.structs import replace
from scipy.stats import t as student_t

from calculus_harness.benchmarks.drills import HELD_OUT, TRAIN
from calculus_harness.benchmarks.payloads import IntegrationInputs, IntegrationTarget
from calculus_harness.benchmarks.problem import Problem
from calculus_harness.harness.core.requests import Sampling
from calculus_harness.harness.report.search.records import read_record
from calculus_harness.harness.stats.summary import summarise
from calculus_harness.harness.store.problem_files import write_problems
from calculus_harness.harness.store.run import Run
from calculus_harness.harness.studies.search import SearchSettings, search, search_spec
from calculus_harness.harness.training.config import Config, ModelSection, load
from calculus_harness.harness.training.pipeline import train
from calculus_harness.harness.training.training_run import TrainingRun
from calculus_harness.rewards.reading.expression.build import add, mul, number, power
from calculus_harness.rewards.reading.expression.tree import Symbol
from calculus_harness.rewards.reading.latex import to_latex

CONFIG = Path(__file__).resolve().parents[2] / "examples" / "brittleness_rl_cpu.yaml"
#: What GRPO trains on: the problems of the examples, the archive, or both.
ARMS = ("taught", "archive", "both")
#: Subsets of `drills`, of the same size.
NEIGHBOURS = ("negated", "larger_coefficients", "larger_exponents", "sums")
#: Added to a seed for the search of the fresh archive.
FRESH = 1000
#: Terms k x^n by (k, n).
Terms = tuple[tuple[int, int], ...]


def main(folder: Path, seeds: list[int]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    taught = folder / "neighbours.jsonl"
    if not taught.exists():
        write_problems([_problem(terms) for terms in neighbours(TRAIN[::4])], taught)
    config = load(CONFIG)
    data = replace(config.data, benchmarks=(*config.data.benchmarks, str(taught)))
    config = replace(config, data=data)
    train(replace(config, grpo=None), TrainingRun(folder / "start", say))
    start = ModelSection(path=str(folder / "start/sft/model"))
    rows: dict[str, list[list[float]]] = {}
    for seed in seeds:
        seeded = replace(config, seed=seed, sft=None, model=start)
        for subset, values in experiment(seeded, folder / str(seed)).items():
            rows.setdefault(subset, []).append(values)
            shown = " | ".join(f"{value:.1f}" for value in values)
            print(f"| {seed} | {subset} | {shown} |", flush=True)
    for subset, by_seed in rows.items():
        before, *after = (list(column) for column in zip(*by_seed, strict=True))
        pairs = [(arm, before) for arm in after] + [(after[-1], after[0])]
        print(f"| {subset} |", " | ".join(difference(*pair) for pair in pairs), "|")


def experiment(config: Config, out: Path) -> dict[str, list[float]]:
    """The failure rates of a seed in percent: before, and after GRPO on each of `ARMS`."""
    archive = searched(config, TRAIN[::18], config.seed, out / "search")
    fresh = searched(config, HELD_OUT[::9], FRESH + config.seed, out / "fresh")
    evaluation = (*config.evaluation.benchmarks, f"{fresh.path}/archive")
    config = replace(config, evaluation=replace(config.evaluation, benchmarks=evaluation))
    failures = (f"{archive.path}/archive",)
    taught = config.data.benchmarks
    results: dict[str, list[float]] = {}
    for arm, benchmarks in zip(ARMS, (taught, failures, (*taught, *failures)), strict=True):
        part = replace(config, data=replace(config.data, benchmarks=benchmarks))
        run = train(part, TrainingRun(out / arm, say))
        for subset, before, after in rates(run):
            results.setdefault(subset, [before]).append(after)
        model = ModelSection(path=str(out / arm / "grpo/model"))
        again = searched(
            replace(config, model=model), HELD_OUT[::9], FRESH + config.seed, out / f"{arm}-fresh"
        )
        results.setdefault("fresh search", [share(fresh)]).append(share(again))
    return results


def difference(after: list[float], before: list[float]) -> str:
    """The mean difference over the seeds, with its 95 % interval of t."""
    differences = [second - first for second, first in zip(after, before, strict=True)]
    count = len(differences)
    mean = fmean(differences)
    if count < 2:
        return f"{mean:+.1f}"
    half = float(student_t.ppf(0.975, count - 1)) * stdev(differences) / count**0.5
    return f"{mean:+.1f} [{mean - half:+.1f}, {mean + half:+.1f}]"


def searched(config: Config, pairs: Sequence[tuple[int, int]], seed: int, out: Path) -> Run:
    """Search from monomials and neighbours of them, with numbers as those that were learnt."""
    terms = [*(((k, n),) for k, n in pairs), *neighbours(pairs)]
    settings = SearchSettings(
        name="near",
        seeds=tuple(" + ".join(f"{k}*x**{n}" for k, n in pairs) for pairs in terms),
        mutations="constants",
        variant="paper",
        low=-30,
        high=31,
        generations=2,
        generation_size=300,
        archive=300,
        confirm=False,
    )
    spec = search_spec(
        settings,
        model=[f"transformers/{config.model.path}"],
        prompt=config.data.prompt,
        samples=config.evaluation.samples,
        seed=seed,
        sampling=Sampling(max_tokens=config.evaluation.max_tokens),
        out=out,
    )
    return search(spec, settings)


def neighbours(pairs: Sequence[tuple[int, int]]) -> Iterator[Terms]:
    """Neighbours of monomials, of the kinds that `drills` has."""
    for place, (k, n) in enumerate(pairs):
        other, m = pairs[(7 * place + 5) % len(pairs)]
        yield ((-k, n),)
        yield ((k + 30, n),)
        yield ((k, n + 12),)
        if m != n:
            yield ((k, n), (other, m))


def _problem(terms: Terms) -> Problem:
    integrand = _latex(terms)
    antiderivative = _latex([(Fraction(k, n + 1), n + 1) for k, n in terms])
    inputs = IntegrationInputs(integrand, "x")
    target = IntegrationTarget(integrand, "x", antiderivative)
    name = "+".join(f"{k}x{n}" for k, n in terms)
    return Problem(name, "integration", "neighbours", "taught", inputs=inputs, target=target)


def _latex(terms: Sequence[tuple[int | Fraction, int]]) -> str:
    return to_latex(add(*(mul(number(k), power(Symbol("x"), number(n))) for k, n in terms)))


def rates(run: Run) -> list[tuple[str, float, float]]:
    """The failure rate of each subset, and of all neighbours, before and after, in percent."""
    rates: dict[str, list[float]] = {}
    for row in summarise(run, run.policy).rows:
        rates.setdefault(row.subset, []).append(100 * (1 - row.passes[0].value))
    del rates["all"]
    nearby = [rates[f"drills/{kind}"] for kind in NEIGHBOURS]
    rates["neighbours"] = [fmean(column) for column in zip(*nearby, strict=True)]
    return [(subset, before, after) for subset, (before, after) in rates.items()]


def share(run: Run) -> float:
    """How much of what a search asked failed, in percent."""
    record = read_record(run.path)
    assert record is not None
    failed = sum(generation.failed for generation in record.generations)
    return 100 * failed / sum(generation.asked for generation in record.generations)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]] or [0, 1, 2])
