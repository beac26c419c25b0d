"""Integrals as trees: from a problem, and back to one whose reference is proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ...rewards import ProblemError, verify_antiderivative
from ...rewards.decision.integrand import prepare
from ...rewards.expression.tree import Expression
from ...rewards.latex import ReadError, read, to_latex
from ..problem import JSON, Parent, Problem

BENCHMARK = "brittleness"
#: The two readings of the paper: what its released code does, and what its text says.
VARIANTS = ("code", "paper")


class DerivationError(ValueError):
    """Problems that nothing can be made of; the message names them."""


class UnprovenError(DerivationError):
    """The verifier does not prove the reference: it could not judge an answer fairly either."""


@dataclass(frozen=True, slots=True)
class Integral:
    """An integrand with an antiderivative, where one is known, and what is assumed of symbols."""

    integrand: Expression
    antiderivative: Expression | None
    variable: str = "x"
    assumptions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Problem) -> Integral:
        """The integral that a problem asks for; `DerivationError` if it asks for none."""
        return _read(
            problem.id,
            problem.task,
            str(problem.target.get("integrand", "")),
            str(problem.target.get("variable", "x")),
            tuple(problem.assumptions.items()),
            str(problem.target.get("antiderivative", "")),
        )

    def problem(
        self,
        id: str,
        subset: str,
        *,
        parents: tuple[Parent, ...] = (),
        perturbation: str | None = None,
        metadata: Mapping[str, JSON] | None = None,
    ) -> Problem:
        """A problem of this family; `UnprovenError` if the verifier does not prove its reference.

        The first parent is the one that it is compared with.
        """
        shown: dict[str, Any] = {
            "integrand": to_latex(self.integrand),
            "variable": self.variable,
        }
        target = dict(shown)
        if self.antiderivative is not None:
            reference = to_latex(self.antiderivative)
            if not self._proves(reference, shown["integrand"]):
                raise UnprovenError(f"{id}: the reference {reference} is not proven")
            target["antiderivative"] = reference
        return Problem(
            id=id,
            task="integration",
            benchmark=BENCHMARK,
            subset=subset,
            inputs=shown,
            target=target,
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
    name: str,
    task: str,
    integrand: str,
    variable: str,
    assumptions: tuple[tuple[str, str], ...],
    reference: str,
) -> Integral:
    if task != "integration":
        raise DerivationError(f"{name}: nothing can be derived from the task {task!r}")
    try:
        prepared = prepare(integrand, variable, dict(assumptions))
        symbols = prepared.symbols
        known = read(reference, symbols=symbols)[0].expression if reference else None
    except (ProblemError, ReadError) as error:
        raise DerivationError(f"{name}: {error}") from None
    return Integral(prepared.expression, known, variable, dict(assumptions))
