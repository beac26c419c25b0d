"""Certificates, which are data that prove or refute F' = f and so justify a verdict.

`rewards.verify.certificates.check` checks the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from ...errors import NoCertificateError, UserError
from ...numeric.outcome import DecisionPolicy, Refutation
from ...numeric.sampling.integrand import Integrand, as_latex, prepare
from ...proof.prover import prove
from ...proof.prover.quotients import NotProvedError
from ...reading.expression.traversal import needs_worker
from ...reading.expression.tree import Expression, Number, Symbol
from ...reading.latex import Reading, to_latex
from ...verdict import Evidence, Status
from ...workers.errors import TaskError, WorkerError
from ...workers.pool import DEFAULT_DEADLINE, shared_pool
from ...workers.verdicts import WorkItem, call_task
from ..answers import (
    AnswerOptions,
    NeedsWorkerError,
    best,
    find_answer,
    read_answer,
    require_worker,
)
from ..antiderivative import verify_antiderivative
from ..decision.decide import decide
from .identity import certificate

#: Bounds of a witness are written as fractions up to this power of two.
MAX_EXPONENT = 2**16
TOO_LONG = "no certificate: its numbers have too many digits"


def certify(
    completion: str,
    integrand: str,
    *,
    variable: str | None = None,
    assumptions: Mapping[str, str] | None = None,
    strict: bool = False,
    strict_domain: bool = False,
    require_continuous: bool = False,
    stop: Sequence[str] = (),
    truncated: bool = False,
    deadline: float = DEFAULT_DEADLINE,
) -> dict[str, Any]:
    r"""Make the certificate of a verdict of `verify_antiderivative`.

    The arguments are as for `verify_antiderivative`. A verdict contains no expressions. This
    function therefore reads the answer again, and proves or refutes the answer again.

    Args:
        completion: the completion.
        integrand: f as LaTeX.
        variable: the variable of integration. None has the meaning that it has for
            `verify_antiderivative`.
        assumptions: assumptions on parameters.
        strict: whether the answer must be in a box.
        strict_domain: whether the integrand's radicals must have their principal signs.
        require_continuous: whether jumps of F are refused.
        stop: the prompt's stop strings.
        truncated: whether the token limit cut the completion off.
        deadline: the limit of a worker process, in seconds of processor time. Without a worker
            process, an answer has no deadline.

    Returns:
        A dictionary that can be written as JSON. The kind of the certificate is ``identity`` (F' =
        f is proved) or ``witness`` (F' and f differ at a point). The dictionary also has the
        integrand and the answer as they were read.

    Raises:
        ProblemError: the problem cannot be used.
        NoCertificateError: the verdict rests neither on a proof nor on a witness, or the
            certificate would be too large.

    Example:
        >>> from calculus_harness.rewards.verify.certificates.check import check
        >>> check(certify(r"\sin x", r"\cos x"))
        []

    """
    options: dict[str, Any] = {"variable": variable, "assumptions": assumptions, "strict": strict}
    options |= {"strict_domain": strict_domain, "require_continuous": require_continuous}
    options |= {"stop": list(stop), "truncated": truncated}
    verdict = verify_antiderivative(completion, integrand, **options, deadline=deadline)
    evidence, problem = verdict.evidence, prepare(integrand, variable, assumptions)
    extraction = find_answer(
        completion, AnswerOptions(strict, stop, truncated), symbols=problem.symbols
    )
    answer = read_answer(extraction, problem.symbols)
    try:
        if "stated_bounds" in evidence.flags:  # of F(e^t), which the checker does not read
            raise NoCertificateError("no certificate: it depends on the sign of the variable")
        if verdict.correct and evidence.proof == "identity":
            data, reading = _identity(answer.readings, problem, evidence)
        elif verdict.status is Status.INCORRECT and evidence.proof == "witness":
            policy = DecisionPolicy(strict_domain, require_continuous)
            key = f"{problem.key}|{answer.text}"
            data, reading = _witness(answer.readings, problem, policy, key)
        else:
            raise NoCertificateError(f"no certificate: {verdict.status} {_basis(evidence)}")
        data["integrand_text"] = to_latex(problem.expression)
        data["answer_text"] = to_latex(reading.expression)
    except UserError:
        raise
    except ValueError:  # an integer that Python does not write, for its length
        raise NoCertificateError(TOO_LONG) from None
    except NeedsWorkerError:
        try:
            arguments = (completion, as_latex(integrand), options)
            from_worker: dict[str, Any] = call_task("certify", *arguments, deadline=deadline)
            return from_worker
        except WorkerError as error:
            raise NoCertificateError(f"no certificate: {error}") from None
    return {**data, "variable": problem.variable}


def certify_many(items: Iterable[WorkItem]) -> list[dict[str, Any] | str]:
    """Make certificates in worker processes. The result has the order of the items.

    If there is no certificate, the entry is the reason as text.

    Args:
        items: for each certificate, the completion, the integrand and the options of `certify`.

    """
    results = shared_pool().map("certify", items, deadline=2 * DEFAULT_DEADLINE)
    return [
        _reason(result) if isinstance(result, WorkerError) else dict(result) for result in results
    ]


def _reason(error: WorkerError) -> str:
    return error.message if isinstance(error, TaskError) else str(error)


def _basis(evidence: Evidence) -> str:
    if evidence.proof == "agreement":
        return f"rests on agreement at {evidence.points} points, which is no proof"
    return "does not rest on a proof, nor on a point where F' and f differ"


def _identity(
    readings: Any, problem: Integrand, evidence: Evidence
) -> tuple[dict[str, Any], Reading]:
    assumed = {name: problem.assumptions.get(name, "positive") for name in problem.parameters}
    real = not {"complex_parts", "complex_disc"} & set(evidence.flags)
    real_roots = "principal_roots" not in evidence.flags
    for reading in readings:
        formulas = reading.expression, problem.expression, problem.variable
        proof = prove(*formulas, assumed, real_parts=real, real_roots=real_roots)
        if proof is not None:
            try:
                return certificate(proof), reading
            except NotProvedError as error:
                raise NoCertificateError(f"no certificate: F' = f is proved, but {error}") from None
    raise NoCertificateError("no certificate: F' = f is not proved again")


def _witness(
    readings: Any, problem: Integrand, policy: DecisionPolicy, key: str
) -> tuple[dict[str, Any], Reading]:
    judged = []
    for reading in readings:
        require_worker(problem.needs_worker or needs_worker(reading.expression))
        judged.append((decide(reading.expression, problem, policy, key), reading))
    outcome, reading = best(judged)
    refutation = outcome.refutation
    if refutation is None or any(not value.imag.is_zero() for value in refutation.point.values()):
        why = outcome.detail or "the point is complex"
        raise NoCertificateError(f"no certificate: not refuted by a real point ({why})")
    return _bounded(refutation, reading.expression, problem), reading


def _bounded(refutation: Refutation, answer: Expression, problem: Integrand) -> dict[str, Any]:
    return {
        "kind": "witness",
        "version": 1,
        "bits": refutation.bits,
        "point": {name: str(_exact(value.real.mid())) for name, value in refutation.point.items()},
        "answer": _data(answer),
        "integrand": _data(problem.expression),
        "derivative": _bounds(refutation.derivative),
        "f": _bounds(refutation.f),
    }


def _bounds(ball: Any) -> list[list[str]]:
    """Exact bounds of a complex ball (a value with an error bound), as texts.

    The real part and the imaginary part have a lower and an upper bound each.
    """
    centres = [
        (_exact(component.mid()), _exact(component.rad())) for component in (ball.real, ball.imag)
    ]
    return [[str(middle - radius), str(middle + radius)] for middle, radius in centres]


def _exact(value: arb) -> Fraction:
    mantissa, exponent = value.man_exp()
    if abs(exponent) > MAX_EXPONENT:
        raise NoCertificateError(TOO_LONG)
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _data(node: Expression) -> Any:
    if isinstance(node, Number):
        return str(Fraction(node.numerator, node.denominator))
    if isinstance(node, Symbol):
        return ["symbol", node.name]
    return [node.function, *(_data(arg) for arg in node.args)]
