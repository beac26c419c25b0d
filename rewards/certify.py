"""Certificates: why a verdict holds, as data that `rewards.certificate` re-checks by itself."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb

from .answers import best, find_answer, read_answer
from .decision.decide import DecisionPolicy, Outcome, Refutation, decide
from .decision.integrand import Integrand, prepare
from .decision.prover import certificate, prove
from .expression.tree import Expression, Number, Symbol
from .latex import to_latex
from .verdict import Status


def certify(
    completion: str,
    integrand: str,
    *,
    variable: str | None = "x",
    assumptions: Mapping[str, str] | None = None,
) -> dict[str, Any] | None:
    r"""The certificate of the verdict on a completion, or None if it rests on neither kind.

    Args:
        completion: as in `rewards.verify_antiderivative`.
        integrand: f as LaTeX.
        variable: the variable of integration.
        assumptions: kinds of parameters.

    Returns:
        A dictionary for JSON of kind ``identity`` (F' = f is proved) or ``witness`` (they differ at
        a point), with the integrand and the answer as they were read.

    Raises:
        ProblemError: the problem is bad.
        NotProvedError: there is a proof, but its certificate would be too large.

    Example:
        >>> from calculus_harness.rewards.certificate import check
        >>> check(certify(r"\sin x", r"\cos x"))
        []

    """
    problem = prepare(integrand, variable, assumptions)
    answer = read_answer(find_answer(completion, strict=False, stop=(), truncated=False),
                         problem.symbols)  # fmt: skip
    if answer.status is not None:
        return None
    key = f"{problem.key}|{answer.text}"
    judged = (
        (decide(each.expression, problem, DecisionPolicy(), key), each) for each in answer.readings
    )
    outcome, reading = best(judged)
    data = _of_outcome(outcome, reading.expression, problem)
    if data is None:
        return None
    texts = {"integrand_text": to_latex(problem.expression),
             "answer_text": to_latex(reading.expression)}  # fmt: skip
    return {**data, "variable": problem.variable, **texts}


def _of_outcome(outcome: Outcome, answer: Expression, problem: Integrand) -> dict[str, Any] | None:
    if outcome.refutation is not None:
        return _witness(outcome.refutation, answer, problem)
    if outcome.status is not Status.CORRECT or outcome.proof != "identity":
        return None
    kinds = {name: problem.assumptions.get(name, "positive") for name in problem.parameters}
    real = "complex_parts" not in outcome.flags and "complex_disc" not in outcome.flags
    proof = prove(answer, problem.expression, problem.variable, kinds, real_parts=real)
    return certificate(proof) if proof else None


def _witness(found: Refutation, answer: Expression, problem: Integrand) -> dict[str, Any] | None:
    if any(not value.imag.is_zero() for value in found.point.values()):
        return None
    return {
        "kind": "witness",
        "version": 1,
        "bits": found.bits,
        "point": {name: str(_exact(value.real.mid())) for name, value in found.point.items()},
        "answer": _data(answer),
        "integrand": _data(problem.expression),
        "derivative": _bounds(found.derivative),
        "f": _bounds(found.f),
    }


def _bounds(ball: Any) -> list[list[str]]:
    """Exact lower and upper bounds of the real and the imaginary part."""
    parts = [(_exact(part.mid()), _exact(part.rad())) for part in (ball.real, ball.imag)]
    return [[str(middle - radius), str(middle + radius)] for middle, radius in parts]


def _exact(value: arb) -> Fraction:
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _data(node: Expression) -> Any:
    if isinstance(node, Number):
        return str(Fraction(node.numerator, node.denominator))
    if isinstance(node, Symbol):
        return ["symbol", node.name]
    return [node.function, *(_data(arg) for arg in node.args)]
