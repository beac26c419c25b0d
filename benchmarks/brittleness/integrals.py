"""Integrals as trees: from problems, and to problems whose references are proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ...rewards import ProblemError, verify_antiderivative
from ...rewards.numeric.sampling.integrand import prepare
from ...rewards.reading.expression.tree import Expression
from ...rewards.reading.latex import ReadError, read, to_latex
from ..errors import BenchmarkError
from ..payloads import JSON, IntegrationInputs, IntegrationTarget
from ..problem import Parent, Problem

BENCHMARK = "brittleness"
#: Two readings of the paper: by the released code, and by the text.
VARIANTS = ("code", "paper")


class DerivationError(BenchmarkError):
    """Nothing can be derived from some problems; the message names the problems."""


class UnprovenError(DerivationError):
    """The verifier does not prove the reference, and could not grade answers reliably."""


@dataclass(frozen=True, slots=True)
class IntegralTerm:
    """An integrand, a known antiderivative or None, and assumptions on symbols."""

    integrand: Expression
    antiderivative: Expression | None
    variable: str = "x"
    assumptions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem) -> IntegralTerm:
        """The integral of a problem.

        Raises:
            DerivationError: if the problem is not an integration problem, or cannot be read.

        """
        if not isinstance(target := problem.target, IntegrationTarget):
            raise DerivationError(
                f"{problem.id}: nothing can be derived from the task {problem.task!r}"
            )
        return _read(problem.id, target, tuple(problem.assumptions.items()))

    def problem(
        self,
        id: str,
        subset: str,
        *,
        parents: tuple[Parent, ...] = (),
        perturbation: str | None = None,
        metadata: Mapping[str, JSON] | None = None,
    ) -> Problem:
        """The integral as a problem of this benchmark.

        Args:
            id: the problem's id.
            subset: the problem's subset.
            parents: the origins of the problem; the first is the pair parent.
            perturbation: the perturbation that made the problem from the pair parent.
            metadata: the problem's metadata.

        Raises:
            UnprovenError: the verifier does not prove the reference.

        """
        integrand, reference = to_latex(self.integrand), None
        if self.antiderivative is not None:
            reference = to_latex(self.antiderivative)
            if not self._proves(reference, integrand):
                raise UnprovenError(f"{id}: the reference {reference} is not proven")
        return Problem(
            id=id,
            task="integration",
            benchmark=BENCHMARK,
            subset=subset,
            inputs=IntegrationInputs(integrand, self.variable),
            target=IntegrationTarget(integrand, self.variable, reference),
            assumptions=dict(self.assumptions),
            parents=parents,
            pair_parent=parents[0].id if parents else None,
            perturbation=perturbation,
            metadata=dict(metadata or {}),
        )

    def _proves(self, reference: str, integrand: str) -> bool:
        try:
            verdict = verify_antiderivative(
                reference, integrand, variable=self.variable, assumptions=self.assumptions
            )
        except ProblemError as error:
            raise DerivationError(f"{integrand}: {error}") from None
        return verdict.correct


@lru_cache(maxsize=8192)
def _read(
    name: str, target: IntegrationTarget, assumptions: tuple[tuple[str, str], ...]
) -> IntegralTerm:
    reference = target.antiderivative
    try:
        prepared = prepare(target.integrand, target.variable, dict(assumptions))
        symbols = prepared.symbols
        big_f = read(reference, symbols=symbols)[0].expression if reference else None
    except (ProblemError, ReadError) as error:
        raise DerivationError(f"{name}: {error}") from None
    return IntegralTerm(prepared.expression, big_f, target.variable, dict(assumptions))
