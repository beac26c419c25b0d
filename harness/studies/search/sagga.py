"""The search (SAGGA) for formulas that a model fails to integrate.

The model is asked generations of mutants (formulas changed at random). An archive collects the
failures. The state of a search is in a run directory. The mutants of a generation are stored before
they are asked. Everything that is derived from verdicts is recomputed. Therefore the same call
resumes a stopped search.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from ....benchmarks.hashed_random import HashedRandom
from ....benchmarks.payloads import IntegrationInputs, IntegrationTarget
from ....benchmarks.problem import Problem
from ....rewards.reading.expression.tree import Expression
from ....rewards.records import plain
from ....rewards.verdict import Status
from ...core.asynchronous import outside_loop
from ...core.errors import RunError, UserError
from ...core.requests import FinishReason, digest
from ...core.wording import counted
from ...models import Model
from ...report.search.records import (
    Batch,
    Generation,
    SearchRecord,
    read_batch,
    read_record,
    write_archive,
    write_batch,
    write_record,
)
from ...run.job import Job
from ...run.plan import plan
from ...run.progress import Progress, Silent
from ...run.runner import Session
from ...run.spec import SweepSpec
from ...store.run import Run
from .clusters import cluster_names, projected
from .embedding import embedding
from .formulas import NoProblemError, depth, latex, prefix, read, size, terms, text
from .minimise import minimise
from .mutants import Mutant, mutants, refusal, unusable
from .oracle import LimitReached, Oracle
from .selection import Fitness, fittest_of_clusters, k_means
from .settings import SearchSettings

#: The benchmark's name in the problems of searches.
BENCHMARK = "search"
#: The number of successive generations without a new failure that ends a search.
PATIENCE = 10
#: The share of unreadable answers that causes a remark.
UNREADABLE = 0.9
#: Settings that may grow when a search is resumed.
GROWING = ("archive", "generations", "minimised")

Report = Callable[[SearchRecord], None]


def search(
    spec: SweepSpec,
    settings: SearchSettings | None = None,
    *,
    models: Sequence[str | Model] | None = None,
    progress: Progress | None = None,
    on_generation: Report | None = None,
) -> Run:
    """Search for problems that a model fails. The same call resumes a stopped search.

    Args:
        spec: the models and how to ask them. If there are two models, a failure of the first model
            counts only if the second model solves the problem. The names of benchmarks in ``spec``
            name the run, and have no other use. `search_spec` makes a spec.
        settings: the settings of the search.
        models: models that replace the names in ``spec.model``.
        progress: an object that receives every completion and verdict. The default ignores them.
        on_generation: a function that is called after every generation, with the search's record.

    Returns:
        The run, with all problems and answers, ``search.json`` and ``archive.jsonl``.

    Raises:
        UserError: a seed or a setting cannot be used, or the run directory belongs to another
            search.

    >>> settings = SearchSettings(archive=3, generation_size=8)
    >>> spec = search_spec(settings, model=["solver/sympy"], out="run")
    >>> run = search(spec, settings)
    >>> read_record(run.path).generations[0].asked > 0
    True

    """
    settings = settings or SearchSettings()
    if not 1 <= len(models or spec.model) <= 2:
        raise UserError("a search is of one model, or of one that fails and one that solves")
    seeds = seed_problems(settings)
    job = planned(spec, settings, models, seeds)
    if len({model.hash for model in job.models}) < len(job.models):
        raise UserError("the model that fails and the one that solves are the same")

    # One event loop for all generations: models keep their weights and connections.
    def work() -> Run:
        with asyncio.Runner() as loop:
            session = Session(loop)
            oracle = Oracle(
                job,
                spec.policy,
                progress or Silent(),
                session,
                below=settings.fails_below,
                confirm=settings.confirm,
            )
            try:
                return _RunningSearch(oracle, settings, seeds, on_generation).run()
            finally:
                session.close(job.models)

    return outside_loop(work)


def planned(
    spec: SweepSpec,
    settings: SearchSettings,
    models: Sequence[str | Model] | None,
    seeds: Sequence[Problem],
) -> Job:
    """Plan the job of a search. The problems of the job are the seeds.

    The name of the run directory depends on the settings.

    Raises:
        UserError: a name is unknown, or the settings contradict each other.

    """
    job = plan(spec, models=models, problems=seeds)
    if spec.out is not None:
        return job
    fixed = {k: v for k, v in settings.to_dict().items() if k not in GROWING}
    name = digest([job.identity.to_dict(), fixed, [model.hash for model in job.models]])[:8]
    return replace(job, out=Path("runs") / f"{BENCHMARK}-{settings.name}-{name}")


def search_spec(settings: SearchSettings, **fields: object) -> SweepSpec:
    """Make the `SweepSpec` of a search. The name of the spec's benchmark depends on the settings.

    Args:
        settings: the settings of the search.
        fields: fields of `SweepSpec`, except ``benchmark``.

    Returns:
        The spec.

    Raises:
        UserError: a field is unknown, of the wrong kind or out of range.

    >>> search_spec(SearchSettings(), model="solver/sympy", samples=4).benchmark
    ('search/own',)

    """
    return SweepSpec.of(benchmark=f"{BENCHMARK}/{settings.name}", **fields)


def seed_problems(settings: SearchSettings) -> list[Problem]:
    """Convert the distinct seeds to problems.

    Raises:
        UserError: seeds are unreadable or are not integrands. The message lists them.

    """
    trees: dict[str, Expression] = {}
    broken: list[str] = []
    for seed in settings.seeds:
        try:
            tree = read(seed)
        except NoProblemError as error:
            hint = "; a power is **" if "^" in seed else ""
            broken.append(f"{seed!r}: {error}{hint}")
            continue
        words = text(tree)
        reason = refusal(tree, words) or unusable(tree)
        if reason:
            broken.append(f"{seed!r}: {reason}")
        trees[words] = tree
    if broken:
        raise UserError(
            f"{len(broken)} of {len(settings.seeds)} seeds cannot be integrands in x: "
            + "; ".join(broken)
        )
    return [
        problem_of(tree, f"{settings.name}-seeds", {"generation": 0}, "seed-")
        for tree in trees.values()
    ]


def problem_of(
    tree: Expression, subset: str, metadata: dict[str, object], prefix_of_id: str = ""
) -> Problem:
    """Convert a formula to a problem. The problem's id is a hash of the formula."""
    words = text(tree)
    integral = latex(tree), "x"
    name = blake2b(words.encode(), digest_size=6).hexdigest()
    measured = plain(metadata) | {
        "formula": words,
        "prefix": prefix(tree),
        "nodes": size(tree),
        "depth": depth(tree),
        "terms": terms(tree),
    }
    return Problem(
        f"{prefix_of_id}{name}",
        "integration",
        BENCHMARK,
        subset,
        IntegrationInputs(*integral),
        IntegrationTarget(*integral),
        metadata=measured,
    )


