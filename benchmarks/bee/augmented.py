"""Perturbations of the bank's problems, by `benchmarks.bee.perturbations`.

A problem is addressed by (perturbation, seed, index): index i is variation i mod n of competition
problem i div n. A draw is accepted if the integrand is real somewhere and the verifier proves the
antiderivative that follows from the parents; otherwise there is another draw. SymPy, or the
prover's normal forms, then simplify the integrand. If the simplification takes too long, or the
verifier does not prove equality, the integrand stays unchanged. These decisions are recorded
(`benchmarks.bee.decisions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any, TypeAlias

from ...rewards import ProblemError, Status, Verdict, verify_antiderivative
from ...rewards.numeric.sampling.integrand import prepare
from ...rewards.reading.expression.tree import Expression
from ...rewards.reading.latex import ReadError, read, to_latex
from ..errors import BenchmarkError
from ..fingerprint import Fingerprint, fingerprint
from ..payloads import IntegrationInputs, IntegrationTarget
from ..problem import Problem
from ..registry import benchmark
from . import bank
from .decisions import PerturbationDecision, decisions, integrand_hash, shipped_variations
from .normal_form import shortest_form
from .perturbations import PERTURBATIONS, Choices, NewIntegral, Perturbation, SourceIntegral
from .simplify import CPU_LIMIT, Outcome, simplify_all

#: The largest number of draws for a problem.
MAX_DRAWS = 40
#: Flags of a proof at points where f, or a subterm, is not real.
_UNREAL = {"complex_disc", "complex_parts"}
#: The number of problems in a batch of simplifications.
BATCH = 24


class AugmentationError(BenchmarkError):
    """No parents, or no usable draw."""


@dataclass(frozen=True)
class Parents:
    """The integrals behind generated problems.

    Attributes:
        competition: the integrals to perturb.
        qualifier: the integrals to combine with.

    """

    competition: tuple[SourceIntegral, ...]
    qualifier: tuple[SourceIntegral, ...]

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> Parents:
        """The problems with a reference; without the two partitions, all problems serve as both.

        Raises:
            AugmentationError: no problem has a reference, or a variable is not x.

        """
        partitions: dict[str, list[SourceIntegral]] = {"competition": [], "qualifier": []}
        for problem in problems:
            target = problem.target
            if not isinstance(target, IntegrationTarget) or target.antiderivative is None:
                continue
            if target.variable != bank.VARIABLE:
                raise AugmentationError(f"{problem.id}: the variable must be {bank.VARIABLE}")
            partitions.setdefault(problem.subset, []).append(
                _source_integral(problem.id, target.integrand, target.antiderivative)
            )
        everything = tuple(item for items in partitions.values() for item in items)
        if not everything:
            raise AugmentationError("there are no problems with a reference to make others of")
        competition, qualifier = map(tuple, (partitions["competition"], partitions["qualifier"]))
        return cls(competition or everything, qualifier or everything)

    @cached_property
    def _fingerprints(self) -> tuple[Fingerprint, ...]:
        unique = dict.fromkeys((*self.competition, *self.qualifier))
        return tuple(fingerprint(to_latex(parent.integrand), bank.VARIABLE) for parent in unique)

    def include(self, integrand: str) -> bool:
        """Whether an integrand equals a parent's integrand up to a factor."""
        mine = fingerprint(integrand, bank.VARIABLE)
        return any(mine.resembles(print_) and mine.same(print_) for print_ in self._fingerprints)


def _source_integral(name: str, integrand: str, reference: str) -> SourceIntegral:
    f = prepare(integrand, bank.VARIABLE, None).expression
    try:
        antiderivative = read(reference, symbols=[bank.VARIABLE])[0].expression
    except ReadError as error:
        raise AugmentationError(f"{name}: unreadable antiderivative: {error}") from None
    return SourceIntegral(name, f, antiderivative)


@cache
def built_in() -> Parents:
    """The problems of our bank."""
    return Parents.of([*bank.problems("competition"), *bank.problems("qualifier")])


@dataclass(frozen=True, slots=True)
class _Accepted:
    """An accepted draw: variation ``variation`` of f."""

    f: SourceIntegral
    variation: int
    integral: NewIntegral
    attempt: int
    coverage: float | None = None

    @property
    def integrand(self) -> str:
        return to_latex(self.integral.integrand)

    @property
    def antiderivative(self) -> str:
        return to_latex(self.integral.antiderivative)


