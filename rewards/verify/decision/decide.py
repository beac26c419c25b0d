"""The decision whether F' = f for two expressions: by refutation, by proof, or by agreement.

At points of the real domain of f, F' and f are enclosed in balls and compared. Disjoint balls are a
refutation. If all balls overlap, the prover looks for a proof of the identity. If the prover finds
none, the precision rises until the balls are disjoint or agree to `POINT_BITS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from zlib import crc32

from flint import acb

from ...numeric.ball_arithmetic.balls import USUAL, Conventions, Tape, precision
from ...numeric.ball_arithmetic.compiler import compile_tape
from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Budget, DecisionPolicy, Outcome, OutOfBudgetError
from ...numeric.sampling.cases import unseen_cases
from ...numeric.sampling.events import beyond_reach
from ...numeric.sampling.integrand import Integrand
from ...numeric.sampling.parameters import EXTREME, draws
from ...numeric.sampling.pool import BASE_BITS
from ...proof.discontinuities.search import JumpSearch
from ...proof.equality import FRESH
from ...proof.prover.prove import ProofSearch
from ...reading.expression.build import mul
from ...reading.expression.tree import Expression, Symbol
from ...verdict import Status
from .first_point import decide_at_first_point
from .stages import Decision, decide_in_stages, refutation


def decide(
    answer: Expression,
    integrand: Integrand,
    policy: DecisionPolicy,
    key: str,
    *,
    order: int = 1,
    budget: Budget | None = None,
    as_identity: bool = False,
) -> Outcome:
    """Decide whether an expression is an antiderivative of an integrand.

    Some functions have several definitions in use
    (`rewards.numeric.ball_arithmetic.balls.Conventions`). F is right if F' = f under one of these
    conventions.

    Args:
        answer: F.
        integrand: f.
        policy: the rules of acceptance.
        key: the seed of the sample points.
        order: 1 compares F' with f; 0 compares F with f.
        budget: the work that remains for the whole verdict.
        as_identity: whether F = f may be proved as an identity. This needs order 0.

    Returns:
        The decision with its evidence.

    Raises:
        UnusableError: the answer is too large to compile.

    """
    question = _Question(answer, integrand, policy, key, order, budget or Budget(), as_identity)
    if order == 1:
        outcome = decide_at_first_point(answer, integrand, question.search())
        if outcome is not None:
            return outcome
    usual_outcome, *tapes = question.judge(USUAL)
    if _holds_everywhere(usual_outcome):
        return usual_outcome
    other_conventions: list[Conventions] = []
    if any(tape.odd_roots for tape in tapes):
        other_conventions.append(Conventions(real_roots=False))
    if any(tape.secants for tape in tapes) and not policy.strict_domain:
        other_conventions.append(Conventions(textbook_secants=True))
    outcomes = [usual_outcome]
    for conventions in other_conventions:
        outcome, *_ = question.judge(conventions)
        if _holds_everywhere(outcome):
            return outcome
        outcomes.append(outcome)
    return next(
        (outcome for outcome in outcomes if outcome.status is Status.CORRECT), usual_outcome
    )


def _holds_everywhere(outcome: Outcome) -> bool:
    return outcome.status is Status.CORRECT and "branch" not in outcome.flags


#: Conventions for which the prover has rules.
PROVABLE = (USUAL, Conventions(real_roots=False))


@dataclass(slots=True)
class _Question:
    """The question whether an answer is right. Searches for a proof are kept for later calls."""

    answer: Expression
    integrand: Integrand
    policy: DecisionPolicy
    key: str
    order: int
    budget: Budget
    as_identity: bool = False
    _searches: dict[tuple[bool, bool], ProofSearch] = field(default_factory=dict)

    def search(self, *, real_parts: bool = True, real_roots: bool = True) -> ProofSearch:
        """The search for a proof. A second call with the same arguments returns the same search.

        If ``real_parts`` is true, the proof covers only points at which every sub-expression of the
        integrand is real. If ``real_roots`` is true, odd roots of negative numbers are real.
        """
        key = real_parts, real_roots
        if key not in self._searches:
            f, x, assumptions = (
                self.integrand.expression,
                self.integrand.variable,
                self._assumptions(),
            )
            answer = self.answer
            if self.as_identity:  # F = f if Ft is an antiderivative of f for a t that neither has
                answer, x = mul(answer, Symbol(FRESH)), FRESH
            self._searches[key] = ProofSearch(
                answer, f, x, assumptions, real_parts=real_parts, real_roots=real_roots
            )
        return self._searches[key]

    def _assumptions(self) -> dict[str, str]:
        assumptions = self.integrand.assumptions
        return {name: assumptions.get(name, "positive") for name in self.integrand.parameters}

    def judge(self, conventions: Conventions) -> tuple[Outcome, Tape, Tape]:
        """Decide under given conventions. Return the outcome, and answer and integrand as tapes."""
        tape = compile_tape(self.answer, self.integrand.variable, conventions)
        variant = crc32(self.key.encode("utf-8", "surrogatepass"))
        pool = self.integrand.pool(conventions, variant)
        with precision(BASE_BITS):
            try:
                at = Comparison(tape, pool, self.policy, variant, self.order, self.budget)
                outcome = decide_in_stages(self._decision(at, conventions))
                if outcome.status is Status.CORRECT and outcome.proof != "identity":
                    # Agreement for one draw of the parameters does not imply agreement for others.
                    outcome = self._at_other_draws(tape, conventions, variant) or outcome
            except OutOfBudgetError:
                outcome = Outcome(Status.UNDECIDED, detail="work budget spent")
        return outcome, tape, pool.tape

    def _decision(self, at: Comparison, conventions: Conventions) -> Decision:
        has_search = self.order == 1 or self.as_identity
        provable = has_search and not self.integrand.differentiate and conventions in PROVABLE
        if not provable:
            return Decision(at, JumpSearch(at), None)
        formulas = (self.answer, self.integrand.expression) if conventions == USUAL else None
        search = self.search(real_parts=at.pool.tier == "real", real_roots=conventions.real_roots)
        return Decision(at, JumpSearch(at, formulas), search)

    def _at_other_draws(self, tape: Tape, conventions: Conventions, variant: int) -> Outcome | None:
        """Refute the answer if it is wrong for other values of parameters and constants.

        In each case that the first values do not show, the answer is judged as for these. A value
        at which nothing refutes the answer may hide the case: 1 in e^a + 1, for a = 1000.
        """
        comparisons = self._other_comparisons(tape, conventions, variant)
        refuted = next((outcome for at in comparisons if (outcome := refutation(at))), None)
        integrand = self.integrand
        trees = (integrand.expression, self.answer)
        names, assumptions = integrand.parameters, integrand.assumptions
        usual = draws(names, assumptions, integrand.variable, trees)
        for drawn in () if refuted else unseen_cases(names, assumptions, trees, usual[:1]):
            pool = integrand.pool(conventions, variant, drawn)
            if pool.tier != "real":
                continue
            at = Comparison(tape, pool, self.policy, variant, self.order, self.budget)
            outcome = decide_in_stages(Decision(at, JumpSearch(at), None))
            if outcome.status is not Status.CORRECT:
                return outcome
        return refuted

    def _other_comparisons(
        self, tape: Tape, conventions: Conventions, variant: int
    ) -> Iterator[Comparison]:
        integrand, order, work = self.integrand, self.order, self.budget
        if not tape.symbols.keys() <= set(integrand.symbols):
            usual = (acb(scale) for scale in (-1.0, EXTREME, -EXTREME, 1 / EXTREME))
            great = beyond_reach(tape) if tape.breaks else []
            for scale in (*usual, *great, *(-size for size in great)):
                pool = integrand.pool(conventions, variant)
                yield Comparison(tape, pool, self.policy, variant, order, work, constants=scale)
        names, assumptions = integrand.parameters, integrand.assumptions
        trees = (integrand.expression, self.answer)
        for drawn in draws(names, assumptions, integrand.variable, trees):
            pool = integrand.pool(conventions, variant, drawn)
            yield Comparison(tape, pool, self.policy, variant, order, work)