@dataclass
class _State:
    """The state of a search, as computed from the verdicts so far."""

    seeds: list[Expression]
    seen: set[str]
    archive: dict[str, Problem] = field(default_factory=dict)
    generations: list[Generation] = field(default_factory=list)
    barren: int = 0


class _RunningSearch:
    """A search in progress. Its models are ready for requests."""

    def __init__(
        self,
        oracle: Oracle,
        settings: SearchSettings,
        seeds: Sequence[Problem],
        on_generation: Report | None,
    ) -> None:
        self.oracle, self.settings, self.on_generation = oracle, settings, on_generation
        self.job: Job = oracle.job
        self.first = list(seeds)
        embed, self.words = embedding(settings.embedding)
        self.embed, self.fitness = embed, Fitness(settings, embed)
        self.record = SearchRecord(
            settings=settings.to_dict(),
            model=oracle.models[0],
            solved_by=oracle.models[1] if len(oracle.models) > 1 else None,
            embedding=self.words,
            policy=oracle.policy.name,
        )
        self._refuse_other()

    def _refuse_other(self) -> None:
        """Raise `RunError` if the run directory belongs to another search."""
        stored = read_record(self.job.out)
        if stored is None:
            return  # a run of another kind has another identity
        own = json.loads(json.dumps(self.record.to_dict()))
        for name in ("model", "solved_by", "policy"):
            if getattr(stored, name) != own[name]:
                raise RunError(
                    f"{self.job.out} is a search with another {name.replace('_', ' ')}; use "
                    "another --out"
                )
        for name, value in own["settings"].items():
            former = stored.settings.get(name)
            if former != value and name not in GROWING:
                raise RunError(
                    f"{self.job.out} was searched with {name.replace('_', '-')} {former}, not "
                    f"{value}; use the same settings, or another --out"
                )

    def run(self) -> Run:
        state = _State([], set())
        ended = ""
        try:
            self._ask_seeds(state)
            while not (ended := self._end(state)):
                self._generation(state)
            self._describe(state)
            self._cluster(state)
            if self.settings.minimised:
                self._minimise(state)
        except LimitReached as limit:
            self._cluster(state)
            ended = f"the limit of {limit} is reached; a larger one goes on from here"
        self.record = replace(self.record, ended=ended)
        self._write(state)
        return Run(self.job.out)

    def _ask_seeds(self, state: _State) -> None:
        """Ask the models the seed problems, and add a note to the record if some are not solved."""
        state.seeds = [read(str(problem.metadata["formula"])) for problem in self.first]
        state.seen = {str(problem.metadata["formula"]) for problem in self.first}
        self.oracle.ask(self.first)
        write_record(self.job.out, self.record)
        failed = [problem for problem in self.first if not self.oracle.solves(problem)]
        if not failed:
            return
        names = ", ".join(str(problem.metadata["formula"]) for problem in failed)
        note = f"{len(failed)} of {len(self.first)} seeds are not solved by the model: {names}."
        if len(failed) == len(self.first):
            note += (
                " It solves none, so what it fails says little: look at its answers to the seeds "
                "(the prompt, limits of tokens and time, the notation of answers)."
            )
        self._note(note)

    def _end(self, state: _State) -> str:
        settings = self.settings
        if len(state.archive) >= settings.archive:
            return f"the archive has {counted(len(state.archive), 'failure')}"
        if len(state.generations) >= settings.generations:
            return f"{counted(settings.generations, 'generation')} are over"
        if state.barren >= PATIENCE:
            return f"{counted(PATIENCE, 'generation')} in a row brought no new failure"
        return ""

    # --- a generation ---

    def _generation(self, state: _State) -> None:
        number = len(state.generations) + 1
        batch = read_batch(self.job.out, number)
        if batch is None:
            batch = self._draw(state, number)
            write_batch(self.job.out, number, batch)
        state.seen |= {str(problem.metadata["formula"]) for problem in batch.problems}
        failed, unconfirmed = self.oracle.failures(batch.problems)
        novel = self._admit(state, failed)
        state.barren = 0 if novel else state.barren + 1
        state.seeds = self._next_seeds(novel, number)
        lengths = [len(str(problem.metadata["formula"])) for problem, _ in novel]
        state.generations.append(
            Generation(
                number=number,
                drawn=batch.drawn,
                refused=batch.refused,
                repeated=batch.repeated,
                asked=len(batch.problems),
                failed=len(failed) + unconfirmed,
                unconfirmed=unconfirmed,
                unknown=self._unknown(batch.problems),
                novel=len(novel),
                archive=len(state.archive),
                length=sum(lengths) / len(lengths) if lengths else None,
            )
        )
        self._write(state)
        if self.on_generation is not None:
            self.on_generation(self.record)

    def _draw(self, state: _State, number: int) -> Batch:
        """Draw the new mutants of a generation, as problems."""
        settings = self.settings
        key = (self.job.identity.seed, settings.name, number)
        drawn, refused = mutants(
            state.seeds, settings.generation_size, settings.rules, key, settings.simplifier
        )
        new: dict[str, Mutant] = {}
        repeated = 0
        for mutant in drawn:
            if mutant.text in state.seen or mutant.text in new:
                repeated += 1
            elif reason := unusable(mutant.tree):
                refused[reason] += 1
            else:
                new[mutant.text] = mutant
        problems = tuple(
            problem_of(
                mutant.tree,
                settings.name,
                {"generation": number, "parent": mutant.parent, "mutation": mutant.mutation},
            )
            for mutant in new.values()
        )
        return Batch(len(drawn) + sum(refused.values()), dict(refused), repeated, problems)

    def _admit(self, state: _State, failed: Sequence[Problem]) -> list[tuple[Problem, float]]:
        """Add failed problems with enough fitness to the archive, until the archive is full."""
        trees = [read(str(problem.metadata["formula"])) for problem in failed]
        novel: list[tuple[Problem, float]] = []
        for problem, fitness in zip(failed, self.fitness.of(trees), strict=True):
            if fitness < self.settings.threshold or len(state.archive) >= self.settings.archive:
                continue
            own = self.oracle.deciding(problem)
            metadata = {
                **problem.metadata,
                "fitness": fitness,
                "status": own.status,
                "samples": own.samples,
                "correct": own.correct,
            }
            novel.append((problem, fitness))
            state.archive[problem.id] = replace(problem, metadata=metadata)
        return novel

    def _next_seeds(self, novel: Sequence[tuple[Problem, float]], number: int) -> list[Expression]:
        """Choose the next seeds: failed problems by the setting ``select``, and the first seeds."""
        settings = self.settings
        trees = [read(str(problem.metadata["formula"])) for problem, _ in novel]
        values = [fitness for _, fitness in novel]
        chosen: list[int] = []
        if novel and settings.select == "fittest":
            order = sorted(range(len(novel)), key=lambda index: -values[index])
            chosen = order[: settings.seed_size]
        elif novel:
            rng = HashedRandom("search", "clusters", self.job.identity.seed, number)
            clusters = k_means(self.embed(trees), settings.clusters, rng)
            per_cluster = max(1, settings.seed_size // settings.clusters)
            chosen = fittest_of_clusters(values, clusters, per_cluster)
        first_seeds = [read(str(problem.metadata["formula"])) for problem in self.first]
        return [*(trees[index] for index in chosen), *first_seeds]

    def _unknown(self, problems: Sequence[Problem]) -> int:
        return sum(
            own.unknown > 0 and not own.correct
            for own in (self.oracle.outcome(problem) for problem in problems)
        )

    # --- what is written ---

    def _describe(self, state: _State) -> None:
        """Add a note to the record if no failures are found, or if most verdicts are unknown."""
        total = sum(generation.asked for generation in state.generations)
        unknown = sum(generation.unknown for generation in state.generations)
        failed = sum(generation.failed - generation.unconfirmed for generation in state.generations)
        if not total:
            self._note("No mutant was new and valid: widen the constants, or add seeds.")
        elif not state.archive and failed:
            self._note(
                f"The model failed {failed} of {total} problems, but the fitness of none reaches "
                f"the threshold of {self.settings.threshold:g}."
            )
        elif not state.archive and unknown < total:
            self._note(f"The model failed none of {total} problems.")
        if total and unknown >= UNREADABLE * total:
            self._note(
                f"No verdict is known on {unknown} of {total} problems (errors of the model, or "
                "limits of time): look at the answers (`view`)."
            )
        statuses = Counter(str(failure.metadata["status"]) for failure in state.archive.values())
        silent = (Status.NO_ANSWER, Status.UNPARSEABLE, FinishReason.LENGTH)
        unreadable = sum(statuses[status] for status in silent)
        if state.archive and unreadable >= UNREADABLE * len(state.archive):
            self._note(
                f"{unreadable} of {len(state.archive)} failures are answers without a readable "
                "formula: is the prompt, or --answer-format, the right one for this model?"
            )

    def _cluster(self, state: _State) -> None:
        """Store each failure's cluster, and the failure's coordinates on a map of formulas."""
        if not state.archive:
            return
        failures = list(state.archive.values())
        trees = [read(str(problem.metadata["formula"])) for problem in failures]
        rng = HashedRandom("search", "archive", self.job.identity.seed)
        which = k_means(self.embed(trees), self.settings.clusters, rng)
        names = cluster_names(trees, which)
        coordinates = projected(embedding("structure")[0](trees))
        for problem, cluster, (x, y) in zip(
            failures, which.tolist(), coordinates.tolist(), strict=True
        ):
            location = {"cluster": names[cluster], "place": [round(x, 4), round(y, 4)]}
            state.archive[problem.id] = replace(problem, metadata={**problem.metadata, **location})

    def _minimise(self, state: _State) -> None:
        chosen = list(state.archive.values())
        trees = [read(str(problem.metadata["formula"])) for problem in chosen]
        rng = HashedRandom("search", "minimised", self.job.identity.seed)
        if chosen:
            count = self.settings.minimised
            clusters = k_means(self.embed(trees), count, rng)
            fitness = [float(str(problem.metadata["fitness"])) for problem in chosen]
            indices = fittest_of_clusters(fitness, clusters, 1)
            pairs = minimise([chosen[index] for index in indices], self.oracle, self._smaller)
            self.record = replace(self.record, minimal=tuple(pairs))

    def _smaller(self, tree: Expression, parent: str) -> Problem:
        """Convert a smaller formula to a problem."""
        return problem_of(
            tree, f"{self.settings.name}-minimal", {"parent": parent, "mutation": "smaller"}, "min-"
        )

    def _note(self, note: str) -> None:
        if note not in self.record.notes:
            self.record = replace(self.record, notes=(*self.record.notes, note))

    def _write(self, state: _State) -> None:
        self.record = replace(self.record, generations=tuple(state.generations))
        write_archive(self.job.out, list(state.archive.values()))
        write_record(self.job.out, self.record)