@dataclass(frozen=True, slots=True)
class PerturbedProblems:
    """Makes the problems of a perturbation.

    Attributes:
        perturbation: the perturbation.
        parents: the parents of the problems.
        seed: the seed of the random draws.
        difficulty: the number of combined integrals, or composed substitutions, per problem.
        cpu_limit: seconds of processor time for SymPy's simplification of an integrand.

    """

    perturbation: Perturbation
    parents: Parents
    seed: int = 0
    difficulty: int = 1
    cpu_limit: float = CPU_LIMIT

    @property
    def size(self) -> int:
        """The number of indices. An index without an accepted draw has no problem."""
        return self.perturbation.variations * len(self._originals)

    def at(self, index: int) -> Problem | None:
        """The problem at an index."""
        return self._make([index])[0][0]

    def problems(self, limit: int | None = None) -> Iterator[Problem]:
        """All problems in order, or the first ``limit``."""
        return islice((problem for problem, _ in self._make_all() if problem is not None), limit)

    def decisions(self) -> Iterator[PerturbationDecision]:
        """The decisions about all problems; the package's data file has the decisions of seed 0."""
        return (decision for _, decision in self._make_all() if decision is not None)

    @property
    def _originals(self) -> tuple[SourceIntegral, ...]:
        originals = self.parents.competition
        if self.perturbation.of_all:
            originals = tuple(dict.fromkeys((*originals, *self.parents.qualifier)))
        return tuple(f for f in originals if self.perturbation.eligible(f.integrand))

    def _make_all(self) -> Iterator[_ProblemWithDecision]:
        for start in range(0, self.size, BATCH):
            yield from self._make(range(start, min(start + BATCH, self.size)))

    def _make(self, indices: Sequence[int]) -> list[_ProblemWithDecision]:
        accepted: list[_Accepted | None] = []
        decided: dict[int, PerturbationDecision] = {}
        for position, index in enumerate(indices):
            f, variation = self.variation(index)
            recorded = self._recorded(f, variation)
            if recorded is not None:
                decided[position] = recorded[1]
            accepted.append(recorded[0] if recorded else self._draw(f, variation))
        undecided = {at: draw for at, draw in enumerate(accepted) if draw and at not in decided}
        new = self._decide(list(undecided.values()))
        decisions().add(new)
        decided |= dict(zip(undecided, new, strict=True))
        return [
            (self._problem(draw, decided[position]), decided[position]) if draw else (None, None)
            for position, draw in enumerate(accepted)
        ]

    def variation(self, index: int) -> tuple[SourceIntegral, int]:
        """The original integral of an index, and the number of the variation."""
        if not 0 <= index < self.size:
            raise IndexError(
                f"{self.perturbation.name} has indices 0 to {self.size - 1}, not {index}"
            )
        original, variation = divmod(index, self.perturbation.variations)
        return self._originals[original], variation

    def _perturbed(self, f: SourceIntegral, attempt: int) -> NewIntegral | None:
        partners = [
            partner
            for partner in self.parents.qualifier
            if partner.id != f.id and self.perturbation.eligible(partner.integrand)
        ]
        key = (self.perturbation.draws, self.seed, f.id)
        try:
            return self.perturbation.make(f, Choices(key, partners, attempt, self.difficulty))
        except ValueError:  # a function that cannot be differentiated here
            return None

    def _recorded(
        self, f: SourceIntegral, variation: int, name: str | None = None
    ) -> tuple[_Accepted, PerturbationDecision] | None:
        name = name or self.perturbation.name
        key = (name, self.seed, self.difficulty, _variation_id(f, variation))
        for decision in decisions().find(key):
            integral = self._perturbed(f, decision.attempt)
            if integral and integrand_hash(integral.integrand) == decision.integrand_hash:
                accepted = _Accepted(f, variation, integral, decision.attempt, decision.coverage)
                return accepted, decision
        return None

    def _draw(self, f: SourceIntegral, variation: int) -> _Accepted | None:
        """The first draw that is real somewhere, proven, and different from the parents."""
        same = self._recorded(f, variation, self.perturbation.draws)
        if same is not None and self.perturbation.simplifier == "none":
            # The record's coverage is that of the simplified integrand, whose domain may be larger.
            verdict = _proof(same[0].antiderivative, same[0].integrand)
            if verdict is None:
                return None
            return replace(same[0], coverage=verdict.evidence.coverage)
        if same is not None:
            return same[0]
        step = self.perturbation.variations
        tried: set[Expression] = set()
        for attempt in range(variation, variation + MAX_DRAWS * step, step):
            integral = self._perturbed(f, attempt)
            if integral is None or integral.integrand in tried:
                continue
            tried.add(integral.integrand)
            integrand = to_latex(integral.integrand)
            verdict = _proof(to_latex(integral.antiderivative), integrand)
            if verdict is not None and not self.parents.include(integrand):
                return _Accepted(f, variation, integral, attempt, verdict.evidence.coverage)
        return None

    def _decide(self, accepted: Sequence[_Accepted]) -> list[PerturbationDecision]:
        # All integrands are simplified together, on all cores.
        outcomes: list[Outcome] = [(None, "kept")] * len(accepted)
        if self.perturbation.simplifier == "sympy":
            outcomes = simplify_all([draw.integrand for draw in accepted], cpu_limit=self.cpu_limit)
        elif self.perturbation.simplifier == "normal forms":
            outcomes = [shortest_form(draw.integral.integrand) for draw in accepted]
        new: list[PerturbationDecision] = []
        for draw, (simplified, outcome) in zip(accepted, outcomes, strict=True):
            # A simplifier may drop a branch or a constant factor; an unproven form falls back to
            # the composed integrand.
            coverage = draw.coverage
            if simplified is not None:
                verdict = _proof(draw.antiderivative, simplified)
                if verdict is not None:
                    coverage = verdict.evidence.coverage
                else:
                    simplified, outcome = None, "unproven"
            new.append(
                PerturbationDecision(
                    self.perturbation.name,
                    self.seed,
                    self.difficulty,
                    _variation_id(draw.f, draw.variation),
                    draw.attempt,
                    integrand_hash(draw.integral.integrand),
                    outcome,
                    simplified,
                    None if coverage == 1 else coverage,
                )
            )
        return new

    def _problem(self, accepted: _Accepted, decision: PerturbationDecision) -> Problem:
        inputs = IntegrationInputs(decision.integrand or accepted.integrand, bank.VARIABLE)
        metadata: dict[str, Any] = {
            **accepted.integral.details,
            "seed": self.seed,
            "difficulty": self.difficulty,
            "draw": accepted.attempt,
            "simplify": decision.outcome,
        }
        if decision.coverage is not None:
            metadata["coverage"] = decision.coverage
        level = f"-d{self.difficulty}" if self.difficulty > 1 else ""
        return Problem(
            id=f"{decision.variation_id}-{self.perturbation.name}-s{self.seed}{level}",
            task="integration",
            benchmark="bee",
            subset=self.perturbation.name,
            inputs=inputs,
            target=IntegrationTarget(inputs.integrand, inputs.variable, accepted.antiderivative),
            parents=accepted.integral.parents,
            pair_parent=accepted.f.id,
            perturbation=self.perturbation.name,
            metadata=metadata,
        )


