"""Certificates of a run's verdicts. A certificate can be checked without the verifier."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ...benchmarks.payloads import IntegrationTarget
from ...benchmarks.problem import Problem
from ...rewards.numeric.sampling.integrand import prepare
from ...rewards.reading.latex import to_latex
from ...rewards.verdict import Status
from ...rewards.verify.baselines.calls import deadline_for
from ...rewards.verify.certificates.check import CertificateError, check
from ...rewards.verify.certificates.make import certify_many
from ..core.errors import RunError, UserError
from ..core.policy import Policy
from ..core.requests import FinishReason
from ..run.scoring.grading import BATCH, stop_strings
from ..store.run import Run
from ..store.samples import Sample, samples
from ..store.writer import rescoring

#: The status of verdicts that a certificate can show, by the verdict's `Evidence.proof`.
CERTIFIED = {"identity": Status.CORRECT, "witness": Status.INCORRECT}


def store_certificates(path: str | os.PathLike[str], policy: Policy | None = None) -> Run:
    """Make and store the missing certificates of a run's verdicts.

    Each verdict with a proof or a refuting point (a witness) gets a stored row. The row has the
    certificate. If no certificate could be made, the row has the reason. Certificates that are
    already stored are kept.

    Args:
        path: the run directory, already scored under the policy.
        policy: the policy of the verdicts. The default is `Policy()`.

    Returns:
        The run.

    Raises:
        UserError: the policy names another verifier. The verdicts of other verifiers have no
            evidence.
        RunError: the directory is not a run, has no verdicts under the policy, or is being written.

    """
    policy = policy or Policy()
    check_method(policy)
    with rescoring(Path(path)) as run, run.certifying(policy.name) as log:
        done = {row["key"] for _, row in log.heads()}
        unused = ("accept", "method")  # a certificate holds a proof, by our own verifier
        options = {name: value for name, value in policy.options.items() if name not in unused}
        options["deadline"] = deadline_for(policy.method, policy.deadline)
        stop = stop_strings(run)
        uncertified = (
            sample
            for sample in samples(run, policy.name)
            if _is_certified(sample.judged, sample.problem) and sample.completion["key"] not in done
        )
        while batch := list(islice(uncertified, BATCH)):
            certificates = certify_many(_item(sample, options, stop) for sample in batch)
            for sample, certificate in zip(batch, certificates, strict=True):
                reason = certificate if isinstance(certificate, str) else ""
                log.append(
                    {
                        "key": sample.completion["key"],
                        "certificate": None if reason else certificate,
                        "reason": reason,
                    }
                )
    return Run(path)


def check_method(policy: Policy) -> None:
    """Raise a `UserError` if a policy of the verifier gives verdicts without evidence."""
    if policy.method != "balls":
        raise UserError(f"certificates are for our own verifier only, not for {policy.method}")


def _basis(row: dict[str, Any] | None) -> str:
    """The kind of proof behind a stored verdict. If there is no proof, the text is empty."""
    return str(((row or {}).get("evidence") or {}).get("proof", ""))


def _is_certified(row: dict[str, Any] | None, problem: Problem) -> bool:
    return _basis(row) in CERTIFIED and isinstance(problem.target, IntegrationTarget)


def _item(
    sample: Sample, options: dict[str, Any], stop: dict[str, tuple[str, ...]]
) -> tuple[str, Any, dict[str, Any]]:
    problem, completion = sample.problem, sample.completion
    return (
        completion["text"],
        problem.target.judged,
        options
        | {
            "variable": problem.target.integrated_over,
            "assumptions": dict(problem.assumptions),
            "stop": list(stop.get(problem.task, ())),
            "truncated": FinishReason(completion["finish_reason"]).truncated,
        },
    )


@dataclass
class CheckedRun:
    """The result of checking a run's certificates.

    Attributes:
        policy: the name of the set of verdicts.
        verdicts: the number of verdicts with each status and kind of proof.
        valid: the number of certificates that hold.
        taken: for each function, how often the checker took the function's derivative from a
            certificate without a check.
        reasons: the reasons why no certificate could be made, and the number of verdicts for each
            reason.
        failures: the key of every certificate that does not hold, and the reason.
        missing: the number of verdicts that should have a stored certificate, but have none. These
            verdicts have a proof or a refuting point (a witness).

    """

    policy: str
    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    valid: int = 0
    taken: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    missing: int = 0


def check_run(path: str | os.PathLike[str], policy: str | None = None) -> CheckedRun:
    """Check every stored certificate of a run with the independent checker.

    A certificate is valid under three conditions. The checker confirms the certificate. The
    certificate's statement is about the run's problem. The statement has the same status as the
    verdict.

    Args:
        path: the run directory.
        policy: a name of `Run.policies`. The default is `Run.policy`.

    Raises:
        RunError: the directory is not a run, or has no verdicts of that name.

    """
    run = Run(path)
    name = policy or run.policy
    if name is None:
        raise RunError(f"{run.path} has no verdicts")
    result = CheckedRun(name)
    # Certificates are matched with verdicts: a certificate of another answer proves nothing.
    judged = {row["key"]: row for row in _verdicts(run, name, result)}
    for row in run.certificates(name).rows():
        verdict = judged.pop(row["key"], None)
        if row["certificate"] is None:
            result.reasons[row["reason"]] += 1
            continue
        try:
            if verdict is None:
                raise CertificateError("the run has no such verdict")
            result.taken.update(_check(run, verdict, row["certificate"]))
            result.valid += 1
        except CertificateError as error:
            result.failures.append((row["key"], str(error)))
    result.missing = len(judged)
    return result


def _verdicts(run: Run, policy: str, result: CheckedRun) -> Iterator[dict[str, Any]]:
    """Yield the verdicts that can have a certificate.

    The function also counts all verdicts in ``result``.
    """
    for row in run.verdicts(policy).rows():
        basis = _basis(row)
        result.verdicts[row["status"], basis] += 1
        if _is_certified(row, run.problem(row["problem"])):
            yield {"key": row["key"], "problem": row["problem"], "status": row["status"]}


def _check(run: Run, verdict: dict[str, Any], certificate: dict[str, Any]) -> list[str]:
    stated = check(certificate)
    if CERTIFIED[certificate["kind"]] != verdict["status"]:
        raise CertificateError(f"it shows no {verdict['status']} answer")
    problem = run.problem(verdict["problem"])
    target = problem.target_as(IntegrationTarget)
    read = prepare(target.integrand, target.variable, dict(problem.assumptions))
    if certificate["integrand_text"] != to_latex(read.expression):
        raise CertificateError("it is for another integrand")
    return stated
