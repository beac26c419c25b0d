"""Decides whether F' = f, on expression trees: by refutation, by proof, or by agreement at points.

At points of the real domain of f, the derivative of F is enclosed in a ball and compared with f.
Balls that are apart are a refutation. If none are, an identity is sought; without one, the
precision rises until the balls separate or agree to `AGREE_BITS`.

"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from zlib import crc32

from flint import acb

from ...numeric.ball_arithmetic.balls import USUAL, Conventions, Tape, precision
from ...numeric.ball_arithmetic.compiler import compile_tape
from ...numeric.comparison.at_points import Comparison
from ...numeric.outcome import Budget, DecisionPolicy, Outcome, OutOfBudgetError
from ...numeric.sampling.events import beyond_reach
from ...numeric.sampling.integrand import BASE_BITS, Integrand, Pool
from ...numeric.sampling.parameters import EXTREME, draws
from ...proof.discontinuities.form import cannot_jump
from ...proof.prover import Proof, prove
from ...reading.expression.tree import Expression
from ...verdict import Status
from .course import Proving, refutation, run
from .first_point import decide_at_first_point


def decide(
    answer: Expression,
    integrand: Integrand,
    policy: DecisionPolicy,
    key: str,
    *,
    order: int = 1,
    budget: Budget | None = None,
) -> Outcome:
    """Decide whether an expression is an antiderivative of an integrand.

    Where usage differs (`rewards.numeric.ball_arithmetic.balls.Conventions`), one convention has to
    fit.

    Args:
        answer: F.
        integrand: f.
        policy: what counts as correct.
        key: seeds the choice of sample points.
        order: 1 compares F' with f; 0 compares F with f.
        budget: what is left of the work of the verdict that the decision is a part of.

    Returns:
        The decision with its evidence.

    Raises:
        UnusableError: the answer is too large to compile.

    """
    prover = _Prover(answer, integrand)
    work = budget or Budget()
    if order == 1:
        outcome = decide_at_first_point(answer, integrand, prover.prove)
        if outcome is not None:
            return outcome
    variant = crc32(key.encode("utf-8", "surrogatepass"))

    def judge(conventions: Conventions) -> tuple[Outcome, Tape, Tape]:
        tape = compile_tape(answer, integrand.variable, conventions)
        pool = integrand.pool(conventions, variant)
        with precision(BASE_BITS):
            try:
                comparison = Comparison(tape, pool, policy, variant, order, work)
                outcome = run(comparison, proving(conventions, pool))
                if outcome.status is Status.CORRECT and outcome.proof != "identity":
                    outcome = other_draws(tape, conventions) or outcome
            except OutOfBudgetError:
                outcome = Outcome(Status.UNDECIDED, detail="work budget spent")
        return outcome, tape, pool.tape

    def proving(conventions: Conventions, pool: Pool) -> Proving | None:
        """How to prove the answer, with those conventions for which the prover has rules."""
        if order != 1 or integrand.differentiate or conventions not in PROVABLE:
            return None
        return Proving(
            partial(
                prover.prove,
                real_parts=pool.tier == "real",
                real_roots=conventions.real_roots,
            ),
            partial(cannot_jump, answer, integrand.expression, integrand.variable)
            if conventions == USUAL
            else lambda: False,
        )

    def other_draws(tape: Tape, conventions: Conventions) -> Outcome | None:
        """A refutation at further values of the parameters, or of F's own constants."""
        names, kinds = integrand.parameters, integrand.assumptions
        if not tape.symbols.keys() <= set(integrand.symbols):
            usual = (acb(scale) for scale in (-1.0, EXTREME, -EXTREME, 1 / EXTREME))
            great = beyond_reach(tape) if tape.breaks else []
            for scale in (*usual, *great, *(-size for size in great)):
                pool = integrand.pool(conventions, variant)
                refuted = refutation(
                    Comparison(tape, pool, policy, variant, order, work, constants=scale)
                )
                if refuted is not None:
                    return refuted
        for given in draws(names, kinds, integrand.variable, (integrand.expression, answer)):
            pool = integrand.pool(conventions, variant, given)
            refuted = refutation(Comparison(tape, pool, policy, variant, order, work))
            if refuted is not None:
                return refuted
        return None

    first, *tapes = judge(USUAL)
    if _holds_everywhere(first):
        return first
    others: list[Conventions] = []
    if any(tape.odd_roots for tape in tapes):
        others.append(Conventions(real_roots=False))
    if any(tape.secants for tape in tapes) and not policy.strict_domain:
        others.append(Conventions(textbook_secants=True))
    outcomes = [first]
    for conventions in others:
        outcome, *_ = judge(conventions)
        if _holds_everywhere(outcome):
            return outcome
        outcomes.append(outcome)
    return next((outcome for outcome in outcomes if outcome.status is Status.CORRECT), first)


def _holds_everywhere(outcome: Outcome) -> bool:
    return outcome.status is Status.CORRECT and "branch" not in outcome.flags


#: Conventions for which the prover has rules.
PROVABLE = (USUAL, Conventions(real_roots=False))


class _Prover:
    """Looks for proofs of one answer, and does not look twice.

    ``prove`` is given what says whether cases of signs, which take long, are worth a try.
    """

    def __init__(self, answer: Expression, integrand: Integrand) -> None:
        kinds = {name: integrand.assumptions.get(name, "positive") for name in integrand.parameters}
        self._prove = partial(prove, answer, integrand.expression, integrand.variable, kinds)
        self._known: dict[tuple[bool, bool], Proof | None] = {}

    def prove(
        self, promising: Callable[[], bool], *, real_parts: bool = True, real_roots: bool = True
    ) -> Proof | None:
        """A proof that holds with a convention on odd roots, where f has real parts or anywhere."""
        key, whole = (real_parts, real_roots), True

        def worth_it() -> bool:
            nonlocal whole
            whole = promising()
            return whole

        if key not in self._known:
            proof = self._prove(real_parts=real_parts, real_roots=real_roots, promising=worth_it)
            for case in proof.cases if proof else ():
                case.field.free()
            if not whole:
                return None
            self._known[key] = proof
        return self._known[key]