_ProblemWithDecision: TypeAlias = tuple[Problem, PerturbationDecision] | tuple[None, None]


def _variation_id(f: SourceIntegral, variation: int) -> str:
    return f"{f.id}-{variation + 1}"


def _proof(antiderivative: str, integrand: str) -> Verdict | None:
    """The verdict that proves a reference; None if unproven, or f is real nowhere."""
    try:
        verdict = verify_antiderivative(antiderivative, integrand, variable=bank.VARIABLE)
    except ProblemError:
        return None
    if verdict.status is Status.ERROR:  # a fault of the verifier, not of the draw
        raise AugmentationError(f"{verdict.evidence.detail} (integrand {integrand})")
    return verdict if verdict.correct and not _UNREAL & set(verdict.evidence.flags) else None


# --- the subsets of the built-in bank ---


@cache
def _shipped_indices(perturbation: str) -> tuple[int, ...]:
    """The generator's indices with a problem in the package, for seed 0."""
    generator = PerturbedProblems(PERTURBATIONS[perturbation], built_in())
    shipped = shipped_variations(perturbation)
    indices = range(generator.size)
    return tuple(i for i in indices if _variation_id(*generator.variation(i)) in shipped)


def _problem_at(perturbation: str, seed: int, index: int) -> Problem:
    generator = PerturbedProblems(PERTURBATIONS[perturbation], built_in(), seed)
    problem = generator.at(_shipped_indices(perturbation)[index])
    if problem is None:
        raise AugmentationError(
            f"bee/{perturbation} has no problem {index} with seed {seed}; use another seed"
        )
    return problem


def _declare(perturbation: Perturbation) -> None:
    make = partial(_problem_at, perturbation.name)
    make.__doc__ = perturbation.summary
    benchmark(
        f"bee/{perturbation.name}",
        source=f"{perturbation.source}; made of the problems of bee/competition and bee/qualifier",
        size=lambda: len(_shipped_indices(perturbation.name)),
        default=False,
    )(make)


for _perturbation in PERTURBATIONS.values():
    _declare(_perturbation)
